"""Runs of ``up``'s own instance that no process executes any more.

Dagster's default launcher notices a run's death only while the code server that started it lives.
``up`` knows when that server went, and that every run went with it; without this the runs would
count as running, and hold back the sensor, until their longest time is over.

``python -m resources_graph_dagster.up_runs EVENT DAGSTER_HOME`` reports one of ``EVENTS`` and
prints how many runs it was about: in a process of its own, so that the supervisor stays small.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from dagster import DagsterInstance, DagsterRunStatus, RunsFilter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dagster import DagsterRun

_EXECUTED = [DagsterRunStatus.STARTING, DagsterRunStatus.STARTED, DagsterRunStatus.CANCELING]
"""What a run is while a process should be executing it; one that is queued waits on."""


def report_lost(home: Path) -> int:
    """Report the runs that were under way as failed; how many there were."""
    with _under_way(home) as (instance, runs):
        for run in runs:
            instance.report_run_failed(
                run,
                "The process that executed this run is gone. What it had stored is kept; Touches "
                "that are left are pending again once their claim is over.",
            )
        return len(runs)


def report_stopping(home: Path) -> int:
    """Say of the runs under way that they are being cancelled; how many there are."""
    with _under_way(home) as (instance, runs):
        for run in runs:
            if run.status != DagsterRunStatus.CANCELING:
                instance.report_run_canceling(run, "Dagster is being stopped.")
        return len(runs)


def report_stopped(home: Path) -> int:
    """Report as cancelled the runs that did not get to say so themselves; how many."""
    with _under_way(home) as (instance, runs):
        for run in runs:
            instance.report_run_canceled(run, "Dagster was stopped; what was stored is kept.")
        return len(runs)


@contextmanager
def _under_way(home: Path) -> Iterator[tuple[DagsterInstance, list[DagsterRun]]]:
    with DagsterInstance.from_config(str(home)) as instance:
        yield instance, list(instance.get_runs(RunsFilter(statuses=_EXECUTED)))


EVENTS = {"lost": report_lost, "stopping": report_stopping, "stopped": report_stopped}


if __name__ == "__main__":
    sys.stdout.write(str(EVENTS[sys.argv[1]](Path(sys.argv[2]))))
