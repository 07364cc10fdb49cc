"""REST answers kept in a file: for the next process, for its owner alone, and never in the way."""

from __future__ import annotations

import logging
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from resources_graph_core.address import Address
from resources_graph_core.github import open_source
from resources_graph_core.github.answer_file import KEPT_SECONDS, AnswerFile
from resources_graph_core.github.conditional import Remembered, Request
from resources_graph_core.sandbox import Sandbox
from resources_graph_core.sandbox.archive import load_archive, packaged_archives

if TYPE_CHECKING:
    from pathlib import Path

API = "https://api.github.com"
ARCHIVE = load_archive(max(packaged_archives(), key=lambda path: path.stat().st_size))


def asked(path: str, *, accept: str = "json", with_token: bool = False) -> Request:
    return Request(f"{API}{path}", accept, with_token)


def answer(content: bytes = b"{}") -> Remembered:
    return Remembered('W/"1"', content, f"{API}/next")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.sqlite"


def test_the_next_process_finds_it(path: Path) -> None:
    with closing(AnswerFile(path)) as first:
        first.keep(asked("/a"), answer(b"one"))
        first.keep(asked("/a"), answer(b"two"))
    with closing(AnswerFile(path)) as second:
        assert second.get(asked("/a")) == answer(b"two")
        assert second.get(asked("/a", accept="raw")) is None
        assert second.get(asked("/a", with_token=True)) is None


def test_it_is_used_again_after_closing(path: Path) -> None:
    answers = AnswerFile(path)
    answers.keep(asked("/a"), answer())
    answers.close()
    assert answers.get(asked("/a")) == answer()
    answers.close()
    answers.close()


def test_only_its_owner_reads_it(path: Path) -> None:
    with closing(AnswerFile(path)) as answers:
        answers.keep(asked("/a"), answer())
        for file in path.parent.iterdir():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("spoilt", [b"nonsense", b"SQLite format 3\0" + b"x" * 5000])
def test_a_spoilt_file_is_thrown_away(
    path: Path, spoilt: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path.write_bytes(spoilt)
    with closing(AnswerFile(path)) as answers:
        assert answers.get(asked("/a")) is None
        assert "thrown away" in caplog.text
        answers.keep(asked("/a"), answer())
        assert answers.get(asked("/a")) == answer()


def test_a_file_spoilt_in_the_middle_is_thrown_away(path: Path) -> None:
    with closing(AnswerFile(path)) as answers:
        for number in range(200):
            answers.keep(asked(f"/{number}"), answer(b"x" * 3000))
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    with closing(AnswerFile(path)) as answers:
        for number in range(200):
            assert answers.get(asked(f"/{number}")) is None
        answers.keep(asked("/a"), answer())
        assert answers.get(asked("/a")) == answer()


def test_another_layout_is_replaced(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE answers (something TEXT)")
    with closing(AnswerFile(path)) as answers:
        answers.keep(asked("/a"), answer())
        assert answers.get(asked("/a")) == answer()


def test_without_a_file_nothing_is_kept(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    (tmp_path / "taken").write_text("no folder")
    with closing(AnswerFile(tmp_path / "taken" / "answers.sqlite")) as answers:
        answers.keep(asked("/a"), answer())
        assert answers.get(asked("/a")) is None
        answers.forget(f"{API}/a")
    assert "not kept" in caplog.text


def test_the_least_recently_used_go_first(path: Path) -> None:
    moment = iter(range(1, 100))
    with closing(AnswerFile(path, most=3, clock=lambda: next(moment))) as answers:
        for name in "abc":
            answers.keep(asked(f"/{name}"), answer())
        assert answers.get(asked("/a")) is not None
        answers.keep(asked("/d"), answer())
        kept = [name for name in "abcd" if answers.get(asked(f"/{name}"))]
    assert kept == ["a", "c", "d"]


def test_bodies_are_bounded_together(path: Path) -> None:
    moment = iter(range(1, 100))
    with closing(AnswerFile(path, most_bytes=1000, clock=lambda: next(moment))) as answers:
        for name in "abc":
            answers.keep(asked(f"/{name}"), answer(b"x" * 400))
        answers.keep(asked("/large"), answer(b"x" * 1001))
        kept = [name for name in ("a", "b", "c", "large") if answers.get(asked(f"/{name}"))]
    assert kept == ["b", "c"]


def test_what_nobody_asks_for_does_not_stay(path: Path) -> None:
    with closing(AnswerFile(path, clock=lambda: 1.0)) as answers:
        answers.keep(asked("/a"), answer(b"withdrawn"))
    with closing(AnswerFile(path, clock=lambda: KEPT_SECONDS + 2.0)) as answers:
        assert answers.get(asked("/a")) is None
    assert b"withdrawn" not in path.read_bytes()


def test_forgetting_takes_what_is_under_an_address(path: Path) -> None:
    paths = ("/o/r/issues/1", "/o/r/issues/1?page=2", "/o/r/issues/1/comments", "/o/r/issues/11")
    with closing(AnswerFile(path)) as answers:
        for each in paths:
            answers.keep(asked(each), answer(b"secret_%"))
        answers.forget(f"{API}/o/r/issues/1")
        assert [each for each in paths if answers.get(asked(each))] == ["/o/r/issues/11"]


def test_threads_and_processes_share_it(path: Path) -> None:
    with closing(AnswerFile(path)) as one, closing(AnswerFile(path)) as other:

        def work(number: int) -> None:
            file = (one, other)[number % 2]
            file.keep(asked(f"/{number}"), answer(str(number).encode()))

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, range(100)))
        found = [other.get(asked(f"/{number}")) for number in range(100)]
    assert found == [answer(str(number).encode()) for number in range(100)]


def test_a_second_sweep_without_a_token_sends_nothing_again(path: Path) -> None:
    owner, _, name = ARCHIVE.repo.partition("/")
    wanted = [Address.of_item(owner, name, one.number) for one in ARCHIVE.issues[:3]]
    wanted.append(wanted[0].repository)
    with Sandbox(packaged_archives()) as sandbox:
        contents = []
        for _ in range(2):
            sandbox.requests.clear()
            with open_source(sandbox.url, answers=AnswerFile(path)) as source:
                contents.append({one.address: one.content for one in source.fetch(wanted)})
            statuses = {request.status for request in sandbox.requests.all}
        assert statuses == {304}
    assert contents[0] == contents[1]
    assert None not in contents[0].values()
