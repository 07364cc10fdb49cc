"""What a person sees when something is wrong, and that nothing is lost by it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from dagster import SkipReason

from resources_graph_core.errors import GraphUnavailable

if TYPE_CHECKING:
    from conftest import Daemon

    from resources_graph_core.memory import Memory


def skipped(reason: object) -> str:
    assert isinstance(reason, SkipReason)
    return str(reason.skip_message)


@pytest.mark.usefixtures("unreachable_github")
def test_an_unreachable_github_fails_the_run_and_leaves_its_touches(
    memory: Memory, daemon: Daemon
) -> None:
    memory.touch("octo-org/widgets#1")
    (run,) = daemon.sweep()
    assert not run.success
    (failed,) = [event for event in run.all_events if event.is_step_failure]
    assert failed.step_failure_data.user_failure_data is not None
    assert "reached" in str(failed.step_failure_data.user_failure_data.description)
    assert memory.pending().touch_count == 1
    held = daemon.tick()
    assert not held.run_requests
    assert "the last run failed" in skipped(held.skip_reason)
    assert json.loads(held.cursor or "")["failures"] == 1


@pytest.mark.usefixtures("unreachable_github")
def test_a_partition_fails_where_people_look_for_it(memory: Memory, daemon: Daemon) -> None:
    memory.touch("octo-org/widgets#1")
    daemon.tick()
    run = daemon.execute("sweep", "octo-org/widgets")
    assert not run.success
    failed = {event.step_key for event in run.all_events if event.is_step_failure}
    assert failed == {"resources"}


def test_an_unreachable_graph_is_said_by_the_tick(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RESOURCES_GRAPH_URL", "bolt://127.0.0.1:1")
    with pytest.raises(GraphUnavailable):
        daemon.tick()


def test_a_partition_that_is_no_repository_says_so(memory: Memory, daemon: Daemon) -> None:  # noqa: ARG001 - the settings of memory
    run = daemon.execute(
        "sweep_pending", run_config={"ops": {"sweep_all": {"config": {"repositories": ["x"]}}}}
    )
    (failed,) = [event for event in run.all_events if event.is_step_failure]
    assert "'github:x' is not an Address key" in failed.step_failure_data.error.message


def test_a_cursor_that_cannot_be_read_starts_afresh(memory: Memory, daemon: Daemon) -> None:
    daemon.cursor = "not JSON"
    memory.touch("octo-org/widgets#1")
    assert len(daemon.tick().run_requests or []) == 1
