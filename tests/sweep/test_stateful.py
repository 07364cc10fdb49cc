"""Memory under every order of events, beside a plain model of what it should answer."""

from __future__ import annotations

import multiprocessing
from typing import TYPE_CHECKING

import stamina
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.sweep.machine import Life

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from resources_graph_core.graph import Graph

STEPS = 25
EXAMPLES = 10


def ended_process() -> int:
    """The id of a process that was there and is no more."""
    process = multiprocessing.get_context("spawn").Process()
    process.start()
    process.join()
    assert process.pid is not None
    return process.pid


def test_memory_answers_what_it_should_whatever_happens(
    embedded_graph: Graph, engine_folder: Path, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    class Here(Life):
        graph = embedded_graph
        engine_url = f"embedded://{engine_folder}"
        folder = tmp_path
        dead_process = ended_process()

    examples = pytestconfig.getoption("--stateful-examples")
    with stamina.set_testing(True, attempts=100, cap=True):
        run_state_machine_as_test(
            Here,
            settings=settings(
                max_examples=examples or EXAMPLES,
                # The same lives each time, unless somebody looks for new ones.
                derandomize=examples is None,
                database=None,
                stateful_step_count=STEPS,
                deadline=None,
                print_blob=True,
                suppress_health_check=list(HealthCheck),
            ),
        )
