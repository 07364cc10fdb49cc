"""Reading archives: the real ones load as they are, and what is not one says so in a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from resources_graph_core.errors import ArchiveError
from resources_graph_core.sandbox.archive import load_archive
from resources_graph_core.sandbox.nodes import PullRequest
from resources_graph_core.sandbox.state import State

GITHUB = Path(__file__).parents[3] / "shared" / "github"
MOMENT = "2026-01-02T03:04:05Z"
ISSUE: dict[str, Any] = {
    "number": 1,
    "id": "I_1",
    "title": "Number 1",
    "state": "OPEN",
    "createdAt": MOMENT,
    "updatedAt": MOMENT,
}
EMPTY: dict[str, Any] = {"repo": "octo-org/widgets", "labels": [], "issues": [], "pulls": []}


def real(name: str) -> Path:
    path = GITHUB / name
    if not path.exists():
        pytest.skip("the real archives are not at hand")
    return path


@pytest.mark.parametrize(
    ("name", "issues", "pulls"),
    [("tls-esni-2020.json", 153, 204), ("tls-esni-2025.json", 250, 392)],
)
def test_a_real_archive_loads_whole(name: str, issues: int, pulls: int) -> None:
    path = real(name)
    raw = json.loads(path.read_text("utf-8"))
    archive = load_archive(path)
    assert (len(archive.issues), len(archive.pulls)) == (issues, pulls)
    repository = State([archive]).repositories[0]
    by_number = {item["number"]: item for item in (*raw["issues"], *raw["pulls"])}
    assert repository.items.keys() == by_number.keys()
    for number, item in repository.items.items():
        told = by_number[number]
        assert (item.id, item.title, item.body) == (told["id"], told["title"], told["body"])
        assert len(item.comments) == len(told["comments"])
        if isinstance(item, PullRequest):
            assert [len(review.comments) for review in item.reviews] == [
                len(review["comments"]) for review in told["reviews"]
            ]


def test_the_later_archive_keeps_the_ids_of_the_earlier_one() -> None:
    state = State([load_archive(real("tls-esni-2020.json"))])
    before = {item.id for item in state.repositories[0].items.values()}
    state.load(load_archive(real("tls-esni-2025.json")))
    (repository,) = state.repositories
    after = {item.id for item in repository.items.values()}
    assert len(before & after) > 300


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it is not JSON"),
        ('{"repo": "octo-org/wid', "it is not JSON"),
        ("<html></html>", "it is not JSON"),
        ("[]", "it is not a JSON object"),
        ("null", "it is not a JSON object"),
        ("{}", "repo is missing"),
        (json.dumps({**EMPTY, "repo": "widgets"}), "repo is wrong"),
        (json.dumps({**EMPTY, "repo": 7}), "repo is wrong"),
        (json.dumps({key: EMPTY[key] for key in ("repo", "labels", "issues")}), "pulls is missing"),
        (json.dumps({**EMPTY, "labels": [{}]}), "labels[0].name is missing"),
        (json.dumps({**EMPTY, "issues": {}}), "issues is wrong"),
        (json.dumps({**EMPTY, "issues": [ISSUE, {}]}), "issues[1].createdAt is missing"),
        (json.dumps({**EMPTY, "issues": [ISSUE | {"number": 0}]}), "issues[0].number is wrong"),
        (json.dumps({**EMPTY, "issues": [ISSUE | {"number": 2**31}]}), "issues[0].number is wrong"),
        (json.dumps({**EMPTY, "issues": [ISSUE | {"state": "open"}]}), "issues[0].state is wrong"),
        (
            json.dumps({**EMPTY, "issues": [ISSUE | {"createdAt": "yesterday"}]}),
            "issues[0].createdAt is wrong",
        ),
        (
            json.dumps({**EMPTY, "pulls": [ISSUE | {"reviews": [{"state": "FINE"}]}]}),
            "pulls[0].reviews[0]",
        ),
        (json.dumps({**EMPTY, "issues": [ISSUE], "pulls": [ISSUE]}), "it has #1 twice"),
        (
            json.dumps({**EMPTY, "issues": [ISSUE, ISSUE | {"number": 2}]}),
            "it has the id I_1 twice",
        ),
        (json.dumps({**EMPTY, "issues": [ISSUE | {"id": ""}]}), "issues[0].id is wrong"),
        (json.dumps({**EMPTY, "issues": [ISSUE | {"id": "I 1"}]}), "issues[0].id is wrong"),
        (
            json.dumps({**EMPTY, "issues": [ISSUE | {"reactions": {"HEART": 10**9}}]}),
            "issues[0].reactions.HEART is wrong",
        ),
    ],
)
def test_what_is_no_archive_says_so_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "widgets.json"
    path.write_text(text, "utf-8")
    with pytest.raises(ArchiveError) as caught:
        load_archive(path)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(f"{path} is not an archive: {said}")
    assert message.endswith("as IETF working groups publish them")


def test_bytes_that_are_no_text_are_no_archive(tmp_path: Path) -> None:
    path = tmp_path / "widgets.json"
    path.write_bytes(b"\xff\xfe\x00{")
    with pytest.raises(ArchiveError, match="it is not JSON"):
        load_archive(path)


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(ArchiveError, match=r"cannot be read: (No such file|Is a directory)"):
        load_archive(tmp_path / name)


def test_the_least_an_archive_can_be(tmp_path: Path) -> None:
    path = tmp_path / "widgets.json"
    path.write_text(json.dumps({**EMPTY, "unheard": "of"}), "utf-8")
    repository = State([load_archive(path)]).repositories[0]
    assert repository.name_with_owner == "octo-org/widgets"
    assert repository.items == {}
    assert repository.created_at
