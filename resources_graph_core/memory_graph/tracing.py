"""What became of a node, version by version, and of an edge, from one to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from resources_graph_core.memory_graph import keys, naming, reading

if TYPE_CHECKING:
    from collections.abc import Iterable

    from resources_graph_core.graph import Graph
    from resources_graph_core.memory_graph.model import Edge, Node

MOST_PAST_VERSIONS: Final = 5_000
"""So many past versions are read for one page."""

_PASTS: Final = """
UNWIND $keys AS key
MATCH (node:MemoryNode {key: key})-[:HAD_VERSION]->(version:MemoryVersion)
WHERE version.graph_id = node.graph_id AND version.stamp < $until
RETURN version.id AS id, node.origin AS origin, version.record AS record, version.stamp AS stamp
ORDER BY stamp DESC
LIMIT $limit
"""


@dataclass(frozen=True, slots=True)
class Past:
    """What a node was before: its versions, oldest first, and when the first of all was recorded.

    Versions older than these may be missing, when there were too many.
    """

    first_recorded: str
    versions: tuple[Node, ...]


def pasts(
    graph: Graph,
    graph_id: str,
    ids: Iterable[str],
    *,
    as_of: str | None,
    limit: int = MOST_PAST_VERSIONS,
) -> dict[str, Past]:
    """What memory nodes were before they became what they are now, by id.

    With ``as_of`` what was recorded later is left out; the version of that moment is among these.
    Of all versions together the newest ``limit`` are read, at once.
    """
    own = [one for one in ids if not keys.is_external(graph_id, one)]
    current = reading.rows_of(graph, graph_id, own)
    if not current:
        return {}
    wanted = [keys.key_of(graph_id, one) for one in current]
    until = "~" if as_of is None else f"{as_of}~"
    found: dict[str, list[Node]] = {name: [] for name in current}
    for row in reversed(graph.query(_PASTS, keys=wanted, until=until, limit=limit)):
        found[row["id"]].append(reading.node_of(row))
    return {
        name: Past(reading.first_recorded(current[name]), tuple(nodes))
        for name, nodes in found.items()
    }


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
