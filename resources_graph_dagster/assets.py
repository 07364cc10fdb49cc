"""The assets of a Sweep, partitioned by repository; each can be materialised on its own.

A run of several partitions fetches them together. A repository that fails fails its own partition;
the others of the run are materialised all the same.
"""

from collections.abc import Iterator, Sequence

from dagster import (
    AssetCheckEvaluation,
    AssetCheckResult,
    AssetCheckSeverity,
    AssetCheckSpec,
    AssetExecutionContext,
    AssetMaterialization,
    BackfillPolicy,
    MaterializeResult,
    asset,
)

from resources_graph_core.sweep import LISTINGS, RESOURCES, SweepEvent
from resources_graph_dagster import failures, steps, story
from resources_graph_dagster.outcome import Outcome, by_repository
from resources_graph_dagster.partitions import partition_of, repository_of, repository_partitions
from resources_graph_dagster.resources import GitHubResource, GraphResource

GROUP = "sweep"

Events = AssetMaterialization | AssetCheckEvaluation | MaterializeResult[None]

NO_REPOSITORY_FAILED = "no_repository_failed"
"""The check of ``resources`` that fails where something other than GitHub's answer stopped it."""


@asset(
    group_name=GROUP,
    kinds={"graph"},
    partitions_def=repository_partitions,
    backfill_policy=BackfillPolicy.single_run(),
)
def pending_touches(context: AssetExecutionContext, graph: GraphResource) -> None:
    """What agents reached for and nobody has fetched yet: the plan of the next Sweep.

    Touches of one Address are one entry of the plan, so that it is asked for once.
    """
    with failures.explained(), graph.open() as memory:
        memory.drain_spool()
        plan = memory.pending(repositories=_repositories(context))
    waiting = by_repository(plan.entries)
    for partition in context.partition_keys:
        told = story.of_plan(waiting.get(repository_of(partition), ()))
        context.add_asset_metadata(told, partition_key=partition)


@asset(
    group_name=GROUP,
    kinds={"github", "graph"},
    partitions_def=repository_partitions,
    backfill_policy=BackfillPolicy.single_run(),
    deps=[pending_touches],
    check_specs=[
        AssetCheckSpec(
            NO_REPOSITORY_FAILED,
            asset="resources",
            description=(
                "Nothing went wrong but GitHub's own answers. Where it did, the Touches stay "
                "pending, and the repository is tried again in a run of its own."
            ),
        )
    ],
)
def resources(
    context: AssetExecutionContext, graph: GraphResource, github: GitHubResource
) -> Iterator[Events]:
    """Repositories, issues and pull requests with every comment: fetched, stored, resolved."""
    with failures.explained(), graph.open() as memory, github.open() as source:
        chosen = _repositories(context)
        plan = memory.pending(repositories=chosen, kinds=RESOURCES)
        outcome = steps.sweep_resources(
            memory, source, plan, run_id=context.run.run_id, repositories=chosen
        )
    check = failure_check(outcome.failed)
    if not check.passed:
        yield check  # a step that fails tells its checks' results before it does
    yield from _conclude(context, outcome)
    passed = AssetCheckResult(check_name=check.check_name, passed=True)
    yield MaterializeResult(check_results=[passed])


@asset(
    group_name=GROUP,
    kinds={"github", "graph"},
    partitions_def=repository_partitions,
    backfill_policy=BackfillPolicy.single_run(),
    deps=[resources],
)
def listings(
    context: AssetExecutionContext, graph: GraphResource, github: GitHubResource
) -> Iterator[Events]:
    """Issue and pull request lists with their members, in GitHub's order."""
    with failures.explained(), graph.open() as memory, github.open() as source:
        chosen = _repositories(context)
        plan = memory.pending(repositories=chosen, kinds=LISTINGS)
        outcome = steps.sweep_listings(
            memory, source, plan, run_id=context.run.run_id, repositories=chosen
        )
    yield from _conclude(context, outcome)
    yield MaterializeResult()


@asset(
    group_name=GROUP,
    kinds={"graph"},
    partitions_def=repository_partitions,
    backfill_policy=BackfillPolicy.single_run(),
    deps=[listings],
)
def cross_links(context: AssetExecutionContext, graph: GraphResource) -> None:
    """References between what is in memory, drawn as soon as both ends are stored."""
    with failures.explained(), graph.open() as memory:
        drawn = memory.link()
    context.add_asset_metadata(story.of_links(drawn))


def failure_check(failed: Sequence[SweepEvent]) -> AssetCheckEvaluation:
    """The result of the check that names the repositories where something went wrong."""
    return AssetCheckEvaluation(
        asset_key=resources.key,
        check_name=NO_REPOSITORY_FAILED,
        passed=not failed,
        severity=AssetCheckSeverity.WARN,
        metadata=story.of_failed(failed),
    )


def _repositories(context: AssetExecutionContext) -> list[str]:
    """The keys of the repositories whose partitions this run is about."""
    return [repository_of(partition) for partition in context.partition_keys]


def _conclude(context: AssetExecutionContext, outcome: Outcome) -> Iterator[AssetMaterialization]:
    """Tell what was done; fail where a repository failed, once the others are materialised."""
    failure = failures.of_outcome(outcome)
    for repository, part in outcome.parts(_repositories(context)).items():
        partition, told = partition_of(repository), story.of_outcome(part)
        if failure is None:
            context.add_asset_metadata(told, partition_key=partition)
        elif part.is_complete:
            yield AssetMaterialization(context.asset_key, partition=partition, metadata=told)
    if failure is not None:
        raise failure


SWEEP_ASSETS = (pending_touches, resources, listings, cross_links)
