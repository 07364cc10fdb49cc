"""What a load adds: written first where nothing finds it, then published in one statement.

What is new is written under a hidden graph_id. When publishing fails, what was hidden is removed;
what a load that crashed left behind, the next one removes.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from resources_graph_core.memory_graph import keys, statements, times
from resources_graph_core.store.batches import batches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.graph import Graph, Row
    from resources_graph_core.memory_graph.model import Edge, Node
    from resources_graph_core.memory_graph.records import DumpedNode

_HIDDEN: Final = "~load."
_LONGEST_LOAD: Final = timedelta(hours=1)

# Their names hold when they began, so that the index on graph_id finds those of before a moment.
_ABANDONED: Final = """
MATCH (one:{label})
WHERE one.graph_id >= $hidden AND one.graph_id < $until
RETURN DISTINCT one.graph_id AS graph_id
"""

_STAGE_NODES: Final = f"""
UNWIND $rows AS row
CREATE (node:MemoryNode {{key: row.key, origin: row.origin, first_stamp: row.first_stamp,
  {", ".join(f"{name}: row.version.{name}" for name in statements.VERSION_NAMES)}}})
"""

_STAGE_VERSIONS: Final = f"""
UNWIND $rows AS row
MATCH (node:MemoryNode {{key: row.node}})
CREATE (node)-[:HAD_VERSION]->(:MemoryVersion {{key: row.version_key,
  {", ".join(f"{name}: row.version.{name}" for name in statements.VERSION_NAMES)}}})
"""

_STAGE_EDGES: Final = """
UNWIND $rows AS row
MATCH (src:{src.label} {{{src.key}: row.src}})
MATCH (dst:{dst.label} {{{dst.key}: row.dst}})
CREATE (edge:MemoryEdge {{key: row.key}})
CREATE (edge)-[:SRC]->(src)
CREATE (edge)-[:DST]->(dst)
SET edge += row.properties
"""

# The versions of nodes that are there already go to their places, edges that are there already are
# stamped, and what was hidden takes its graph_id: each aggregation leaves one row for the next.
_PUBLISH: Final = f"""
{statements.RECORD_VERSIONS}
WITH count(row) AS merged
UNWIND $stamps AS stamp
OPTIONAL MATCH (old:MemoryEdge {{key: stamp.key}})
FOREACH (edge IN CASE WHEN old IS NULL THEN [] ELSE [old] END |
  SET edge.superseded_at = stamp.at)
WITH merged, count(old) AS stamped
OPTIONAL MATCH (node:MemoryNode {{graph_id: $hidden}})
WITH merged, stamped, collect(node) AS nodes
OPTIONAL MATCH (version:MemoryVersion {{graph_id: $hidden}})
WITH merged, stamped, nodes, collect(version) AS versions
OPTIONAL MATCH (edge:MemoryEdge {{graph_id: $hidden}})
WITH merged, stamped, nodes, versions, collect(edge) AS edges
FOREACH (node IN nodes |
  SET node.key = $graph_id + substring(node.key, $length), node.graph_id = $graph_id)
FOREACH (version IN versions |
  SET version.key = $graph_id + substring(version.key, $length), version.graph_id = $graph_id)
FOREACH (edge IN edges |
  SET edge.key = $graph_id + substring(edge.key, $length),
      edge.src = $graph_id + substring(edge.src, $length),
      edge.dst = $graph_id + substring(edge.dst, $length),
      edge.supersedes = $graph_id + substring(edge.supersedes, $length),
      edge.graph_id = $graph_id)
RETURN merged, stamped, size(nodes) AS nodes, size(versions) AS versions, size(edges) AS edges
"""

_NO_STAMP: Final = {"key": "none", "at": ""}


@dataclass(frozen=True, slots=True)
class Plan:
    """What of a dump is new: nodes, versions of nodes that are there, edges, and moments."""

    nodes: list[DumpedNode]
    versions: list[Node]
    edges: list[Edge]
    stamps: list[Edge]


def add(graph: Graph, graph_id: str, plan: Plan) -> None:
    """Add all of it to the graph, or nothing."""
    _clear_abandoned(graph, times.now())
    hidden = f"{_HIDDEN}{times.now()}.{uuid4().hex}"
    try:
        _stage(graph, graph_id, plan, hidden)
        _publish(graph, graph_id, plan, hidden)
    except BaseException:
        statements.drop(hidden).run(graph)
        raise


def _clear_abandoned(graph: Graph, now: str) -> None:
    """Remove what loads left that began so long ago that they cannot be under way any more."""
    until = times.stamp(datetime.fromisoformat(now) - _LONGEST_LOAD)
    for label in ("MemoryNode", "MemoryVersion", "MemoryEdge"):
        statement = _ABANDONED.format(label=label)
        for row in graph.query(statement, hidden=_HIDDEN, until=f"{_HIDDEN}{until}"):
            statements.drop(row["graph_id"]).run(graph)


def _stage(graph: Graph, graph_id: str, plan: Plan, hidden: str) -> None:
    """Write what is new under the hidden graph_id."""
    for nodes in batches(plan.nodes):
        graph.query(_STAGE_NODES, rows=[_node_row(hidden, node) for node in nodes])
    earlier = [
        statements.version_row(hidden, version) | {"node": keys.key_of(hidden, version.id)}
        for node in plan.nodes
        for version in node.versions[:-1]
    ] + [
        statements.version_row(hidden, version) | {"node": keys.key_of(graph_id, version.id)}
        for versions in _by_node(plan.versions)
        for version in versions[:-1]
    ]
    for rows in batches(earlier):
        graph.query(_STAGE_VERSIONS, rows=list(rows))
    staged = {node.versions[0].id for node in plan.nodes}
    grouped: dict[str, list[Row]] = {}
    for edge in plan.edges:
        text, row = _edge_statement(graph_id, hidden, edge, staged)
        grouped.setdefault(text, []).append(row)
    for text, all_rows in grouped.items():
        for rows_at_once in batches(all_rows):
            graph.query(text, rows=list(rows_at_once))


def _node_row(hidden: str, node: DumpedNode) -> Row:
    first = node.versions[0]
    row = statements.version_row(hidden, node.versions[-1])
    return row | {"origin": first.origin, "first_stamp": statements.stamp_of(first)}


def _edge_statement(
    graph_id: str, hidden: str, edge: Edge, staged: set[str]
) -> tuple[str, dict[str, Any]]:
    """The statement that stages an edge, whose ends may be staged themselves, and its row."""
    row = statements.edge_row(hidden, edge)
    places = []
    for end in ("src", "dst"):
        node_id = getattr(edge, end)
        place, row[end] = keys.place_of(graph_id, node_id)
        if node_id in staged:
            row[end] = keys.key_of(hidden, node_id)
        places.append(place)
    return _STAGE_EDGES.format(src=places[0], dst=places[1]), row


def _publish(graph: Graph, graph_id: str, plan: Plan, hidden: str) -> None:
    """Make what was staged part of the graph, in one statement."""
    newest = [(versions[-1], versions[0]) for versions in _by_node(plan.versions)]
    graph.query(
        _PUBLISH,
        rows=[
            statements.version_row(graph_id, last)
            | {"origin": first.origin, "first_stamp": statements.stamp_of(first)}
            for last, first in newest
        ],
        stamps=[
            {"key": keys.key_of(graph_id, edge.id), "at": edge.superseded_at}
            for edge in plan.stamps
        ]
        or [_NO_STAMP],
        hidden=hidden,
        graph_id=graph_id,
        length=len(hidden),
    )


def _by_node(versions: Sequence[Node]) -> list[list[Node]]:
    """New versions of nodes that are there already, node by node, oldest first."""
    found: dict[str, list[Node]] = {}
    for version in versions:
        found.setdefault(version.id, []).append(version)
    return [sorted(of_node, key=statements.stamp_of) for of_node in found.values()]
