"""The steps of a Sweep as Dagster runs them, for one repository or for many at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from resources_graph_core.errors import GitHubAuthError, GitHubUnavailable, RateLimited
from resources_graph_core.sweep import LISTINGS, RESOURCES, SweepReport
from resources_graph_dagster.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.address import AddressKind
    from resources_graph_core.github.source import OpenSource
    from resources_graph_core.memory import Memory

Step = Callable[["Memory", "OpenSource", "Work"], Outcome]

RUN_KIND = "dagster"
"""The ``kind`` of a SweepRun whose ``run_id`` is Dagster's."""


@dataclass(frozen=True, slots=True)
class Work:
    """What a run takes on: these repositories (keys) or all, and so many Addresses at most.

    ``planned`` says that an earlier step of the run has written down what to do.
    """

    run_id: str
    repositories: Sequence[str] = ()
    limit: int | None = None
    planned: bool = False


def sweep_resources(memory: Memory, source: OpenSource, work: Work) -> Outcome:
    """Claim, fetch and store repositories, issues and pull requests."""
    return _sweep(memory, source, work, RESOURCES)


def sweep_listings(memory: Memory, source: OpenSource, work: Work) -> Outcome:
    """Claim, fetch and store Listings with their members."""
    return _sweep(memory, source, work, LISTINGS)


def _sweep(
    memory: Memory, source: OpenSource, work: Work, kinds: tuple[AddressKind, ...]
) -> Outcome:
    """Do the work; what GitHub ends early is told in the outcome, with what was done until then.

    What is pending and was not reached counts as left. While a limit of GitHub's lasts its host is
    asked nothing, and the others are. What the graph raises passes through.
    """
    started = time.monotonic()
    planned_by = work.run_id if work.planned else None
    scope = memory.scope(repositories=work.repositories, kinds=kinds, planned_by=planned_by)
    expected = memory.pending(
        repositories=work.repositories, kinds=kinds, planned_by=planned_by, limit=work.limit
    )
    outcome = Outcome(expected.entries, SweepReport(work.run_id))
    try:
        with memory.sweeper(
            source, run_id=work.run_id, kind=RUN_KIND, on_event=outcome.note
        ) as sweep:
            outcome.report = sweep.report
            sweep.work_through(
                scope, limit=work.limit, on_page=lambda page: outcome.add(page.entries)
            )
    except (GitHubAuthError, GitHubUnavailable) as error:
        outcome.error = error
    else:
        if outcome.report.error is not None:  # the limit of a host
            outcome.error = RateLimited(outcome.report.error, outcome.report.retry_at)
    outcome.seconds = time.monotonic() - started
    return outcome
