"""A small GitHub to write to, in the settings, and clients of it that do not pause."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import stamina

from resources_graph_core.github.token import Token
from resources_graph_core.github.transport import Transport
from resources_graph_core.github_memory.issues import Issues
from resources_graph_core.sandbox import Sandbox
from tests.archives import archived, write_archive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

REPO = "octo-org/widgets"
TOKEN = "made-up"


@pytest.fixture(autouse=True)
def retries_at_once() -> Iterator[None]:
    """Retry as often as ever, without the pauses."""
    with stamina.set_testing(True, attempts=100, cap=True):
        yield


@pytest.fixture
def sandbox(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    """Issues 1 to 5 and pull request 6, whose texts are words; writes need no second between."""
    assert not home.exists()
    issues = [archived(number) for number in range(1, 6)]
    archive = write_archive(tmp_path, issues=issues, pulls=[archived(6)])
    with Sandbox([archive], token=TOKEN) as running:
        monkeypatch.setenv("GITHUB_API_URL", running.url)
        monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
        monkeypatch.setenv("RESOURCES_GRAPH_WRITE_PAUSE", "0")
        yield running


@pytest.fixture
def connect(sandbox: Sandbox) -> Iterator[Callable[[], Issues]]:
    """Open one more client, as another process would have."""
    opened: list[Issues] = []

    def connect_once() -> Issues:
        issues = Issues(Transport(sandbox.url, Token(TOKEN)), write_pause=0)
        opened.append(issues)
        return issues

    yield connect_once
    for issues in opened:
        issues.close()
