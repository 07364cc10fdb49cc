"""One run of a Sweep: what was planned is fetched, stored, resolved and linked, batch by batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from resources_graph_core.clock import now
from resources_graph_core.errors import (
    GitHubUnavailable,
    GraphQueryError,
    NotFound,
    NotPublic,
    RateLimited,
    ResourcesGraphError,
)
from resources_graph_core.github.answers import Unreachable
from resources_graph_core.store import links, listings, resources, runs, touches
from resources_graph_core.store.batches import batches
from resources_graph_core.sweep.keep import keep, keep_repositories, stored_id_of
from resources_graph_core.sweep.report import SweepEvent, SweepReport

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from resources_graph_core.address import Address
    from resources_graph_core.errors import GitHubError
    from resources_graph_core.github.source import Reason, Source
    from resources_graph_core.graph import Graph
    from resources_graph_core.model import Content
    from resources_graph_core.sweep.keep import Refusals
    from resources_graph_core.sweep.plan import Entry, Plan
    from resources_graph_core.sweep.report import EventKind

ATTEMPTS = 5
"""How often a Touch is tried when what goes wrong is not GitHub's final answer."""

FETCH_BATCH = 100
"""Addresses fetched, stored and resolved together: what a crash can cost at most."""


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
        self.report = SweepReport(run_id)
        self._graph = graph
        self._source = source
        self._run_id = run_id
        self._kind = kind
        self._on_event = on_event
        self._used_before = source.usage

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
        rows = [
            touches.SetAside(touch.touch_id, "unresolved", touch.attempts, "failed", str(error))
            for touch, error in plan.unreadable
        ]
        if rows:
            touches.set_aside(self._graph, rows, run_id=self._run_id)
            self._count_unresolved("failed", len(rows))

    def resources(self, entries: Sequence[Entry]) -> None:
        """Fetch repositories and items, store them, resolve their Touches."""
        for batch in batches(entries, FETCH_BATCH):
            done = self._resolve_prompted(batch)
            wanted = {entry.address.key: entry for entry in batch}
            self._fetch_batch({key: entry for key, entry in wanted.items() if key not in done})

    def listings(self, entries: Sequence[Entry]) -> None:
        """Fetch Listings with their members, store them, resolve their Touches."""
        for entry in entries:
            try:
                self._fetch_listing(entry)
            except RateLimited as error:
                if error.retry_at is None:
                    # Only a login helps: this one waits for it, the others go on.
                    self._leave_waiting(entry, error)
                    continue
                self._set_aside(entry, error)
                raise
            except Unreachable:
                raise
            except (NotFound, NotPublic, GitHubUnavailable, GraphQueryError) as error:
                self._set_aside(entry, error)

    def link(self) -> int:
        """Draw the edges that were left open. Returns how many."""
        drawn = links.draw_waiting(self._graph)
        self.report.linked += drawn
        return drawn

    def _resolve_prompted(self, entries: Sequence[Entry]) -> set[str]:
        """Resolve what was only mentioned and is in memory; return the keys of these."""
        prompted = {entry.address.key: entry for entry in entries if entry.only_prompted}
        if not prompted:
            return set()
        held = resources.at_addresses(self._graph, list(prompted))
        for key, node_id in held.items():
            self._resolve(prompted[key], node_id, "in_memory")
        return set(held)

    def _fetch_batch(self, wanted: dict[str, Entry]) -> None:
        if not wanted:
            return
        arrived: list[tuple[Entry, Content]] = []
        answered: set[str] = set()
        of_items = [one.address.repository for one in wanted.values() if one.address.kind == "item"]
        try:
            keep_repositories(self._graph, self._source, of_items, run_id=self._run_id)
            for fetched in self._source.fetch([entry.address for entry in wanted.values()]):
                key = fetched.address.key
                answered.add(key)
                if fetched.content is not None:
                    arrived.append((wanted[key], fetched.content))
                else:
                    self._set_aside(wanted[key], _error_of(fetched.error, key))
        except RateLimited as error:
            waiting = [entry for key, entry in wanted.items() if key not in answered]
            for entry in waiting[:1]:
                self._set_aside(entry, error)
            raise
        finally:
            # Whatever ends the fetch, what has arrived is kept.
            self._keep(arrived)

    def _keep(self, arrived: Sequence[tuple[Entry, Content]]) -> None:
        if not arrived:
            return
        refusals = self._store([content for _, content in arrived])
        for entry, content in arrived:
            node_id = stored_id_of(content)
            if node_id in refusals:
                self._set_aside(entry, refusals[node_id])
            else:
                self.report.fetched += 1
                self._resolve(entry, node_id, "fetched")

    def _store(self, contents: Sequence[Content]) -> Refusals:
        kept = keep(self._graph, self._source, contents, run_id=self._run_id)
        self.report.linked += kept.linked
        return kept.refusals

    def _fetch_listing(self, entry: Entry) -> None:
        address = entry.address
        listing = self._source.fetch_listing(address)
        refusals = self._store(listing.members)
        members = [item for item in listing.members if stored_id_of(item) not in refusals]
        self.report.fetched += len(members)
        repository = members[0].address.repository if members else address.repository
        if repository.key not in resources.at_addresses(self._graph, [repository.key]):
            repository = self._fetch_repository(repository)
        listings.store(
            self._graph,
            address,
            [stored_id_of(item) for item in members],
            repository=repository.key,
            total_count=listing.total_count,
            fetched_at=now(),
        )
        lacking = None
        if refusals:
            why = next(iter(refusals.values()))
            lacking = f"{len(refusals)} of its members could not be stored: {why}"
        self._resolve(entry, address.key, "fetched", listing=True, detail=lacking)

    def _fetch_repository(self, address: Address) -> Address:
        for fetched in self._source.fetch([address]):
            if fetched.content is None:
                raise _error_of(fetched.error, address.key)
            for refusal in self._store([fetched.content]).values():
                raise refusal
            return fetched.content.address
        raise _error_of(None, address.key)

    def _resolve(
        self,
        entry: Entry,
        target: str,
        kind: EventKind,
        *,
        listing: bool = False,
        detail: str | None = None,
    ) -> None:
        targets = dict.fromkeys(entry.touch_ids, target)
        self.report.resolved += touches.resolve(
            self._graph, targets, run_id=self._run_id, listings=listing
        )
        self._tell(kind, entry, detail=detail)

    def _set_aside(self, entry: Entry, error: ResourcesGraphError) -> None:
        reason = reason_of(error)
        rows = [
            touches.SetAside(
                touch_id=touch.touch_id,
                status="pending" if _tried_again(reason, touch.attempts) else "unresolved",
                attempts=touch.attempts + (reason == "failed"),
                reason=None if _tried_again(reason, touch.attempts) else reason,
                error=str(error),
                retry_at=error.retry_at if isinstance(error, RateLimited) else None,
            )
            for touch in entry.touches
        ]
        touches.set_aside(self._graph, rows, run_id=self._run_id)
        given_up = [row for row in rows if row.status == "unresolved"]
        self._count_unresolved(reason, len(given_up))
        self._tell("unresolved" if given_up else "waiting", entry, reason, str(error))

    def _leave_waiting(self, entry: Entry, error: RateLimited) -> None:
        rows = [
            touches.SetAside(touch.touch_id, "pending", touch.attempts, error=str(error))
            for touch in entry.touches
        ]
        touches.set_aside(self._graph, rows, run_id=self._run_id)
        self._tell("waiting", entry, detail=str(error))

    def _count_unresolved(self, reason: str, count: int) -> None:
        if count:
            self.report.unresolved[reason] = self.report.unresolved.get(reason, 0) + count

    def _tell(
        self, kind: EventKind, entry: Entry, reason: str | None = None, detail: str | None = None
    ) -> None:
        if self._on_event is not None:
            self._on_event(SweepEvent(kind, entry.address, len(entry.touches), reason, detail))


def reason_of(error: ResourcesGraphError) -> Reason:
    """Why a Touch is Unresolved, in the word that is kept with it."""
    if isinstance(error, NotFound):
        return "not_found"
    if isinstance(error, NotPublic):
        return "not_public"
    if isinstance(error, RateLimited):
        return "rate_limited"
    return "failed"


def _tried_again(reason: Reason, attempts: int) -> bool:
    return reason == "failed" and attempts + 1 < ATTEMPTS


def _error_of(error: GitHubError | None, key: str) -> GitHubError:
    return error or GitHubUnavailable(f"GitHub gave no answer for {key}; sweep again")
