"""Stores as the command line, tools and Dagster open them: by Address, with the settings."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from resources_graph_core.config import data_folder
from resources_graph_core.errors import UsageError
from resources_graph_core.github_memory.configured import allowed_logins
from resources_graph_core.github_memory.decisions import DecisionLog
from resources_graph_core.github_memory.graph_record import GraphRecord
from resources_graph_core.github_memory.opening import open_issues
from resources_graph_core.github_memory.projects import ProjectAddress, parse_project
from resources_graph_core.github_memory.roadmap import RoadmapStore
from resources_graph_core.github_memory.triage import TriageBacklog
from resources_graph_core.surroundings import named

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from resources_graph_core.address import Address
    from resources_graph_core.config import Settings
    from resources_graph_core.github_memory.issues import Issues
    from resources_graph_core.memory import Memory


@dataclass(frozen=True, slots=True)
class StoreAccess:
    """How stores are opened; with a ``memory`` what they read and write is recorded in it.

    ``session`` is whose Touches these are, the user's own by default. Snapshots are in the data
    folder.
    """

    settings: Settings
    memory: Memory | None = None
    session: str | None = None

    @contextmanager
    def roadmap(self, where: Address) -> Iterator[RoadmapStore]:
        """The roadmap in an issue, closed at the end of the ``with`` block."""
        with self._issues(where.host) as issues:
            yield RoadmapStore(
                where, _number(where), cache_dir=self._folder, issues=issues, graph=self._graph
            )

    @contextmanager
    def triage(self, where: Address | ProjectAddress) -> Iterator[TriageBacklog]:
        """The triage backlog in an issue or project, closed at the end of the ``with`` block."""
        folder, graph = self._folder, self._graph
        with self._issues(where.host) as issues:
            if isinstance(where, ProjectAddress):
                yield TriageBacklog(project=where, cache_dir=folder, issues=issues, graph=graph)
            else:
                number = _number(where)
                yield TriageBacklog(where, number, cache_dir=folder, issues=issues, graph=graph)

    @contextmanager
    def decisions(self, where: Address) -> Iterator[DecisionLog]:
        """The decisions on an issue or pull request, closed at the end of the ``with`` block."""
        with self._issues(where.host) as issues:
            yield DecisionLog(
                where,
                _number(where),
                allowed=allowed_logins(self.settings),
                cache_dir=self._folder,
                issues=issues,
                graph=self._graph,
            )

    @contextmanager
    def _issues(self, host: str) -> Iterator[Issues]:
        issues = open_issues(host=host, settings=self.settings, cache_dir=self._folder)
        try:
            yield issues
        finally:
            issues.close()

    @property
    def _folder(self) -> Path:
        return data_folder() / "github_memory"

    @property
    def _graph(self) -> GraphRecord | None:
        return None if self.memory is None else GraphRecord(self.memory, session=self.session)


def issue_named(text: str, settings: Settings) -> Address:
    """The issue or pull request that a text names. UsageError for none, and for several."""
    found = named(text, settings)
    if len(found) > 1 or found[0].kind != "item":
        raise UsageError(f"{text!r} names no single issue or pull request; write owner/repo#12")
    return found[0]


def backlog_named(text: str, settings: Settings) -> Address | ProjectAddress:
    """The issue or project that a text names. UsageError for none, and for several."""
    return parse_project(text) or issue_named(text, settings)


def _number(where: Address) -> int:
    if where.number is None:
        raise UsageError(f"{where} is no issue or pull request; write owner/repo#12")
    return where.number
