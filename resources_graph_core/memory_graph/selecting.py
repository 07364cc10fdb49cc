"""Finding nodes by what they are, as of now or as of a moment.

In the graph ``main`` what memory holds of GitHub is found too.
"""

from __future__ import annotations

from heapq import merge
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from resources_graph_core.memory_graph import crossing_matches, naming, reading
from resources_graph_core.memory_graph.model import MAIN
from resources_graph_core.memory_graph.requests import Match

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.graph import Graph
    from resources_graph_core.memory_graph.model import Node

_PAGE: Final = 1000


def nodes(graph: Graph, graph_id: str, request: Match, *, user: str | None) -> list[Node]:
    """The nodes that a match names, by id; of Sessions, only the user's.

    ``semantic`` is no condition here.
    """
    found = _own(graph, graph_id, request)
    if graph_id == MAIN:
        if request.ids is not None:
            named = naming.resolve(graph, graph_id, request.ids)
            request = request.model_copy(update={"ids": tuple(named.values())})
        crossed = crossing_matches.nodes(graph, request, user=user)
        found = merge(found, crossed, key=attrgetter("id"))
    return list(islice((node for node in found if admits(request, node)), request.limit))


def everything(graph: Graph, graph_id: str) -> Iterator[Node]:
    """All memory nodes of a graph, by id."""
    yield from _own(graph, graph_id, Match())


def admits(request: Match, node: Node) -> bool:
    """Whether a version of a node meets every condition of a match."""
    between = request.recorded_between
    return (
        (request.ids is None or node.id in request.ids)
        and request.kind in {None, node.kind}
        and request.label in {None, node.label}
        and (
            request.label_contains is None
            or request.label_contains.casefold() in node.label.casefold()
        )
        and request.origin in {None, node.origin}
        and request.provenance in {None, node.provenance}
        and (between is None or between.start <= node.recorded_at < between.end)
        and reading.holds(node.attrs, request.attrs)
    )


def _own(graph: Graph, graph_id: str, request: Match) -> Iterator[Node]:
    """The memory nodes that may match, by id; those read that do not match come too."""
    for page in _candidates(graph, graph_id, request):
        then = reading.nodes(graph, graph_id, page, as_of=request.as_of)
        yield from (then[one] for one in page if one in then)


def _candidates(graph: Graph, graph_id: str, request: Match) -> Iterator[list[str]]:
    """Pages of ids in their order, of nodes that may match.

    What a node is now narrows the search through an index; as of an earlier moment it cannot.
    """
    if request.ids is not None:
        ids = sorted(set(request.ids))
        yield from (ids[start : start + _PAGE] for start in range(0, len(ids), _PAGE))
        return
    clauses, parameters = _narrowing(request)
    where = " AND ".join(["node.graph_id = $graph_id", "node.id > $after", *clauses])
    statement = f"""
MATCH (node:MemoryNode)
WHERE {where}
RETURN node.id AS id
ORDER BY id
LIMIT $page
"""
    after = ""
    while True:
        rows = graph.query(statement, graph_id=graph_id, after=after, page=_PAGE, **parameters)
        if not rows:
            return
        yield [row["id"] for row in rows]
        if len(rows) < _PAGE:
            return
        after = rows[-1]["id"]


def _narrowing(request: Match) -> tuple[list[str], dict[str, Any]]:
    """Conditions on the current version that every match meets, and their parameters."""
    if request.as_of is not None:
        return ["node.first_stamp < $until"], {"until": f"{request.as_of}~"}
    clauses: list[str] = []
    parameters: dict[str, Any] = {}
    for name in ("kind", "label", "origin", "provenance"):
        if (value := getattr(request, name)) is not None:
            clauses.append(f"node.{name} = ${name}")
            parameters[name] = value
    for number, (name, value) in enumerate((request.attrs or {}).items()):
        # As it stands in the stored JSON, maybe deeper down, so that this only narrows.
        clauses.append(f"node.attrs CONTAINS $entry{number}")
        parameters[f"entry{number}"] = reading.json_entry(name, value)
    return clauses, parameters
