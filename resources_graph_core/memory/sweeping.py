"""What is to be fetched: planned, forecast, swept and linked."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from resources_graph_core.clock import now
from resources_graph_core.store import causes, links, runs, touches

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from resources_graph_core.address import AddressKind
    from resources_graph_core.github.source import OpenSource
    from resources_graph_core.store.claims import Scope
    from resources_graph_core.sweep import Plan, Sweep, SweepEvent, SweepReport
    from resources_graph_core.sweep.forecast import Forecast


from resources_graph_core.memory.reading import ReadingMemory


class SweepingMemory(ReadingMemory):
    """The part of a memory that fetches."""

    def pending(
        self,
        *,
        repositories: Sequence[str] = (),
        kinds: Sequence[AddressKind] = (),
        limit: int | None = None,
        planned_by: str | None = None,
    ) -> Plan:
        """What a sweep would do now; of what the run ``planned_by`` planned, where given.

        ``repositories`` are addresses of repositories.
        """
        from resources_graph_core.sweep import plan_touches  # noqa: PLC0415 - loads the models

        scope = self.scope(repositories=repositories, kinds=kinds)
        waiting = touches.pending(self.graph, now(), planned_by=planned_by)
        return plan_touches(
            waiting, repositories=scope.repositories, kinds=scope.kinds, limit=limit
        )

    def scope(
        self,
        *,
        repositories: Sequence[str] = (),
        kinds: Sequence[AddressKind] = (),
        planned_by: str | None = None,
    ) -> Scope:
        """What a sweep takes on: these repositories (their addresses) and kinds, or all.

        ``planned_by`` narrows it to what that run planned.
        """
        from resources_graph_core.store.claims import Scope  # noqa: PLC0415 - loads dataclasses

        keys = {self._address(repository).repository.key for repository in repositories}
        return Scope(tuple(sorted(keys)), tuple(kinds), planned_by=planned_by)

    def plan(self, plan: Plan, run_id: str) -> dict[str, int]:
        """Keep that a run means to deal with what is in ``plan``; returns Touches by session."""
        from resources_graph_core.store import claims  # noqa: PLC0415 - loads dataclasses

        touch_ids = [touch_id for entry in plan.entries for touch_id in entry.touch_ids]
        touch_ids += [touch.touch_id for touch, _ in plan.unreadable]
        claims.plan(self.graph, touch_ids, run_id=run_id)
        return touches.by_session(self.graph, touch_ids)

    def forecast(self, *, limit: int | None = None, repositories: Sequence[str] = ()) -> Forecast:
        """What a sweep would do now, and what that costs at least. Asks GitHub nothing."""
        self.drain_spool()
        return self.forecast_of(self.pending(repositories=repositories, limit=limit))

    def forecast_of(self, plan: Plan) -> Forecast:
        """What a sweep of ``plan`` would do and cost at least."""
        from resources_graph_core.sweep.forecast import forecast  # noqa: PLC0415 - loads the models

        return forecast(self.graph, plan, now=now())

    def sweep(
        self,
        *,
        limit: int | None = None,
        repositories: Sequence[str] = (),
        on_event: Callable[[SweepEvent], None] | None = None,
    ) -> SweepReport:
        """Fetch what pending Touches name, store it, resolve them.

        ``limit`` is how many Addresses at most. A limit of GitHub's is told in the report; a
        rejected token (GitHubAuthError) or an unreachable GitHub (GitHubUnavailable) is raised,
        and every Touch not yet dealt with stays pending.
        """
        self.drain_spool()
        scope = self.scope(repositories=repositories)
        with self.open_source() as source, self.sweeper(source, on_event=on_event) as sweep:
            return sweep.run(scope, limit=limit)

    def open_source(self) -> OpenSource:
        """GitHub as the settings say; close it after use."""
        from resources_graph_core.github import open_configured  # noqa: PLC0415 - loads httpx

        return open_configured(self.settings)

    def sweeper(
        self,
        source: OpenSource,
        *,
        run_id: str | None = None,
        kind: str = "cli",
        on_event: Callable[[SweepEvent], None] | None = None,
    ) -> Sweep:
        """A run of the Sweep whose steps can be called alone, new where no ``run_id`` is given."""
        from resources_graph_core.sweep import Sweep  # noqa: PLC0415 - loads the models

        return Sweep(
            self.graph, source, run_id=run_id or f"cli:{uuid4()}", kind=kind, on_event=on_event
        )

    def link(self) -> int:
        """Draw the links left open though both ends are in memory; returns how many. No GitHub."""
        return links.draw_waiting(self.graph) + causes.link_waiting(self.graph, now())

    def limited_hosts(self) -> dict[str, str]:
        """Until when (ISO-8601 UTC) each host is left alone whose limit a Sweep has used up.

        Only limits of the account in the settings. Asks GitHub nothing.
        """
        from resources_graph_core.sweep.hosts import closed_hosts  # noqa: PLC0415 - loads the models

        def account(host: str) -> str:
            with self.open_source() as source:
                return source.account(host)

        return closed_hosts(self.graph, account)

    def note_failure(self, run_id: str, error: str) -> None:
        """Keep why a run failed that died before it could say so itself."""
        runs.note_failure(self.graph, run_id, now=now(), error=error)
