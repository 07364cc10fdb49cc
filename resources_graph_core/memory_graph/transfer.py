"""A whole graph out, and in again: all of it or nothing.

A load first writes what is new under a hidden graph_id, where nothing finds it, and then makes it
part of the graph in one statement. When that fails, what was hidden is removed; what a load that
crashed left behind, the next one removes.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from resources_graph_core.errors import Conflict, Refused, UsageError
from resources_graph_core.memory_graph import guards, keys, naming, reading, statements, times
from resources_graph_core.memory_graph.records import (
    DumpedGraph,
    DumpedNode,
    JournalEntry,
    LinkEntry,
    PutEntry,
    SupersedeEntry,
)
from resources_graph_core.memory_graph.replaying import checked_version, same_assertion
from resources_graph_core.store.batches import batches

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from resources_graph_core.graph import Graph, Row
    from resources_graph_core.memory_graph.model import Edge, Node
    from resources_graph_core.memory_graph.writing import Desk

_PAGE: Final = 2000

_HIDDEN: Final = "~load."
_LONGEST_LOAD: Final = timedelta(hours=1)

# Their names hold when they began, so that the index on graph_id finds those of before a moment.
_ABANDONED: Final = """
MATCH (one:{label})
WHERE one.graph_id >= $hidden AND one.graph_id < $until
RETURN DISTINCT one.graph_id AS graph_id
"""

_IDS: Final = """
MATCH (one:{label})
WHERE one.graph_id = $graph_id AND one.id > $after
RETURN one.id AS id
ORDER BY id
LIMIT $page
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
class _Plan:
    """What of a dump is new: nodes, versions of nodes that are there, edges, and moments."""

    nodes: list[DumpedNode]
    versions: list[Node]
    edges: list[Edge]
    stamps: list[Edge]


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


def load(desk: Desk, dump: DumpedGraph) -> tuple[int, int, int]:
    """Add a dump to the graph; returns how many versions, edges and retirements were new.

    Raises AccessDenied unless privileged, Refused by a guard, Conflict for an edge id that says
    something else here, UnknownId for an edge whose end is nowhere. Then nothing was loaded.
    """
    desk.access.check_privileged("Loading a dump")
    desk.access.writer()
    plan = _plan(desk, _guarded(desk.graph_id, dump))
    _clear_abandoned(desk.graph, times.now())
    hidden = f"{_HIDDEN}{times.now()}.{uuid4().hex}"
    try:
        _stage(desk, plan, hidden)
        _publish(desk, plan, hidden)
    except BaseException:
        statements.drop(hidden).run(desk.graph)
        raise
    for entry in _entries(desk, plan):
        desk.tell(entry)
    versions = len(plan.versions) + sum(len(node.versions) for node in plan.nodes)
    return versions, len(plan.edges), len(plan.stamps)


def _clear_abandoned(graph: Graph, now: str) -> None:
    """Remove what loads left that began so long ago that they cannot be under way any more."""
    until = times.stamp(datetime.fromisoformat(now) - _LONGEST_LOAD)
    for label in ("MemoryNode", "MemoryVersion", "MemoryEdge"):
        statement = _ABANDONED.format(label=label)
        for row in graph.query(statement, hidden=_HIDDEN, until=f"{_HIDDEN}{until}"):
            statements.drop(row["graph_id"]).run(graph)


def _pages(graph: Graph, graph_id: str, label: str) -> Iterator[list[str]]:
    after = ""
    while rows := graph.query(_IDS.format(label=label), graph_id=graph_id, after=after, page=_PAGE):
        yield [row["id"] for row in rows]
        after = rows[-1]["id"]


def _guarded(graph_id: str, dump: DumpedGraph) -> DumpedGraph:
    """The dump with every guard passed and versions in order. Raises Refused, UsageError."""
    nodes = [
        DumpedNode(
            versions=tuple(
                sorted(
                    (checked_version(graph_id, version) for version in node.versions),
                    key=statements.stamp_of,
                )
            )
        )
        for node in dump.nodes
    ]
    for edge in dump.edges:
        guards.check_edge(edge)
        if edge.superseded_at is not None and edge.superseded_at < edge.recorded_at:
            raise Refused(f"The edge {edge.id!r} was superseded before it was recorded.")
    for what, ids in (
        ("node", [node.versions[0].id for node in nodes]),
        ("edge", [edge.id for edge in dump.edges]),
    ):
        if len(set(ids)) != len(ids):
            raise UsageError(f"The dump holds a {what} twice; nothing was loaded.")
    return DumpedGraph(graph_id=graph_id, nodes=tuple(nodes), edges=dump.edges)


def _plan(desk: Desk, dump: DumpedGraph) -> _Plan:
    nodes: list[DumpedNode] = []
    versions: list[Node] = []
    since: dict[str, str] = {}
    for batch in batches(dump.nodes):
        ids = [node.versions[0].id for node in batch]
        rows = reading.rows_of(desk.graph, desk.graph_id, ids)
        earlier = reading.histories(desk.graph, desk.graph_id, list(rows))
        for node in batch:
            first = node.versions[0]
            row = rows.get(first.id)
            since[first.id] = first.recorded_at
            if row is None:
                nodes.append(node)
                continue
            since[first.id] = min(first.recorded_at, reading.first_recorded(row))
            known = {statements.stamp_of(one) for one in earlier.get(first.id, ())}
            known.add(row["stamp"])
            versions += [one for one in node.versions if statements.stamp_of(one) not in known]
    edges, stamps = _new_edges(desk, dump, since)
    return _Plan(nodes, versions, edges, stamps)


def _new_edges(
    desk: Desk, dump: DumpedGraph, since: Mapping[str, str]
) -> tuple[list[Edge], list[Edge]]:
    """The edges that are new, and those that are here and were superseded earlier in the dump."""
    edges: list[Edge] = []
    stamps: list[Edge] = []
    for batch in batches(dump.edges):
        present = reading.edges(desk.graph, desk.graph_id, [edge.id for edge in batch])
        for edge in batch:
            here = present.get(edge.id)
            if here is None:
                edges.append(edge)
            elif not same_assertion(here, edge):
                raise Conflict(
                    f"The edge id {edge.id!r} is taken here by an edge that says something else; "
                    "nothing was loaded."
                )
            elif edge.superseded_at is not None and (
                here.superseded_at is None or edge.superseded_at < here.superseded_at
            ):
                stamps.append(edge)
        _check_ends(desk, [edge for edge in batch if edge.id not in present], since)
    return edges, stamps


def _check_ends(desk: Desk, edges: Sequence[Edge], since: Mapping[str, str]) -> None:
    ends = dict.fromkeys(end for edge in edges for end in (edge.src, edge.dst))
    elsewhere = [end for end in ends if end not in since]
    known = dict(since)
    if elsewhere:
        known |= naming.existing(desk.graph, desk.graph_id, elsewhere, user=desk.access.user)
    for edge in edges:
        for end in (edge.src, edge.dst):
            if known[end] > edge.recorded_at and not keys.is_external(desk.graph_id, end):
                raise Refused(
                    f"The edge {edge.id!r} was recorded before its end {end!r} was, which cannot "
                    "be; nothing was loaded."
                )


def _stage(desk: Desk, plan: _Plan, hidden: str) -> None:
    """Write what is new under the hidden graph_id."""
    for nodes in batches(plan.nodes):
        desk.graph.query(_STAGE_NODES, rows=[_node_row(hidden, node) for node in nodes])
    earlier = [
        statements.version_row(hidden, version) | {"node": keys.key_of(hidden, version.id)}
        for node in plan.nodes
        for version in node.versions[:-1]
    ] + [
        statements.version_row(hidden, version) | {"node": keys.key_of(desk.graph_id, version.id)}
        for versions in _by_node(plan.versions)
        for version in versions[:-1]
    ]
    for rows in batches(earlier):
        desk.graph.query(_STAGE_VERSIONS, rows=list(rows))
    staged = {node.versions[0].id for node in plan.nodes}
    grouped: dict[str, list[Row]] = {}
    for edge in plan.edges:
        text, row = _edge_statement(desk.graph_id, hidden, edge, staged)
        grouped.setdefault(text, []).append(row)
    for text, all_rows in grouped.items():
        for rows_at_once in batches(all_rows):
            desk.graph.query(text, rows=list(rows_at_once))


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


def _publish(desk: Desk, plan: _Plan, hidden: str) -> None:
    """Make what was staged part of the graph, in one statement."""
    newest = [(versions[-1], versions[0]) for versions in _by_node(plan.versions)]
    desk.graph.query(
        _PUBLISH,
        rows=[
            statements.version_row(desk.graph_id, last)
            | {"origin": first.origin, "first_stamp": statements.stamp_of(first)}
            for last, first in newest
        ],
        stamps=[
            {"key": keys.key_of(desk.graph_id, edge.id), "at": edge.superseded_at}
            for edge in plan.stamps
        ]
        or [_NO_STAMP],
        hidden=hidden,
        graph_id=desk.graph_id,
        length=len(hidden),
    )


def _by_node(versions: Sequence[Node]) -> list[list[Node]]:
    """New versions of nodes that are there already, node by node, oldest first."""
    found: dict[str, list[Node]] = {}
    for version in versions:
        found.setdefault(version.id, []).append(version)
    return [sorted(of_node, key=statements.stamp_of) for of_node in found.values()]


def _entries(desk: Desk, plan: _Plan) -> Iterator[JournalEntry]:
    """What was loaded, as journal entries that a replay can take in this order."""
    graph_id = desk.graph_id
    for node in plan.nodes:
        for version in node.versions:
            yield PutEntry(graph_id=graph_id, node=version)
    for version in plan.versions:
        yield PutEntry(graph_id=graph_id, node=version)
    for edge in plan.edges:
        known = edge.model_copy(update={"superseded_at": None})
        yield LinkEntry(graph_id=graph_id, edge=known)
    for edge in (*plan.edges, *plan.stamps):
        if edge.superseded_at is not None:
            yield SupersedeEntry(
                graph_id=graph_id, id=edge.id, at=edge.superseded_at, by=desk.access.writer()
            )
