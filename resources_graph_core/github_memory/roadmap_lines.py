"""The lines of a roadmap's block: tasks, with all that is known of each, and everything else."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from resources_graph_core.errors import BlockError
from resources_graph_core.github_memory.json_text import read_json
from resources_graph_core.github_memory.merging import same
from resources_graph_core.github_memory.records import TaskRecord, TaskState, too_deep
from resources_graph_core.github_memory.slugs import Uniquely, slug
from resources_graph_core.github_memory.task_line import DOING, NOTES, pieces_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.github_memory.markdown import Line


@dataclass(slots=True, eq=False)
class TaskLine:
    """A task and the parts of its line, which together are the line as it was.

    Each is only equal to itself, so that a list finds this one and not another of the same words.
    """

    head: str
    check: str
    gap: str
    title: str
    marks: str
    tail: str
    ending: str
    pinned: str | None
    notes: dict[str, Any]
    id: str = ""

    @property
    def text(self) -> str:
        """The line with its end."""
        parts = (self.head, self.check, self.gap, self.title, self.marks, self.tail, self.ending)
        return "".join(parts)

    @property
    def state(self) -> TaskState:
        """How far the task is, by the check and the mark of a task that is being done."""
        if self.check in "xX":
            return TaskState.done
        return TaskState.doing if DOING in self.marks else TaskState.todo

    @property
    def metadata(self) -> dict[str, Any]:
        """What the first comment keeps as metadata."""
        found: dict[str, Any] = self.notes.get("metadata", {})
        return found

    @property
    def record(self) -> TaskRecord:
        """The task as the store gives it."""
        return TaskRecord(self.id, self.title.strip(), self.state, dict(self.metadata))

    def write_marks(self, state: TaskState) -> None:
        """Write the state and what is known besides it anew; what others noted there stays."""
        notes: dict[str, object] = {"id": self.pinned} if self.pinned else {}
        notes |= {"metadata": self.metadata} if self.metadata else {}
        notes |= {key: value for key, value in self.notes.items() if key not in {"id", "metadata"}}
        match = NOTES.search(self.marks)
        more = [one[0] for one in NOTES.finditer(self.marks)][1:]
        # The first comment counts, so that there has to be one before others.
        # A comment that says so already stays as somebody wrote it, to the byte.
        stays = match is not None and same(read_json(match["json"]), notes)
        comment = match[0] if match and stays else f"<!-- rg:task {_comment_json(notes)} -->"
        marks = [comment] if notes or more else []
        marks += more
        marks += [DOING] if state is TaskState.doing else []
        if (self.state is TaskState.done) != (state is TaskState.done):
            self.check = "x" if state is TaskState.done else " "
        self.marks = "".join(f" {mark}" for mark in marks)


@dataclass(slots=True)
class OtherLine:
    """A line that is no task; ``follows`` says that it belongs to what is above it."""

    text: str
    follows: bool


BlockLine = TaskLine | OtherLine


def read_line(line: Line, *, on_marker_line: bool) -> BlockLine:
    """A line of the block; the first one stands on the line of the marker, and may be indented.

    Raises BlockError for a task whose comment cannot be understood.
    """
    content = line.content
    indent = content[: len(content) - len(content.lstrip())] if on_marker_line else ""
    pieces = None if line.in_fence else pieces_of(content[len(indent) :])
    if pieces is None:
        return OtherLine(line.text, follows=line.text[:1] in {" ", "\t"} or line.in_fence)
    notes = _notes(pieces.marks, line.number)
    return TaskLine(
        indent + pieces.head,
        pieces.check,
        pieces.gap,
        pieces.title,
        pieces.marks,
        pieces.tail,
        ending=line.ending,
        pinned=notes.get("id"),
        notes=notes,
    )


def _notes(marks: str, line: int) -> dict[str, Any]:
    """What the first comment of a task notes: its id, its metadata, and whatever others wrote."""
    match = NOTES.search(marks)
    if match is None:
        return {}
    try:
        notes = read_json(match["json"])
    except (ValueError, RecursionError) as error:
        raise BlockError(
            f"the comment of this task is not JSON ({error}); correct it", line
        ) from None
    notes = notes if isinstance(notes, dict) else {"id": notes}
    pinned, metadata = notes.get("id"), notes.get("metadata", {})
    if not isinstance(pinned, str | None) or not isinstance(metadata, dict):
        raise BlockError("the comment of this task needs a text as id, an object as metadata", line)
    if any(map(too_deep, notes.values())):
        raise BlockError("the comment of this task is nested too deeply; make it flatter", line)
    return notes


def ids_of(tasks: Sequence[TaskLine]) -> list[str]:
    """Every task's id: the pinned ones first, then each title's slug in order."""
    owners: dict[str, TaskLine] = {}
    for task in tasks:
        if task.pinned:
            owners.setdefault(task.pinned, task)
    taken = set(owners)
    names = Uniquely(taken)
    found = []
    for task in tasks:
        if task.pinned and owners[task.pinned] is task:
            found.append(task.pinned)
            continue
        found.append(names.name(task.pinned or slug(task.title)))
        taken.add(found[-1])
    return found


def ending_of(text: str) -> str:
    """The line break at the end of ``text``, if there is one."""
    return text[len(text.rstrip("\r\n")) :]


def end_with(line: BlockLine, newline: str) -> None:
    """Make sure that a line ends."""
    if ending_of(line.text):
        return
    if isinstance(line, TaskLine):
        line.ending = newline
    else:
        line.text += newline


def _comment_json(value: object) -> str:
    """JSON that no comment ends in, on one line."""
    text = json.dumps(value, ensure_ascii=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e")
