"""What a person sees when something is wrong, and that nothing is lost by it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from dagster import DagsterEvent, SkipReason, build_run_status_sensor_context

from resources_graph_core import failures as log
from resources_graph_core.errors import GitHubAuthError, GraphUnavailable, UsageError
from resources_graph_core.memory import open_memory
from resources_graph_core.sandbox import Sandbox
from resources_graph_dagster.failures import of_error, told_by
from resources_graph_dagster.resources import GraphResource
from resources_graph_dagster.sensors import failed_sweeps

if TYPE_CHECKING:
    from pathlib import Path

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
    assert "'github:x' is not an Address key" in told_by(failed)


def test_a_cursor_that_cannot_be_read_starts_afresh(memory: Memory, daemon: Daemon) -> None:
    daemon.cursor = "not JSON"
    memory.touch("octo-org/widgets#1")
    assert len(daemon.tick().run_requests or []) == 1


def test_a_rejected_token_fails_at_once_and_says_what_to_do(
    memory: Memory, daemon: Daemon, archives: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Sandbox(archives, token="the-right-one") as strict:
        monkeypatch.setenv("GITHUB_API_URL", strict.url)
        monkeypatch.setenv("GITHUB_TOKEN", "the-wrong-one")
        memory.touch("octo-org/widgets#1")
        (run,) = daemon.sweep()
    assert not run.success
    (failed,) = [event for event in run.all_events if event.is_step_failure]
    told = failed.step_failure_data.user_failure_data
    assert told is not None
    assert "gh auth login" in str(told.metadata["what to do"].value)
    assert "the-wrong-one" not in "".join(str(event) for event in run.all_events)
    assert memory.pending().touch_count == 1


def test_a_limit_leaves_touches_and_holds_the_sensor(
    memory: Memory, daemon: Daemon, github: Sandbox
) -> None:
    memory.touch_many(["octo-org/widgets#1", "octo-org/widgets#2"])
    daemon.tick()
    github.faults.points_left(0, api="graphql", resets_in=3600)
    run = daemon.execute("sweep", "octo-org/widgets")
    assert run.success
    told = daemon.metadata("resources", "octo-org/widgets")
    assert told["touches left"] == 2
    with open_memory() as configured:  # as the run was: the limit is that account's
        assert told["retry_at"] == configured.limited_hosts()["github.com"]
    asked = len(github.requests.all)
    daemon.cursor = None
    held = daemon.tick()
    assert not held.run_requests
    assert str(told["retry_at"]) in skipped(held.skip_reason)
    assert daemon.execute("sweep", "octo-org/widgets").success
    assert len(github.requests.all) == asked


def test_a_repository_that_fails_does_not_fail_another(
    memory: Memory, daemon: Daemon, github: Sandbox
) -> None:
    github.faults.heavy_above_nodes = 200  # an item's comments are more than that
    memory.touch_many(["octo-org/widgets#1", "octo-org/gadgets"])
    (run,) = daemon.sweep()
    assert run.success
    assert daemon.materialised("resources") == {"octo-org/gadgets"}
    (check,) = run.get_asset_check_evaluations()
    assert (check.check_name, check.passed) == ("no_repository_failed", False)
    assert "octo-org/widgets#1" in str(check.metadata["what went wrong"].value)
    assert not daemon.tick().run_requests  # it is tried again later, in a run of its own
    alone = daemon.execute("sweep", "octo-org/widgets")
    assert not alone.success
    github.faults.clear()
    assert daemon.execute("sweep", "octo-org/widgets").success
    assert daemon.materialised("resources") == {"octo-org/gadgets", "octo-org/widgets"}
    assert memory.pending().touch_count == 0


@pytest.mark.usefixtures("unreachable_github")
def test_a_failed_run_shows_in_the_log_and_in_the_graph(
    memory: Memory, daemon: Daemon, home: Path
) -> None:
    memory.touch("octo-org/widgets#1")
    (run,) = daemon.sweep()
    memory.graph.query("MATCH (run:SweepRun) SET run.error = null, run.ended_at = null")
    (event,) = [event for event in run.all_events if event.is_failure and not event.is_step_event]
    assert isinstance(event, DagsterEvent)
    context = build_run_status_sensor_context(
        sensor_name="failed_sweeps",
        dagster_event=event,
        dagster_instance=daemon.instance,
        dagster_run=run.dagster_run,
        resources={"graph": GraphResource()},
    ).for_run_failure()
    failed_sweeps(context)
    (logged,) = log.recent(home)
    assert logged.where == f"Dagster run {run.run_id}"
    assert "cannot be reached" in logged.message
    (swept,) = memory.status().runs
    assert swept["error"] == logged.message
    assert swept["ended_at"]


def test_only_what_may_pass_is_tried_again_at_once() -> None:
    assert of_error(GraphUnavailable("the graph is gone")).allow_retries
    assert not of_error(GitHubAuthError("rejected")).allow_retries
    assert not of_error(UsageError("no such repository")).allow_retries
