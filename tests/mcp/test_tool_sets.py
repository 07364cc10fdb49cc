"""Tools that other parts bring, and the memory that is kept between calls."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import pytest
from mcp import Client
from mcp_types import TextContent
from pydantic import BaseModel, Field

from resources_graph_core.config import Settings, load_settings
from resources_graph_core.errors import GraphUnavailable, UsageError
from resources_graph_core.mcp_server import KeptMemory, OfferedTool, build

if TYPE_CHECKING:
    from pathlib import Path

    from resources_graph_core.graph import Graph
    from resources_graph_core.memory import Memory


class Goal(BaseModel):
    """What a tool of another part returns."""

    title: str
    nodes: int


def goals(kept: KeptMemory) -> list[OfferedTool]:
    """A tool that reads and one that writes."""

    def look(title: Annotated[str, Field(description="Whose.")]) -> Goal:
        if not title:
            raise UsageError("a goal needs a title; give one")
        counted = kept.use(lambda memory: memory.graph.query("MATCH (n) RETURN count(n) AS n"))
        return Goal(title=title, nodes=counted[0]["n"])

    def add(title: str) -> Goal:
        return Goal(title=title, nodes=0)

    return [
        OfferedTool(look, "Look at a goal."),
        OfferedTool(add, "Add a goal.", name="add_goal", writes=True, asks_github=True),
    ]


@pytest.fixture
def settings(embedded_graph: Graph, engine_folder: Path, home: Path) -> Settings:
    """Settings that name an empty graph."""
    assert embedded_graph.dialect == "falkordb"
    assert not home.exists()
    return load_settings(graph_url=f"embedded://{engine_folder}")


@pytest.mark.parametrize("writing", [False, True])
def test_tools_of_other_parts(settings: Settings, writing: bool) -> None:  # noqa: FBT001 - from the table
    async def talk() -> None:
        async with Client(build(lambda: settings, [goals], writing=writing)) as client:
            offered = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert ("add_goal" in offered) == writing
            assert {"resource", "find", "inflight", "status", "look"} <= offered.keys()
            if writing:
                annotations = offered["add_goal"].annotations
                assert annotations is not None
                assert (annotations.read_only_hint, annotations.open_world_hint) == (False, True)
            said = await client.call_tool("look", {"title": "Ship"})
            assert said.structured_content == {"title": "Ship", "nodes": 0}
            refused = await client.call_tool("look", {"title": ""})
            (content,) = refused.content
            assert isinstance(content, TextContent)
            assert refused.is_error
            assert content.text.endswith("a goal needs a title; give one")

    asyncio.run(talk())


def test_memory_is_kept_open_while_its_settings_stay(settings: Settings) -> None:
    named = [settings]
    kept = KeptMemory(lambda: named[0])
    first = kept.use(lambda memory: memory)
    assert kept.use(lambda memory: memory) is first
    named[0] = settings.changed(user="somebody-else")
    second = kept.use(lambda memory: memory)
    assert second is not first
    assert second.settings.user == "somebody-else"
    kept.close()
    assert kept.use(lambda memory: memory) is not second


@pytest.mark.parametrize(("repeat", "times"), [(True, 2), (False, 1)])
def test_what_may_be_repeated_is(settings: Settings, repeat: bool, times: int) -> None:  # noqa: FBT001 - from the table
    kept = KeptMemory(lambda: settings)
    kept.use(lambda memory: memory.graph.query("RETURN 1"))
    calls = 0

    def work(_: Memory) -> None:
        nonlocal calls
        calls += 1
        raise GraphUnavailable("gone")

    with pytest.raises(GraphUnavailable):
        kept.use(work, repeat=repeat)
    assert calls == times
