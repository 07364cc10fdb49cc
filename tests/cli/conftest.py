"""The command line in this process, on an empty graph, with a small GitHub beside it."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from resources_graph_core.cli import main
from resources_graph_core.sandbox import Sandbox
from tests.archives import archived, archived_comment, write_archive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from resources_graph_core.graph import Graph

TOKEN = "made-up"
ESCAPES = "\x1b[31mred\u202e [bold]"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str

    def json(self) -> Any:  # noqa: ANN401 - whatever the command prints
        """Its one JSON document."""
        return json.loads(self.out)


class Run(Protocol):
    """Run the command line with these arguments."""

    def __call__(self, *arguments: str, stdin: str = "") -> Ended:
        """Run it; ``stdin`` is piped in."""


@pytest.fixture
def graph_url(
    home: Path, embedded_graph: Graph, engine_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> str:
    """An empty graph, in the settings."""
    assert embedded_graph.dialect == "falkordb"
    assert not home.exists()
    url = f"embedded://{engine_folder}"
    monkeypatch.setenv("RESOURCES_GRAPH_URL", url)
    return url


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process."""

    def run_command(*arguments: str, stdin: str = "") -> Ended:
        capsys.readouterr()
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        status = main(arguments)
        shown = capsys.readouterr()
        return Ended(status, shown.out, shown.err)

    return run_command


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    """A small GitHub that takes only TOKEN, in the settings."""
    talk = [archived_comment("First thought"), archived_comment(f"Second {ESCAPES}")]
    issues = [archived(1, title=f"A title {ESCAPES}", comments=talk), archived(2), archived(4)]
    archive = write_archive(tmp_path, issues=issues, pulls=[archived(3)])
    with Sandbox([archive], token=TOKEN) as running:
        monkeypatch.setenv("GITHUB_API_URL", running.url)
        monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
        yield running
