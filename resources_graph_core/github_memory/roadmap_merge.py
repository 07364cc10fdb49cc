"""Three roadmaps into one: what a writer changed, put into a roadmap that replaced it unseen."""

from __future__ import annotations

from collections import Counter
from copy import copy
from typing import TYPE_CHECKING, Any

from resources_graph_core.github_memory.merging import (
    Merged,
    merge_around,
    merge_fields,
    merge_lines,
    merge_tokens,
    same,
)
from resources_graph_core.github_memory.records import TaskState
from resources_graph_core.github_memory.roadmap_block import BEGIN, END, RoadmapBlock
from resources_graph_core.github_memory.roadmap_lines import BlockLine, TaskLine
from resources_graph_core.github_memory.slugs import unique

if TYPE_CHECKING:
    from collections.abc import Collection

_Key = tuple[str, str, int]
"""What a line is: a task and its id; any other line, its words and which of equal ones it is."""

_PROGRESS = list(TaskState)


def merge_roadmap(
    base: str, lost: str, now: str, *, apart: Collection[str] = frozenset()
) -> Merged:
    """``now`` with what changed from ``base`` to ``lost``: tasks field by field, the rest by lines.

    A field of a task that both changed is kept as ``now`` has it; a task that either took out goes.
    A task of one id that both added is one task, as far as the further one is; where ``apart`` has
    the id these are two, and that of ``now`` gets another one. Raises BlockError when a text cannot
    be read.
    """
    blocks = [RoadmapBlock(text) for text in (base, lost, now)]
    around = merge_around(base, lost, now, BEGIN, END)
    if around is None:
        return Merged(RoadmapBlock(merge_lines(base, lost, now)).text)
    before, theirs, ours = (_keyed(block) for block in blocks)
    theirs = {
        ("added", *key[1:]) if key[1] in apart and _is_task(key) and key in ours else key: one
        for key, one in theirs.items()
    }
    lines = _merge_block(before, theirs, ours)
    renamed = _name_apart(lines, set(before) | set(theirs))
    result = blocks[2]
    result.replace_all(around[0], list(lines.values()), around[1])
    return Merged(result.text, renamed)


def _keyed(block: RoadmapBlock) -> dict[_Key, BlockLine]:
    seen: Counter[str] = Counter()
    found: dict[_Key, BlockLine] = {}
    for line in block.lines:
        if isinstance(line, TaskLine):
            found["task", line.id, 0] = line
        else:
            words = line.text.rstrip("\r\n")
            seen[words] += 1
            found["line", words, seen[words]] = line
    return found


def _is_task(key: _Key) -> bool:
    return key[0] != "line"


def _merge_block(
    before: dict[_Key, BlockLine], theirs: dict[_Key, BlockLine], ours: dict[_Key, BlockLine]
) -> dict[_Key, BlockLine]:
    """The lines that there are to be, in their order."""
    lines = {
        key: line
        for key in {**before, **theirs, **ours}
        if (line := _merge_line(before.get(key), theirs.get(key), ours.get(key))) is not None
    }
    merged = merge_tokens(list(before), list(theirs), list(ours))
    result = [key for key in dict.fromkeys(merged) if key in lines]
    # What both moved can be missing: it follows what it follows in the newer text.
    for key in [*ours, *theirs]:
        if key in lines and key not in result:
            order = list(ours if key in ours else theirs)
            earlier = [one for one in order[: order.index(key)] if one in result]
            result.insert(result.index(earlier[-1]) + 1 if earlier else 0, key)
    return {key: lines[key] for key in result}


def _merge_line(
    before: BlockLine | None, theirs: BlockLine | None, ours: BlockLine | None
) -> BlockLine | None:
    """What becomes of a line that has, or had, one key in all three; None when it goes."""
    if theirs is None or ours is None:
        return None if before is not None else theirs or ours
    if isinstance(theirs, TaskLine) and isinstance(ours, TaskLine):
        return _merge_task(before if isinstance(before, TaskLine) else None, theirs, ours)
    return ours


def _merge_task(before: TaskLine | None, theirs: TaskLine, ours: TaskLine) -> TaskLine:
    known = {} if before is None else _fields(before)
    mine = _fields(ours)
    fields = merge_fields(known, _fields(theirs), mine)
    metadata = merge_fields(before.metadata if before else {}, theirs.metadata, ours.metadata)
    state = TaskState(fields["state"])
    if before is None:
        state = max(theirs.state, ours.state, key=_PROGRESS.index)
    if same({**fields, "state": state}, mine) and same(metadata, ours.metadata):
        return ours
    merged = copy(ours)
    merged.title = fields["title"]
    others = {name: value for name, value in fields.items() if name not in {"title", "state"}}
    merged.notes = {name[len(_NOTE) :]: value for name, value in others.items()}
    merged.notes |= {"metadata": metadata} if metadata else {}
    merged.pinned = ours.pinned or theirs.pinned
    merged.write_marks(state)
    return merged


_NOTE = "note "


def _fields(task: TaskLine) -> dict[str, Any]:
    """What can be told apart of a task, but for its id and metadata; the notes of others too."""
    notes = {
        f"{_NOTE}{name}": value
        for name, value in task.notes.items()
        if name not in {"id", "metadata"}
    }
    return {"title": task.title, "state": task.state, **notes}


def _name_apart(lines: dict[_Key, BlockLine], known: set[_Key]) -> dict[str, str]:
    """Give the tasks that only the newest text has ids that no other one has; which became which.

    Whoever added the others was told their ids before.
    """
    taken = {key[1] for key in lines if _is_task(key) and key in known}
    renamed: dict[str, str] = {}
    for key, line in lines.items():
        if not isinstance(line, TaskLine) or key in known:
            continue
        if line.id in taken:
            other = copy(line)
            other.id = renamed[line.id] = unique(line.id, taken)
            lines[key] = other
            taken.add(other.id)
        else:
            taken.add(line.id)
    return renamed
