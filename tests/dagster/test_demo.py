"""The demo: it works, works again, and leaves the user's own things alone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from resources_graph_core.cli import main
from resources_graph_core.sandbox.archive import load_archive, packaged_archives
from resources_graph_dagster.demo_session import session_in

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(params=["packaged", "own"])
def arguments(request: pytest.FixtureRequest, archives: list[Path]) -> list[str]:
    return ["demo"] if request.param == "packaged" else ["demo", "--archive", str(archives[0])]


def test_the_demo_works_and_works_again(
    arguments: list[str],
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("RESOURCES_GRAPH_URL", "bolt://127.0.0.1:1")
    monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("GITHUB_TOKEN", "somebody's-own")
    before = dict(os.environ)
    for _ in range(2):
        assert main(arguments) == 0
        shown = capsys.readouterr()
        assert shown.err == ""
        assert "resolved" in shown.out
        assert "unresolved: not found" in shown.out
        assert shown.out.count("hit") == 3
    assert dict(os.environ) == before
    assert not home.exists()


def test_a_file_that_is_no_archive_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "notes.json"
    path.write_text("[]", "utf-8")
    assert main(["demo", "--archive", str(path)]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_the_session_reaches_for_what_the_archive_holds() -> None:
    for archive in map(load_archive, packaged_archives()):
        numbers = {item.number for item in (*archive.issues, *archive.pulls)}
        reached = {reach.address.number for reach in session_in(archive) if reach.shown}
        assert reached - {None} <= numbers
