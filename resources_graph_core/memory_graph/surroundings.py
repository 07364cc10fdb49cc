"""Looks around at the nodes that walks want, some statements a depth, and never twice."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from resources_graph_core.memory_graph import crossings, keys
from resources_graph_core.memory_graph.model import LARGEST_COST, MAIN, Edge

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from resources_graph_core.graph import Graph
    from resources_graph_core.memory_graph.filters import EdgeFilter
    from resources_graph_core.memory_graph.walk import Arc, Walk, Wanted

_AROUND: Final = """
UNWIND $keys AS key
MATCH (edge:MemoryEdge {{src: key}})
WHERE {where}
RETURN key, collect(edge.arc) AS arcs, 1 AS outward
UNION ALL
UNWIND $keys AS key
MATCH (edge:MemoryEdge {{dst: key}})
WHERE {where}
RETURN key, collect(edge.arc) AS arcs, 0 AS outward
"""


class Surroundings:
    """What lies around nodes under one set of conditions, remembered once it was looked up.

    ``crossed`` are the links to and between external nodes that were found, by id.
    """

    def __init__(
        self,
        graph: Graph,
        graph_id: str,
        conditions: EdgeFilter,
        *,
        crossing: bool,
        user: str | None,
    ) -> None:
        self._graph = graph
        self._graph_id = graph_id
        self._conditions = conditions
        self._crossing = crossing and graph_id == MAIN
        self._user = user
        self.around: dict[str, list[Arc]] = {}
        self._dearest: dict[str, float] = {}
        self.crossed: dict[str, Edge] = {}

    def look(self, ids: Sequence[str], dearest: float) -> None:
        """Look around at these nodes for edges that cost ``dearest`` at most.

        Not at those where that was done before.
        """
        looked = self._dearest
        fresh = [one for one in dict.fromkeys(ids) if looked.get(one, -1.0) < dearest]
        if not fresh:
            return
        for one in fresh:
            self.around[one] = []
            looked[one] = dearest
        where, parameters = self._conditions.where()
        if dearest < LARGEST_COST:
            where += " AND edge.cost <= $dearest"
            parameters["dearest"] = dearest
        wanted = [keys.key_of(self._graph_id, one) for one in fresh]
        rows = self._graph.query(_AROUND.format(where=where), keys=wanted, **parameters)
        # One text for all rows, since each call of the parser costs more than what it reads here.
        # Joined here: FalkorDB's own reduce() over such lists now and then loses some of them.
        texts = (",".join(row["arcs"]) for row in rows)
        found = json.loads(f"[{','.join(f'[{text}]' for text in texts)}]")
        for row, arcs in zip(rows, found, strict=True):
            around = self.around[keys.id_of(row["key"])]
            if row["outward"]:
                around += map(tuple, arcs)
            else:
                around += (tuple(arc) for arc in arcs if arc[2] != arc[3])
        if self._crossing:
            self._cross([one for one in fresh if keys.is_external(self._graph_id, one)])

    def arcs(self, ids: Iterable[str]) -> dict[str, Arc]:
        """The edges of these ids, of those that were found."""
        wanted = set(ids)
        return {arc[0]: arc for arcs in self.around.values() for arc in arcs if arc[0] in wanted}

    def _cross(self, ids: Sequence[str]) -> None:
        if not ids:
            return
        wanted = set(ids)
        for edge in crossings.links(self._graph, ids, conditions=self._conditions, user=self._user):
            self.crossed[edge.id] = edge
            arc = (edge.id, edge.rel, edge.src, edge.dst, edge.cost, edge.directed)
            for end in {edge.src, edge.dst} & wanted:
                self.around[end].append(arc)


def walk_all(walks: Sequence[tuple[Walk, Surroundings]]) -> None:
    """Walk until every walk is over; those that share their surroundings load them once."""
    going = list(walks)
    while going:
        wanting = [(walk, surroundings, walk.wanted()) for walk, surroundings in going]
        together: dict[Surroundings, list[Wanted]] = {}
        for _, surroundings, wanted in wanting:
            together.setdefault(surroundings, []).append(wanted)
        for surroundings, several in together.items():
            nodes = [node for wanted in several for node in wanted.nodes]
            surroundings.look(nodes, max(wanted.dearest for wanted in several))
        for walk, surroundings, (nodes, dearest) in wanting:
            walk.feed({node: surroundings.around[node] for node in nodes}, dearest)
        going = [(walk, surroundings) for walk, surroundings, wanted in wanting if wanted.nodes]
