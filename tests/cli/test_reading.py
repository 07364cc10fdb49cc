"""``read`` on a terminal, ``status`` with its picture, ``export`` and ``import``."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from resources_graph_core.cli.output import show_lines
from resources_graph_core.render import Line, freshness_lines

if TYPE_CHECKING:
    from pathlib import Path

    from resources_graph_core.graph import Graph
    from tests.cli.conftest import Run

FIRST = "octo-org/widgets#1"
PROSE = "# Heading\n\n- *one* [two](https://evil.example)\n\n<!-- hidden -->\n"


def shown(*, raw: bool) -> str:
    """What a terminal of eighty columns gets, without its escape sequences."""
    console = Console(file=io.StringIO(), width=80, color_system=None)
    show_lines(console, [Line("title", "title"), Line(PROSE, "prose")], raw=raw)
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def test_markdown_is_rendered_on_a_terminal() -> None:
    text = shown(raw=False)
    assert " • one two (https://evil.example)" in text
    assert "# Heading" not in text
    assert "--raw shows it" in text
    assert PROSE in shown(raw=True)


def test_a_picture_of_freshness() -> None:
    ages = {"day": 80, "week": 20, "month": 1, "older": 0}
    then, newest, now = "2026-10-01T00:00:00Z", "2026-11-30T22:00:00Z", "2026-12-01T00:00:00Z"
    lines = [line.text for line in freshness_lines(ages, then, newest, now)]
    assert [line.count("█") for line in lines] == [0, 40, 10, 1, 0, 0]
    assert lines[-1] == "  newest 2 hours ago, oldest 2 months ago"
    assert list(freshness_lines(dict.fromkeys(ages, 0), None, None, now)) == []


@pytest.mark.usefixtures("graph_url", "sandbox")
def test_status_shows_how_fresh_memory_is(run: Run) -> None:
    run("touch", FIRST)
    run("sweep")
    found = run("status", "--json").json()["freshness"]
    assert found["ages"] == {"day": 2, "week": 0, "month": 0, "older": 0}
    assert found["repositories"][0]["address"] == "github:octo-org/widgets"
    assert "within a day           2 ████" in run("status").out
    assert run("read", FIRST, "--raw", "--no-pager").out == run("read", FIRST, "--raw").out


@pytest.mark.usefixtures("graph_url", "sandbox")
def test_memory_goes_into_a_file_and_comes_back(
    run: Run, tmp_path: Path, embedded_graph: Graph
) -> None:
    run("touch", FIRST, "octo-org/widgets#3")
    run("sweep")
    everything, archive = tmp_path / "all.jsonl", tmp_path / "widgets.json"
    assert run("export", "--private", "-o", str(everything)).status == 0
    assert run("export", "octo-org/widgets", "-o", str(archive)).status == 0
    assert run("export", "--private").out == everything.read_text("utf-8")
    before = run("read", FIRST, "--json").json()
    assert run("import", str(everything)).status == 2

    embedded_graph.query("MATCH (n) DETACH DELETE n")
    moved = run("import", str(everything), "--json").json()
    assert moved["nodes"] + moved["edges"] == len(everything.read_text("utf-8").splitlines()) - 1
    assert run("read", FIRST, "--json").json() == before
    assert len(run("touches", "--json").json()) == 2

    embedded_graph.query("MATCH (n) DETACH DELETE n")
    assert run("import", str(archive), "--json").json() == {"resources": 3}
    after = run("read", FIRST, "--json").json()
    assert after["resource"]["title"] == before["resource"]["title"]
    assert [one["body"] for one in after["comments"]] == [one["body"] for one in before["comments"]]


@pytest.mark.usefixtures("graph_url")
def test_files_that_cannot_be_used(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bytes.jsonl").write_bytes(b"\xff\xfe")
    (tmp_path / "zero.json").symlink_to("/dev/zero")
    for arguments in (
        ("import", "/dev/zero"),
        ("import", str(tmp_path / "zero.json")),
        ("import", str(tmp_path / "absent.jsonl")),
        ("import", str(tmp_path / "bytes.jsonl")),
        ("import", str(tmp_path / "absent.json")),
        ("export", "-o", str(tmp_path / "absent" / "file")),
        ("export", "octo-org/widgets"),
        ("export", "octo-org/widgets", "--private"),
    ):
        ended = run(*arguments)
        assert ended.status in {1, 2}, arguments
        assert ended.err.count("\n") == 1
    header = json.loads(run("export").out.splitlines()[0])
    assert header["format"] == "resources-graph"
