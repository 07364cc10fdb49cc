"""What became of a node, version by version, and of an edge, from one to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources_graph_core.memory_graph import keys, naming, reading

if TYPE_CHECKING:
    from resources_graph_core.graph import Graph
    from resources_graph_core.memory_graph.model import Edge, Node


def versions(
    graph: Graph, graph_id: str, node_id: str, *, limit: int | None, user: str | None
) -> list[Node]:
    """A node's versions, oldest first; the newest ``limit``. Raises UnknownId.

    What memory knows of GitHub has one.
    """
    current = naming.nodes(graph, graph_id, [node_id], user=user)
    naming.check_known(graph_id, [node_id], current)
    if limit == 1 or keys.is_external(graph_id, node_id):
        return [current[node_id]]
    earlier = reading.history(graph, graph_id, node_id, limit=None if limit is None else limit - 1)
    return [*reversed(earlier), current[node_id]]


def chain(graph: Graph, graph_id: str, edge: Edge) -> list[Edge]:
    """An edge, what it superseded and what superseded it, in the order of recording."""
    found = {edge.id: edge}
    before = edge.supersedes
    while before is not None and before not in found:
        older = reading.edges(graph, graph_id, [before])
        found |= older
        before = older[before].supersedes if before in older else None
    after = list(found)
    while after:
        newer = {one.id: one for one in reading.superseding(graph, graph_id, after)}
        after = [one for one in newer if one not in found]
        found |= newer
    return sorted(found.values(), key=lambda one: (one.recorded_at, one.id))
