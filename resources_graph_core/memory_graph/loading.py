"""Looks around at the nodes that walks want, some statements a depth, and never twice."""

from __future__ import annotations

import json
from itertools import starmap
from typing import TYPE_CHECKING, Final

from resources_graph_core.memory_graph import crossings, keys
from resources_graph_core.memory_graph.model import MAIN, Edge
from resources_graph_core.memory_graph.walk import Arc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.graph import Graph
    from resources_graph_core.memory_graph.filters import EdgeFilter
    from resources_graph_core.memory_graph.walk import Walk

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
        self.arcs: dict[str, Arc] = {}
        self.crossed: dict[str, Edge] = {}

    def look(self, ids: Sequence[str]) -> None:
        """Look around at those of these nodes that were not looked around at before."""
        fresh = [one for one in dict.fromkeys(ids) if one not in self.around]
        if not fresh:
            return
        for one in fresh:
            self.around[one] = []
        where, parameters = self._conditions.where()
        wanted = [keys.key_of(self._graph_id, one) for one in fresh]
        for row in self._graph.query(_AROUND.format(where=where), keys=wanted, **parameters):
            node = keys.id_of(row["key"])
            for arc in starmap(Arc, json.loads(f"[{','.join(row['arcs'])}]")):
                if row["outward"] or arc.src != arc.dst:
                    self._keep(node, arc)
        if self._crossing:
            self._cross([one for one in fresh if keys.is_external(self._graph_id, one)])

    def _cross(self, ids: Sequence[str]) -> None:
        if not ids:
            return
        wanted = set(ids)
        for edge in crossings.links(self._graph, ids, conditions=self._conditions, user=self._user):
            self.crossed[edge.id] = edge
            arc = Arc(edge.id, edge.rel, edge.src, edge.dst, edge.cost, edge.directed)
            for end in {edge.src, edge.dst} & wanted:
                self._keep(end, arc)

    def _keep(self, node: str, arc: Arc) -> None:
        self.around[node].append(arc)
        self.arcs[arc.id] = arc


def walk_all(walks: Sequence[tuple[Walk, Surroundings]]) -> None:
    """Walk until every walk is over; those that share their surroundings load them once."""
    going = list(walks)
    while going:
        wanting = [(walk, surroundings, walk.wanted()) for walk, surroundings in going]
        together: dict[int, list[str]] = {}
        for _, surroundings, wanted in wanting:
            together.setdefault(id(surroundings), []).extend(wanted)
        for surroundings in {id(one): one for _, one, _ in wanting}.values():
            surroundings.look(together[id(surroundings)])
        for walk, surroundings, wanted in wanting:
            walk.feed({node: surroundings.around[node] for node in wanted})
        going = [(walk, surroundings) for walk, surroundings, wanted in wanting if wanted]
