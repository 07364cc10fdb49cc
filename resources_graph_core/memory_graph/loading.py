"""A dump in: what of it is new, with every guard passed, and then all of that or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources_graph_core.errors import Conflict, Refused, UsageError
from resources_graph_core.memory_graph import guards, keys, naming, reading, staging, statements
from resources_graph_core.memory_graph.records import (
    DumpedGraph,
    DumpedNode,
    JournalEntry,
    LinkEntry,
    PutEntry,
    SupersedeEntry,
)
from resources_graph_core.memory_graph.replaying import checked_version, same_assertion
from resources_graph_core.memory_graph.staging import Plan
from resources_graph_core.store.batches import batches

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from resources_graph_core.memory_graph.model import Edge, Node
    from resources_graph_core.memory_graph.writing import WriteContext


def load(context: WriteContext, dump: DumpedGraph) -> tuple[int, int, int]:
    """Add a dump to the graph; returns how many versions, edges and retirements were new.

    Raises AccessDenied unless privileged, Refused by a guard, Conflict for an edge id that says
    something else here, UnknownId for an edge whose end is nowhere. Then nothing was loaded.
    """
    context.access.check_privileged("Loading a dump")
    context.access.writer()
    plan = _plan(context, _guarded(context.graph_id, dump))
    staging.add(context.graph, context.graph_id, plan)
    for entry in _entries(context, plan):
        context.tell(entry)
    versions = len(plan.versions) + sum(len(node.versions) for node in plan.nodes)
    return versions, len(plan.edges), len(plan.stamps)


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


def _plan(context: WriteContext, dump: DumpedGraph) -> Plan:
    nodes: list[DumpedNode] = []
    versions: list[Node] = []
    since: dict[str, str] = {}
    for batch in batches(dump.nodes):
        ids = [node.versions[0].id for node in batch]
        rows = reading.rows_of(context.graph, context.graph_id, ids)
        earlier = reading.histories(context.graph, context.graph_id, list(rows))
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
    edges, stamps = _new_edges(context, dump, since)
    return Plan(nodes, versions, edges, stamps)


def _new_edges(
    context: WriteContext, dump: DumpedGraph, since: Mapping[str, str]
) -> tuple[list[Edge], list[Edge]]:
    """The edges that are new, and those that are here and were superseded earlier in the dump."""
    edges: list[Edge] = []
    stamps: list[Edge] = []
    for batch in batches(dump.edges):
        present = reading.edges(context.graph, context.graph_id, [edge.id for edge in batch])
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
        _check_ends(context, [edge for edge in batch if edge.id not in present], since)
    return edges, stamps


def _check_ends(context: WriteContext, edges: Sequence[Edge], since: Mapping[str, str]) -> None:
    ends = dict.fromkeys(end for edge in edges for end in (edge.src, edge.dst))
    elsewhere = [end for end in ends if end not in since]
    known = dict(since)
    if elsewhere:
        known |= naming.existing(
            context.graph, context.graph_id, elsewhere, user=context.access.user
        )
    for edge in edges:
        for end in (edge.src, edge.dst):
            if known[end] > edge.recorded_at and not keys.is_external(context.graph_id, end):
                raise Refused(
                    f"The edge {edge.id!r} was recorded before its end {end!r} was, which cannot "
                    "be; nothing was loaded."
                )


def _entries(context: WriteContext, plan: Plan) -> Iterator[JournalEntry]:
    """What was loaded, as journal entries that a replay can take in this order."""
    graph_id = context.graph_id
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
                graph_id=graph_id, id=edge.id, at=edge.superseded_at, by=context.access.writer()
            )
