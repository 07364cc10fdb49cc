"""What memory holds: read, searched, counted, and where it came from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from uuid import uuid4

from resources_graph_core.clock import now
from resources_graph_core.errors import UsageError
from resources_graph_core.store import claims, counts, holdings, runs, touches
from resources_graph_core.touch import new_cache_read

if TYPE_CHECKING:
    from resources_graph_core.address import Address
    from resources_graph_core.find_filters import FoundKind, FoundState
    from resources_graph_core.finding import Findings
    from resources_graph_core.freshness import Freshness
    from resources_graph_core.graph import Row
    from resources_graph_core.read import CacheRead
    from resources_graph_core.store.claims import HostLimit
    from resources_graph_core.store.lineage import Lineage


from resources_graph_core.memory.recording import RecordingMemory


@dataclass(frozen=True, slots=True)
class Status:
    """What memory holds: Resources by kind, Listings, Comments, Touches by state, latest runs.

    ``given_up`` are the user's own Addresses that were tried in vain too often: nothing but a new
    Touch tries them again. ``limits`` are those of GitHub's that Touches wait for.
    """

    engine: str
    resources: dict[str, int]
    listings: int
    comments: int
    touches: dict[str, int]
    runs: list[Row]
    given_up: list[Row]
    limits: list[HostLimit]


@dataclass(frozen=True, slots=True)
class InFlight:
    """What memory knows of work on an issue: its own state and fetch (None: not in memory).

    ``pulls`` are pull requests that close it (``closes``) or mention it, the nearest to it first.
    """

    issue: str
    state: str | None
    fetched_at: str | None
    pulls: list[Row]


class ReadingMemory(RecordingMemory):
    """The part of a memory that tells what it holds. Never calls GitHub."""

    def read(
        self,
        address: str | Address,
        *,
        session: str | None = None,
        limit: int | None = None,
        brief: bool = False,
    ) -> CacheRead:
        """What memory holds for ``address``, which names one thing. Never calls GitHub.

        With a ``session`` the Cache Read is recorded as a Touch, which causes nothing; not when
        the session was forgotten. A miss says when GitHub knew nothing there, or nothing public.
        With ``brief`` the members of a list come without their texts, as for an index.
        """
        from resources_graph_core.read import read, told_why  # noqa: PLC0415 - as the method

        where = self._address(address, limit)
        served = read(self.graph, where, brief=brief)
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
        """Search titles, texts, comments, and what agents keep, for words. Never calls GitHub.

        ``state`` is that of issues and pull requests, ``limit`` how many items at most. Raises
        UsageError for a query without a word, and for a state or a label of a kind without them.
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

    def status(self) -> Status:
        """What memory holds, in numbers, once the spool is drained."""
        self.drain_spool()
        return Status(
            engine=self.graph.dialect,
            resources=counts.resources(self.graph),
            listings=counts.labelled(self.graph, "Listing"),
            comments=counts.labelled(self.graph, "Comment"),
            touches=counts.touches(self.graph),
            runs=[{**run, "state": self._state_of(run)} for run in runs.latest(self.graph)],
            given_up=touches.given_up(self.graph, self.settings.user, limit=20),
            limits=claims.limits(self.graph, now()),
        )

    def _state_of(self, run: Row) -> str:
        """How a run stands: ``ended``, ``failed``, ``running``, or ``died`` without a word."""
        from resources_graph_core.sweep.lease import is_running  # noqa: PLC0415 - loads the models

        if run.get("ended_at"):
            return "failed" if run.get("error") else "ended"
        return "running" if is_running(self.graph, run["run_id"], run["started_at"]) else "died"

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

    def run_page(self, run_id: str) -> str | None:
        """The page of a run of Dagster's, where ``dagster.url`` says where its pages are."""
        base = self.settings.dagster_url
        return f"{base.rstrip('/')}/runs/{run_id}" if base else None
