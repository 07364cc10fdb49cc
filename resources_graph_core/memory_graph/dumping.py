"""A whole graph out, to be loaded elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from resources_graph_core.memory_graph import reading
from resources_graph_core.memory_graph.records import DumpedGraph, DumpedNode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.graph import Graph
    from resources_graph_core.memory_graph.model import Edge

_PAGE: Final = 2000

_IDS: Final = """
MATCH (one:{label})
WHERE one.graph_id = $graph_id AND one.id > $after
RETURN one.id AS id
ORDER BY id
LIMIT $page
"""


def dump(graph: Graph, graph_id: str) -> DumpedGraph:
    """Everything of a graph."""
    nodes: list[DumpedNode] = []
    for page in _pages(graph, graph_id, "MemoryNode"):
        current = reading.nodes(graph, graph_id, page)
        earlier = reading.histories(graph, graph_id, page)
        nodes += [DumpedNode(versions=(*earlier.get(one, ()), current[one])) for one in page]
    edges: list[Edge] = []
    for page in _pages(graph, graph_id, "MemoryEdge"):
        edges += reading.edges(graph, graph_id, page).values()
    edges.sort(key=lambda edge: (edge.recorded_at, edge.id))
    return DumpedGraph(graph_id=graph_id, nodes=tuple(nodes), edges=tuple(edges))


def _pages(graph: Graph, graph_id: str, label: str) -> Iterator[list[str]]:
    after = ""
    while rows := graph.query(_IDS.format(label=label), graph_id=graph_id, after=after, page=_PAGE):
        yield [row["id"] for row in rows]
        after = rows[-1]["id"]
