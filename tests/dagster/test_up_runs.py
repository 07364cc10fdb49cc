"""Runs that no process executes any more are reported as ended; those that wait are left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagster import DagsterInstance, DagsterRun, DagsterRunStatus

from resources_graph_dagster import up_files, up_runs

if TYPE_CHECKING:
    from pathlib import Path

UNDER_WAY = (DagsterRunStatus.STARTING, DagsterRunStatus.STARTED, DagsterRunStatus.CANCELING)
LEFT_ALONE = (DagsterRunStatus.NOT_STARTED, DagsterRunStatus.SUCCESS)


def test_runs_under_way_are_reported_and_others_left_alone(home: Path) -> None:  # noqa: ARG001 - where they are
    files = up_files.locate()
    up_files.prepare(files)
    with DagsterInstance.from_config(str(files.home)) as instance:

        def add(*statuses: DagsterRunStatus) -> list[str]:
            return [
                instance.add_run(DagsterRun("sweep", status=status)).run_id for status in statuses
            ]

        def status_of(run_id: str) -> DagsterRunStatus:
            found = instance.get_run_by_id(run_id)
            assert found is not None
            return found.status

        others = add(*LEFT_ALONE)
        lost = add(*UNDER_WAY)
        assert up_runs.report_lost(files.home) == 3
        assert {status_of(one) for one in lost} == {DagsterRunStatus.FAILURE}
        assert up_runs.report_lost(files.home) == 0

        stopped = add(*UNDER_WAY)
        assert up_runs.report_stopping(files.home) == 3
        assert {status_of(one) for one in stopped} == {DagsterRunStatus.CANCELING}
        assert up_runs.report_stopped(files.home) == 3
        assert {status_of(one) for one in stopped} == {DagsterRunStatus.CANCELED}
        assert up_runs.report_stopping(files.home) == 0
        assert [status_of(one) for one in others] == list(LEFT_ALONE)
