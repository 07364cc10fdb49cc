"""What the stores leave on the graph: Touches, for the Sweep, and Tasks, Decisions, Verdicts."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

from resources_graph_core.address import Address, parse_address
from resources_graph_core.errors import GraphQueryError, GraphUnavailable, UsageError
from resources_graph_core.store import agent_memory, touches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.github_memory.projects import ProjectAddress
    from resources_graph_core.github_memory.records import Decision, TaskRecord, TriageEntry
    from resources_graph_core.graph import Row
    from resources_graph_core.memory import Memory

_log = logging.getLogger(__name__)

_NOT_DONE = (GraphUnavailable, GraphQueryError)


class GraphRecord:
    """Records in a memory what stores read and write, as done in ``session`` (the user's own).

    An issue is touched when a store first reads it and whenever something is written to it, so that
    the next Sweep fetches it anew; not in a session that was forgotten. GitHub holds everything
    anyway, so what a graph does not take is logged and ends nothing.
    """

    def __init__(self, memory: Memory, *, session: str | None = None) -> None:
        self._memory = memory
        self._session = session
        self._touched: set[str] = set()
        self._withdrawn: set[str] = set()

    def roadmap(
        self, where: Address, url: str, tasks: Sequence[TaskRecord], *, written: bool
    ) -> None:
        """Record a roadmap as it is now."""
        rows = {
            f"tasks/{task.id}": {
                "about": where.key,
                "task_id": task.id,
                "title": task.title,
                "state": task.state.value,
                "metadata": json.dumps(task.metadata, default=str),
                "url": url,
            }
            for task in tasks
        }
        self._keep("Task", where, rows)
        self._touch([where], written=written)

    def decisions(
        self,
        where: Address,
        decisions: Sequence[Decision],
        *,
        spared: Sequence[Decision] = (),
        written: bool,
    ) -> None:
        """Record all decisions of a log, or one that was just ``written``.

        Those to be ``spared`` are left as they were recorded: somebody who could tell whether they
        count may have done so.
        """
        rows = {
            _decision_key(decision): {
                "about": where.key,
                "summary": decision.summary,
                "rationale": decision.rationale,
                "metadata": json.dumps(decision.metadata, default=str),
                "created_at": decision.created_at,
                "url": decision.url,
            }
            for decision in decisions
        }
        kept = [_decision_key(decision) for decision in spared]
        self._keep("Decision", where, rows, spared=kept, whole=not written)
        self._touch([where], written=written)

    def triage(
        self,
        where: Address | ProjectAddress,
        url: str,
        entries: Sequence[TriageEntry],
        *,
        written: bool,
    ) -> None:
        """Record a backlog as it is now; what it has verdicts on is touched once, too."""
        judged = {entry.ref: _address(entry.ref) for entry in entries}
        rows = {
            f"verdicts/{entry.ref.lower()}": {
                "about": address.key if (address := judged[entry.ref]) else "",
                "ref": entry.ref,
                "verdict": entry.verdict.value,
                "order": entry.order,
                "rationale": entry.rationale,
                "metadata": json.dumps(entry.metadata, default=str),
                "url": url,
            }
            for entry in entries
        }
        self._keep("Verdict", where, rows)
        if isinstance(where, Address):  # a project is no Resource
            self._touch([where], written=written)
        self._touch([address for address in judged.values() if address], written=False)

    def withdraw(self, keys: Sequence[str]) -> None:
        """Take out what was recorded at these keys when anyone could still read it there."""
        wanted = [key for key in keys if key not in self._withdrawn]
        if not wanted:
            return
        try:
            agent_memory.forget_at(self._memory.graph, wanted)
        except _NOT_DONE as error:
            _log.warning("%s was not taken out of the graph: %s", wanted[0], error)
        else:
            self._withdrawn.update(wanted)

    def _keep(
        self,
        label: agent_memory.Label,
        where: Address | ProjectAddress,
        rows: dict[str, Row],
        *,
        spared: Sequence[str] = (),
        whole: bool = True,
    ) -> None:
        self._withdrawn.discard(where.key)
        if isinstance(where, Address):
            self._withdrawn.discard(where.repository.key)
        graph = self._memory.graph
        try:
            agent_memory.keep(graph, label, where.key, rows, spared=spared, whole=whole)
        except _NOT_DONE as error:
            _log.warning("%s was not recorded on the graph: %s", where, error)

    def _touch(self, addresses: Sequence[Address], *, written: bool) -> None:
        wanted = [one for one in addresses if written or one.key not in self._touched]
        session = self._session or self._memory.own_session
        try:
            if wanted and not touches.is_forgotten(self._memory.graph, session):
                self._memory.touch_many(wanted, session=session)
        except _NOT_DONE as error:
            _log.warning("%s was not touched on the graph: %s", wanted[0], error)
        self._touched.update(one.key for one in wanted)


def _decision_key(decision: Decision) -> str:
    """What tells a decision apart from others of its log: the comment that it is."""
    return f"decisions/{(decision.url or '').rpartition('#')[2]}"


def _address(ref: str) -> Address | None:
    """The Address of a ref; None for one that GitHub cannot know, which is kept all the same."""
    try:
        return parse_address(ref)
    except UsageError:
        return None
