"""What an MCP server offers of the stores: plain functions whose results are Pydantic models.

A server registers ``MemoryTools(…).reading()``, and ``.writing()`` only where
:func:`~resources_graph_core.github_memory.configured.tools_may_write` says so; the writing ones
refuse by themselves otherwise. Errors are the project's own.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, Field

from resources_graph_core.config import load_settings
from resources_graph_core.errors import NotAllowed
from resources_graph_core.github_memory.access import StoreAccess, issue_named
from resources_graph_core.github_memory.configured import tools_may_write
from resources_graph_core.github_memory.records import (
    TaskState,  # noqa: TC001 - servers read the annotations
    TriageVerdict,  # noqa: TC001 - the same
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from resources_graph_core.address import Address
    from resources_graph_core.github_memory.records import Decision, TaskRecord, TriageEntry
    from resources_graph_core.memory import Memory

Issue = Annotated[str, Field(description="The issue it is kept in: owner/repo#12, or its URL.")]


class Task(BaseModel):
    """A task of a roadmap."""

    id: str
    title: str
    state: Literal["todo", "doing", "done"]
    metadata: dict[str, Any]


class Roadmap(BaseModel):
    """A roadmap's tasks in their order."""

    issue: str
    tasks: list[Task]


class NextTask(BaseModel):
    """The first task that nobody has begun; None when there is none."""

    issue: str
    task: Task | None


class LoggedDecision(BaseModel):
    """A decision; ``objection`` says why one does not count."""

    summary: str
    rationale: str
    metadata: dict[str, Any]
    created_at: str | None
    url: str | None
    author: str | None = None
    objection: str | None = None


class Decisions(BaseModel):
    """The decisions that count, oldest first, and apart those that do not."""

    issue: str
    decisions: list[LoggedDecision]
    flagged: list[LoggedDecision]


class Verdict(BaseModel):
    """A verdict on an issue."""

    ref: str
    verdict: Literal["stale", "closeable", "fixable", "blocked"]
    order: int
    rationale: str
    metadata: dict[str, Any]


class Backlog(BaseModel):
    """Verdicts in the order of their resolution."""

    issue: str
    entries: list[Verdict]


class MemoryTools:
    """The functions; ``open_memory`` opens the memory that reads and writes are recorded in.

    ``session`` is the agent's own, where it is known. Without ``open_memory`` nothing is recorded.
    """

    def __init__(
        self, open_memory: Callable[[], Memory] | None = None, *, session: str | None = None
    ) -> None:
        self._open_memory = open_memory
        self._session = session

    def reading(self) -> list[Callable[..., BaseModel]]:
        """The functions that only read; their names are those of the tools."""
        return [self.roadmap_show, self.roadmap_next, self.decisions_show, self.triage_show]

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

    def roadmap_show(self, issue: Issue) -> Roadmap:
        """Show the tasks of a roadmap kept in a GitHub issue."""
        with self._access(issue) as (access, where), access.roadmap(where) as store:
            return Roadmap(issue=str(where), tasks=[_task(one) for one in store.hydrate()])

    def roadmap_next(self, issue: Issue) -> NextTask:
        """Show the first task of a roadmap that nobody has begun."""
        with self._access(issue) as (access, where), access.roadmap(where) as store:
            found = store.next_todo()
            return NextTask(issue=str(where), task=_task(found) if found else None)

    def roadmap_append(self, issue: Issue, title: str, state: TaskState | None = None) -> Task:
        """Add a task to the end of a roadmap, to do unless another state is given."""
        with self._access(issue, write=True) as (access, where), access.roadmap(where) as store:
            return _task(store.append(title, state=state or "todo"))

    def roadmap_set(self, issue: Issue, task: str, state: TaskState) -> Task:
        """Set the state of a task, by its id: todo, doing or done."""
        with self._access(issue, write=True) as (access, where), access.roadmap(where) as store:
            return _task(store.change(task, state=state))

    def roadmap_move(self, issue: Issue, task: str, before: str | None = None) -> Roadmap:
        """Move a task before another one, or to the end."""
        with self._access(issue, write=True) as (access, where), access.roadmap(where) as store:
            store.move(task, before=before)
            return Roadmap(issue=str(where), tasks=[_task(one) for one in store.hydrate()])

    def decisions_show(self, issue: Issue) -> Decisions:
        """Show the decisions logged on an issue or pull request."""
        with self._access(issue) as (access, where), access.decisions(where) as log:
            counted, flagged = log.read()
        return Decisions(
            issue=str(where),
            decisions=[_logged(one) for one in counted],
            flagged=[_logged(one.decision, one.author, one.reason) for one in flagged],
        )

    def decisions_log(
        self,
        issue: Issue,
        summary: str,
        rationale: str = "",
        metadata: dict[str, Any] | None = None,
    ) -> LoggedDecision:
        """Log a decision as a comment, so that later sessions know of it."""
        with self._access(issue, write=True) as (access, where), access.decisions(where) as log:
            return _logged(log.append(summary, rationale=rationale, metadata=metadata))

    def triage_show(self, issue: Issue) -> Backlog:
        """Show a triage backlog in the order of resolution."""
        with self._access(issue) as (access, where), access.triage(where) as store:
            return Backlog(issue=str(where), entries=[_verdict(one) for one in store.hydrate()])

    def triage_set(
        self,
        issue: Issue,
        ref: str,
        verdict: TriageVerdict,
        order: int | None = None,
        rationale: str | None = None,
    ) -> Verdict:
        """Give a verdict on an issue (owner/repo#N); what is left out stays as it is."""
        given = {"verdict": verdict, "order": order, "rationale": rationale}
        fields = {name: value for name, value in given.items() if value is not None}
        with self._access(issue, write=True) as (access, where), access.triage(where) as store:
            return _verdict(store.put(ref, fields))

    def triage_remove(self, issue: Issue, ref: str) -> Backlog:
        """Take an issue out of a triage backlog."""
        with self._access(issue, write=True) as (access, where), access.triage(where) as store:
            del store[ref]
            return Backlog(issue=str(where), entries=[_verdict(one) for one in store.hydrate()])

    @contextmanager
    def _access(self, issue: str, *, write: bool = False) -> Iterator[tuple[StoreAccess, Address]]:
        """Access for one call, with the settings as they are now. NotAllowed where it may not."""
        settings = load_settings()
        if write and not tools_may_write(settings):
            raise NotAllowed(
                "Tools may only read; `resources-graph config set github_memory.tools write` lets "
                "them write."
            )
        where = issue_named(issue, settings)
        with ExitStack() as stack:
            memory = stack.enter_context(self._open_memory()) if self._open_memory else None
            yield StoreAccess(settings, memory, self._session), where


def _task(record: TaskRecord) -> Task:
    return Task.model_validate(asdict(record))


def _logged(
    decision: Decision, author: str | None = None, objection: str | None = None
) -> LoggedDecision:
    return LoggedDecision(**asdict(decision), author=author, objection=objection)


def _verdict(entry: TriageEntry) -> Verdict:
    return Verdict.model_validate(asdict(entry))
