"""Repositories, issues and pull requests: what is stored is checked, the rest fetched in full."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources_graph_core.clock import now
from resources_graph_core.errors import (
    GitHubUnavailable,
    GraphQueryError,
    RateLimited,
    ResourcesGraphError,
)
from resources_graph_core.github.problems import Unreachable
from resources_graph_core.store import freshness, moves, resources
from resources_graph_core.store.batches import batches
from resources_graph_core.sweep import gone
from resources_graph_core.sweep.hosts import each_host
from resources_graph_core.sweep.keep import keep, keep_repositories, stored_id_of
from resources_graph_core.sweep.settle import error_of, reason_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from resources_graph_core.errors import GitHubError
    from resources_graph_core.github.source import Source, Version
    from resources_graph_core.graph import Graph
    from resources_graph_core.model import Content
    from resources_graph_core.store.freshness import Stored
    from resources_graph_core.sweep.plan import Entry
    from resources_graph_core.sweep.settle import Settler

PAGE = 500
"""Addresses looked up in memory at once."""

CHECK_BATCH = 100
"""Unchanged Resources renewed at once: what one request checks."""

STORE_BATCH = 25
"""Items stored and resolved at once, while others are still coming: what a crash can cost."""


class ItemSweep:
    """Deals with entries for repositories and items, a page at a time."""

    def __init__(self, graph: Graph, source: Source, settler: Settler) -> None:
        self._graph = graph
        self._source = source
        self._settler = settler
        self._report = settler.report

    def run(self, entries: Sequence[Entry]) -> None:
        """Resolve the Touches of ``entries`` or set them aside.

        Raises RateLimited, with one Touch set aside for it, GitHubAuthError and GitHubUnavailable;
        what was done is kept, and Touches not dealt with stay pending. What stops one host is
        raised when the others are done.
        """
        each_host(entries, self._run)

    def _run(self, entries: Sequence[Entry]) -> None:
        for page in batches(entries, PAGE):
            waiting = self._resolve_prompted(page)
            waiting = self._check(waiting)
            self._fetch(waiting)

    def _resolve_prompted(self, entries: Sequence[Entry]) -> list[Entry]:
        """Resolve what was only mentioned and is in memory; return the others."""
        prompted = [entry for entry in entries if entry.only_prompted]
        held = moves.held(self._graph, [entry.address for entry in prompted])
        found = {key: one.node_id for key, one in held.items()}
        self._settler.resolve(
            [(one, found[one.address.key]) for one in prompted if one.address.key in found],
            "in_memory",
        )
        return [
            entry for entry in entries if not (entry.only_prompted and entry.address.key in found)
        ]

    def _check(self, entries: Sequence[Entry]) -> list[Entry]:
        """Resolve what is stored and unchanged; return the others, to be fetched in full."""
        by_key = {entry.address.key: entry for entry in entries}
        here = resources.at_addresses(self._graph, list(by_key))
        by_id = {node_id: by_key[key] for key, node_id in here.items()}
        if not by_id:
            return list(entries)
        stored = freshness.stored(self._graph, list(by_id))
        unchanged: list[str] = []
        done: set[str] = set()
        checked: set[str] = set()
        asked = {node_id: entry.address for node_id, entry in by_id.items()}
        try:
            for node_id, version in self._source.versions(asked):
                checked.add(node_id)
                self._report.checked += 1
                if node_id in stored and is_unchanged(stored[node_id], version):
                    unchanged.append(node_id)
                    done.add(by_id[node_id].address.key)
                if len(unchanged) == CHECK_BATCH:
                    self._renew(unchanged, by_id)
                    unchanged = []
        except RateLimited as error:
            for node_id in [node_id for node_id in by_id if node_id not in checked][:1]:
                self._settler.set_aside(by_id[node_id], error)
            raise
        except Unreachable:
            raise
        except GitHubUnavailable:
            pass  # what could not be checked is fetched in full, and that says why
        finally:
            self._renew(unchanged, by_id)
        return [entry for entry in entries if entry.address.key not in done]

    def _renew(self, node_ids: Sequence[str], by_id: Mapping[str, Entry]) -> None:
        if not node_ids:
            return
        freshness.renew(self._graph, node_ids, now=now(), run_id=self._report.run_id)
        self._report.unchanged += len(node_ids)
        self._settler.resolve(
            [(by_id[node_id], node_id) for node_id in node_ids],
            "in_memory",
            detail="unchanged on GitHub",
        )

    def _fetch(self, entries: Sequence[Entry]) -> None:
        """Fetch in full; store and resolve what comes while more is coming."""
        if not entries:
            return
        waiting = {entry.address.key: entry for entry in entries}
        asked = [entry for entry in entries if entry.address.kind == "repo"]
        items = [entry for entry in entries if entry.address.kind == "item"]
        parents = {entry.address.repository.key: entry.address.repository for entry in items}
        try:
            self._fetch_each(asked, waiting)
            for entry in asked:
                parents.pop(entry.address.key, None)  # once is enough, whatever came of it
            keep_repositories(
                self._graph, self._source, parents.values(), run_id=self._report.run_id
            )
            self._fetch_each(items, waiting)
        except RateLimited as error:
            for entry in list(waiting.values())[:1]:
                self._settler.set_aside(entry, error)
            raise

    def _fetch_each(self, entries: Sequence[Entry], waiting: dict[str, Entry]) -> None:
        """Fetch these, and take out of ``waiting`` what was dealt with."""
        arrived: list[tuple[Entry, Content]] = []
        refused: list[tuple[Entry, GitHubError]] = []
        interrupted = True
        try:
            for fetched in self._source.fetch([entry.address for entry in entries]):
                entry = waiting[fetched.address.key]
                if fetched.content is not None:
                    arrived.append((entry, fetched.content))
                else:
                    refused.append((entry, error_of(fetched.error, fetched.address.key)))
                if len(arrived) == STORE_BATCH:
                    self._keep(arrived)
                    _take_out(waiting, arrived)
                    arrived = []
            interrupted = False
        except ResourcesGraphError:
            interrupted = False
            raise
        finally:
            # Whatever ends the fetch, what has arrived is kept.
            self._keep(arrived)
            _take_out(waiting, arrived)
            if not interrupted:  # else nothing more is asked of GitHub
                self._refuse(refused)
                _take_out(waiting, refused)

    def _keep(self, arrived: Sequence[tuple[Entry, Content]]) -> None:
        if not arrived:
            return
        kept = keep(
            self._graph,
            self._source,
            [content for _, content in arrived],
            run_id=self._report.run_id,
        )
        self._report.linked += kept.linked
        stored = [
            (entry, content)
            for entry, content in arrived
            if stored_id_of(content) not in kept.refusals
        ]
        self._report.fetched += len(stored)
        self._point(stored)
        for entry, content in arrived:
            if (node_id := stored_id_of(content)) in kept.refusals:
                self._settler.set_aside(entry, kept.refusals[node_id])

    def _point(self, stored: Sequence[tuple[Entry, Content]]) -> None:
        """Lead Touches and former Addresses to what is stored.

        What the graph refuses of some is found by halving, and holds up no other.
        """
        try:
            self._record_moves(stored)
            self._settler.resolve(
                [(entry, stored_id_of(content)) for entry, content in stored], "fetched"
            )
        except GraphQueryError as error:
            if len(stored) == 1:
                self._settler.set_aside(stored[0][0], error)
                return
            half = len(stored) // 2
            self._point(stored[:half])
            self._point(stored[half:])

    def _record_moves(self, stored: Sequence[tuple[Entry, Content]]) -> None:
        """Keep which former Addresses lead to what was found, unless memory knows already."""
        moved = {
            entry.address.key: (entry.address, content)
            for entry, content in stored
            if content.address.key != entry.address.key
        }
        if not moved:
            return
        held = moves.held(self._graph, [address for address, _ in moved.values()])
        found = {key: stored_id_of(content) for key, (_, content) in moved.items()}
        unknown = {
            key: node_id
            for key, node_id in found.items()
            if key not in held or held[key].node_id != node_id
        }
        # What the Address led to until now has moved on as well.
        onward = {held[key].address.key: unknown[key] for key in unknown if key in held}
        if unknown:
            moves.record(self._graph, unknown | onward)

    def _refuse(self, refused: Sequence[tuple[Entry, GitHubError]]) -> None:
        lost = {
            entry.address: reason
            for entry, error in refused
            if (reason := reason_of(error)) in gone.FINAL
        }
        if lost:
            gone.withdraw(
                self._graph, self._source, lost, run_id=self._report.run_id, report=self._report
            )
        for entry, error in refused:
            self._settler.set_aside(entry, error)


def _take_out(waiting: dict[str, Entry], dealt_with: Sequence[tuple[Entry, object]]) -> None:
    for entry, _ in dealt_with:
        del waiting[entry.address.key]


def is_unchanged(stored: Stored, version: Version | None) -> bool:
    """Whether what is stored is what GitHub has, where it has it.

    What moved, or was stored without what tells, counts as changed. Pure.
    """
    if version is None or version.address.key != stored.address:
        return False
    return all(getattr(version, name) == value for name, value in stored.marks.items())
