"""Journals applied again: in order, each entry once, however often it is seen.

Versions find their place by when they were recorded, and the earliest moment at which an edge was
superseded counts, so that two journals which overlap give the same graph in either order (as long
as neither drops it). What an entry needs, such as the ends of an edge, has to be there before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from resources_graph_core.errors import AccessDenied, Conflict, Refused, ResourcesGraphError
from resources_graph_core.memory_graph import deciding, guards, keys, naming, reading, statements
from resources_graph_core.memory_graph.records import (
    DropEntry,
    LinkEntry,
    PutEntry,
    SupersedeEntry,
)
from resources_graph_core.memory_graph.requests import Put
from resources_graph_core.memory_graph.writing import (
    ATTEMPTS,
    busy,
    edge_by_id,
    fall_out_of_step,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.graph import Row
    from resources_graph_core.memory_graph.model import Edge, Node
    from resources_graph_core.memory_graph.records import JournalEntry
    from resources_graph_core.memory_graph.statements import Statement
    from resources_graph_core.memory_graph.writing import WriteContext


def replay(context: WriteContext, entries: Sequence[JournalEntry]) -> tuple[int, int, int]:
    """Apply entries in order; returns how many versions, edges and retirements were new.

    A handle that is not privileged applies entries of its own origin only, with the rights it has,
    and none that would be recorded at a time yet to come: whoever wrote after it would have to be
    later still. Raises what the guards, the rights or the graph have against an entry, with its
    index (from 0); those before it stay.
    """
    context.access.writer()
    versions = edges = superseded = 0
    for index, entry in enumerate(entries):
        try:
            guards.check_graph_id(entry.graph_id)
            if entry.graph_id != context.graph_id:
                raise Conflict(
                    f"it is of the graph {entry.graph_id!r}, and this is {context.graph_id!r}"
                )
            match entry:
                case PutEntry():
                    versions += _put(context, entry)
                case LinkEntry():
                    edges += _link(context, entry)
                case SupersedeEntry():
                    made, stamped = _supersede(context, entry)
                    edges, superseded = edges + made, superseded + stamped
                case DropEntry():
                    _drop(context)
                case _:
                    assert_never(entry)
        except ResourcesGraphError as error:
            raise type(error)(f"Entry {index}: {error}") from error
    return versions, edges, superseded


def journal_to_cypher(entry: JournalEntry) -> list[Statement]:
    """The statements that write what an entry says, for any program that has the graph."""
    match entry:
        case PutEntry(node=node):
            return [statements.record_versions(entry.graph_id, [node])]
        case LinkEntry(edge=edge):
            return [statements.record_edges(entry.graph_id, [edge])]
        case SupersedeEntry(edge=edge):
            stamp = statements.supersede(entry.graph_id, entry.id, entry.at, None)
            made = [] if edge is None else [statements.record_edges(entry.graph_id, [edge])]
            return [*made, stamp]
        case DropEntry():
            return [statements.drop(entry.graph_id)]
        case _:
            assert_never(entry)


def checked_version(graph_id: str, node: Node) -> Node:
    """A version from outside that the guards let pass. Raises Refused, AccessDenied."""
    naming.check_own(graph_id, node.id)
    return deciding.checked(node)


def same_assertion(one: Edge, other: Edge) -> bool:
    """Whether two edges say the same, whatever became of them since."""
    return _said(one) == _said(other)


def _said(edge: Edge) -> tuple[object, str]:
    return edge.model_dump(exclude={"superseded_at", "attrs"}), guards.json_text(edge.attrs)


def _put(context: WriteContext, entry: PutEntry) -> int:
    node = checked_version(context.graph_id, entry.node)
    if context.access.privileged:
        recorded = statements.record_versions(context.graph_id, [node]).run(context.graph)
        made = int(recorded[0]["made"])
    else:
        _check_own(context, node.writer, node.provenance)
        made = _put_as_decided(context, node)
    if made:
        context.tell(entry)
    return made


def _put_as_decided(context: WriteContext, node: Node) -> int:
    """Record a version on the very node that it may be recorded on; decided anew when it changed.

    Else somebody could make the node in between, and a version from before would make it another's.
    """
    for attempt in range(ATTEMPTS):
        fall_out_of_step(attempt)
        row = reading.rows_of(context.graph, context.graph_id, [node.id]).get(node.id)
        if not _may_put(context, node, row):
            return 0
        expected = "" if row is None else row["stamp"]
        recorded = statements.record_versions(context.graph_id, [node], expected=expected)
        if found := recorded.run(context.graph):
            return int(found[0]["made"])
    raise busy(f"the node {node.id!r}")


def _may_put(context: WriteContext, node: Node, row: Row | None) -> bool:
    """Whether a version may be new here, as the handle could have put it when it was recorded.

    ``row`` is the node as it is here. Raises AccessDenied where it could not have, Refused for what
    is yet to come.
    """
    at = node.recorded_at
    origin = context.access.origin if row is None else row["origin"]
    if node.origin != origin:
        raise AccessDenied(
            f"it says that the node {node.id!r} is of origin {node.origin!r}, and only a "
            f"privileged handle may, since it is of origin {origin!r} here"
        )
    own = row is None or origin == context.access.origin
    if own and at <= context.clock():
        return True
    if row is not None and _is_there(context, row["stamp"], node):
        return False
    _check_past(context, at)
    before = reading.nodes(context.graph, context.graph_id, [node.id], as_of=at).get(node.id)
    if before is None:
        raise AccessDenied(f"at {at} there was no node {node.id!r} of origin {origin!r} to add to")
    said = Put(id=node.id, kind=node.kind, label=node.label, attrs=node.attrs)
    made = deciding.version(before, said, context.access, at)
    if lost := sorted(made.attrs.keys() - node.attrs.keys()):
        raise AccessDenied(
            f"the node {node.id!r} is of origin {origin!r}; others may add attrs that it lacks, "
            f"and not remove {', '.join(lost)[:200]}"
        )
    return made is not before


def _is_there(context: WriteContext, current: str, node: Node) -> bool:
    """Whether a version is recorded already, of a node whose current version has a stamp."""
    stamp = statements.stamp_of(node)
    versions = reading.history(context.graph, context.graph_id, node.id)
    return stamp == current or stamp in map(statements.stamp_of, versions)


def _check_past(context: WriteContext, at: str) -> None:
    """Raise Refused for a time yet to come, unless the handle is privileged."""
    if not context.access.privileged and at > context.clock():
        raise Refused(f"it was recorded at {at}, which is yet to come")


def _link(context: WriteContext, entry: LinkEntry) -> int:
    made = _record(context, entry.edge)
    if made:
        context.tell(entry)
    return made


def _record(context: WriteContext, edge: Edge) -> int:
    """Record an edge as it was; 0 when it is there. Raises Conflict when its id says another."""
    edge = edge.model_copy(update={"superseded_at": None})
    guards.check_edge(edge)
    if not context.access.privileged:
        _check_own(context, edge.origin, edge.provenance)
        if edge.supersedes is not None:
            _check_superseded(context, edge_by_id(context, edge.supersedes))
    present = reading.edges(context.graph, context.graph_id, [edge.id]).get(edge.id)
    if present is not None:
        if not same_assertion(present, edge):
            raise Conflict(f"the edge id {edge.id!r} is taken by an edge that says something else")
        return 0
    _check_past(context, edge.recorded_at)
    check_ends(context, edge)
    return len(statements.record_edges(context.graph_id, [edge]).run(context.graph))


def check_ends(context: WriteContext, edge: Edge) -> None:
    """Raise UnknownId when an end does not exist, Refused when it was recorded after its edge."""
    ends = (edge.src, edge.dst)
    since = naming.existing(context.graph, context.graph_id, ends, user=context.access.user)
    for end in ends:
        if since[end] > edge.recorded_at and not keys.is_external(context.graph_id, end):
            raise Refused(
                f"the edge {edge.id!r} was recorded before its end {end!r} was, which cannot be"
            )


def _supersede(context: WriteContext, entry: SupersedeEntry) -> tuple[int, int]:
    guards.check_credential("by", entry.by)
    old = edge_by_id(context, entry.id)
    if not context.access.privileged:
        if entry.by != context.access.origin:
            raise AccessDenied(f"it was written by {entry.by!r}; only a privileged handle may")
        _check_superseded(context, old)
    if entry.at < old.recorded_at:
        raise Refused(f"the edge {old.id!r} was recorded after it was superseded")
    stamped = old.superseded_at is None or old.superseded_at > entry.at
    if stamped:
        _check_past(context, entry.at)
    made = 0
    if entry.edge is not None:
        if entry.edge.supersedes != entry.id:
            raise Refused(f"the edge {entry.edge.id!r} does not say that it supersedes {old.id!r}")
        made = _record(context, entry.edge)
    if stamped:
        statements.supersede(context.graph_id, entry.id, entry.at, None).run(context.graph)
    if made or stamped:
        context.tell(entry)
    return made, int(stamped)


def _drop(context: WriteContext) -> None:
    context.access.check_privileged("Replaying that a graph was dropped")
    statements.drop(context.graph_id).run(context.graph)


def _check_superseded(context: WriteContext, old: Edge) -> None:
    if old.origin != context.access.origin:
        raise AccessDenied(
            f"the edge {old.id!r} is of origin {old.origin!r}; only a privileged handle may "
            "replay that it was superseded"
        )


def _check_own(context: WriteContext, origin: str, provenance: str) -> None:
    if origin != context.access.origin:
        raise AccessDenied(f"it is of origin {origin!r}; only a privileged handle may replay it")
    if provenance == "observed" and not context.access.trusted:
        raise AccessDenied("it was observed, which only a trusted handle may say")
