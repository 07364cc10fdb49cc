"""The steps of a Sweep as Dagster runs them, for one repository or for many at once."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from resources_graph_core.errors import GitHubAuthError, GitHubUnavailable, RateLimited
from resources_graph_core.sweep import SweepReport
from resources_graph_dagster.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.github.source import OpenSource
    from resources_graph_core.memory import Memory
    from resources_graph_core.sweep import Plan, Sweep

RUN_KIND = "dagster"
"""The ``kind`` of a SweepRun whose ``run_id`` is Dagster's."""


def sweep_resources(memory: Memory, source: OpenSource, plan: Plan, *, run_id: str) -> Outcome:
    """Fetch and store the repositories, issues and pull requests of ``plan``."""
    entries = plan.of("repo", "item")
    outcome = Outcome(entries, SweepReport(run_id))

    def work(sweep: Sweep) -> None:
        sweep.set_unreadable_aside(plan)
        sweep.resources(entries)

    return _run(outcome, memory, source, work)


def sweep_listings(memory: Memory, source: OpenSource, plan: Plan, *, run_id: str) -> Outcome:
    """Fetch and store the Listings of ``plan`` with their members."""
    entries = plan.of("listing")
    outcome = Outcome(entries, SweepReport(run_id))
    return _run(outcome, memory, source, lambda sweep: sweep.listings(entries))


def _run(
    outcome: Outcome, memory: Memory, source: OpenSource, work: Callable[[Sweep], None]
) -> Outcome:
    """Do the work; what GitHub ends early is told in the outcome, with what was done until then.

    While a limit of GitHub's lasts nothing is asked. What the graph raises passes through.
    """
    started = time.monotonic()
    try:
        with memory.sweeper(
            source, run_id=outcome.report.run_id, kind=RUN_KIND, on_event=outcome.note
        ) as sweep:
            outcome.report = sweep.report
            _refuse_while_limited(memory)
            work(sweep)
    except (RateLimited, GitHubAuthError, GitHubUnavailable) as error:
        outcome.error = error
    outcome.seconds = time.monotonic() - started
    return outcome


def _refuse_while_limited(memory: Memory) -> None:
    limited_until = memory.limited_until()
    if limited_until is not None:
        raise RateLimited(f"GitHub's limit is used up until {limited_until}.", limited_until)
