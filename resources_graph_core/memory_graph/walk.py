"""The bounded cheapest-path walk, without any I/O: it says which nodes it wants to look around at.

Costs are positive, so a node beyond the ``max_nodes`` nearest cannot bring another one nearer, and
is never looked around at. What is left to be decided is decided by id, so that the same graph
always gives the same answer.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from math import inf
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from resources_graph_core.memory_graph.requests import Direction

_FEW = 32
"""So many nodes at least are looked around at in one go: fewer cost statements, more cost edges."""
_PARTS = 8
"""So many times at least a long walk looks around, learning on the way which edges count."""
_ROUNDED = 1 + 1e-9
"""More than what rounding can take from a sum of costs."""


Arc = tuple[str, str, str, str, float, bool]
"""What a walk needs to know of an edge: its id, rel, src, dst, cost, and whether it is directed.

Plain tuples, of which there are thousands: the garbage collector looks at each of them once only.
"""


class Wanted(NamedTuple):
    """Nodes to look around at, nearest first; edges dearer than ``dearest`` do not count."""

    nodes: list[str]
    dearest: float


class Move(NamedTuple):
    """Following an edge: to which node, by which edge, at what cost."""

    to: str
    edge: str
    cost: float


class Reached(NamedTuple):
    """A node that was reached from ``entry`` at a cost, along a path of moves."""

    id: str
    cost: float
    entry: str
    path: tuple[Move, ...]


class Walk:
    """One walk from some entries; feed it what lies around the nodes that it wants."""

    def __init__(
        self,
        entries: Iterable[str],
        *,
        max_cost: float,
        max_nodes: int,
        direction: Direction,
        costs: Mapping[str, float],
    ) -> None:
        self._max_cost = max_cost
        self._max_nodes = max_nodes
        self._direction = direction
        self._costs = costs
        self._distance: dict[str, float] = dict.fromkeys(entries, 0.0)
        self._came: dict[str, tuple[str, str, float]] = {}
        self._around: dict[str, list[tuple[str, str, float]]] = {}
        self._dearest: dict[str, float] = {}

    def wanted(self) -> Wanted:
        """Where to look around next; nowhere when the walk is over."""
        furthest, dearest = self._furthest(), self._dearest
        # One that was looked around at comes again when it got so much nearer since that dearer
        # edges can be followed from it.
        open_ones = sorted(
            (distance, node)
            for node, distance in self._distance.items()
            if distance < furthest and dearest.get(node, -1.0) < furthest - distance
        )
        if not open_ones:
            return Wanted([], 0.0)
        at_once = max(_FEW, min(len(open_ones) // 2, self._max_nodes // _PARTS))
        nodes = [node for _, node in open_ones[:at_once]]
        if self._costs:
            return Wanted(nodes, inf)
        return Wanted(nodes, (furthest - open_ones[0][0]) * _ROUNDED)

    def feed(self, around: Mapping[str, Sequence[Arc]], dearest: float) -> None:
        """Take in the edges at nodes that were wanted, up to those that cost ``dearest``."""
        for node, arcs in around.items():
            self._around[node] = self._moves(node, arcs)
            self._dearest[node] = dearest
        self._relax(around)

    def reached(self) -> list[Reached]:
        """What was reached, by cost and then by id, at most ``max_nodes``."""
        every = sorted((distance, node) for node, distance in self._distance.items())
        nearest = every[: self._max_nodes]
        ways: dict[str, tuple[str, tuple[Move, ...]]] = {}
        return [Reached(node, distance, *self._way(node, ways)) for distance, node in nearest]

    @property
    def truncated(self) -> bool:
        """Whether there was more within ``max_cost`` than ``max_nodes``."""
        return len(self._distance) > self._max_nodes

    def _furthest(self) -> float:
        """The distance beyond which nothing is worth knowing.

        Until it is certain that there are more than ``max_nodes``, whatever is in reach is.
        """
        if len(self._distance) <= self._max_nodes:
            return self._max_cost
        return min(self._max_cost, sorted(self._distance.values())[self._max_nodes - 1])

    def _way(
        self, node: str, ways: dict[str, tuple[str, tuple[Move, ...]]]
    ) -> tuple[str, tuple[Move, ...]]:
        """The entry that a node was reached from, and the path; ``ways`` remembers those found."""
        moves: list[Move] = []
        at = node
        while at in self._came and at not in ways:
            before, edge, cost = self._came[at]
            moves.append(Move(at, edge, cost))
            at = before
        entry, path = ways.get(at, (at, ()))
        ways[node] = entry, (*path, *reversed(moves))
        return ways[node]

    def _moves(self, node: str, arcs: Sequence[Arc]) -> list[tuple[str, str, float]]:
        """Where the edges lead from a node, as plain tuples in the order of a Move."""
        out, back = self._direction != "in", self._direction != "out"
        costs = self._costs
        moves = []
        for edge, rel, src, dst, cost, directed in sorted(arcs):
            if src == node:
                if out or not directed:
                    moves.append((dst, edge, costs.get(rel, cost)))
            elif back or not directed:
                moves.append((src, edge, costs.get(rel, cost)))
        return moves

    def _relax(self, nodes: Iterable[str]) -> None:
        """Carry shorter distances on, through nodes that were looked around at before too."""
        distances, came, around = self._distance, self._came, self._around
        furthest = self._furthest()
        queue = [(distances[node], node) for node in nodes]
        heapify(queue)
        while queue:
            distance, node = heappop(queue)
            if distance > distances[node]:
                continue
            for to, edge, cost in around.get(node, ()):
                length = distance + cost
                if length <= furthest and length < distances.get(to, inf):
                    distances[to] = length
                    came[to] = (node, edge, cost)
                    heappush(queue, (length, to))
