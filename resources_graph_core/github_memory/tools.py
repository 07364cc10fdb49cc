"""What an MCP server offers of the stores: plain functions whose results are Pydantic models.

A server registers ``MemoryTools(…).reading()``, and ``.writing()`` only where
:func:`~resources_graph_core.github_memory.configured.tools_may_write` says so; the writing ones
refuse by themselves otherwise. Errors are the project's own.
"""

from __future__ import annotations

import logging
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from resources_graph_core.config import load_settings
from resources_graph_core.errors import GraphUnavailable, NotAllowed
from resources_graph_core.github_memory import shown
from resources_graph_core.github_memory.access import StoreAccess, backlog_named, issue_named
from resources_graph_core.github_memory.configured import tools_may_write
from resources_graph_core.github_memory.records import (
    TaskState,  # noqa: TC001 - servers read the annotations
    TriageVerdict,  # noqa: TC001 - the same
)
from resources_graph_core.github_memory.requirements import check_requirements
from resources_graph_core.github_memory.shown import (
    Backlog,
    Decisions,
    LoggedDecision,
    NextTask,
    RequirementsMet,
    Roadmap,
    Task,
    Verdict,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pydantic import BaseModel

    from resources_graph_core.address import Address
    from resources_graph_core.config import Settings
    from resources_graph_core.github_memory.triage import TriageBacklog
    from resources_graph_core.memory import Memory

_log = logging.getLogger(__name__)

Issue = Annotated[str, Field(description="The issue it is kept in: owner/repo#12, or its URL.")]
Place = Annotated[
    str, Field(description="Where it is kept: owner/repo#12, or the URL of a GitHub Project.")
]
Page = Annotated[int, Field(ge=1, description="Of a long answer.")]


class MemoryTools:
    """The functions; ``open_memory`` opens the memory that reads and writes are recorded in.

    ``settings`` is asked at each call. ``session`` is the agent's own, where it is known. Without
    ``open_memory`` nothing is recorded.
    """

    def __init__(
        self,
        open_memory: Callable[[], Memory] | None = None,
        *,
        settings: Callable[[], Settings] = load_settings,
        session: str | None = None,
    ) -> None:
        self._open_memory = open_memory
        self._settings = settings
        self._session = session

    def reading(self) -> list[Callable[..., BaseModel]]:
        """The functions that only read; their names are those of the tools."""
        return [
            self.roadmap_show,
            self.roadmap_next,
            self.decisions_show,
            self.triage_show,
            self.requirements,
        ]

    def writing(self) -> list[Callable[..., BaseModel]]:
        """The functions that write to GitHub."""
        return [
            self.roadmap_append,
            self.roadmap_set,
            self.roadmap_move,
            self.decisions_log,
            self.triage_set,
            self.triage_remove,
        ]

    def roadmap_show(self, issue: Issue, page: Page = 1) -> Roadmap:
        """Show the tasks of a roadmap kept in a GitHub issue."""
        with self._access(issue) as (access, where), access.roadmap(where) as store:
            return shown.roadmap(where, store.hydrate(), page)

    def roadmap_next(self, issue: Issue) -> NextTask:
        """Show the first task of a roadmap that nobody has begun."""
        with self._access(issue) as (access, where), access.roadmap(where) as store:
            found = store.next_todo()
            return NextTask(issue=str(where), task=shown.task(found) if found else None)

    def roadmap_append(self, issue: Issue, title: str, state: TaskState | None = None) -> Task:
        """Add a task to the end of a roadmap, to do unless another state is given."""
        with self._access(issue, write=True) as (access, where), access.roadmap(where) as store:
            return shown.task(store.append(title, state=state or "todo"))

    def roadmap_set(self, issue: Issue, task: str, state: TaskState) -> Task:
        """Set the state of a task, by its id: todo, doing or done."""
        with self._access(issue, write=True) as (access, where), access.roadmap(where) as store:
            return shown.task(store.change(task, state=state))

    def roadmap_move(self, issue: Issue, task: str, before: str | None = None) -> Roadmap:
        """Move a task before another one, or to the end."""
        with self._access(issue, write=True) as (access, where), access.roadmap(where) as store:
            store.move(task, before=before)
            return shown.roadmap(where, store.hydrate())

    def decisions_show(self, issue: Issue, page: Page = 1) -> Decisions:
        """Show the decisions logged on an issue or pull request."""
        with self._access(issue) as (access, where), access.decisions(where) as log:
            counted, flagged = log.read()
        return shown.decisions(where, counted, flagged, page)

    def decisions_log(
        self,
        issue: Issue,
        summary: str,
        rationale: str = "",
        metadata: dict[str, Any] | None = None,
    ) -> LoggedDecision:
        """Log a decision as a comment, so that later sessions know of it."""
        with self._access(issue, write=True) as (access, where), access.decisions(where) as log:
            return shown.decision(log.append(summary, rationale=rationale, metadata=metadata))

    def triage_show(self, issue: Place, page: Page = 1) -> Backlog:
        """Show a triage backlog in the order of resolution."""
        with self._backlog(issue) as store:
            return shown.backlog(store.where, store.hydrate(), page)

    def triage_set(
        self,
        issue: Place,
        ref: str,
        verdict: TriageVerdict,
        order: int | None = None,
        rationale: str | None = None,
    ) -> Verdict:
        """Give a verdict on an issue (owner/repo#N); what is left out stays as it is."""
        given = {"verdict": verdict, "order": order, "rationale": rationale}
        fields = {name: value for name, value in given.items() if value is not None}
        with self._backlog(issue, write=True) as store:
            return shown.verdict(store.put(ref, fields))

    def triage_remove(self, issue: Place, ref: str) -> Backlog:
        """Take an issue out of a triage backlog."""
        with self._backlog(issue, write=True) as store:
            del store[ref]
            return shown.backlog(store.where, store.hydrate())

    def requirements(self, project: bool = False) -> RequirementsMet:  # noqa: FBT001, FBT002 - a tool's parameter
        """Check whether roadmaps, decisions, triage (in a Project too) can be written to GitHub."""
        found = check_requirements(require_project_scope=project, settings=self._settings())
        return RequirementsMet(**found)

    @contextmanager
    def _backlog(self, place: str, *, write: bool = False) -> Iterator[TriageBacklog]:
        with (
            self._stores(write=write) as access,
            access.triage(backlog_named(place, access.settings)) as store,
        ):
            yield store

    @contextmanager
    def _access(self, issue: str, *, write: bool = False) -> Iterator[tuple[StoreAccess, Address]]:
        with self._stores(write=write) as access:
            yield access, issue_named(issue, access.settings)

    @contextmanager
    def _stores(self, *, write: bool) -> Iterator[StoreAccess]:
        """Access for one call, with the settings as they are now. NotAllowed where it may not."""
        settings = self._settings()
        if write and not tools_may_write(settings):
            raise NotAllowed(
                "Tools may only read; `resources-graph config set github_memory.tools write` lets "
                "them write."
            )
        with ExitStack() as stack:
            memory = None
            if self._open_memory is not None:
                try:
                    memory = stack.enter_context(self._open_memory())
                    memory.setup()
                except GraphUnavailable as error:  # the stores are on GitHub
                    _log.warning("not recorded on the graph: %s", error)
                    memory = None
            yield StoreAccess(settings, memory, self._session)
