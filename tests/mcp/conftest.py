"""The MCP server as a process of its own, driven by the official client over stdio."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import TextContent

from resources_graph_core.address import Address
from resources_graph_core.config import load_settings
from resources_graph_core.mcp_server import build
from resources_graph_core.store import listings, resources, runs
from tests.examples import comment, issue, pull_request, repository

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from resources_graph_core.graph import Graph
    from resources_graph_core.model import Issue, PullRequest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = "import sys; from resources_graph_core.cli import main; sys.exit(main(['mcp']))"
FETCHED = "2026-11-30T22:25:00Z"
TALKATIVE = 130


class Converse(Protocol):
    """Talk to a server from its start to its end."""

    def __call__(self, talk: Callable[[Client], Awaitable[None]]) -> None:
        """Start a server, ``talk`` to it, end it."""


@pytest.fixture
def converse(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Converse:
    """Servers in this test's environment, without a GitHub; they may say nothing on stderr."""
    assert not home.exists()
    monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:1")
    errors = tmp_path / "stderr"

    def converse_with_server(talk: Callable[[Client], Awaitable[None]]) -> None:
        async def run() -> None:
            server = StdioServerParameters(
                command=sys.executable,
                args=["-c", PROGRAM],
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )
            with errors.open("w") as errlog:
                async with Client(stdio_client(server, errlog)) as client:
                    await talk(client)

        asyncio.run(run())
        assert errors.read_text() == ""

    return converse_with_server


@pytest.fixture
def converse_within(home: Path, monkeypatch: pytest.MonkeyPatch) -> Converse:
    """The same server in this process, for what does not depend on being one of its own."""
    assert not home.exists()
    monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:1")

    def converse_with_server(talk: Callable[[Client], Awaitable[None]]) -> None:
        async def run() -> None:
            async with Client(build(load_settings)) as client:
                await talk(client)

        asyncio.run(run())

    return converse_with_server


async def ask(client: Client, address: str, **arguments: object) -> str:
    """What the tool answers, which is no error."""
    said, is_error = await call(client, address, **arguments)
    assert not is_error, said
    return said


async def call(client: Client, address: str, **arguments: object) -> tuple[str, bool]:
    """What the tool answers, and whether as an error."""
    result = await client.call_tool("resource", {"address": address, **arguments})
    (content,) = result.content
    assert isinstance(content, TextContent)
    data = result.structured_content
    assert (data is None) == bool(result.is_error)
    if data is not None:
        assert data["result"] == content.text.split("\n", 1)[0]
    return content.text, bool(result.is_error)


async def tell(client: Client, tool: str, **arguments: object) -> tuple[str, dict[str, Any]]:
    """What a tool answers, as text and as data."""
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    assert isinstance(content, TextContent)
    assert not result.is_error, content.text
    assert result.structured_content is not None
    return content.text, result.structured_content


def fill(graph: Graph) -> None:
    """Store a repository, issues, a pull request and a list of both issues."""
    talk = [
        comment(
            f"C_{number:03}",
            f"Thought <{number:03}> " + "of many words " * (number % 40),
            author="hubot[bot]" if number % 2 else "mona",
            author_is_bot=bool(number % 2),
            author_association="NONE" if number % 2 else "MEMBER",
            created_at=f"2026-01-{number // 24 + 1:02}T{number % 24:02}:00:00Z",
        )
        for number in range(TALKATIVE)
    ]
    review = comment(
        "RC_1", "Why?", kind="review_comment", path="src/a.py", line=12, resolved=True, author="eve"
    )
    folded = comment("C_spam", "Buy now", minimized_reason="SPAM")
    items: list[Issue | PullRequest] = [
        issue(1, title="One", body="The body\nof one", author="ada", author_association="OWNER"),
        issue(2, title="Two", comments=tuple(talk)),
        pull_request(3, title="Three", draft=True, comments=(review, folded)),
    ]
    runs.start(graph, "cli:test", kind="cli", now=FETCHED)
    home_of_all = repository(description="All widgets", readme="# Widgets")
    resources.store_repositories(graph, [home_of_all], fetched_at=FETCHED, run_id="cli:test")
    resources.store_items(graph, items, fetched_at=FETCHED, run_id="cli:test")
    listings.store(
        graph,
        Address.from_key("github:octo-org/widgets/issues?state=open"),
        [items[1].node_id, items[0].node_id],
        repository="github:octo-org/widgets",
        total_count=2,
        fetched_at=FETCHED,
    )


@pytest.fixture
def held(embedded_graph: Graph, engine_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Graph:
    """A graph that the settings name and that holds what ``fill`` stores."""
    monkeypatch.setenv("RESOURCES_GRAPH_URL", f"embedded://{engine_folder}")
    fill(embedded_graph)
    return embedded_graph
