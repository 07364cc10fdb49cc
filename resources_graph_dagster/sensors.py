"""The sensor that sees new Touches and launches a run for them."""

import time

from dagster import (
    DagsterRunStatus,
    DefaultSensorStatus,
    RunFailureSensorContext,
    RunRequest,
    RunsFilter,
    SensorEvaluationContext,
    SensorResult,
    SkipReason,
    run_failure_sensor,
    sensor,
)
from pydantic import ValidationError

from resources_graph_core import failures as log
from resources_graph_core.clock import now
from resources_graph_core.config import data_folder
from resources_graph_dagster import failures
from resources_graph_dagster.jobs import LONGEST_RUN_SECONDS, sweep_job, sweep_pending
from resources_graph_dagster.pace import End, Launch, Pace, decide
from resources_graph_dagster.partitions import partition_of, repository_partitions
from resources_graph_dagster.resources import GraphResource

LAUNCH_TAG = "resources-graph/launch"
"""The tag by which a later tick finds the run of a launch."""

INTERVAL_SECONDS = 10

_RUNNING = frozenset(
    {
        DagsterRunStatus.QUEUED,
        DagsterRunStatus.NOT_STARTED,
        DagsterRunStatus.STARTING,
        DagsterRunStatus.STARTED,
        DagsterRunStatus.CANCELING,
    }
)


@sensor(
    jobs=[sweep_pending, sweep_job],
    minimum_interval_seconds=INTERVAL_SECONDS,
    default_status=DefaultSensorStatus.RUNNING,
    description=(
        "Sees what agents touched and sweeps it: new Touches of all repositories in one run, "
        "repositories that failed each in a run of their own."
    ),
)
def new_touches(context: SensorEvaluationContext, graph: GraphResource) -> SensorResult:
    """Launch what :func:`decide` says, and add the partitions of new repositories."""
    pace = _pace(context)
    with graph.open() as memory:
        memory.drain_spool()
        plan = memory.pending()
        limited_hosts = memory.limited_hosts()
    decision = decide(
        pace,
        plan,
        now=now(),
        last=_end(context, pace.run_key) if pace.run_key else None,
        limited_hosts=limited_hosts,
    )
    cursor = decision.pace.model_dump_json()
    if not decision.launches:
        return SensorResult(skip_reason=SkipReason(decision.reason), cursor=cursor)
    partitions = sorted(partition_of(repository) for repository in plan.repositories)
    return SensorResult(
        run_requests=[_request(launch) for launch in decision.launches],
        dynamic_partitions_requests=[repository_partitions.build_add_request(partitions)],
        cursor=cursor,
    )


@run_failure_sensor(
    name="failed_sweeps",
    monitored_jobs=[sweep_job, sweep_pending],
    default_status=DefaultSensorStatus.RUNNING,
    description="Writes failed runs where `resources-graph status` and `doctor` show them.",
)
def failed_sweeps(context: RunFailureSensorContext, graph: GraphResource) -> None:
    """Keep why a run failed: in the log of this machine, and with the run in the graph."""
    run_id = context.dagster_run.run_id
    told = [failures.told_by(event) for event in context.get_step_failure_events()]
    message = failures.in_words(told) or context.failure_event.message or "it was ended"
    log.record(data_folder(), f"Dagster run {run_id}", message)
    with graph.open() as memory:
        memory.note_failure(run_id, message)


def _pace(context: SensorEvaluationContext) -> Pace:
    """What the last tick remembered; a cursor that cannot be read starts afresh, with a word."""
    if not context.cursor:
        return Pace()
    try:
        return Pace.model_validate_json(context.cursor)
    except ValidationError:
        context.log.warning("The cursor cannot be read; starting afresh.")
        return Pace()


def _end(context: SensorEvaluationContext, run_key: str) -> End:
    """How the run of a launch stands; one that runs for too long was lost with its worker."""
    records = context.instance.get_run_records(RunsFilter(tags={LAUNCH_TAG: run_key}), limit=1)
    if not records:
        return "failed"
    record = records[0]
    status = record.dagster_run.status
    if status in _RUNNING:
        started = record.start_time
        lost = started is not None and time.time() - started > LONGEST_RUN_SECONDS
        return "failed" if lost else "running"
    return "succeeded" if status == DagsterRunStatus.SUCCESS else "failed"


def _request(launch: Launch) -> RunRequest:
    partitions = [partition_of(repository) for repository in launch.repositories]
    tags = {LAUNCH_TAG: launch.run_key}
    if launch.alone:
        return RunRequest(
            launch.run_key, job_name=sweep_job.name, partition_key=partitions[0], tags=tags
        )
    return RunRequest(
        launch.run_key,
        job_name=sweep_pending.name,
        run_config={"ops": {"sweep_all": {"config": {"repositories": partitions}}}},
        tags=tags,
    )
