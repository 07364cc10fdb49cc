"""The task list of a roadmap issue: read and edited between its markers, all else kept as it is.

Tasks are the lines that ``ge`` takes for tasks, ``- [ ] title``, at the left edge and outside code.
What else is known of one stands in a comment on its line,
``<!-- rg:task {"id": …, "metadata": …} -->``, before the mark of a task that is being done.
"""

from __future__ import annotations

import re
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from resources_graph_core.errors import BlockError, NoSuchEntry, UsageError
from resources_graph_core.github_memory.markdown import (
    Line,
    find_block,
    lines_of,
    newline_of,
    with_block,
)
from resources_graph_core.github_memory.merging import same
from resources_graph_core.github_memory.records import TaskRecord, TaskState, plain
from resources_graph_core.github_memory.roadmap_lines import (
    BlockLine,
    OtherLine,
    TaskLine,
    end_with,
    ending_of,
    ids_of,
    read_line,
)
from resources_graph_core.github_memory.slugs import slug, unique

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


BEGIN = "<!-- ge:roadmap:begin -->"
END = "<!-- ge:roadmap:end -->"
HEADER = "## Roadmap"

_COMMENT = re.compile(r"<!--\s*(?:ge|rg):")


@dataclass(slots=True)
class _Parts:
    before: str
    inside: list[BlockLine] = field(default_factory=list)
    after: str = ""


class RoadmapBlock:
    """The roadmap in ``text``, an issue's body; ``text`` is the body with every edit in it.

    Without a block there are no tasks, and the first :meth:`append` adds one. Raises BlockError,
    which says where, for a block that cannot be understood.
    """

    def __init__(self, text: str) -> None:
        self._parts = _parse(text)
        self._text = text
        self._edited = False

    @property
    def text(self) -> str:
        """The whole body. Raises UsageError when it would not read back as it was edited."""
        if self._edited:
            self._settle()
        return self._text

    @property
    def ids(self) -> frozenset[str]:
        """The ids of all tasks."""
        return frozenset(task.id for task in self._tasks)

    @property
    def records(self) -> list[TaskRecord]:
        """The tasks in their order."""
        return [task.record for task in self._tasks]

    def get(self, key: str) -> TaskRecord | None:
        """The task of this id."""
        return next((task.record for task in self._tasks if task.id == key), None)

    def append(
        self,
        title: str,
        state: TaskState = TaskState.todo,
        metadata: Mapping[str, Any] | None = None,
        *,
        key: str | None = None,
    ) -> TaskRecord:
        """Add a task below the last one, under the id ``key`` or one made of its title.

        Raises UsageError for a title that cannot stand on a line.
        """
        clean = _clean(title)
        known = {task.id for task in self._tasks}
        task = TaskLine(
            "- [", " ", "] ", clean, "", "", "", key, {"metadata": plain(metadata or {})}
        )
        derived = unique(slug(clean), known)
        task.id = derived if key is None else key
        if key == derived:
            task.pinned = None  # the title says it
        task.write_marks(state)
        _check(task)
        if self._parts is None:
            self._parts = _parse(with_block(self._text, BEGIN, END, header=HEADER))
        self._insert(self._place_of_next(), [task])
        self._edited = True
        return task.record

    def change(
        self,
        key: str,
        *,
        title: str | None = None,
        state: TaskState | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> TaskRecord:
        """Change what is given of a task; its id stays. Raises NoSuchEntry and UsageError."""
        known = self._find(key)
        task = copy(known)
        if title is not None and title != task.record.title:
            task.title = _clean(title)
        if metadata is not None and not same(plain(metadata), task.metadata):
            task.notes = {**task.notes, "metadata": plain(metadata)}
            task.write_marks(state or task.state)
        if state is not None and state is not task.state:
            task.write_marks(state)
        _check(task)
        self._inside[self._inside.index(known)] = task
        self._edited = True
        return task.record

    def remove(self, key: str) -> None:
        """Take a task's line out; what is nested below it stays. Raises NoSuchEntry."""
        self._take_out(self._inside.index(self._find(key)), 1)
        self._edited = True

    def move(self, key: str, *, before: str | None = None) -> None:
        """Put a task, with what is nested below it, before another one, or at the end.

        Raises NoSuchEntry.
        """
        task = self._find(key)
        target = None if before is None else self._find(before)
        if target is task:
            return
        at = self._inside.index(task)
        moved = self._take_out(at, 1 + self._followers(at))
        at = self._place_of_next() if target is None else self._inside.index(target)
        self._insert(at, moved)
        self._edited = True

    @property
    def lines(self) -> tuple[BlockLine, ...]:
        """The lines of the block, those that are no tasks too."""
        return tuple(self._inside)

    def replace_all(self, before: str, lines: Sequence[BlockLine], after: str) -> None:
        """Put other lines into the block, and other text around it; tasks keep their ids.

        Raises BlockError when that would not read back.
        """
        inside = [copy(line) for line in lines]
        for line in inside[:-1]:
            end_with(line, newline_of(self._text))
        self._parts = _Parts(before, inside, after)
        try:
            self._settle()
        except UsageError as error:
            raise BlockError(
                "the tasks would not read back as they were put together", 1
            ) from error

    @property
    def _inside(self) -> list[BlockLine]:
        return [] if self._parts is None else self._parts.inside

    @property
    def _tasks(self) -> list[TaskLine]:
        return [line for line in self._inside if isinstance(line, TaskLine)]

    def _find(self, key: str) -> TaskLine:
        for task in self._tasks:
            if task.id == key:
                return task
        known = ", ".join(task.id for task in self._tasks) or "none"
        raise NoSuchEntry(f"the roadmap has no task {key!r}; its tasks: {known}")

    def _followers(self, at: int) -> int:
        """How many lines below the one at ``at`` belong to it; blank ones only between others."""
        count = 0
        for number, line in enumerate(self._inside[at + 1 :], start=1):
            if isinstance(line, TaskLine) or (line.text.strip() and not line.follows):
                break
            if line.text.strip():
                count = number
        return count

    def _place_of_next(self) -> int:
        inside = self._inside
        for at in range(len(inside) - 1, -1, -1):
            if isinstance(inside[at], TaskLine):
                return at + 1 + self._followers(at)
        ends_open = bool(inside) and not inside[-1].text.endswith(("\n", "\r"))
        return len(inside) - (ends_open and len(inside) > 1 and not inside[-1].text.strip())

    def _insert(self, at: int, lines: list[BlockLine]) -> None:
        """Put lines in, each with a line break of its own around it."""
        newline = newline_of(self._text)
        inside = self._inside
        if at == 0:
            inside.insert(0, OtherLine(newline, follows=False))
            at = 1
        end_with(inside[at - 1], newline)
        for line in lines:
            end_with(line, newline)
            if isinstance(line, TaskLine):  # only on the line of the marker may it be indented
                line.head = line.head.lstrip()
        inside[at:at] = lines

    def _take_out(self, at: int, count: int) -> list[BlockLine]:
        taken = self._inside[at : at + count]
        # What stands on the line of the opening marker leaves that line's end behind.
        rest: list[BlockLine] = [OtherLine(ending_of(taken[0].text), follows=False)]
        self._inside[at : at + count] = rest if at == 0 and rest[0].text else []
        return taken

    def _settle(self) -> None:
        """Pin ids that titles and order no longer give; keep the edits if they read as meant."""
        self._edited = False
        parts = self._parts
        if parts is None:
            return
        wanted = [task.id for task in self._tasks]
        for task, derived in zip(self._tasks, ids_of(self._tasks), strict=True):
            if derived != task.id:
                task.pinned = task.id
                task.write_marks(task.state)
        text = parts.before + "".join(line.text for line in parts.inside) + parts.after
        read = RoadmapBlock(text)
        if [task.id for task in read._tasks] != wanted or read.records != self.records:
            self._parts = _parse(self._text)
            raise _unreadable()
        self._text, self._parts = text, read._parts


def _parse(text: str) -> _Parts | None:
    block = find_block(text, BEGIN, END)
    if block is None:
        return None
    lines = lines_of(text[block.start : block.end], first=block.line, within_line=True)
    inside = [read_line(line, on_marker_line=line.number == block.line) for line in lines]
    tasks = [line for line in inside if isinstance(line, TaskLine)]
    for task, found in zip(tasks, ids_of(tasks), strict=True):
        task.id = found
    return _Parts(text[: block.start], inside, text[block.end :])


def _check(task: TaskLine) -> None:
    """Raise UsageError when a task's line would not read back as the task that it is."""
    read = read_line(Line(1, 0, task.text, in_fence=False), on_marker_line=True)
    if not isinstance(read, TaskLine) or replace(read.record, id=task.id) != task.record:
        raise _unreadable()


def _unreadable() -> UsageError:
    return UsageError("a task would not read back as it was written; use other words in its title")


def _clean(title: str) -> str:
    """A title on one line; UsageError for none, and for one that holds a mark of ours."""
    if not isinstance(title, str):
        raise UsageError(f"a title is a text, not {title!r}")
    clean = " ".join(title.split())
    if not clean:
        raise UsageError("a task needs a title")
    if _COMMENT.search(clean):
        raise UsageError(f"{clean!r} holds a comment that marks tasks; leave it out of the title")
    return clean
