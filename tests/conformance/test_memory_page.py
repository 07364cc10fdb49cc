"""The page of a subgraph on every engine: each node with what it was before."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from resources_graph_core.memory_graph import Access, MemoryGraph
from resources_graph_core.memory_graph.requests import Link, Put, Subgraph
from resources_graph_core.memory_graph.tracing import pasts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.graph import Graph

SECONDS = [f"2026-01-01T00:00:{second:02d}.000000Z" for second in range(10)]


def ticking() -> Iterator[str]:
    yield from SECONDS


def changed_twice(graph: Graph) -> MemoryGraph:
    """``a`` is recorded at 0, 2 and 4, ``b`` at 1, and what joins them at 3."""
    clock = ticking()
    memory = MemoryGraph(graph, access=Access(origin="ada"), clock=lambda: next(clock))
    memory.put(Put(id="a", kind="claim", label="First"))
    memory.put(Put(id="b", kind="ticket"))
    memory.put(Put(id="a", kind="claim", label="Second"))
    memory.link(Link(src="a", dst="b", rel="about"))
    memory.put(Put(id="a", kind="claim", label="Third"))
    return memory


def held(memory: MemoryGraph, **asked: Any) -> dict[str, list[tuple[str, str]]]:  # noqa: ANN401 - what a request is made of
    """The versions that a page holds, by node: their times and labels."""
    request = Subgraph.model_validate({"ids": ("a",), "format": "html"} | asked)
    text = memory.subgraph(request).text
    assert text is not None
    data = re.search(r'type="application/json">(.*?)</script>', text, re.DOTALL)
    assert data is not None
    nodes = json.loads(data[1])["nodes"]
    assert [node["first_recorded"] for node in nodes] == SECONDS[: len(nodes)]
    return {
        node["id"]: [(one["recorded_at"], one["label"]) for one in node["versions"]]
        for node in nodes
    }


def test_a_page_has_what_each_node_was(graph: Graph) -> None:
    memory = changed_twice(graph)
    assert held(memory) == {
        "a": [(SECONDS[0], "First"), (SECONDS[2], "Second"), (SECONDS[4], "Third")],
        "b": [(SECONDS[1], "b")],
    }


def test_a_page_as_of_a_moment_has_nothing_later(graph: Graph) -> None:
    memory = changed_twice(graph)
    assert held(memory, as_of=SECONDS[3]) == {
        "a": [(SECONDS[0], "First"), (SECONDS[2], "Second")],
        "b": [(SECONDS[1], "b")],
    }
    assert held(memory, as_of=SECONDS[0]) == {"a": [(SECONDS[0], "First")]}


def test_of_very_many_versions_the_newest_are_read(graph: Graph) -> None:
    memory = changed_twice(graph)
    read = pasts(memory.graph, "main", ["a", "b", "resource:R_1"], as_of=None, limit=1)
    assert {name: [one.label for one in past.versions] for name, past in read.items()} == {
        "a": ["Second"],
        "b": [],
    }
    assert read["a"].first_recorded == SECONDS[0]
