"""The failure log: bounded, private, and without anything secret in it."""

from __future__ import annotations

import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from resources_graph_core import failures
from resources_graph_core.errors import (
    LONGEST_MESSAGE,
    GraphUnavailable,
    NoSuchEntry,
    UsageError,
)

if TYPE_CHECKING:
    from pathlib import Path


def test_a_failure_is_one_line_for_its_owner(tmp_path: Path) -> None:
    failures.record(tmp_path, "hook", GraphUnavailable("The graph\nis down."))
    (failure,) = failures.recent(tmp_path)
    assert (failure.where, failure.kind) == ("hook", "GraphUnavailable")
    assert failure.message == "The graph is down."
    assert failure.at.endswith("Z")
    file = tmp_path / failures.FILE_NAME
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_bytes().count(b"\n") == 1


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("token ghp_abcDEF123456 refused", "abcDEF123456"),
        ("got github_pat_11AA_bbCC", "11AA_bbCC"),
        ("Authorization: Bearer abc.def", "abc.def"),
        ("authorization: bearer abc.def", "abc.def"),
        ("Authorization: x-made-up", "x-made-up"),
        ("cannot reach bolt://mona:hunter2@db:7687", "hunter2"),
        ("GET https://api.github.com/search?q=private+words failed", "private"),
        ("password=hunter2", "hunter2"),
    ],
)
def test_secrets_are_masked(text: str, secret: str) -> None:
    assert secret not in failures.masked(text)


def test_an_unexpected_error_says_where_and_not_what(tmp_path: Path) -> None:
    try:
        int("gh issue view 5 --token x")
    except ValueError as error:
        failures.record(tmp_path, "hook", error)
    try:
        subprocess.run([sys.executable, "-c", "raise SystemExit(3)"], check=True)
    except subprocess.CalledProcessError as error:
        failures.record(tmp_path, "hook", error)
    logged = (tmp_path / failures.FILE_NAME).read_text()
    assert "gh issue" not in logged
    assert "SystemExit" not in logged
    assert "ValueError" in logged
    assert "raised in test_failures.py:" in logged


def test_the_log_is_bounded_and_keeps_the_latest(tmp_path: Path) -> None:
    for number in range(1000):
        failures.record(tmp_path, "hook", OSError(f"{number} " + "x " * 200))
    assert (tmp_path / failures.FILE_NAME).stat().st_size <= failures.LARGEST_FILE
    assert failures.recent(tmp_path, 1)[0].message.startswith("999 ")
    assert len(failures.recent(tmp_path, 10_000)) > 100


def test_a_torn_line_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / failures.FILE_NAME).write_bytes(b'{"at": "2026')
    failures.record(tmp_path, "hook", "A note.")
    assert [failure.message for failure in failures.recent(tmp_path)] == ["A note."]


def test_nothing_is_raised_where_nothing_can_be_written(tmp_path: Path) -> None:
    failures.record(tmp_path / "absent", "hook", "A note.")
    assert failures.recent(tmp_path / "absent") == []


def test_a_message_that_quotes_something_very_long_is_shortened() -> None:
    """Whoever hands in a megabyte need not read it again."""
    for error in (UsageError(f"{'x' * 100_000!r} names nothing"), NoSuchEntry("y" * 100_000)):
        text = str(error)
        assert len(text) < LONGEST_MESSAGE
        assert "characters left out" in text
    assert str(UsageError(f"{'x' * 100_000!r} names nothing")).endswith("names nothing")
    assert str(UsageError("short")) == "short"
