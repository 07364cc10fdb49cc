"""The steps of a Sweep as Dagster runs them, for one repository or for many at once."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from resources_graph_core.errors import GitHubAuthError, GitHubUnavailable, RateLimited
from resources_graph_core.sweep import LISTINGS, RESOURCES, SweepReport
from resources_graph_dagster.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.address import AddressKind
    from resources_graph_core.github.source import OpenSource
    from resources_graph_core.memory import Memory
    from resources_graph_core.sweep import Plan

RUN_KIND = "dagster"
"""The ``kind`` of a SweepRun whose ``run_id`` is Dagster's."""


def sweep_resources(
    memory: Memory,
    source: OpenSource,
    plan: Plan,
    *,
    run_id: str,
    repositories: Sequence[str] = (),
    limit: int | None = None,
) -> Outcome:
    """Claim, fetch and store repositories, issues and pull requests.

    ``plan`` is what is expected: what of it is not reached is told as left. ``repositories`` (keys)
    narrow it where given; ``limit`` is how many Addresses at most.
    """
    outcome = Outcome(plan.of(*RESOURCES), SweepReport(run_id))
    return _run(outcome, memory, source, RESOURCES, repositories, limit)


def sweep_listings(
    memory: Memory,
    source: OpenSource,
    plan: Plan,
    *,
    run_id: str,
    repositories: Sequence[str] = (),
    limit: int | None = None,
) -> Outcome:
    """Claim, fetch and store Listings with their members; see :func:`sweep_resources`."""
    outcome = Outcome(plan.of(*LISTINGS), SweepReport(run_id))
    return _run(outcome, memory, source, LISTINGS, repositories, limit)


def _run(
    outcome: Outcome,
    memory: Memory,
    source: OpenSource,
    kinds: tuple[AddressKind, ...],
    repositories: Sequence[str],
    limit: int | None,
) -> Outcome:
    """Do the work; what GitHub ends early is told in the outcome, with what was done until then.

    While a limit of GitHub's lasts nothing is asked. What the graph raises passes through.
    """
    started = time.monotonic()
    scope = memory.scope(repositories=repositories, kinds=kinds)
    try:
        with memory.sweeper(
            source, run_id=outcome.report.run_id, kind=RUN_KIND, on_event=outcome.note
        ) as sweep:
            outcome.report = sweep.report
            _refuse_while_limited(memory)
            for page in sweep.pages(scope, limit=limit):
                outcome.add(page.entries)
                sweep.work(page)
    except (RateLimited, GitHubAuthError, GitHubUnavailable) as error:
        outcome.error = error
    outcome.seconds = time.monotonic() - started
    return outcome


def _refuse_while_limited(memory: Memory) -> None:
    limited_until = memory.limited_until()
    if limited_until is not None:
        raise RateLimited(f"GitHub's limit is used up until {limited_until}.", limited_until)
