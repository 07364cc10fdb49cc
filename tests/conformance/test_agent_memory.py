"""Tasks, Decisions and Verdicts on the graph, and what they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.store import agent_memory, links, resources, runs, withdrawal
from tests.examples import UPDATED, issue, repository

if TYPE_CHECKING:
    from resources_graph_core.graph import Graph

WHERE = "github:octo-org/widgets#1"


def store(graph: Graph, number: int) -> str:
    """Store an issue, as a Sweep does; returns its node id."""
    runs.start(graph, "run", kind="test", now=UPDATED)
    resources.store_repositories(graph, [repository()], run_id="run", fetched_at=UPDATED)
    stored = issue(number)
    resources.store_items(graph, [stored], run_id="run", fetched_at=UPDATED)
    return stored.node_id


@pytest.mark.parametrize("label", agent_memory.LABELS)
def test_what_is_kept_is_replaced_and_linked(graph: Graph, label: agent_memory.Label) -> None:
    row = {"about": WHERE, "title": "One", "order": 0}
    other = {"about": "github:o/r#9", "title": "Two", "order": 2}
    for _ in range(2):
        agent_memory.keep(graph, label, WHERE, {"a": row, "b": other})
    agent_memory.keep(graph, label, "github:o/r#2", {"a": other})
    kept = agent_memory.kept(graph, label, WHERE)
    assert [(one["key"], one["title"], one["resource"]) for one in kept] == [
        (f"{WHERE}/a", "One", None),
        (f"{WHERE}/b", "Two", None),
    ]
    agent_memory.keep(graph, label, WHERE, {"b": other, "a": {**row, "title": "Uno"}})
    assert [one["title"] for one in agent_memory.kept(graph, label, WHERE)] == ["Two", "Uno"]
    agent_memory.keep(graph, label, WHERE, {"c": row}, whole=False)
    assert len(agent_memory.kept(graph, label, WHERE)) == 3
    agent_memory.keep(graph, label, WHERE, {})
    assert agent_memory.kept(graph, label, WHERE) == []
    assert len(agent_memory.kept(graph, label, "github:o/r#2")) == 1


def test_edges_are_drawn_whichever_end_came_first(graph: Graph) -> None:
    row = {"about": WHERE, "title": "x"}
    agent_memory.keep(graph, "Task", WHERE, {"before": row})
    node_id = store(graph, 1)
    assert links.draw_waiting(graph) == 1
    assert links.draw_waiting(graph) == 0
    agent_memory.keep(graph, "Task", WHERE, {"before": row, "after": row})
    assert [one["resource"] for one in agent_memory.kept(graph, "Task", WHERE)] == [node_id] * 2
    [counted] = graph.query("MATCH (:Task)-[edge:ABOUT]->(:Resource) RETURN count(edge) AS edges")
    assert counted["edges"] == 2


@pytest.mark.parametrize("key", ["", " ends with white space ", "\x01", "x" * 5000])
def test_any_key_is_kept(graph: Graph, key: str) -> None:
    agent_memory.keep(graph, "Task", WHERE, {key: {"about": WHERE, "title": key}})
    assert len(agent_memory.kept(graph, "Task", WHERE)) == 1


@pytest.mark.parametrize("node_id", ["N_octo-org/widgets_1", "R_octo-org/widgets"])
def test_what_is_kept_goes_with_its_issue(graph: Graph, node_id: str) -> None:
    store(graph, 1)
    row = {"about": WHERE, "title": "x"}
    for label in agent_memory.LABELS:
        agent_memory.keep(graph, label, WHERE, {"here": row})
        agent_memory.keep(graph, label, "github:o/r#2", {"elsewhere": row})
    withdrawal.withdraw(graph, [node_id], reason="private", now=UPDATED)
    for label in agent_memory.LABELS:
        assert agent_memory.kept(graph, label, WHERE) == []
        assert len(agent_memory.kept(graph, label, "github:o/r#2")) == 1


@pytest.mark.parametrize("node_id", ["N_octo-org/widgets_1", "R_octo-org/widgets"])
def test_what_is_kept_in_an_issue_that_nobody_touched_goes_with_its_repository(
    graph: Graph, node_id: str
) -> None:
    store(graph, 1)
    untouched, elsewhere = "github:octo-org/widgets#77", "github:octo-org/widgets-2#77"
    for label in agent_memory.LABELS:
        agent_memory.keep(graph, label, untouched, {"x": {"about": untouched, "title": "x"}})
        agent_memory.keep(graph, label, elsewhere, {"x": {"about": elsewhere, "title": "x"}})
    withdrawal.withdraw(graph, [node_id], reason="private", now=UPDATED)
    for label in agent_memory.LABELS:
        there = agent_memory.kept(graph, label, untouched)
        assert len(there) == (0 if node_id.startswith("R_") else 1)
        assert len(agent_memory.kept(graph, label, elsewhere)) == 1


def test_what_is_kept_at_an_address_goes_though_memory_holds_nothing_of_it(graph: Graph) -> None:
    for label in agent_memory.LABELS:
        agent_memory.keep(graph, label, WHERE, {"x": {"about": WHERE, "title": "x"}})
    agent_memory.forget_at(graph, ["github:octo-org/widgets#11", "github:octo-org/other"])
    assert len(agent_memory.kept(graph, "Task", WHERE)) == 1
    agent_memory.forget_at(graph, [WHERE])
    for label in agent_memory.LABELS:
        assert agent_memory.kept(graph, label, WHERE) == []
