"""Whatever the order in which items come, change and go, the same references are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from resources_graph_core.store import links, resources, runs, withdrawal
from tests.examples import issue, pull_request, reference, repository

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.graph import Graph
    from resources_graph_core.model import Issue, PullRequest

NOW = "2026-03-04T05:06:07Z"
RUN = "cli:test"
NUMBERS = range(1, 6)
PULLS = {1, 2}

Ends = frozenset[int]
Version = tuple[int, Ends, Ends]
"""An item's number, what references it, and what it closes if it is a pull request."""
Step = tuple[list[Version], bool] | int
"""Items stored together and whether they were linked before a crash; or the item withdrawn."""
Edges = set[tuple[str, int, int]]

some_ends = st.frozensets(st.sampled_from(NUMBERS), max_size=3)
versions = st.tuples(st.sampled_from(NUMBERS), some_ends, some_ends)
stores = st.tuples(
    st.lists(versions, min_size=1, max_size=3, unique_by=lambda version: version[0]), st.booleans()
)
histories = st.lists(stores | stores | st.sampled_from(NUMBERS), min_size=2, max_size=8)


def bare(number: int) -> Issue | PullRequest:
    return pull_request(number) if number in PULLS else issue(number)


def item(version: Version) -> Issue | PullRequest:
    number, sources, closed = version
    referenced_by = tuple(reference(bare(other)) for other in sorted(sources - {number}))
    if number not in PULLS:
        return issue(number, referenced_by=referenced_by)
    closes = tuple(reference(bare(other)) for other in sorted(closed - PULLS))
    return pull_request(number, referenced_by=referenced_by, closes=closes)


def expected(memory: dict[int, Version]) -> Edges:
    """What is to be drawn between what is in memory."""
    edges: Edges = set()
    for number, sources, closed in memory.values():
        edges |= {("REFERENCES", other, number) for other in sources - {number} if other in memory}
        if number in PULLS:
            edges |= {("CLOSES", number, other) for other in closed - PULLS if other in memory}
    return edges


def drawn(graph: Graph) -> list[tuple[str, int, int]]:
    rows = graph.query(
        "MATCH (a:Resource)-[edge:REFERENCES|CLOSES]->(b:Resource) "
        "RETURN type(edge) AS name, a.node_id AS a, b.node_id AS b"
    )
    return sorted((row["name"], number_of(row["a"]), number_of(row["b"])) for row in rows)


def number_of(node_id: str) -> int:
    return int(node_id.rpartition("_")[2])


def live(graph: Graph, history: Sequence[Step]) -> dict[int, Version]:
    """Let it happen to an empty graph; what is in memory at the end."""
    graph.query("MATCH (n) DETACH DELETE n")
    runs.start(graph, RUN, kind="cli", now=NOW)
    resources.store_repositories(graph, [repository()], fetched_at=NOW, run_id=RUN)
    memory: dict[int, Version] = {}
    for step in history:
        if isinstance(step, int):
            withdrawal.withdraw(graph, [bare(step).node_id], reason="not_found", now=NOW)
            memory.pop(step, None)
            continue
        together, linked = step
        items = [item(version) for version in together]
        assert resources.store_items(graph, items, fetched_at=NOW, run_id=RUN) == len(items)
        memory |= {version[0]: version for version in together}
        if linked:
            links.draw(graph, [one.node_id for one in items])
    return memory


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(history=histories)
def test_any_history_leads_to_the_same_edges(graph: Graph, history: list[Step]) -> None:
    memory = live(graph, history)
    links.draw_waiting(graph)
    assert drawn(graph) == sorted(expected(memory))
    assert links.draw_waiting(graph) == 0
    mentions = graph.query(
        "MATCH (one:Resource)-[waits:MENTIONS]->(mention:Mention) RETURN mention.key AS key"
    )
    assert not {number_of(row["key"]) for row in mentions} & memory.keys()


@settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(order=st.permutations(NUMBERS), sizes=st.lists(st.integers(1, 3), min_size=5, max_size=5))
def test_any_order_draws_all_when_each_batch_is_linked(
    graph: Graph, order: list[int], sizes: list[int]
) -> None:
    everyone = frozenset(NUMBERS)
    history: list[Step] = []
    rest = list(order)
    for size in sizes:
        together, rest = rest[:size], rest[size:]
        if together:
            history.append(([(number, everyone, everyone) for number in together], True))
    memory = live(graph, history)
    assert drawn(graph) == sorted(expected(memory))
    assert graph.query("MATCH (mention:Mention) RETURN mention.key AS key") == []
    assert links.draw_waiting(graph) == 0
