"""A roadmap: tasks in a task list of an issue, by their ids, in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from resources_graph_core.errors import NoSuchEntry, UsageError
from resources_graph_core.github_memory.block_merge import merge_for_roadmap
from resources_graph_core.github_memory.mapping import StoredMapping
from resources_graph_core.github_memory.records import TaskRecord, TaskState
from resources_graph_core.github_memory.roadmap_block import BEGIN, END, RoadmapBlock
from resources_graph_core.github_memory.store import BlockStore, removing
from resources_graph_core.github_memory.writing import BlockKind

if TYPE_CHECKING:
    from resources_graph_core.github_memory.issues import IssueText

TaskValue = TaskRecord | TaskState | str | Mapping[str, Any]
"""What a task can be set to: a whole record, a state, or some of its fields."""


class RoadmapStore(BlockStore[RoadmapBlock], StoredMapping[TaskRecord]):
    """The tasks of a roadmap issue, ``store[task_id]``; iterates in the order of the roadmap.

    Every read asks GitHub, which answers an unchanged issue for free; ``values()``, ``items()`` and
    ``hydrate()`` ask once for all. A missing block is added by the first write. Raises BlockError,
    which says where, for one that cannot be understood, NoSuchEntry (a KeyError) for an unknown id,
    WriteConflict, and errors of GitHub.
    """

    kind = "roadmap"
    _block_kind = BlockKind(BEGIN, END, merge_for_roadmap)

    _ids: dict[str, str]
    """What became of ids that tasks were given in the write under way."""

    def hydrate(self) -> list[TaskRecord]:
        """All tasks, read now."""
        return self._read().records

    def next_todo(self) -> TaskRecord | None:
        """The first task that nobody has begun, or None."""
        return next((task for task in self.hydrate() if task.state is TaskState.todo), None)

    def append(
        self,
        title: str,
        *,
        state: TaskState | str = TaskState.todo,
        metadata: Mapping[str, Any] | None = None,
    ) -> TaskRecord:
        """Add a task at the end; its id is made of its title, with a number when that is taken.

        In a batch somebody else may take the id meanwhile: at the batch's end the record that was
        returned has the id that the task got in the end.
        """
        wanted = _state(state)
        told: list[str] = []

        def add(block: RoadmapBlock) -> TaskRecord:
            record = block.append(title, wanted, metadata)
            told.append(record.id)
            self._ids[told[0]] = record.id
            return record

        made = self._edit(add)
        made.id = self._ids.get(told[0], made.id)
        return made

    def change(
        self,
        key: str,
        *,
        title: str | None = None,
        state: TaskState | str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> TaskRecord:
        """Change what is given of a task that is there; NoSuchEntry when it is not."""
        wanted = None if state is None else _state(state)
        return self._edit(
            lambda block: block.change(self._id(key), title=title, state=wanted, metadata=metadata)
        )

    def move(self, key: str, *, before: str | None = None) -> None:
        """Put a task, with what is nested below it, before another one, or at the end."""
        self._edit(
            lambda block: block.move(
                self._id(key), before=None if before is None else self._id(before)
            )
        )

    def __getitem__(self, key: str) -> TaskRecord:
        """The task of this id; NoSuchEntry when there is none."""
        block = self._read()
        found = block.get(key)
        if found is None:
            known = ", ".join(task.id for task in block.records) or "none"
            raise NoSuchEntry(f"the roadmap {self.where} has no task {key!r}; its tasks: {known}")
        return found

    def __setitem__(self, key: str, value: TaskValue) -> None:
        """Change a task, or add one at the end under this id; what is not given stays.

        A text is a state, as in ``store["fix-it"] = "done"``; a new task without a title has its id
        for one.
        """
        fields = _fields(value)

        def put(block: RoadmapBlock) -> None:
            task_id = self._id(key)
            if block.get(task_id) is None:
                block.append(
                    fields.get("title", key),
                    fields.get("state", TaskState.todo),
                    fields.get("metadata"),
                    key=key,
                )
            else:
                block.change(task_id, **fields)

        self._edit(put)

    def __delitem__(self, key: str) -> None:
        """Take a task out; lines nested below it stay. NoSuchEntry when there is none."""
        self._edit(
            removing(
                lambda block: block.get(self._id(key)) is not None,
                lambda block: block.remove(self._id(key)),
            )
        )

    def __contains__(self, key: object) -> bool:
        """Whether there is a task of this id."""
        return any(task.id == key for task in self.hydrate())

    def _key(self, record: TaskRecord) -> str:
        return record.id

    def _parse(self, text: str) -> RoadmapBlock:
        return RoadmapBlock(text)

    def _id(self, key: str) -> str:
        """The id of a task that the write under way may have added under another one."""
        return self._ids.get(key, key)

    def _begin(self) -> None:
        self._ids = {}

    def _added(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._ids.values()))

    def _settle(self, names: Mapping[str, str]) -> None:
        self._ids = {told: names.get(given, given) for told, given in self._ids.items()}

    def _correct(self, results: Sequence[object]) -> None:
        for record in results:
            if isinstance(record, TaskRecord):
                record.id = self._id(record.id)

    def _seen(self, issue: IssueText, block: RoadmapBlock, *, written: bool) -> None:
        self._snapshot.keep([asdict(task) for task in block.records])
        if (record := self._record(issue.repository)) is not None:
            record.roadmap(self.where, issue.html_url, block.records, written=written)


def _fields(value: TaskValue) -> dict[str, Any]:
    """The fields of a task that a value sets; UsageError for what is none."""
    match value:
        case TaskRecord():
            return {"title": value.title, "state": value.state, "metadata": value.metadata}
        case str():
            return {"state": _state(value)}
        case Mapping():
            fields = {name: value[name] for name in ("title", "state", "metadata") if name in value}
            if not isinstance(fields.get("title", ""), str):
                raise UsageError(f"the title of a task is a text, not {fields['title']!r}")
            if "state" in fields:
                fields["state"] = _state(fields["state"])
            return fields
    raise UsageError(f"a task is set to a TaskRecord, a state or a mapping, not to {value!r}")


def _state(value: str) -> TaskState:
    try:
        return TaskState(value)
    except ValueError:
        states = ", ".join(TaskState)
        raise UsageError(f"{value!r} is no state of a task; one of {states}") from None
