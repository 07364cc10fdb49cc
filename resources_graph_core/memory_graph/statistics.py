"""What a graph holds, in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from resources_graph_core.memory_graph import crossing_matches
from resources_graph_core.memory_graph.model import MAIN
from resources_graph_core.memory_graph.responses import Counted

if TYPE_CHECKING:
    from resources_graph_core.graph import Graph

_NODES: Final = """
MATCH (node:MemoryNode {graph_id: $graph_id})
RETURN node.kind AS kind, node.origin AS origin, count(node) AS n,
       sum(coalesce(node.accesses, 0)) AS accesses
"""

_EDGES: Final = """
MATCH (edge:MemoryEdge {graph_id: $graph_id})
RETURN edge.rel AS rel, edge.superseded_at IS NULL AS live, count(edge) AS n
"""

_COUNT: Final = "MATCH (one:{label} {{graph_id: $graph_id}}) RETURN count(one) AS n"


def count(graph: Graph, graph_id: str, *, user: str | None) -> Counted:
    """Count the nodes, versions, edges, vectors and reads of a graph; of Sessions, the user's."""
    nodes = graph.query(_NODES, graph_id=graph_id)
    edges = graph.query(_EDGES, graph_id=graph_id)
    earlier, vectors = (
        int(graph.query(_COUNT.format(label=label), graph_id=graph_id)[0]["n"])
        for label in ("MemoryVersion", "MemoryVector")
    )
    kinds: dict[str, int] = {}
    origins: dict[str, int] = {}
    for row in nodes:
        kinds[row["kind"]] = kinds.get(row["kind"], 0) + int(row["n"])
        origins[row["origin"]] = origins.get(row["origin"], 0) + int(row["n"])
    total = sum(kinds.values())
    return Counted(
        graph_id=graph_id,
        nodes=total,
        versions=total + earlier,
        edges=sum(int(row["n"]) for row in edges),
        live_edges=sum(int(row["n"]) for row in edges if row["live"]),
        vectors=vectors,
        accesses=sum(int(row["accesses"]) for row in nodes),
        kinds=dict(sorted(kinds.items())),
        rels={row["rel"]: int(row["n"]) for row in sorted(edges, key=_rel) if row["live"]},
        origins=dict(sorted(origins.items())),
        crossings=crossing_matches.count(graph, user=user) if graph_id == MAIN else {},
    )


def _rel(row: dict[str, object]) -> str:
    return str(row["rel"])
