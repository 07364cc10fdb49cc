"""Writes: what was decided, checked against the graph and recorded in one statement each."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from resources_graph_core.errors import Conflict, GraphUnavailable, UnknownId
from resources_graph_core.memory_graph import deciding, guards, reading, statements
from resources_graph_core.memory_graph.naming import check_own, existing, resolve
from resources_graph_core.memory_graph.records import (
    DropEntry,
    JournalEntry,
    LinkEntry,
    PutEntry,
    SupersedeEntry,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.graph import Graph
    from resources_graph_core.memory_graph.access import Access
    from resources_graph_core.memory_graph.model import Edge, Node
    from resources_graph_core.memory_graph.requests import Link, Put, Supersede

ATTEMPTS: Final = 40
"""How often a write is decided anew when somebody else was quicker."""
_LONGEST_PAUSE_SECONDS: Final = 0.1


@dataclass(frozen=True, slots=True)
class WriteContext:
    """Where writes go: the graph, whose they are, the clock, and who is told of each commit."""

    graph: Graph
    graph_id: str
    access: Access
    clock: Callable[[], str]
    tell: Callable[[JournalEntry], None]


def put(context: WriteContext, request: Put) -> tuple[Node, bool]:
    """Record a node's version; returns the current one, and whether it is new.

    Raises AccessDenied, Refused, UsageError, and GraphUnavailable when others keep being quicker.
    """
    context.access.writer()
    check_own(context.graph_id, request.id)
    observed = partial(reading.last_observed, context.graph, context.graph_id, request.id)
    for attempt in range(ATTEMPTS):
        fall_out_of_step(attempt)
        row = reading.rows_of(context.graph, context.graph_id, [request.id]).get(request.id)
        current = None if row is None else reading.node_of(row)
        made = deciding.version(current, request, context.access, context.clock(), observed)
        if made is current:
            return made, False
        expected = "" if row is None else row["stamp"]
        if current is not None and made.recorded_at <= current.recorded_at:
            made = _later(made, current)
        if statements.record_versions(context.graph_id, [made], expected=expected).run(
            context.graph
        ):
            context.tell(PutEntry(graph_id=context.graph_id, node=made))
            return made, True
    raise busy(f"The node {request.id!r}")


def link(context: WriteContext, request: Link) -> Edge:
    """Record an edge between two nodes that exist.

    Raises UnknownId for an end that does not, Conflict for an id that is taken, AccessDenied,
    Refused and UsageError.
    """
    context.access.writer()
    for name, end in (("src", request.src), ("dst", request.dst)):
        guards.check_credential(name, end)
    ends = resolve(context.graph, context.graph_id, (request.src, request.dst))
    since = existing(context.graph, context.graph_id, ends.values(), user=context.access.user)
    edge_id = request.id or uuid4().hex
    at = max(context.clock(), *since.values())
    made = deciding.edge(request, edge_id, ends[request.src], ends[request.dst], context.access, at)
    if not statements.record_edges(context.graph_id, [made]).run(context.graph):
        raise _why_not(context, made)
    context.tell(LinkEntry(graph_id=context.graph_id, edge=made))
    return made


def supersede(context: WriteContext, request: Supersede) -> tuple[Edge, Edge | None]:
    """Stamp an edge and record what replaces it, in one statement; returns both.

    Raises UnknownId, AccessDenied, Refused, and Conflict for an edge that was superseded already or
    a new id that is taken.
    """
    writer = context.access.writer()
    old = edge_by_id(context, request.id)
    deciding.may_supersede(old, context.access)
    at = max(context.clock(), old.recorded_at)
    new: Edge | None = None
    if not request.retire:
        new = deciding.replacing(old, request, request.new_id or uuid4().hex, context.access, at)
        ends = resolve(context.graph, context.graph_id, (new.src, new.dst))
        since = existing(context.graph, context.graph_id, ends.values(), user=context.access.user)
        at = max(at, *since.values())
        changes = {"src": ends[new.src], "dst": ends[new.dst], "recorded_at": at}
        new = new.model_copy(update=changes)
    done = statements.supersede(context.graph_id, old.id, at, new, only_live_of=old.origin)
    if not done.run(context.graph):
        deciding.may_supersede(edge_by_id(context, request.id), context.access)
        raise _why_not(context, new or old)
    context.tell(SupersedeEntry(graph_id=context.graph_id, id=old.id, at=at, by=writer, edge=new))
    return old.model_copy(update={"superseded_at": at}), new


def drop(context: WriteContext) -> tuple[int, int]:
    """Remove the graph; returns how many nodes and edges went. Raises AccessDenied."""
    context.access.check_privileged("Dropping a graph")
    (row,) = statements.drop(context.graph_id).run(context.graph)
    context.tell(DropEntry(graph_id=context.graph_id, at=context.clock()))
    return int(row["nodes"]), int(row["edges"])


def edge_by_id(context: WriteContext, edge_id: str) -> Edge:
    """An edge, superseded or not. Raises UnknownId."""
    found = reading.edges(context.graph, context.graph_id, [edge_id]).get(edge_id)
    if found is None:
        shown = guards.without_credentials(edge_id)[:80]
        raise UnknownId(f"There is no edge {shown!r} in the graph {context.graph_id!r}.")
    return found


def fall_out_of_step(attempt: int) -> None:
    """Pause a while, at random and longer each time, before all but the first attempt."""
    if attempt:
        most = min(_LONGEST_PAUSE_SECONDS, 0.001 * 2.0**attempt)
        time.sleep(random.uniform(0, most))  # noqa: S311 - no secret


def busy(what: str) -> GraphUnavailable:
    """The error for what others kept being quicker with."""
    return GraphUnavailable(f"{what} kept being changed by others meanwhile. Try again.")


def _later(made: Node, current: Node) -> Node:
    """The same version a microsecond after the one that it follows, so that it is the later."""
    return made.model_copy(update={"recorded_at": reading.just_after(current.recorded_at)})


def _why_not(context: WriteContext, edge: Edge) -> Exception:
    """Why an edge could not be recorded: its id is taken, or an end went meanwhile."""
    if reading.edges(context.graph, context.graph_id, [edge.id]):
        return Conflict(
            f"The edge id {edge.id!r} is taken; choose another, or supersede that edge."
        )
    return busy(f"The edge {edge.id!r}")
