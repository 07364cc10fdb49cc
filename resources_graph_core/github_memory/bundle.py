"""The stores of a repository in one: those that are asked for, on one connection."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from resources_graph_core.address import parse_address
from resources_graph_core.closing import Closed
from resources_graph_core.errors import NoSuchEntry, UsageError
from resources_graph_core.github_memory.decisions import DecisionLog
from resources_graph_core.github_memory.opening import open_issues
from resources_graph_core.github_memory.roadmap import RoadmapStore
from resources_graph_core.github_memory.triage import TriageBacklog

if TYPE_CHECKING:
    from resources_graph_core.address import Address
    from resources_graph_core.config import Settings
    from resources_graph_core.github_memory.graph_record import GraphRecord
    from resources_graph_core.github_memory.issues import Issues
    from resources_graph_core.github_memory.projects import ProjectAddress

Store = RoadmapStore | DecisionLog | TriageBacklog


class GitHubMemory(Closed, Mapping[str, Store]):
    """The stores by name (``roadmap``, ``decisions``, ``triage``); made by :func:`github_memory`.

    Those not asked for are None as attributes and missing as keys. Use it in a ``with`` block.
    """

    def __init__(self, issues: Issues) -> None:
        self._issues = issues
        self._stores: dict[str, Store] = {}
        self.roadmap: RoadmapStore | None = None
        self.decisions: DecisionLog | None = None
        self.triage: TriageBacklog | None = None

    def add(self, store: Store) -> None:
        """Put a store in, under the name of its kind."""
        match store:
            case RoadmapStore():
                self.roadmap = store
            case DecisionLog():
                self.decisions = store
            case TriageBacklog():
                self.triage = store
        self._stores[store.kind] = store

    def __getitem__(self, name: str) -> Store:
        """A store by its name; NoSuchEntry for one that was not asked for."""
        if name not in self._stores:
            held = ", ".join(self._stores) or "none"
            raise NoSuchEntry(f"no store {name!r} was asked for; there are: {held}")
        return self._stores[name]

    def __iter__(self) -> Iterator[str]:
        """The names of the stores."""
        return iter(self._stores)

    def __len__(self) -> int:
        """How many stores there are."""
        return len(self._stores)

    def close(self) -> None:
        """Close the connections."""
        self._issues.close()


def github_memory(  # noqa: PLR0913 - one for each store, and how they are opened
    repo: str | Address,
    *,
    roadmap_issue: int | None = None,
    decisions_target: int | None = None,
    triage_issue: int | None = None,
    triage_project: str | ProjectAddress | None = None,
    cache_dir: str | Path | None = None,
    allowed: Collection[str] = (),
    graph: GraphRecord | None = None,
    settings: Settings | None = None,
) -> GitHubMemory:
    """The stores of ``repo`` (``owner/repo`` or its URL) whose issues are given.

    The triage backlog is in an issue or in a GitHub Project (its URL), which is on the same GitHub.
    ``allowed`` are logins whose decisions count besides those with write access. With a ``graph``
    what is read and written is recorded there. All are on the GitHub that ``repo`` names, which is
    not asked anything yet. UsageError for what names no repository, ConfigError for a bad setting.
    """
    named = parse_address(repo) if isinstance(repo, str) else repo
    folder = None if cache_dir is None else Path(cache_dir)
    issues = open_issues(host=named.host, settings=settings, cache_dir=folder)
    kept = GitHubMemory(issues)
    if roadmap_issue is not None:
        kept.add(RoadmapStore(named, roadmap_issue, cache_dir=folder, issues=issues, graph=graph))
    if decisions_target is not None:
        kept.add(
            DecisionLog(
                named,
                decisions_target,
                allowed=allowed,
                cache_dir=folder,
                issues=issues,
                graph=graph,
            )
        )
    if triage_project is not None:
        if triage_issue is not None:
            raise UsageError("a triage backlog is in an issue or in a project, not in both")
        kept.add(
            TriageBacklog(project=triage_project, cache_dir=folder, issues=issues, graph=graph)
        )
    if triage_issue is not None:
        kept.add(TriageBacklog(named, triage_issue, cache_dir=folder, issues=issues, graph=graph))
    return kept
