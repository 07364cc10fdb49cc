"""What becomes of Touches, and what the report and whoever listens are told about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources_graph_core.errors import GitHubUnavailable, NotFound, NotPublic, RateLimited
from resources_graph_core.store import touches
from resources_graph_core.sweep.report import SweepEvent, SweepReport

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from resources_graph_core.errors import GitHubError, ResourcesGraphError
    from resources_graph_core.github.source import Reason, Source
    from resources_graph_core.graph import Graph
    from resources_graph_core.sweep.plan import Entry, Plan
    from resources_graph_core.sweep.report import EventKind

ATTEMPTS = 5
"""How often a Touch is tried when what goes wrong is not GitHub's final answer."""


class Settler:
    """Writes what becomes of the Touches of one run, and counts it in ``report``."""

    def __init__(
        self,
        graph: Graph,
        run_id: str,
        source: Source,
        on_event: Callable[[SweepEvent], None] | None = None,
    ) -> None:
        self.report = SweepReport(run_id)
        self._graph = graph
        self._source = source
        self._used_before = source.usage
        self._run_id = run_id
        self._on_event = on_event

    def resolve(
        self,
        entries: Sequence[tuple[Entry, str]],
        kind: EventKind,
        *,
        listings: bool = False,
        detail: str | None = None,
    ) -> None:
        """Point the Touches of each entry at its target: a stored node id, or a Listing's key."""
        targets = {touch_id: target for entry, target in entries for touch_id in entry.touch_ids}
        if not targets:
            return
        self.report.resolved += touches.resolve(
            self._graph, targets, run_id=self._run_id, listings=listings
        )
        for entry, _ in entries:
            self._tell(kind, entry, detail=detail)

    def set_aside(self, entry: Entry, error: ResourcesGraphError) -> None:
        """Keep why an entry's Touches were not resolved; what may pass is tried again later."""
        reason = reason_of(error)
        limited = isinstance(error, RateLimited)
        rows = [
            touches.SetAside(
                touch_id=touch.touch_id,
                status="pending" if _tried_again(reason, touch.attempts) else "unresolved",
                attempts=touch.attempts + (reason == "failed"),
                reason=None if _tried_again(reason, touch.attempts) else reason,
                error=str(error),
                retry_at=error.retry_at if isinstance(error, RateLimited) else None,
                limited_account=self._source.account(entry.address.host) if limited else None,
            )
            for touch in entry.touches
        ]
        touches.set_aside(self._graph, rows, run_id=self._run_id)
        given_up = [row for row in rows if row.status == "unresolved"]
        self._count_unresolved(reason, len(given_up))
        self._tell("unresolved" if given_up else "waiting", entry, reason, str(error))

    def leave_waiting(self, entry: Entry, error: RateLimited) -> None:
        """Leave an entry's Touches pending, with what they wait for."""
        rows = [
            touches.SetAside(touch.touch_id, "pending", touch.attempts, error=str(error))
            for touch in entry.touches
        ]
        touches.set_aside(self._graph, rows, run_id=self._run_id)
        self._tell("waiting", entry, detail=str(error))

    def set_unreadable_aside(self, plan: Plan) -> None:
        """Set aside the Touches whose Address cannot be read any more; they stop nothing."""
        rows = [
            touches.SetAside(touch.touch_id, "unresolved", touch.attempts, "failed", str(error))
            for touch, error in plan.unreadable
        ]
        if rows:
            touches.set_aside(self._graph, rows, run_id=self._run_id)
            self._count_unresolved("failed", len(rows))

    def _count_unresolved(self, reason: str, count: int) -> None:
        if count:
            self.report.unresolved[reason] = self.report.unresolved.get(reason, 0) + count

    def _tell(
        self, kind: EventKind, entry: Entry, reason: str | None = None, detail: str | None = None
    ) -> None:
        if self._on_event is None:
            return
        usage = self._source.usage
        touches = len(entry.touches)
        self._on_event(
            SweepEvent(
                kind,
                entry.address,
                touches,
                reason,
                detail,
                requests=usage.requests - self._used_before.requests,
                points_left=usage.remaining,
            )
        )


def reason_of(error: ResourcesGraphError) -> Reason:
    """Why a Touch is Unresolved, in the word that is kept with it."""
    if isinstance(error, NotFound):
        return "not_found"
    if isinstance(error, NotPublic):
        return "not_public"
    if isinstance(error, RateLimited):
        return "rate_limited"
    return "failed"


def error_of(error: GitHubError | None, key: str) -> GitHubError:
    """The error an answer came with, or one that says that there was no answer."""
    return error or GitHubUnavailable(f"GitHub gave no answer for {key}; sweep again")


def _tried_again(reason: Reason, attempts: int) -> bool:
    return reason == "failed" and attempts + 1 < ATTEMPTS
