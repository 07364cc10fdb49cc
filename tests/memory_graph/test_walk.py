"""The walk alone, against the shortest paths as a textbook computes them."""

from __future__ import annotations

from heapq import heappop, heappush
from math import inf
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resources_graph_core.memory_graph.walk import Walk

if TYPE_CHECKING:
    from resources_graph_core.memory_graph.walk import Arc

Graph = dict[str, list["Arc"]]


def random_graph(seed: int, nodes: int, edges: int, costs: list[float]) -> Graph:
    """Nodes by id with the edges at them, most of them directed."""
    random = Random(seed)  # noqa: S311 - the same graph each time
    around: Graph = {f"n{number}": [] for number in range(nodes)}
    for number in range(edges):
        src, dst = (f"n{random.randrange(nodes)}" for _ in range(2))
        arc = (f"e{number}", "needs", src, dst, random.choice(costs), random.random() < 0.8)
        around[src].append(arc)
        if dst != src:
            around[dst].append(arc)
    return around


def shortest(graph: Graph, start: str, max_cost: float) -> dict[str, float]:
    """The distances of all nodes in reach, followed in any direction."""
    distances = {start: 0.0}
    queue = [(0.0, start)]
    while queue:
        distance, node = heappop(queue)
        if distance > distances[node]:
            continue
        for _, _, src, dst, cost, _ in graph[node]:
            to = dst if src == node else src
            length = distance + cost
            if length <= max_cost and length < distances.get(to, inf):
                distances[to] = length
                heappush(queue, (length, to))
    return distances


def walk_over(graph: Graph, walk: Walk, *, obliging: bool) -> int:
    """Feed a walk until it is over, and return how many edges it was told of.

    Edges that it said do not count are told to it only when ``obliging``.
    """
    told = 0
    while (wanted := walk.wanted()).nodes:
        found = {
            node: [arc for arc in graph[node] if obliging or arc[4] <= wanted.dearest]
            for node in wanted.nodes
        }
        told += sum(map(len, found.values()))
        walk.feed(found, wanted.dearest)
    return told


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    nodes=st.integers(1, 300),
    degree=st.floats(0, 6),
    max_nodes=st.integers(1, 320),
    max_cost=st.sampled_from([0.0, 0.3, 1.0, 2.5, 20.0]),
    costs=st.lists(st.sampled_from([0.001, 0.1, 0.2, 0.3, 0.7, 1.0, 3.0]), min_size=1, max_size=4),
)
def test_nearest_nodes_are_reached_by_paths_that_cost_what_they_say(
    seed: int, nodes: int, degree: float, max_nodes: int, max_cost: float, costs: list[float]
) -> None:
    """The nearest, decided by id among equals; the sum of a path's costs is the distance."""
    graph = random_graph(seed, nodes, int(nodes * degree), costs)
    expected = shortest(graph, "n0", max_cost)
    nearest = sorted((distance, node) for node, distance in expected.items())[:max_nodes]

    for obliging in (False, True):
        walk = Walk(["n0"], max_cost=max_cost, max_nodes=max_nodes, direction="any", costs={})
        walk_over(graph, walk, obliging=obliging)
        reached = walk.reached()

        assert [(one.cost, one.id) for one in reached] == nearest
        assert walk.truncated == (len(expected) > max_nodes)
        for one in reached:
            assert one.entry == "n0"
            assert sum(move.cost for move in one.path) == pytest.approx(one.cost)
            assert [move.to for move in one.path][-1:] == ([one.id] if one.path else [])


def test_edges_that_cannot_matter_are_not_asked_for() -> None:
    """Once it is known how far the last node is, dearer edges than that are left out."""
    graph = random_graph(1, 2000, 10_000, [0.5, 1.0, 2.0])

    def told(*, obliging: bool) -> int:
        walk = Walk(["n0"], max_cost=20, max_nodes=500, direction="any", costs={})
        return walk_over(graph, walk, obliging=obliging)

    assert told(obliging=False) < 0.75 * told(obliging=True)


def test_costs_of_the_callers_own_leave_out_nothing() -> None:
    """What an edge costs of itself says nothing when the caller says what its relation costs."""
    graph = random_graph(1, 200, 1000, [5.0])
    walk = Walk(["n0"], max_cost=1, max_nodes=50, direction="any", costs={"needs": 0.5})

    assert walk.wanted().dearest == inf
    walk_over(graph, walk, obliging=False)
    assert len(walk.reached()) > 10
