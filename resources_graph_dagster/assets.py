"""The assets of a Sweep, partitioned by repository; each can be materialised on its own.

A run of several partitions fetches them together. A repository that fails fails its own partition;
the others of the run are materialised all the same. A run whose ``pending_touches`` wrote a plan
does what is planned; a later asset on its own does whatever is pending.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dagster import (
    AssetCheckEvaluation,
    AssetCheckResult,
    AssetCheckSeverity,
    AssetCheckSpec,
    AssetExecutionContext,
    AssetMaterialization,
    AssetObservation,
    AssetsDefinition,
    BackfillPolicy,
    Backoff,
    Jitter,
    MaterializeResult,
    RetryPolicy,
    asset,
)

from resources_graph_core.sweep import SweepEvent
from resources_graph_dagster import columns, failures, steps, story
from resources_graph_dagster.options import SweepOptions
from resources_graph_dagster.outcome import Outcome, by_repository
from resources_graph_dagster.partitions import partition_of, repository_of, repository_partitions
from resources_graph_dagster.resources import GitHubResource, GraphResource
from resources_graph_dagster.steps import Work

GROUP = "sweep"

OWNERS = ["team:memory"]

POOL = "github_api"
"""Runs at the same time share GitHub's limits: dagster.yaml says how many of them may run."""

RETRIES = RetryPolicy(max_retries=2, delay=5, backoff=Backoff.EXPONENTIAL, jitter=Jitter.FULL)
"""For steps that die of something else than what a Sweep expects; delays in seconds."""

Events = AssetMaterialization | AssetObservation | AssetCheckEvaluation | MaterializeResult[None]

NO_REPOSITORY_FAILED = "no_repository_failed"
"""The check of ``resources`` that fails where something other than GitHub's answer stopped it."""


def _sweep_asset(
    **chosen: Any,  # noqa: ANN401 - the arguments of Dagster's own decorator
) -> Callable[[Callable[..., Any]], AssetsDefinition]:
    """An asset with what those of a Sweep have in common; ``chosen`` are its own arguments.

    A dry run makes nothing, so no output is required.
    """
    made: Callable[[Callable[..., Any]], AssetsDefinition] = asset(
        group_name=GROUP,
        owners=OWNERS,
        partitions_def=repository_partitions,
        backfill_policy=BackfillPolicy.single_run(),
        retry_policy=RETRIES,
        output_required=False,
        **chosen,
    )
    return made


@_sweep_asset(kinds={"graph"}, metadata=columns.TOUCHES)
def pending_touches(
    context: AssetExecutionContext, graph: GraphResource, options: SweepOptions
) -> Iterator[Events]:
    """What agents reached for and nobody has fetched yet: the plan of the run, kept in the graph.

    Empties this machine's spool first. Touches of one Address are one entry of the plan, so that it
    is asked for once.
    """
    with failures.explained(), graph.open() as memory:
        memory.drain_spool()
        plan = memory.pending(repositories=_repositories(context), limit=options.limit)
        if options.dry_run:
            told = story.of_forecast(memory.forecast_of(plan))
            yield AssetObservation(context.asset_key, metadata=told)
            return
        sessions = memory.plan(plan, context.run.run_id)
    waiting = by_repository(plan.entries)
    for partition in context.partition_keys:
        told = story.of_plan(waiting.get(repository_of(partition), ()), sessions)
        context.add_asset_metadata(told, partition_key=partition)
    yield MaterializeResult()


@_sweep_asset(
    kinds={"github", "graph"},
    deps=[pending_touches],
    pool=POOL,
    metadata=columns.RESOURCES,
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
    context: AssetExecutionContext,
    graph: GraphResource,
    github: GitHubResource,
    options: SweepOptions,
) -> Iterator[Events]:
    """Repositories, issues and pull requests with every comment: fetched, stored, resolved."""
    if options.dry_run:
        return
    outcome = _swept(context, graph, github, options, steps.sweep_resources)
    check = failure_check(outcome.failed)
    if not check.passed:
        yield check  # a step that fails tells its checks' results before it does
    yield from _conclude(context, outcome)
    passed = AssetCheckResult(check_name=check.check_name, passed=True)
    yield MaterializeResult(check_results=[passed])


@_sweep_asset(kinds={"github", "graph"}, deps=[resources], pool=POOL, metadata=columns.LISTINGS)
def listings(
    context: AssetExecutionContext,
    graph: GraphResource,
    github: GitHubResource,
    options: SweepOptions,
) -> Iterator[Events]:
    """Issue and pull request lists with their members, in GitHub's order."""
    if options.dry_run:
        return
    outcome = _swept(context, graph, github, options, steps.sweep_listings)
    yield from _conclude(context, outcome)
    yield MaterializeResult()


@_sweep_asset(kinds={"graph"}, deps=[listings], metadata=columns.LINKS)
def cross_links(graph: GraphResource, options: SweepOptions) -> Iterator[Events]:
    """References between what is in memory, and from Touches to the tool calls that caused them.

    Drawn as soon as both ends are stored; this draws those that were left open.
    """
    if options.dry_run:
        return
    with failures.explained(), graph.open() as memory:
        drawn = memory.link()
    yield MaterializeResult(metadata=story.of_links(drawn))


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


def _swept(
    context: AssetExecutionContext,
    graph: GraphResource,
    github: GitHubResource,
    options: SweepOptions,
    step: steps.Step,
) -> Outcome:
    """What a step did for the partitions of this run."""
    work = Work(
        context.run.run_id, _repositories(context), options.limit, planned=_is_planned(context)
    )
    with (
        failures.explained(),
        graph.open() as memory,
        github.open(reserve=options.reserve) as source,
    ):
        return step(memory, source, work)


def _is_planned(context: AssetExecutionContext) -> bool:
    """Whether ``pending_touches`` was a step of this very run, so that there is a plan."""
    if context.run.step_keys_to_execute is not None:
        return pending_touches.key.to_python_identifier() in context.run.step_keys_to_execute
    chosen = context.run.asset_selection
    return chosen is None or pending_touches.key in chosen


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
