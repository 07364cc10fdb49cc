"""The jobs: ``sweep`` for chosen repositories, ``sweep_pending`` for everything in one run.

Launching a run costs seconds, so a hundred touched repositories must not be a hundred runs. Dagster
runs several partitions in one run only where their keys follow one another, which touched
repositories do not. ``sweep_pending`` therefore has no partition of its own: it fetches for all of
them together, and reports each repository that succeeded as a materialised partition.
"""

from collections.abc import Sequence

from dagster import (
    AssetCheckEvaluation,
    AssetCheckSeverity,
    AssetKey,
    AssetMaterialization,
    AssetSelection,
    Config,
    OpExecutionContext,
    define_asset_job,
    in_process_executor,
    job,
    op,
)
from pydantic import Field

from resources_graph_core.errors import RateLimited
from resources_graph_core.sweep import SweepEvent
from resources_graph_dagster import failures, steps, story
from resources_graph_dagster.assets import (
    NO_REPOSITORY_FAILED,
    SWEEP_ASSETS,
    cross_links,
    listings,
    pending_touches,
    resources,
)
from resources_graph_dagster.outcome import Outcome
from resources_graph_dagster.partitions import partition_of, repository_of, repository_partitions
from resources_graph_dagster.resources import GitHubResource, GraphResource

LONGEST_RUN_SECONDS = 3600
"""Dagster ends a run that takes longer, where run monitoring is on; Touches left stay pending."""

RUN_TAGS = {"dagster/max_runtime": str(LONGEST_RUN_SECONDS)}

sweep_job = define_asset_job(
    "sweep",
    selection=AssetSelection.assets(*SWEEP_ASSETS),
    partitions_def=repository_partitions,
    executor_def=in_process_executor,
    description="Sweep the repositories you choose: one partition, or several in one run.",
    tags=RUN_TAGS,
)


class SweepPending(Config):
    """What a run of ``sweep_pending`` takes on."""

    repositories: list[str] = Field(
        default=[],
        description="Partitions (owner/repo) to sweep. Empty: everything that is pending.",
    )
    limit: int | None = Field(
        default=None, ge=1, description="At most so many Addresses. Empty: all of them."
    )


@op
def sweep_all(
    context: OpExecutionContext,
    config: SweepPending,
    graph: GraphResource,
    github: GitHubResource,
) -> None:
    """Fetch, store, resolve and link what is pending, and report each repository that is done."""
    with failures.explained(), graph.open() as memory:
        chosen = [repository_of(partition) for partition in config.repositories]
        plan = memory.pending(repositories=chosen, limit=config.limit)
        done = list(plan.repositories)
        context.instance.add_dynamic_partitions(
            str(repository_partitions.name), [partition_of(one) for one in done]
        )
        for repository in done:
            _report(context, pending_touches.key, repository, story.of_plan(plan, repository))
        with github.open() as source:
            outcome = steps.sweep_resources(memory, source, plan, run_id=context.run_id)
            failed = outcome.failed
            done = _conclude(context, resources.key, outcome, done)
            if outcome.error is None:
                outcome = steps.sweep_listings(memory, source, plan, run_id=context.run_id)
                failed += outcome.failed
                done = _conclude(context, listings.key, outcome, done)
        drawn = memory.link()
    for repository in done:
        _report(context, cross_links.key, repository, story.of_links(drawn))
    # It takes the result of a check too, which its type leaves out.
    context.log_event(_failure_check(failed))  # type: ignore[arg-type]


def _failure_check(failed: Sequence[SweepEvent]) -> AssetCheckEvaluation:
    """The check that names what went wrong in a run that did the rest."""
    return AssetCheckEvaluation(
        asset_key=resources.key,
        check_name=NO_REPOSITORY_FAILED,
        passed=not failed,
        severity=AssetCheckSeverity.WARN,
        metadata=story.of_failed(failed),
    )


def _conclude(
    context: OpExecutionContext, asset: AssetKey, outcome: Outcome, repositories: list[str]
) -> list[str]:
    """Report the repositories of which nothing failed and nothing is left, and return them.

    Raises Failure when GitHub itself failed.
    """
    parts = {repository: outcome.of(repository) for repository in repositories}
    done = [repository for repository, part in parts.items() if part.is_complete]
    for repository in done:
        _report(context, asset, repository, story.of_outcome(parts[repository]))
    if isinstance(outcome.error, RateLimited):
        context.log.warning("%s %d Touches are left for a later run.", outcome.error, outcome.left)
    elif outcome.error is not None:
        raise failures.of_error(outcome.error, story.of_outcome(outcome))
    return done


def _report(
    context: OpExecutionContext, asset: AssetKey, repository: str, metadata: story.Metadata
) -> None:
    context.log_event(
        AssetMaterialization(asset, partition=partition_of(repository), metadata=metadata)
    )


@job(
    description="Sweep everything that is pending, whatever its repository, in one run.",
    executor_def=in_process_executor,
    tags=RUN_TAGS,
)
def sweep_pending() -> None:
    """Sweep everything that is pending, whatever its repository, in one run."""
    sweep_all()
