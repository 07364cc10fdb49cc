"""The memory graph as tools, driven by the official client."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client

from resources_graph_core.config import load_settings
from resources_graph_core.errors import GraphUnavailable
from resources_graph_core.mcp_server import KeptMemory, build, graph_tools, server

if TYPE_CHECKING:
    from pathlib import Path

    from resources_graph_core.graph import Graph
    from resources_graph_core.mcp_server import ToolSet
    from resources_graph_core.memory import Memory
    from tests.mcp.conftest import Converse

WRITING = {"graph_put", "graph_link", "graph_supersede"}
READING = {"graph_get", "graph_match", "graph_recall", "graph_subgraph", "graph_trace"}


@pytest.fixture(autouse=True)
def _at_hand(
    embedded_graph: Graph, engine_folder: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert embedded_graph.dialect == "falkordb"
    assert not home.exists()
    monkeypatch.setenv("RESOURCES_GRAPH_URL", f"embedded://{engine_folder}")
    monkeypatch.setenv("RESOURCES_GRAPH_USER", "mona")


def server_of(**options: Any) -> Any:  # noqa: ANN401 - the options of the tool set, a server
    tool_set: ToolSet = partial(graph_tools.offered, **options)
    return build(load_settings, [tool_set], writing=not options.get("read_only", False))


def names_of(**options: Any) -> set[str]:  # noqa: ANN401 - the same
    async def ask() -> set[str]:
        async with Client(server_of(**options)) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    return asyncio.run(ask())


def called(*calls: tuple[str, dict[str, object]], **options: Any) -> list[Any]:  # noqa: ANN401
    """What the tools answer, one call after the other."""

    async def ask() -> list[object]:
        async with Client(server_of(**options)) as client:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    return asyncio.run(ask())


def test_a_server_that_only_reads_offers_nothing_that_writes() -> None:
    assert names_of() >= WRITING | READING
    reading = names_of(read_only=True)
    assert reading >= READING
    assert not reading & WRITING


def test_what_keeps_whole_graphs_is_for_a_privileged_server() -> None:
    assert not names_of() & graph_tools.KEEPING
    assert names_of(privileged=True) >= graph_tools.KEEPING


def test_what_is_put_and_linked_is_recalled_with_its_origin() -> None:
    *_, linked, recalled = called(
        ("graph_put", {"id": "task:7", "kind": "task", "label": "Parse in two passes"}),
        ("graph_put", {"id": "file:parser.py", "kind": "file"}),
        ("graph_link", {"src": "task:7", "dst": "file:parser.py", "rel": "plans_to_touch"}),
        ("graph_recall", {"ids": ["task:7"], "max_cost": 3}),
    )
    assert not linked.is_error
    assert "file:parser.py" in recalled.content[0].text
    (got,) = called(("graph_get", {"id": "task:7", "project": "full"}))
    assert "mcp:mona" in got.content[0].text
    assert "claimed" in got.content[0].text


def test_a_label_is_looked_for_by_either_name() -> None:
    put = ("graph_put", {"id": "a", "kind": "task", "label": "Parse"})
    other = ("graph_put", {"id": "b", "kind": "task"})
    names = ("labelContains", "label_contains")
    asked = [("graph_match", {name: "pars"}) for name in names]
    within = [("graph_recall", {"match": {name: "pars"}, "max_cost": 0}) for name in names]
    for answer in called(put, other, *asked, *within)[2:]:
        assert [node["id"] for node in answer.structured_content["nodes"]] == ["a"]


def test_a_trusted_server_observes_under_its_own_name() -> None:
    called(
        ("graph_put", {"id": "run:1", "kind": "run", "provenance": "observed"}),
        origin="runtime",
        trusted=True,
    )
    (got,) = called(("graph_get", {"id": "run:1", "project": "full"}))
    assert "runtime" in got.content[0].text
    assert "observed" in got.content[0].text
    (refused,) = called(("graph_put", {"id": "run:2", "kind": "run", "provenance": "observed"}))
    assert refused.is_error


def test_failures_are_answers() -> None:
    unknown, secret = called(
        ("graph_get", {"id": "nothing:1"}),
        ("graph_put", {"id": "note:1", "kind": "note", "label": "ghp_" + "a" * 36}),
    )
    assert unknown.is_error
    assert secret.is_error
    assert "ghp_" not in secret.content[0].text


def test_an_answer_costs_no_blanks() -> None:
    put = ("graph_put", {"id": "a", "kind": "task", "label": "Żółw, \u2019quoted\u2019"})
    stored, counted = called(put, ("graph_stats", {}))
    for answer in (stored, counted):
        text = answer.content[0].text
        assert json.loads(text) == answer.structured_content
        assert "\n" not in text
        assert '": ' not in text
    assert "Żółw, \u2019quoted\u2019" in stored.content[0].text


PUT = ("graph_put", {"id": "a", "kind": "task"})
GET = ("graph_get", {"id": "a"})


def counted(graph: Graph) -> object:
    (row,) = graph.query("MATCH (n:MemoryNode) RETURN n.accesses AS accesses")
    return row["accesses"]


def test_reads_are_counted_by_the_end(embedded_graph: Graph, converse: Converse) -> None:
    called(PUT, GET, GET)
    assert counted(embedded_graph) == 2

    async def read(client: Client) -> None:
        await client.call_tool(*GET)

    converse(read)
    assert counted(embedded_graph) == 3


def test_reads_are_counted_while_a_client_says_nothing(
    embedded_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "WRITE_WAITING_SECONDS", 0.02)

    async def read() -> None:
        async with Client(server_of()) as client:
            for call in (PUT, GET):
                await client.call_tool(*call)
            for _ in range(3_000):
                if counted(embedded_graph) is not None:
                    break
                await asyncio.sleep(0.02)
            assert counted(embedded_graph) == 1

    asyncio.run(read())


def test_what_a_graph_that_is_away_misses_waits_on() -> None:
    kept = KeptMemory(load_settings)
    away, written = True, 0

    def write(_: Memory) -> None:
        nonlocal written
        if away:
            raise GraphUnavailable("gone")
        written += 1

    kept.before_closing(write)
    kept.write_waiting()  # nothing is open yet, so nothing waits
    kept.use(lambda memory: memory.graph.query("RETURN 1"))
    kept.write_waiting()
    kept.close()
    assert written == 0
    away = False
    kept.use(lambda memory: memory.graph.query("RETURN 1"))
    kept.write_waiting()
    assert written == 1
    kept.close()
    assert written == 2
