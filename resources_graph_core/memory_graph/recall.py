"""Recall: where to start, the walk, and what it reached in the form that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from resources_graph_core.errors import UsageError
from resources_graph_core.memory_graph import crossings, keys, naming, reading
from resources_graph_core.memory_graph.filters import EdgeFilter
from resources_graph_core.memory_graph.model import Edge, EdgeSummary, Node, NodeSummary
from resources_graph_core.memory_graph.responses import Answer, Hit, Step
from resources_graph_core.memory_graph.surroundings import Surroundings, walk_all
from resources_graph_core.memory_graph.walk import Walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from resources_graph_core.graph import Graph
    from resources_graph_core.memory_graph.requests import Project, Recall, Walking
    from resources_graph_core.memory_graph.responses import EdgeView, NodeView
    from resources_graph_core.memory_graph.walk import Reached

Locate = Callable[[str, int], Sequence[str]]
"""From free text to the ids of at most so many nodes, best first.

It is not told of which moment: what it names that did not exist then is left out.
"""


@dataclass(frozen=True, slots=True)
class WalkContext:
    """What a recall walks on: the graph, whose Touches may be crossed, and how text is located."""

    graph: Graph
    graph_id: str
    user: str | None
    locate: Callable[[Walking], Sequence[str]] | None
    match: Callable[[Walking], Sequence[str]]
    crossing_costs: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Found:
    """The answers to some questions, with every version of a node and every edge in them once."""

    answers: tuple[Answer, ...]
    nodes: tuple[NodeView, ...]
    edges: tuple[EdgeView, ...]


def recall_all(context: WalkContext, questions: Sequence[Recall], project: Project) -> Found:
    """Answer questions over one load.

    Raises UnknownId for a starting point that does not exist, UsageError for free text where
    nothing can locate it.
    """
    named = naming.resolve(
        context.graph, context.graph_id, [one for question in questions for one in question.ids]
    )
    shared: dict[tuple[EdgeFilter, bool], Surroundings] = {}
    walks: list[tuple[Walk, Surroundings]] = []
    for question in questions:
        given = [named[one] for one in question.ids]
        key = (EdgeFilter.of_walk(question), question.crossings)
        if key not in shared:
            shared[key] = Surroundings(
                context.graph, context.graph_id, key[0], crossing=key[1], user=context.user
            )
        walks.append((walk_of(context, question, given), shared[key]))
    walk_all(walks)
    reached = [walk.reached() for walk, _ in walks]
    moments = _nodes_reached(context, questions, reached)
    for question in questions:
        given = [named[one] for one in question.ids]
        check_entries(context, given, moments[question.as_of], question.as_of)
    kept = [
        _kept(question, one, moments[question.as_of])
        for question, one in zip(questions, reached, strict=True)
    ]
    steps = {move.edge for hits in kept for hit in hits for move in hit.path}
    edges = _edges(context, steps, list(shared.values()), questions, project)
    answers = tuple(
        Answer(
            hits=_ordered(question, hits, moments[question.as_of], edges),
            truncated=walk.truncated,
        )
        for question, hits, (walk, _) in zip(questions, kept, walks, strict=True)
    )
    told: dict[tuple[str, str], Node] = {}
    for question, hits in zip(questions, kept, strict=True):
        nodes = moments[question.as_of]
        named_here = dict.fromkeys(
            one for hit in hits for one in (hit.id, hit.entry, *(move.to for move in hit.path))
        )
        told |= {(one, nodes[one].recorded_at): nodes[one] for one in named_here}
    return Found(
        answers,
        tuple(shown(node, project) for node in told.values()),
        tuple(shown_edge(edge, project) for edge in edges.values()),
    )


def walk_of(context: WalkContext, request: Walking, given: Sequence[str]) -> Walk:
    """The walk that a request asks for, from the given ids and whatever else it starts at."""
    entries = list(given)
    if request.match is not None:
        entries += context.match(request)
    if request.locate is not None:
        if context.locate is None:
            raise UsageError(
                "locate needs embeddings or a locator, and neither is set; start at ids or a match"
            )
        located = context.locate(request)
        # A caller's locator may name what did not exist then, or does not at all.
        there = naming.nodes(
            context.graph, context.graph_id, located, as_of=request.as_of, user=context.user
        )
        entries += [one for one in located if one in there]
    return Walk(
        dict.fromkeys(entries),
        max_cost=request.max_cost,
        max_nodes=request.max_nodes,
        direction=request.direction,
        costs={**context.crossing_costs, **request.costs},
    )


def shown(node: Node, project: Project) -> NodeView:
    """A node in full or in short."""
    if project == "full":
        return node
    return NodeSummary(id=node.id, kind=node.kind, label=node.label, flagged=node.flagged)


def shown_edge(edge: Edge | EdgeSummary, project: Project) -> EdgeView:
    """An edge in full or in short."""
    if project == "full" or not isinstance(edge, Edge):
        return edge
    return EdgeSummary(id=edge.id, src=edge.src, dst=edge.dst, rel=edge.rel)


def among(
    context: WalkContext, request: Walking, nodes: Iterable[str], *, history: bool
) -> list[Edge]:
    """The edges between two of some nodes that were live and true then, in the order of recording.

    What a walk may follow decides what it reaches, and not which edges are shown. With ``history``
    those superseded meanwhile too.
    """
    ids = list(nodes)
    conditions = EdgeFilter(as_of=request.as_of, valid_at=request.valid_at, history=history)
    inside = set(ids)
    found = reading.edges_at(context.graph, context.graph_id, ids, conditions, end="src")
    if request.crossings:
        external = [one for one in ids if keys.is_external(context.graph_id, one)]
        if external:
            found += crossings.links(
                context.graph, external, conditions=conditions, user=context.user
            )
    kept = {edge.id: edge for edge in found if edge.src in inside and edge.dst in inside}
    return sorted(kept.values(), key=lambda edge: (edge.recorded_at, edge.id))


def around(context: WalkContext, node_id: str, conditions: EdgeFilter) -> list[Edge]:
    """The edges at one node, in the order of recording."""
    found = {
        edge.id: edge
        for end in ("src", "dst")
        for edge in reading.edges_at(
            context.graph, context.graph_id, [node_id], conditions, end=end
        )
    }
    if keys.is_external(context.graph_id, node_id):
        links = crossings.links(context.graph, [node_id], conditions=conditions, user=context.user)
        found |= {edge.id: edge for edge in links}
    return sorted(found.values(), key=lambda edge: (edge.recorded_at, edge.id))


def reach(context: WalkContext, request: Walking) -> list[Node]:
    """The nodes that a walk reaches, nearest first. Raises as :func:`recall_all`."""
    named = naming.resolve(context.graph, context.graph_id, request.ids)
    given = [named[one] for one in request.ids]
    looked_up = Surroundings(
        context.graph,
        context.graph_id,
        EdgeFilter.of_walk(request),
        crossing=request.crossings,
        user=context.user,
    )
    walk = walk_of(context, request, given)
    walk_all([(walk, looked_up)])
    reached = walk.reached()
    nodes = naming.nodes(
        context.graph,
        context.graph_id,
        [one.id for one in reached],
        as_of=request.as_of,
        user=context.user,
    )
    check_entries(context, given, nodes, request.as_of)
    return [nodes[one.id] for one in reached if one.id in nodes]


def check_entries(
    context: WalkContext, given: Sequence[str], reached: Mapping[str, Node], as_of: str | None
) -> None:
    """Raise UnknownId when a starting point does not exist; some may be beyond ``max_nodes``."""
    others = [one for one in given if one not in reached]
    if others:
        found = naming.nodes(
            context.graph, context.graph_id, others, as_of=as_of, user=context.user
        )
        naming.check_known(context.graph_id, others, found)


def _nodes_reached(
    context: WalkContext, questions: Sequence[Recall], reached: Sequence[list[Reached]]
) -> dict[str | None, dict[str, Node]]:
    """What was reached, by the moment asked for and by id; one moment is one load."""
    by_moment: dict[str | None, list[str]] = {}
    for question, found in zip(questions, reached, strict=True):
        by_moment.setdefault(question.as_of, []).extend(one.id for one in found)
    return {
        moment: naming.nodes(context.graph, context.graph_id, ids, as_of=moment, user=context.user)
        for moment, ids in by_moment.items()
    }


def _kept(question: Recall, reached: list[Reached], nodes: Mapping[str, Node]) -> list[Reached]:
    """Those that exist, as all on the way to them do, and are of a kind that was asked for."""
    named = {name for one in reached for name in (one.id, one.entry, *(to for to, *_ in one.path))}
    if not named <= nodes.keys():
        reached = [
            one
            for one in reached
            if {one.id, one.entry} <= nodes.keys() and all(move.to in nodes for move in one.path)
        ]
    if question.kinds is None:
        return reached
    return [one for one in reached if nodes[one.id].kind in question.kinds]


def _edges(
    context: WalkContext,
    ids: set[str],
    loaded: Sequence[Surroundings],
    questions: Sequence[Recall],
    project: Project,
) -> dict[str, EdgeView]:
    """The edges of the paths by id; in short they are known from the walk already."""
    crossed = {name: edge for one in loaded for name, edge in one.crossed.items()}
    wanted = sorted(ids)
    found: dict[str, Edge | EdgeSummary] = {one: crossed[one] for one in wanted if one in crossed}
    own = [one for one in wanted if one not in crossed]
    recency = any(question.order == "recency" for question in questions)
    if project == "full" or recency:
        # Every edge of a path was live when it was walked, so what came later is not told.
        return found | reading.edges_as_live(context.graph, context.graph_id, own)
    arcs = {name: arc for one in loaded for name, arc in one.arcs(own).items()}
    for one in own:
        _, rel, src, dst, *_ = arcs[one]
        found[one] = EdgeSummary(id=one, src=src, dst=dst, rel=rel)
    return found


def _ordered(
    question: Recall,
    reached: list[Reached],
    nodes: Mapping[str, Node],
    edges: Mapping[str, EdgeView],
) -> tuple[Hit, ...]:
    # Paths have their beginnings in common, and one step serves them all.
    moves = {move for one in reached for move in one.path}
    steps = {move: Step(edge=move.edge, to=move.to, cost=move.cost) for move in moves}
    hits = [
        Hit(
            id=one.id,
            recorded_at=nodes[one.id].recorded_at,
            cost=one.cost,
            entry=one.entry,
            path=tuple(steps[move] for move in one.path),
        )
        for one in reached
    ]
    if question.order == "recency":

        def recorded(hit: Hit) -> str:
            last = edges.get(hit.path[-1].edge) if hit.path else None
            edge_at = last.recorded_at if isinstance(last, Edge) else ""
            return max(nodes[hit.id].recorded_at, edge_at)

        hits.sort(key=recorded, reverse=True)
    return tuple(hits)
