"""Three roadmaps into one: what a writer changed, put into a roadmap that replaced it unseen."""

from __future__ import annotations

from collections import Counter
from copy import copy
from typing import TYPE_CHECKING, Any

from resources_graph_core.github_memory.merging import (
    merge_around,
    merge_fields,
    merge_lines,
    merge_tokens,
    same,
)
from resources_graph_core.github_memory.records import TaskState
from resources_graph_core.github_memory.roadmap_block import BEGIN, END, HEADER, RoadmapBlock
from resources_graph_core.github_memory.roadmap_lines import BlockLine, TaskLine
from resources_graph_core.github_memory.slugs import slug, unique
from resources_graph_core.github_memory.versions import Identity, Merged, Version

if TYPE_CHECKING:
    from collections.abc import Mapping

_Key = tuple[str, str, str]
"""What a line is: a task and who added it, or its id; else its words and which of equal ones."""

_PROGRESS = list(TaskState)


def merge_roadmap(
    base: Version, lost: Version, now: Version, order: Mapping[str, int] | None = None
) -> Merged:
    """``now`` with what changed from ``base`` to ``lost``: tasks field by field, the rest by lines.

    A field of a task that both changed is kept as ``now`` has it; a task that either took out goes.
    Tasks that two edits added under one id are two, and that of the later edit (``order`` tells)
    gets another id; where it is not known who added them they are one, as far as the further one
    is. Raises BlockError when a text cannot be read.
    """
    versions = base, lost, now
    texts = base.text, lost.text, now.text
    blocks = [RoadmapBlock(text) for text in texts]
    around = merge_around(*texts, BEGIN, END, header=HEADER)
    if around is None:
        merged = RoadmapBlock(merge_lines(*texts)).text
        return Merged(merged, {who: id_ for id_, who in now.identities.items()})
    known: dict[str, Identity] = {}
    for version in versions:
        known.update(version.identities)
    before, theirs, ours = (
        _keyed(block, {**known, **version.identities})
        for block, version in zip(blocks, versions, strict=True)
    )
    lines = _merge_block(before, theirs, ours)
    _name(lines, order or {})
    blocks[2].replace_all(around[0], list(lines.values()), around[1])
    names = {
        (key[1], key[2]): line.id
        for key, line in lines.items()
        if isinstance(line, TaskLine) and key[0] == "added"
    }
    return Merged(blocks[2].text, names)


def _keyed(block: RoadmapBlock, identities: Mapping[str, Identity]) -> dict[_Key, BlockLine]:
    seen: Counter[str] = Counter()
    found: dict[_Key, BlockLine] = {}
    for line in block.lines:
        if not isinstance(line, TaskLine):
            words = line.text.rstrip("\r\n")
            seen[words] += 1
            found["line", words, str(seen[words])] = line
        elif line.id in identities:
            found["added", *identities[line.id]] = line
        else:
            found["task", line.id, ""] = line
    return found


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
    merged.id = fields["id"]
    merged.title = fields["title"]
    others = {name: value for name, value in fields.items() if name not in {"id", "title", "state"}}
    merged.notes = {name[len(_NOTE) :]: value for name, value in others.items()}
    merged.notes |= {"metadata": metadata} if metadata else {}
    merged.pinned = ours.pinned or theirs.pinned
    merged.write_marks(state)
    return merged


_NOTE = "note "


def _fields(task: TaskLine) -> dict[str, Any]:
    """What can be told apart of a task, but for its metadata; the notes of others too."""
    notes = {
        f"{_NOTE}{name}": value
        for name, value in task.notes.items()
        if name not in {"id", "metadata"}
    }
    return {"id": task.id, "title": task.title, "state": task.state, **notes}


def _name(lines: dict[_Key, BlockLine], order: Mapping[str, int]) -> None:
    """Give new ids to tasks that have one of another task: to those that were added last.

    Who added the first one may have been told its id; who added a later one was not yet, since he
    had overwritten the first. New ids are made of the edit, so that nobody else gives them.
    """

    def since(key: _Key) -> int:
        return order.get(key[1], -1) if key[0] == "added" else -1

    given: set[str] = set()
    for key in sorted(lines, key=since):
        line = lines[key]
        if not isinstance(line, TaskLine):
            continue
        if line.id in given:
            line = copy(line)
            line.id = unique(f"{slug(line.title)}-{key[1]}", given)
            lines[key] = line
        given.add(line.id)
