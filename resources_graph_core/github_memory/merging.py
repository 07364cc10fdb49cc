"""Three texts into one: what somebody else changed, put into a text that replaced it unseen."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, TypeVar

from resources_graph_core.github_memory.markdown import find_block, without_block
from resources_graph_core.github_memory.task_line import task_key

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

TokenT = TypeVar("TokenT", bound="Hashable")

_ABSENT = object()


def merge_lines(base: str, lost: str, now: str) -> str:
    """``now`` with what changed from ``base`` to ``lost``, line by line.

    A line goes that either took out. What ``lost`` put in comes before what ``now`` put in at the
    same place; a line that both changed is there in both ways.
    """
    return "\n".join(merge_tokens(*(text.split("\n") for text in (base, lost, now))))


def merge_fields(
    base: Mapping[str, Any], lost: Mapping[str, Any], now: Mapping[str, Any]
) -> dict[str, Any]:
    """``now`` with every field that changed from ``base`` to ``lost``, but for those it changed.

    A field that is not there is one that was taken out, or not yet put in.
    """
    merged = dict(now)
    for name in [*lost, *(name for name in base if name not in lost)]:
        before, theirs, ours = (one.get(name, _ABSENT) for one in (base, lost, now))
        if same(ours, before) and not same(theirs, before):
            if theirs is _ABSENT:
                merged.pop(name, None)
            else:
                merged[name] = theirs
    return merged


def same(one: object, other: object) -> bool:
    """Whether two values read from JSON are the same: 1 is not True, nor is it 1.0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def merge_around(
    base: str, lost: str, now: str, begin: str, end: str, *, header: str
) -> tuple[str, str] | None:
    """What comes before and after the block, merged; the markers belong to it.

    A block that only one of ``lost`` and ``now`` has stands where that one has it, unless it was
    taken out of ``now``. None where no text says where it stands, or it does not come out whole.
    """
    held = [find_block(text, begin, end) is not None for text in (base, lost, now)]
    match held:
        case [_, True, True]:
            whole = [True, True, True]
        case [_, False, True]:
            whole = [False, False, True]
        case [False, True, False]:
            whole = [False, True, False]
        case _:
            return None
    rest = [
        _emptied(text, begin, end) if keeps else without_block(text, begin, end, header=header)
        for text, keeps in zip((base, lost, now), whole, strict=True)
    ]
    merged = merge_lines(*rest)
    place = find_block(merged, begin, end)
    if place is None or place.start != place.end:
        return None
    return merged[: place.start], merged[place.end :]


def _emptied(text: str, begin: str, end: str) -> str:
    block = find_block(text, begin, end)
    return text if block is None else text[: block.start] + text[block.end :]


def changes_between(one: str, other: str) -> int:
    """How many lines differ between two texts; a task whose state differs is one."""
    lines, others = _keyed(one), _keyed(other)
    return sum(lines.get(key) != others.get(key) for key in {**lines, **others})


def _keyed(text: str) -> dict[tuple[str, int], str]:
    """The lines of a block by what they are; equal ones are numbered."""
    seen: Counter[str] = Counter()
    found: dict[tuple[str, int], str] = {}
    for line in text.split("\n"):
        key = task_key(line) or f"line {line}"
        seen[key] += 1
        found[key, seen[key]] = line
    return found


def merge_tokens(base: list[TokenT], lost: list[TokenT], now: list[TokenT]) -> list[TokenT]:
    """The same for any tokens in their order; empty texts may be there several times."""
    theirs_kept, theirs = _changes(base, lost)
    ours_kept, ours = _changes(base, now)
    known = Counter(token for tokens in ours for token in tokens if token != "")
    merged: list[TokenT] = []
    for at in range(len(base) + 1):
        new = [token for token in theirs[at] if token in ours[at] or not known[token]]
        merged += _union(new, ours[at])
        if at < len(base) and theirs_kept[at] and ours_kept[at]:
            merged.append(base[at])
    return merged


def _changes(
    base: Sequence[TokenT], changed: Sequence[TokenT]
) -> tuple[list[bool], list[list[TokenT]]]:
    """Which tokens of ``base`` are still there, and what was put in before each and at the end."""
    kept = [True] * len(base)
    put_in: list[list[TokenT]] = [[] for _ in range(len(base) + 1)]
    matcher = SequenceMatcher(None, base, changed, autojunk=False)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind != "equal":
            kept[i1:i2] = [False] * (i2 - i1)
            put_in[i2] += changed[j1:j2]
    return kept, put_in


def _union(theirs: list[TokenT], ours: list[TokenT]) -> list[TokenT]:
    """Both, what is the same in both once."""
    matcher = SequenceMatcher(None, theirs, ours, autojunk=False)
    merged: list[TokenT] = []
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        merged += theirs[i1:i2]
        merged += [] if kind == "equal" else ours[j1:j2]
    return merged
