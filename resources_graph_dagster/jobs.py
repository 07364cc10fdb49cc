"""The jobs: ``sweep`` for chosen repositories, ``sweep_pending`` for everything in one run.

Launching a run costs seconds, so a hundred touched repositories must not be a hundred runs. Dagster
runs several partitions in one run only where their keys follow one another, which touched
repositories do not. ``sweep_pending`` therefore has no partition of its own: it fetches for all of
them together, and reports each repository that succeeded as a materialised partition.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dagster import (
    AssetCheckEvaluation,
    AssetKey,
    AssetMaterialization,
    AssetObservation,
    AssetSelection,
    Config,
    DefaultScheduleStatus,
    Failure,
    OpExecutionContext,
    ScheduleDefinition,
    define_asset_job,
    in_process_executor,
    job,
    op,
)
from pydantic import Field

from resources_graph_core.errors import RateLimited
from resources_graph_dagster import failures, steps, story
from resources_graph_dagster.assets import (
    POOL,
    RETRIES,
    SWEEP_ASSETS,
    cross_links,
    failure_check,
    listings,
    pending_touches,
    resources,
)
from resources_graph_dagster.options import SweepOptions
from resources_graph_dagster.outcome import by_repository
from resources_graph_dagster.partitions import partition_of, repository_of, repository_partitions
from resources_graph_dagster.resources import GitHubResource, GraphResource
from resources_graph_dagster.steps import Work

LONGEST_RUN_SECONDS = 3600
"""Dagster ends a run that takes longer, where run monitoring is on; Touches left stay pending."""

if TYPE_CHECKING:
    from resources_graph_core.sweep import SweepEvent

STEPS = {resources.key: steps.sweep_resources, listings.key: steps.sweep_listings}
"""What fetches, in its order, by the asset that it makes."""

RUN_TAGS = {"dagster/max_runtime": str(LONGEST_RUN_SECONDS)}

sweep_job = define_asset_job(
    "sweep",
    selection=AssetSelection.assets(*SWEEP_ASSETS),
    executor_def=in_process_executor,
    description="Sweep the repositories you choose: one partition, or several in one run.",
    tags=RUN_TAGS,
)


retry_schedule = ScheduleDefinition(
    name="sweep_what_is_left",
    job_name="sweep_pending",
    cron_schedule="0 * * * *",
    default_status=DefaultScheduleStatus.STOPPED,
    description=(
        "Sweeps whatever is left, once an hour, for those who do without the sensor. Fetches "
        "nothing that nobody touched."
    ),
)


class SweepPending(Config):
    """What a run of ``sweep_pending`` takes on."""

    repositories: list[str] = Field(
        default=[],
        description="Partitions (owner/repo) to sweep. Empty: everything that is pending.",
    )


@op(out={}, pool=POOL, retry_policy=RETRIES)
def sweep_all(
    context: OpExecutionContext,
    config: SweepPending,
    graph: GraphResource,
    github: GitHubResource,
    options: SweepOptions,
) -> Iterator[AssetMaterialization | AssetObservation | AssetCheckEvaluation]:
    """Fetch, store, resolve and link what is pending, and report each repository that is done."""
    with failures.explained(), graph.open() as memory:
        chosen = [repository_of(partition) for partition in config.repositories]
        memory.drain_spool()
        plan = memory.pending(repositories=chosen, limit=options.limit)
        if options.dry_run:
            told = story.of_forecast(memory.forecast_of(plan))
            yield AssetObservation(pending_touches.key, metadata=told)
            return
        sessions = memory.plan(plan, context.run_id)
        waiting = by_repository(plan.entries)
        done = list(waiting)
        context.instance.add_dynamic_partitions(
            str(repository_partitions.name), [partition_of(one) for one in done]
        )
        for repository in done:
            told = story.of_plan(waiting[repository], sessions)
            yield _materialised(pending_touches.key, repository, told)
        failed: list[SweepEvent] = []
        stopped: list[Failure] = []
        with github.open(reserve=options.reserve) as source:
            work = Work(context.run_id, chosen, planned=True)
            for asset, step in STEPS.items():
                outcome = step(memory, source, work)
                failed += outcome.failed
                parts = outcome.parts(done)
                done = [repository for repository, part in parts.items() if part.is_complete]
                for repository in done:
                    yield _materialised(asset, repository, story.of_outcome(parts[repository]))
                if isinstance(outcome.error, RateLimited):
                    left = f"{outcome.left} Touches are left for a later run."
                    context.log.warning("%s %s", outcome.error, left)
                elif outcome.error is not None:
                    # Its host failed; the lists of others can still be had.
                    stopped.append(failures.of_error(outcome.error, story.of_outcome(outcome)))
        drawn = memory.link()
        for repository in done:
            yield _materialised(cross_links.key, repository, story.of_links(drawn))
        yield failure_check(failed)
    if stopped:
        raise stopped[0]


def _materialised(
    asset: AssetKey, repository: str, metadata: story.Metadata
) -> AssetMaterialization:
    return AssetMaterialization(asset, partition=partition_of(repository), metadata=metadata)


@job(
    description="Sweep everything that is pending, whatever its repository, in one run.",
    executor_def=in_process_executor,
    tags=RUN_TAGS,
)
def sweep_pending() -> None:
    """Sweep everything that is pending, whatever its repository, in one run."""
    sweep_all()
