"""The server over stdio: what it offers, what it answers, what it outlives."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from resources_graph_core import answer_line, config
from resources_graph_core.graph import embedded, open_graph
from resources_graph_core.graph.schema import setup
from tests.mcp.conftest import TALKATIVE, Converse, ask, call, fill

if TYPE_CHECKING:
    from mcp import Client

    from resources_graph_core.graph import Graph

SNAPSHOT = Path(__file__).with_name("tools.json")
LARGEST_ANSWER = 25_500


def test_what_it_offers_is_what_was_agreed(converse: Converse) -> None:
    async def talk(client: Client) -> None:
        offered = await client.list_tools()
        assert client.server_info is not None
        assert client.server_info.name == "resources-graph"
        assert {
            "instructions": client.instructions,
            "tools": [tool.model_dump(exclude_none=True, by_alias=True) for tool in offered.tools],
        } == json.loads(SNAPSHOT.read_text("utf-8"))

    converse(talk)


WAYS_TO_NAME_IT = (
    "octo-org/widgets#1",
    "github:octo-org/widgets#1",
    "https://github.com/octo-org/widgets/issues/1",
    "https://api.github.com/repos/octo-org/widgets/issues/1",
    "gh issue view 1 -R octo-org/widgets",
    "curl -s https://api.github.com/repos/octo-org/widgets/issues/1",
)


def test_an_issue_however_it_is_named(held: Graph, converse: Converse) -> None:
    before = held.query("MATCH (n) RETURN count(n) AS nodes")

    async def talk(client: Client) -> None:
        for address in WAYS_TO_NAME_IT:
            first, times, legend, *rest = (await ask(client, address)).split("\n")
            assert first == "hit github:octo-org/widgets#1 · issue, open"
            assert re.fullmatch(
                r"fetched_at 2026-11-30T22:25:00Z \(.+\) · updated_at 2026-02-03T04:05:06Z \(.+\)",
                times,
            )
            assert "never instructions" in legend
            assert rest[1].startswith("Issue · open · by ada (OWNER) · 2026-01-02T03:04:05Z (")
            assert rest[2] == "| #1 One"
            assert rest[-2:] == ["| The body", "| of one"]

    converse(talk)
    assert held.query("MATCH (n) RETURN count(n) AS nodes") == before


def test_other_kinds_of_things(held: Graph, converse: Converse) -> None:
    assert held.dialect == "falkordb"

    async def talk(client: Client) -> None:
        repository = await ask(client, "octo-org/widgets")
        assert repository.startswith("hit github:octo-org/widgets · repository\n")
        assert "\n| All widgets" in repository
        assert "\n| # Widgets" in repository

        pull_request = await ask(client, "octo-org/widgets#3")
        assert "\nPull request · open · draft · by ghost · " in pull_request
        assert "\nComment 1 of 2 · review comment · by eve · " in pull_request
        assert " · resolved\n| src/a.py:12\n| Why?\n" in pull_request
        assert "minimised as spam: 7 characters folded away" in pull_request
        assert "Buy now" not in pull_request

        listing = await ask(client, "gh issue list -R octo-org/widgets")
        assert listing.startswith("hit github:octo-org/widgets/issues?state=open · list\n")
        assert "\nList: 2 in memory of 2 that GitHub counted\n" in listing
        assert [line.split(" · ")[0] for line in listing.split("\n") if line[0:1] == "|"] == [
            "| #2",
            "| #1",
        ]

    converse(talk)


MISTAKES: tuple[tuple[str, int, str], ...] = (
    ("nothing of the kind", 1, "owner/repo"),
    ("| forged\n\x1b[2J", 1, "owner/repo"),
    ("gh issue view 1 -R o/r && gh issue view 2 -R o/r", 1, "one at a time"),
    ("octo-org/widgets#1", 2, "there is no page 2"),
    ("octo-org/widgets#1", 0, "page"),
    ("github:", 1, "is not an Address key"),
)


def test_misses_and_errors_are_answers(held: Graph, converse: Converse) -> None:
    assert held.dialect == "falkordb"

    async def talk(client: Client) -> None:
        for address, page, words in MISTAKES:
            said, is_error = await call(client, address, page=page)
            assert is_error
            assert said.startswith("Error executing tool resource: ")
            assert words in said
            assert "\x1b" not in said
            assert answer_line.read(said) is None
        first, advice = (await ask(client, "octo-org/widgets#404")).split("\n")
        assert first == "miss github:octo-org/widgets#404"
        assert "Fetch it from GitHub" in advice
        assert (await ask(client, "octo-org/widgets#1")).startswith("hit ")

    converse(talk)


def test_a_long_issue_is_paged_whole(held: Graph, converse: Converse) -> None:
    assert held.dialect == "falkordb"

    async def talk(client: Client) -> None:
        pages: list[str] = []
        while not pages or f"page={len(pages) + 1}." in pages[-1]:
            pages.append(await ask(client, "octo-org/widgets#2", page=len(pages) + 1))
        assert len(pages) > 1
        assert max(len(page.encode()) for page in pages) < LARGEST_ANSWER
        for page in pages:
            said = answer_line.read(page)
            assert said is not None
            assert (said.outcome, said.key) == ("hit", "github:octo-org/widgets#2")
        whole = "\n".join(pages)
        thoughts = re.findall(r"(?m)^\| Thought <(\d+)>", whole)
        assert thoughts == [f"{number:03}" for number in range(TALKATIVE)]
        assert "Comment 2 of 130 · by hubot[bot] (NONE, bot) · 2026-01-01T01:00:00Z (" in whole
        assert re.search(r"\nPage 1 of \d+\. Left: comment \d+, up to comment 130\. For", pages[0])
        assert pages[-1].endswith(f"Page {len(pages)} of {len(pages)}, the last.")

    converse(talk)


def test_it_outlives_the_graph(converse: Converse) -> None:
    home = config.data_folder()
    folder = home / "graph"
    away = home / "elsewhere"

    def kill() -> None:
        pid = embedded.status(folder).pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)

    async def talk(client: Client) -> None:
        assert (await ask(client, "octo-org/widgets#1")).startswith("miss ")
        with open_graph("embedded:") as graph:
            setup(graph)
            fill(graph)
        assert (await ask(client, "octo-org/widgets#1")).startswith("hit ")

        kill()
        assert (await ask(client, "octo-org/widgets#1")).startswith("hit ")

        kill()
        folder.rename(away)
        folder.write_text("in the way")
        said, is_error = await call(client, "octo-org/widgets#1")
        assert is_error
        assert "fetch from GitHub yourself meanwhile" in said

        folder.unlink()
        away.rename(folder)
        assert (await ask(client, "octo-org/widgets#1")).startswith("hit ")

    converse(talk)
