"""One run of a Sweep: Touches are claimed, fetched, stored, resolved and linked, page by page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Self

from resources_graph_core.clock import now
from resources_graph_core.errors import GitHubError, RateLimited, ResourcesGraphError
from resources_graph_core.store import causes, claims, links, runs
from resources_graph_core.store.claims import Scope
from resources_graph_core.sweep.hosts import closed_hosts
from resources_graph_core.sweep.items import PAGE, ItemSweep
from resources_graph_core.sweep.lease import Lease
from resources_graph_core.sweep.lists import ListingSweep
from resources_graph_core.sweep.plan import plan_touches
from resources_graph_core.sweep.settle import Settler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from resources_graph_core.address import AddressKind
    from resources_graph_core.github.source import Source
    from resources_graph_core.graph import Graph
    from resources_graph_core.sweep.plan import Entry, Plan
    from resources_graph_core.sweep.report import SweepEvent, SweepReport

RESOURCES: tuple[AddressKind, ...] = ("repo", "item")
LISTINGS: tuple[AddressKind, ...] = ("listing",)


class Sweep:
    """A run of the Sweep over one graph and one source of content.

    Each step can be called alone; :meth:`run` calls them all. Touches are claimed a page at a time,
    so that another Sweep at the same time does not fetch the same, and every stored batch resolves
    its Touches at once, so whatever ends a run early keeps what was done. Use it in a ``with``
    block: its end lets go of what is still claimed and writes the run's times and costs, and the
    error that ended it.
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
        self._settler = Settler(graph, run_id, source, on_event)
        self._lease = Lease(graph, run_id)
        self._graph = graph
        self._source = source
        self._run_id = run_id
        self._kind = kind
        self._used_before = source.usage
        self._closed: set[str] = set()
        self._stopped: GitHubError | None = None

    @property
    def report(self) -> SweepReport:
        """What was done so far."""
        return self._settler.report

    def __enter__(self) -> Self:
        """Write that the run began."""
        runs.start(self._graph, self._run_id, kind=self._kind, now=now())
        self._lease.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: object
    ) -> None:
        """Write that it ended, what it cost, and why if it ended early."""
        self._lease.__exit__(kind, error, traceback)
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

    def run(self, scope: Scope | None = None, *, limit: int | None = None) -> SweepReport:
        """Do all there is to do in ``scope``: repositories and items, then Listings, then links.

        ``limit`` is how many Addresses at most. What stops one host, a limit or a failure, stops no
        other; while a limit lasts nothing is asked there. Raises GitHubAuthError and
        GitHubUnavailable when the other hosts are done, with every Touch not yet dealt with still
        pending; limits are told in the report.
        """
        scope = scope or Scope()
        try:
            taken = 0
            for kinds in (RESOURCES, LISTINGS):
                narrowed = replace(scope, kinds=kinds)
                room = None if limit is None else limit - taken
                taken += self._work_through(narrowed, room)
            self.link()
            self._raise_what_stopped()
        finally:
            self.report.left = claims.left(self._graph, self._lease.claimant, scope, now=now())
        return self.report

    def work_through(
        self,
        scope: Scope,
        *,
        limit: int | None = None,
        on_page: Callable[[Plan], None] | None = None,
    ) -> int:
        """Deal with what is pending in ``scope``, up to ``limit`` Addresses; returns how many.

        ``on_page`` is told of each page once it is claimed. Raises as :meth:`run`.
        """
        taken = self._work_through(scope, limit, on_page)
        self._raise_what_stopped()
        return taken

    def _work_through(
        self, scope: Scope, limit: int | None, on_page: Callable[[Plan], None] | None = None
    ) -> int:
        taken = 0
        for page in self.pages(scope, limit=limit):
            taken += len(page.entries)
            if on_page is not None:
                on_page(page)
            self.set_unreadable_aside(page)
            for host, of_host in page.by_host.items():
                try:
                    self.work(of_host)
                except RateLimited as error:
                    self._closed.add(host)
                    self._tell_limit(error.retry_at, str(error))
                except GitHubError as error:
                    self._closed.add(host)
                    self._stopped = self._stopped or error
        return taken

    def _raise_what_stopped(self) -> None:
        """Raise what stopped a host other than its limit."""
        if self._stopped is not None:
            raise self._stopped

    def pages(self, scope: Scope, *, limit: int | None = None) -> Iterator[Plan]:
        """Claim what is pending in ``scope``, a page at a time, oldest first.

        ``limit`` is how many Addresses at most. What a limit of GitHub's put off comes back once
        its time is over; until then nothing of that host comes.
        """
        taken = 0
        while limit is None or taken < limit:
            scope = replace(scope, closed_hosts=self._closed_hosts())
            size = PAGE if limit is None else min(PAGE, limit - taken)
            claimed = self._lease.claim(scope, addresses=size)
            if not claimed:
                return
            page = plan_touches(claimed)
            taken += len({touch.address for touch in claimed})
            yield page

    def work(self, page: Plan) -> None:
        """Fetch, store and resolve what a page of :meth:`pages` holds; raises as :meth:`run`."""
        self.set_unreadable_aside(page)
        self.resources(page.of(*RESOURCES))
        self.listings(page.of(*LISTINGS))

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

    def _closed_hosts(self) -> tuple[str, ...]:
        """The hosts whose limit is used up; what others put off is pending again.

        A host that was closed once stays so for this run.
        """
        for host, until in closed_hosts(self._graph, self._source.account).items():
            self._closed.add(host)
            self._tell_limit(until, f"The limit of {host} is used up until {until}")
        closed = tuple(sorted(self._closed))
        claims.reopen(self._graph, closed)
        return closed

    def _tell_limit(self, retry_at: str | None, message: str) -> None:
        self.report.error = self.report.error or message
        if retry_at is not None:
            self.report.retry_at = min(self.report.retry_at or retry_at, retry_at)
