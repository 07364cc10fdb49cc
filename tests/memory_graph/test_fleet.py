# ruff: noqa: ANN401 - the example is a script, imported by its path
"""The example of a fleet of agents: its questions and the answers that it prints."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from resources_graph_core.memory_graph import Access, MemoryGraph

if TYPE_CHECKING:
    from resources_graph_core.graph import Graph

EXAMPLE = Path(__file__).parents[2] / "examples" / "fleet.py"


@pytest.fixture
def fleet() -> Any:
    spec = importlib.util.spec_from_file_location("fleet", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def memory(embedded_graph: Graph, fleet: Any) -> MemoryGraph:
    access = Access(origin="example", trusted=True, privileged=True)
    memory = MemoryGraph(embedded_graph, access=access)
    fleet.remember(memory)
    return memory


def test_files_touched_in_three_rounds_that_a_ticket_plans_to_touch(
    fleet: Any, memory: MemoryGraph
) -> None:
    assert fleet.touched_and_planned(memory, "ada", "ticket:T-7") == [
        ("file:cache.py", 1),
        ("file:cache.py", 2),
        ("file:lexer.py", 3),
        ("file:parser.py", 2),
    ]
    assert fleet.touched_and_planned(memory, "cy", "ticket:T-7") == []


def test_where_a_ticket_got_stuck_each_time(fleet: Any, memory: MemoryGraph) -> None:
    first, second = fleet.stuck(memory, "ticket:T-3")
    assert first == ("2026-11-03T16:00:00.000000Z", "run:1", "The tests of the cache")
    assert second == ("2026-11-05T16:00:00.000000Z", "run:3", "The review of the lock")
    assert fleet.stuck(memory, "ticket:T-5") == []


def test_who_worked_on_what_it_depends_on(fleet: Any, memory: MemoryGraph) -> None:
    assert fleet.work_below(memory, "ticket:T-7") == [
        ("ticket:T-3", "ada", "returned"),
        ("ticket:T-3", "ada", "returned"),
        ("ticket:T-3", "cy", "merged"),
        ("ticket:T-5", "bo", "merged"),
    ]


def test_who_is_editing_right_now(fleet: Any, memory: MemoryGraph) -> None:
    at_half_past_eight = "2026-11-11T08:30:00Z"
    assert fleet.editing(memory, "ticket:T-7", fleet.WEDNESDAY_MORNING) == [
        ("file:cache.py", "member:cy"),
        ("file:lexer.py", "member:bo"),
    ]
    assert fleet.editing(memory, "ticket:T-7", at_half_past_eight) == [
        ("file:lexer.py", "member:bo"),
        ("file:parser.py", "member:cy"),
    ]


def test_a_corrected_claim_before_and_after(fleet: Any, memory: MemoryGraph) -> None:
    before, after = fleet.corrected(memory, "claim:slow")
    assert before == ["The lexer copies every token"]
    assert after == ["The cache is cleared at every parse"]


def test_every_question_is_answered(fleet: Any, memory: MemoryGraph) -> None:
    assert [question[-1] for question, answer in fleet.answers(memory) if answer] == ["?"] * 5
