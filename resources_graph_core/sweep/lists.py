"""Listings: a light index says what is new or changed, and only that is fetched in full."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from resources_graph_core.clock import now
from resources_graph_core.errors import (
    GitHubUnavailable,
    GraphQueryError,
    NotFound,
    NotPublic,
    RateLimited,
)
from resources_graph_core.github.problems import Unreachable
from resources_graph_core.listing_answers import StoredListing
from resources_graph_core.store import freshness, listings, moves, resources, withdrawal
from resources_graph_core.store.holdings import listing_answers
from resources_graph_core.sweep import gone
from resources_graph_core.sweep.hosts import each_host
from resources_graph_core.sweep.items import STORE_BATCH, is_unchanged
from resources_graph_core.sweep.keep import keep, stored_id_of
from resources_graph_core.sweep.settle import error_of, reason_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.address import Address
    from resources_graph_core.errors import ResourcesGraphError
    from resources_graph_core.github.source import ListingIndex, Source, Version
    from resources_graph_core.graph import Graph
    from resources_graph_core.model import Content
    from resources_graph_core.sweep.keep import Refusals
    from resources_graph_core.sweep.plan import Entry
    from resources_graph_core.sweep.settle import Settler


@dataclass(slots=True)
class _Arrivals:
    """What came of members fetched in full, by the node ids that they were listed with.

    ``found`` holds the node ids they are stored under; ``vanished`` are no longer there; the others
    failed.
    """

    found: dict[str, str] = field(default_factory=dict)
    vanished: set[str] = field(default_factory=set)
    failures: list[ResourcesGraphError] = field(default_factory=list)

    @property
    def lacking(self) -> str | None:
        """How many failed and why the first did, in words; None when none did."""
        if not self.failures:
            return None
        return f"{len(self.failures)} of its members could not be stored: {self.failures[0]}"


@dataclass(frozen=True, slots=True)
class _Members:
    """What became of an index: node ids in its order, None for what could not be had.

    ``vanished`` is how many it listed that are no longer there; ``lacking`` says why, when others
    could not be had or stored.
    """

    node_ids: tuple[str | None, ...]
    vanished: int
    lacking: str | None = None


class ListingSweep:
    """Deals with entries for Listings, one after another."""

    def __init__(self, graph: Graph, source: Source, settler: Settler) -> None:
        self._graph = graph
        self._source = source
        self._settler = settler
        self._report = settler.report

    def run(self, entries: Sequence[Entry]) -> None:
        """Resolve the Touches of ``entries`` or set them aside; raises as ItemSweep does.

        Of several limits of one Listing the widest is fetched, and answers the others as well. What
        was only mentioned comes last, for what the others fetched may answer it.
        """
        each_host(entries, self._run)

    def _run(self, entries: Sequence[Entry]) -> None:
        fresh: dict[str, str] = {}
        wanted = {entry.address.key for entry in entries if not entry.only_prompted}
        for entry in sorted(
            entries, key=lambda one: (one.address.key not in wanted, _widest_first(one))
        ):
            served_by = fresh.get(entry.address.key)
            if served_by is not None and self._serve(entry, served_by):
                continue
            if entry.only_prompted and self._answer(entry):
                continue
            try:
                fresh[entry.address.key] = self._fetch(entry)
            except RateLimited as error:
                if error.retry_at is None:
                    # Only a login helps: this one waits for it, the others go on.
                    self._settler.leave_waiting(entry, error)
                    continue
                self._settler.set_aside(entry, error)
                raise
            except Unreachable:
                raise
            except (NotFound, NotPublic) as error:
                self._withdraw(entry.address)
                self._settler.set_aside(entry, error)
            except (GitHubUnavailable, GraphQueryError) as error:
                self._settler.set_aside(entry, error)

    def _serve(self, entry: Entry, key: str) -> bool:
        """Resolve with what was just stored at ``key``, if that has as many members as asked."""
        stored = listings.find(self._graph, key)
        if stored is None or not StoredListing.of(stored).serves(entry.address.limit):
            return False
        self._settler.resolve([(entry, key)], "in_memory", listings=True)
        return True

    def _answer(self, entry: Entry) -> bool:
        """Resolve with what memory holds, be it the Listing itself or wider ones."""
        where = moves.present_listing(self._graph, entry.address)
        answer = listing_answers(self._graph, [where])[0]
        if answer is None:
            return False
        detail = f"part of {answer.served_from}" if answer.outcome == "subsumed" else None
        # A Touch has one target: of two Listings that answer together, the first.
        self._settler.resolve([(entry, answer.keys[0])], "in_memory", listings=True, detail=detail)
        return True

    def _fetch(self, entry: Entry) -> str:
        """Bring a Listing up to date; return the key it is stored under."""
        index = self._source.index(self._as_wide_as_stored(entry.address))
        repository = self._repository(index)
        members = self._members(index)
        address = moves.within(repository, entry.address)
        listings.store(
            self._graph,
            address,
            members.node_ids,
            repository=repository.key,
            total_count=index.total_count - members.vanished,
            fetched_at=now(),
        )
        self._settler.resolve(
            [(entry, address.key)], "fetched", listings=True, detail=members.lacking
        )
        return address.key

    def _as_wide_as_stored(self, address: Address) -> Address:
        """The list, asked for as many members as memory holds of it at least.

        Else somebody who wants to see the first ten would make memory forget all the others.
        """
        where = moves.present_listing(self._graph, address)
        row = listings.find(self._graph, where.key)
        if row is None or address.limit is None:
            return address
        stored = StoredListing.of(row)
        if stored.fully_expanded:
            return address.with_limit(None)
        return address.with_limit(max(address.limit, stored.member_count))

    def _repository(self, index: ListingIndex) -> Address:
        """Where the Listing's repository is in memory, fetched where it is not known to be there.

        Another one may have had its name until now.
        """
        address = index.repository
        held = resources.at_addresses(self._graph, [address.key])
        if held.get(address.key) == resources.stored_id(address.host, index.repository_id):
            return address
        for fetched in self._source.fetch([address]):
            if fetched.content is None:
                raise error_of(fetched.error, address.key)
            for refusal in self._keep([fetched.content]).values():
                raise refusal
            return fetched.content.address
        raise error_of(None, address.key)

    def _members(self, index: ListingIndex) -> _Members:
        """Renew the members that are unchanged, fetch the others in full."""
        ids = {_stored_id(entry): entry for entry in index.entries}
        stored = freshness.stored(self._graph, list(ids))
        unchanged = {
            node_id: node_id
            for node_id, entry in ids.items()
            if node_id in stored and is_unchanged(stored[node_id], entry)
        }
        self._report.checked += len(stored)
        self._report.unchanged += len(unchanged)
        freshness.renew(self._graph, list(unchanged), now=now(), run_id=self._report.run_id)
        arrived = self._fetch_members(
            {entry.address: node_id for node_id, entry in ids.items() if node_id not in unchanged}
        )
        found = unchanged | arrived.found
        return _Members(
            tuple(found.get(node_id) for node_id in ids if node_id not in arrived.vanished),
            len(arrived.vanished),
            arrived.lacking,
        )

    def _fetch_members(self, wanted: dict[Address, str]) -> _Arrivals:
        """Fetch these members, listed with these node ids, in full; store and withdraw."""
        arrivals = _Arrivals()
        waiting: list[tuple[str, Content]] = []
        lost = {}
        try:
            for fetched in self._source.fetch(list(wanted)) if wanted else ():
                listed = wanted[fetched.address]
                if fetched.content is not None:
                    waiting.append((listed, fetched.content))
                elif fetched.reason == "not_found":
                    arrivals.vanished.add(listed)
                else:
                    arrivals.failures.append(error_of(fetched.error, fetched.address.key))
                if fetched.reason in gone.FINAL:
                    lost[fetched.address] = fetched.reason
                if len(waiting) == STORE_BATCH:
                    self._keep_members(waiting, arrivals)
                    waiting = []
        finally:
            # Whatever ends the fetch, what has arrived is kept: the next Sweep finds it unchanged.
            self._keep_members(waiting, arrivals)
        if lost:
            gone.withdraw(
                self._graph, self._source, lost, run_id=self._report.run_id, report=self._report
            )
        return arrivals

    def _keep_members(self, members: Sequence[tuple[str, Content]], arrivals: _Arrivals) -> None:
        refusals = self._keep([content for _, content in members])
        arrivals.failures.extend(refusals.values())
        arrivals.found.update(
            (listed, node_id)
            for listed, content in members
            if (node_id := stored_id_of(content)) not in refusals
        )

    def _keep(self, contents: Sequence[Content]) -> Refusals:
        kept = keep(self._graph, self._source, contents, run_id=self._report.run_id)
        self._report.linked += kept.linked
        self._report.fetched += len(contents) - len(kept.refusals)
        return kept.refusals

    def _withdraw(self, address: Address) -> None:
        """Empty a Listing that GitHub no longer gives; withdraw its repository if that is gone."""
        withdrawal.empty_listing(self._graph, moves.present_listing(self._graph, address).key)
        if address.repository.key not in moves.held(self._graph, [address.repository]):
            return
        for fetched in self._source.fetch([address.repository]):
            if fetched.reason in gone.FINAL:
                gone.withdraw(
                    self._graph,
                    self._source,
                    {address.repository: reason_of(error_of(fetched.error, address.key))},
                    run_id=self._report.run_id,
                    report=self._report,
                )


def _stored_id(entry: Version) -> str:
    return resources.stored_id(entry.address.host, entry.node_id)


def _widest_first(entry: Entry) -> float:
    """Sorts entries by their limit, the largest first; none is the largest of all."""
    return -(entry.address.limit or float("inf"))
