"""The memory in one object: what a hook script, the command line, Dagster and a server use."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Self
from uuid import uuid4

from resources_graph_core.clock import now
from resources_graph_core.config import Settings, data_folder, load_settings
from resources_graph_core.errors import ResourcesGraphError, UsageError
from resources_graph_core.graph import open_graph
from resources_graph_core.harness import lineage
from resources_graph_core.spool import DrainReport, Spool
from resources_graph_core.store import causes, counts, holdings, links, recording, runs, touches
from resources_graph_core.surroundings import named
from resources_graph_core.touch import new_cache_read, new_touch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import TracebackType

    from resources_graph_core.address import Address, AddressKind
    from resources_graph_core.finding import Findings, FoundKind, FoundState
    from resources_graph_core.freshness import Freshness
    from resources_graph_core.github.source import OpenSource
    from resources_graph_core.graph import Graph, Row
    from resources_graph_core.read import CacheRead
    from resources_graph_core.store.claims import Scope
    from resources_graph_core.store.lineage import Lineage
    from resources_graph_core.sweep import Plan, Sweep, SweepEvent, SweepReport
    from resources_graph_core.sweep.forecast import Forecast
    from resources_graph_core.touch import Provenance, Touch


@dataclass(frozen=True, slots=True)
class Status:
    """What memory holds: Resources by kind, Listings, Comments, Touches by state, latest runs.

    ``given_up`` are the user's own Addresses that were tried in vain too often: nothing but a new
    Touch tries them again.
    """

    engine: str
    resources: dict[str, int]
    listings: int
    comments: int
    touches: dict[str, int]
    runs: list[Row]
    given_up: list[Row]


@dataclass(frozen=True, slots=True)
class InFlight:
    """What memory knows of work on an issue: its own state and fetch (None: not in memory).

    ``pulls`` are pull requests that close it (``closes``) or mention it, the nearest to it first.
    """

    issue: str
    state: str | None
    fetched_at: str | None
    pulls: list[Row]


def open_memory(url: str | None = None, *, settings: Settings | None = None) -> Memory:
    """Open the memory that the settings name, or the one at ``url``; use it in a ``with`` block.

    Starts the embedded engine when that is what is named and it does not run. Raises
    GraphUnavailable when the graph cannot be reached, ConfigError for a bad setting.
    """
    settings = settings or load_settings()
    if url is not None:
        settings = settings.changed(graph_url=url)
    graph = open_graph(
        settings.graph_url, user=settings.graph_user, password=settings.graph_password
    )
    return Memory(graph, settings)


class Memory:
    """One open memory: record Touches, read, sweep. Made by :func:`open_memory`.

    An address may be an Address or a text: whatever a person or an agent would write to name
    something, a command line too; UsageError when it names nothing. Where a ``session`` may be
    given, the default is the user's own, ``cli:<user>``.
    """

    def __init__(self, graph: Graph, settings: Settings) -> None:
        self.graph = graph
        self.settings = settings

    def __enter__(self) -> Self:
        """Use the memory in a ``with`` block, closed at its end."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close."""
        self.close()

    def close(self) -> None:
        """Let go of the graph; an embedded engine keeps running."""
        self.graph.close()

    @property
    def own_session(self) -> str:
        """The session of what is done on the command line or in Python without naming one."""
        return f"cli:{self.settings.user}"

    def setup(self) -> list[str]:
        """Create the indexes and unique constraints that are missing; returns what was added."""
        from resources_graph_core.graph.schema import setup  # noqa: PLC0415 - seldom needed

        return setup(self.graph)

    def touch(
        self,
        address: str | Address,
        *,
        session: str | None = None,
        provenance: Provenance = "FETCHED",
        limit: int | None = None,
        tool_use_id: str | None = None,
        agent_name: str | None = None,
    ) -> Touch:
        """Record that an agent reached for ``address``; the next sweep fetches it.

        ``limit`` is how many members of a list were asked for. With a ``tool_use_id`` the same call
        recorded again writes nothing new. Of a text that names several, all are recorded and the
        first Touch is returned. Never calls GitHub. UsageError for a session that was forgotten.
        """
        discriminator = tool_use_id or uuid4().hex
        session = session or self.own_session
        made = [
            new_touch(
                where,
                session=session,
                user=self.settings.user,
                discriminator=discriminator,
                provenance=provenance,
                tool_use_id=tool_use_id,
                agent_name=agent_name,
            )
            for where in self._addresses(address, limit)
        ]
        self._record(made, session)
        return made[0]

    def touch_many(
        self, addresses: Iterable[str | Address], *, session: str | None = None
    ) -> list[Touch]:
        """Record a Touch of each address, all of them or, when one names nothing, none.

        UsageError for that, and for a session that was forgotten.
        """
        session = session or self.own_session
        made = [
            new_touch(
                where,
                session=session,
                user=self.settings.user,
                discriminator=uuid4().hex,
            )
            for address in addresses
            for where in self._addresses(address)
        ]
        self._record(made, session)
        return made

    def read(
        self, address: str | Address, *, session: str | None = None, limit: int | None = None
    ) -> CacheRead:
        """What memory holds for ``address``, which names one thing. Never calls GitHub.

        With a ``session`` the Cache Read is recorded as a Touch, which causes nothing; not when
        the session was forgotten. A miss says when GitHub knew nothing there, or nothing public.
        """
        from resources_graph_core.read import read, told_why  # noqa: PLC0415 - as the method

        where = self._address(address, limit)
        served = read(self.graph, where)
        if served.outcome == "miss":
            user = self.settings.user
            reason = touches.unresolved_reason(self.graph, user, where.key)
            served = told_why(served, reason)
        if session is None:
            return served
        touch = new_cache_read(
            where,
            served.outcome,
            session=session,
            user=self.settings.user,
            discriminator=uuid4().hex,
            served_from=served.served_from,
        )
        touches.record(self.graph, [touch])
        return replace(served, recorded=not touches.is_forgotten(self.graph, session))

    def find(
        self,
        query: str,
        *,
        repository: str | Address | None = None,
        kind: FoundKind | None = None,
        state: FoundState | None = None,
        label: str | None = None,
        limit: int = 10,
    ) -> Findings:
        """Search titles, texts and comments in memory for words. Never calls GitHub.

        ``state`` is that of issues and pull requests, ``limit`` how many items at most. Raises
        UsageError for a query without a word.
        """
        from resources_graph_core.finding import find  # noqa: PLC0415 - seldom needed

        within = self._address(repository).repository.key if repository else None
        return find(
            self.graph,
            query,
            repository=within,
            kind=kind,
            state=state,
            label=label,
            limit=limit,
        )

    def inflight(self, issue: str | Address) -> InFlight:
        """The pull requests in memory that close ``issue`` or mention it. Never calls GitHub.

        Raises UsageError for what is no issue's address.
        """
        from resources_graph_core.store import inflight, resources  # noqa: PLC0415 - the same

        where = self._address(issue)
        if where.kind != "item":
            raise UsageError(f"{where} is no issue; name one, such as owner/repo#12")
        _, held = resources.find(self.graph, where.key) or ("", {})
        return InFlight(
            issue=where.key,
            state=held.get("state"),
            fetched_at=held.get("fetched_at"),
            pulls=inflight.pulls(self.graph, where),
        )

    def freshness(self) -> Freshness:
        """What memory holds and how old it is; changes nothing."""
        from resources_graph_core.freshness import look  # noqa: PLC0415 - the same

        return look(self.graph)

    def nudge(self, text: str) -> str | None:
        """A line about each thing memory holds of what ``text`` would fetch, or None.

        Anything that names nothing gets None: a nudge never complains.
        """
        try:
            wanted = self._addresses(text)
        except UsageError:
            return None
        return "\n".join(holdings.nudges(self.graph, wanted, now())) or None

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

        return forecast(self.graph, plan)

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

    def why(self, address: str | Address) -> Lineage:
        """What made the one thing ``address`` names what it is; runs in Dagster with their pages.

        Of Touches only the user's own are told, others are counted. Never calls GitHub.
        """
        from resources_graph_core.store import lineage, moves  # noqa: PLC0415 - seldom needed

        where = self._address(address)
        if where.kind == "listing":
            now_at = moves.present_listing(self.graph, where)
        else:
            held = moves.held(self.graph, [where]).get(where.key)
            now_at = where if held is None else held.address
        told = lineage.of_address(self.graph, where.key, now_at.key, user=self.settings.user)
        for run in told.runs:
            run["url"] = self.run_page(str(run["run_id"])) if run["kind"] == "dagster" else None
        return told

    def note_failure(self, run_id: str, error: str) -> None:
        """Keep why a run failed that died before it could say so itself."""
        runs.note_failure(self.graph, run_id, now=now(), error=error)

    def run_page(self, run_id: str) -> str | None:
        """The page of a run of Dagster's, where ``dagster.url`` says where its pages are."""
        base = self.settings.dagster_url
        return f"{base.rstrip('/')}/runs/{run_id}" if base else None

    def link(self) -> int:
        """Draw the links left open though both ends are in memory; returns how many. No GitHub."""
        return links.draw_waiting(self.graph) + causes.link_waiting(self.graph, now())

    def limited_until(self) -> str | None:
        """When the limit of GitHub's is over that a Sweep ran into (ISO-8601 UTC), or None."""
        return touches.limited_until(self.graph, now())

    def touches(
        self,
        session: str | None = None,
        *,
        status: Literal["pending", "resolved", "unresolved"] | None = None,
        limit: int | None = None,
    ) -> list[Row]:
        """The user's own Touches, newest first, nobody else's.

        ``session`` and ``status`` narrow them; ``limit`` is how many at most.
        """
        user = self.settings.user
        return touches.of_user(self.graph, user, session=session, status=status, limit=limit)

    def status(self) -> Status:
        """What memory holds, in numbers, once the spool is drained."""
        self.drain_spool()
        return Status(
            engine=self.graph.dialect,
            resources=counts.resources(self.graph),
            listings=counts.labelled(self.graph, "Listing"),
            comments=counts.labelled(self.graph, "Comment"),
            touches=counts.touches(self.graph),
            runs=runs.latest(self.graph),
            given_up=touches.given_up(self.graph, self.settings.user, limit=20),
        )

    def forget(self, session: str) -> int:
        """Delete a session's Touches, now and whatever comes later; Resources stay.

        Returns how many Touches went, those in this machine's spool too.
        """
        forgotten = touches.forget(self.graph, session, now())
        folder = data_folder()
        with _files():
            forgotten += Spool(folder).forget(session)
            lineage.forget(str(folder), session)
        return forgotten

    def spooled(self) -> list[Touch]:
        """The Touches that hooks on this machine could not write, where they go into this graph."""
        if load_settings().graph_url != self.settings.graph_url:
            return []
        with _files():
            return Spool(data_folder()).pending()

    def drain_spool(self) -> DrainReport:
        """Write every Touch that hooks on this machine could not; a sweep does this first.

        Nothing is drained into another graph than the one that hooks write to. What the graph
        refuses stays. Raises GraphUnavailable, and ResourcesGraphError for a spool that cannot be
        read or written.
        """
        if load_settings().graph_url != self.settings.graph_url:
            return DrainReport()
        with _files():
            return Spool(data_folder()).drain(
                lambda waiting: recording.record_what_goes(self.graph, waiting)
            )

    def _record(self, made: list[Touch], session: str) -> None:
        touches.record(self.graph, made)
        if touches.is_forgotten(self.graph, session):  # asked last: it may have been just now
            raise UsageError(
                f"Session {session!r} was forgotten, and nothing of it is recorded again. "
                "Name another session; nothing was touched."
            )

    def _addresses(self, address: str | Address, limit: int | None = None) -> list[Address]:
        found = named(address, self.settings) if isinstance(address, str) else [address]
        if limit is None:
            return found
        for where in found:
            if where.kind != "listing":
                raise UsageError(f"{where} is no list, so it has no limit")
        return [where.with_limit(limit) for where in found]

    def _address(self, address: str | Address, limit: int | None = None) -> Address:
        """The one thing that an address names; UsageError when it names several."""
        first, *others = self._addresses(address, limit)
        if others:
            raise UsageError(
                f"{address!r} names {len(others) + 1} things, {first} first; name one at a time"
            )
        return first


@contextmanager
def _files() -> Iterator[None]:
    """Turn what the system says of the spool's files into an error of ours."""
    try:
        yield
    except OSError as error:
        raise ResourcesGraphError(
            f"The spool in {data_folder()} cannot be read or written: {error.strerror or error}. "
            "Give yourself access to that folder, or set RESOURCES_GRAPH_HOME to another."
        ) from error
