"""References that wait for their other end: what becomes of them when they are taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.store import counts, links, resources, runs
from tests.examples import issue, pull_request, reference, repository

if TYPE_CHECKING:
    from resources_graph_core.graph import Graph
    from resources_graph_core.model import Issue, PullRequest

NOW = "2026-03-04T05:06:07Z"
RUN = "cli:test"


@pytest.fixture(autouse=True)
def _run(graph: Graph) -> None:
    runs.start(graph, RUN, kind="cli", now=NOW)
    resources.store_repositories(graph, [repository()], fetched_at=NOW, run_id=RUN)


def store(graph: Graph, *items: Issue | PullRequest) -> None:
    resources.store_items(graph, items, fetched_at=NOW, run_id=RUN)


def drawn(graph: Graph) -> list[str]:
    rows = graph.query(
        "MATCH (:Resource)-[edge:CLOSES|REFERENCES]->(:Resource) RETURN type(edge) AS name"
    )
    return sorted(row["name"] for row in rows)


def test_a_reference_taken_back_before_its_end_came_is_never_drawn(graph: Graph) -> None:
    store(graph, pull_request(2, closes=(reference(issue(1)),)))
    store(graph, pull_request(2))
    store(graph, issue(1))
    assert links.draw(graph, [issue(1).node_id]) == 0
    assert drawn(graph) == []
    assert counts.labelled(graph, "Mention") == 0


def test_the_other_references_to_it_still_wait(graph: Graph) -> None:
    store(graph, *(pull_request(n, closes=(reference(issue(1)),)) for n in (2, 3)))
    store(graph, issue(4, referenced_by=(reference(issue(1)),)))
    store(graph, pull_request(2))
    store(graph, issue(1))
    assert links.draw(graph, [issue(1).node_id]) == 2
    assert drawn(graph) == ["CLOSES", "REFERENCES"]


def test_a_mention_that_nobody_makes_any_more_does_not_hold_up_the_end_of_a_sweep(
    graph: Graph,
) -> None:
    store(graph, issue(1))
    graph.query("CREATE (:Mention {key: $key})", key=issue(1).node_id)
    assert links.draw_waiting(graph) == 0
    assert counts.labelled(graph, "Mention") == 0
