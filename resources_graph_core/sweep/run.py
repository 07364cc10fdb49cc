"""One run of a Sweep: what was planned is fetched, stored, resolved and linked, batch by batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from resources_graph_core.clock import now
from resources_graph_core.errors import RateLimited, ResourcesGraphError
from resources_graph_core.store import causes, links, runs
from resources_graph_core.sweep.items import ItemSweep
from resources_graph_core.sweep.lists import ListingSweep
from resources_graph_core.sweep.settle import Settler

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from resources_graph_core.github.source import Source
    from resources_graph_core.graph import Graph
    from resources_graph_core.sweep.plan import Entry, Plan
    from resources_graph_core.sweep.report import SweepEvent, SweepReport


class Sweep:
    """A run of the Sweep over one graph and one source of content.

    Each step can be called alone; :meth:`run` calls them all. Every stored batch resolves its
    Touches at once, so whatever ends a run early keeps what was done. Use it in a ``with`` block:
    its end writes the run's times and costs, and the error that ended it.
    """

    def __init__(
        self,
        graph: Graph,
        source: Source,
        *,
        run_id: str,
        kind: str = "cli",
        on_event: Callable[[SweepEvent], None] | None = None,
    ) -> None:
        self._settler = Settler(graph, run_id, on_event)
        self._graph = graph
        self._source = source
        self._run_id = run_id
        self._kind = kind
        self._used_before = source.usage

    @property
    def report(self) -> SweepReport:
        """What was done so far."""
        return self._settler.report

    def __enter__(self) -> Self:
        """Write that the run began."""
        runs.start(self._graph, self._run_id, kind=self._kind, now=now())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: object
    ) -> None:
        """Write that it ended, what it cost, and why if it ended early."""
        usage = self._source.usage
        report = self.report
        report.requests = usage.requests - self._used_before.requests
        report.points = usage.points - self._used_before.points
        report.points_left, report.reset_at = usage.remaining, usage.reset_at
        if error is not None:
            own = isinstance(error, ResourcesGraphError)
            report.error = str(error) if own else f"{type(error).__name__}: {error}"
        runs.end(
            self._graph,
            self._run_id,
            now=now(),
            requests=report.requests,
            points=report.points,
            error=report.error,
        )

    def run(self, plan: Plan) -> SweepReport:
        """Do all that ``plan`` says: repositories and items, then Listings, then links.

        A limit of GitHub's ends it early, with what is left counted. Raises GitHubAuthError and
        GitHubUnavailable, with every Touch not yet dealt with still pending.
        """
        try:
            self.set_unreadable_aside(plan)
            self.resources(plan.of("repo", "item"))
            self.listings(plan.of("listing"))
            self.link()
        except RateLimited as error:
            self.report.retry_at = error.retry_at
            self.report.error = str(error)
        finally:
            answered = sum(
                count
                for reason, count in self.report.unresolved.items()
                if reason != "rate_limited"
            )
            here = plan.touch_count - self.report.resolved - answered
            self.report.left = here + plan.left_out
        return self.report

    def set_unreadable_aside(self, plan: Plan) -> None:
        """Set aside the Touches whose Address cannot be read any more; they stop nothing."""
        self._settler.set_unreadable_aside(plan)

    def resources(self, entries: Sequence[Entry]) -> None:
        """Check or fetch repositories and items, store them, resolve their Touches."""
        ItemSweep(self._graph, self._source, self._settler).run(entries)

    def listings(self, entries: Sequence[Entry]) -> None:
        """Bring Listings with their members up to date, store them, resolve their Touches."""
        ListingSweep(self._graph, self._source, self._settler).run(entries)

    def link(self) -> int:
        """Draw what was left open: references, and what made each Touch. Returns how many links."""
        drawn = links.draw_waiting(self._graph)
        self.report.linked += drawn
        return drawn + causes.link_waiting(self._graph, now())
