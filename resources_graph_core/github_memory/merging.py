"""Three texts into one: what somebody else changed, put into a text that replaced it unseen."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from resources_graph_core.github_memory.markdown import find_block
from resources_graph_core.github_memory.triage_block import BEGIN, END, TriageBlock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.github_memory.records import TriageEntry


def merge_lines(base: str, lost: str, now: str) -> str:
    """``now`` with what changed from ``base`` to ``lost``, line by line.

    Where both changed a line, ``now`` is kept; where only one took a line out that the other
    changed, the change is kept. What both put in at one place stands there once where it is the
    same, else ``lost`` first.
    """
    parts = base.split("\n")
    theirs, ours = _changes(parts, lost.split("\n")), _changes(parts, now.split("\n"))
    merged: list[str] = []
    for at, line in enumerate(parts):
        merged += _union(theirs.before[at], ours.before[at])
        merged += _of_line([line], theirs.lines[at], ours.lines[at])
    merged += _union(theirs.before[-1], ours.before[-1])
    return "\n".join(merged)


def merge_triage(base: str, lost: str, now: str) -> str:
    """The same for a triage issue: its entries one by one, the text around them by lines.

    Raises BlockError when one of the three cannot be read.
    """
    before, theirs, ours = (_entries(text) for text in (base, lost, now))
    block = TriageBlock(_around(base, lost, now))
    for ref, entry in theirs.items():
        if entry != before.get(ref) and ours.get(ref) == before.get(ref):
            block.put(entry)
    for ref, entry in before.items():
        if ref not in theirs and ours.get(ref) == entry:
            block.remove(ref)
    return block.text


def _entries(text: str) -> dict[str, TriageEntry]:
    return {entry.ref.lower(): entry for entry in TriageBlock(text).entries}


def _around(base: str, lost: str, now: str) -> str:
    """``now`` with what changed around the block; ``now`` itself when the block is not in all."""
    places = [find_block(text, BEGIN, END) for text in (base, lost, now)]
    cut = [
        text[: place.start] + text[place.end :]
        for text, place in zip((base, lost, now), places, strict=True)
        if place is not None
    ]
    ours = places[-1]
    if len(cut) < len(places) or ours is None:
        return now
    merged = merge_lines(*cut)
    place = find_block(merged, BEGIN, END)
    if place is None:
        return now
    return merged[: place.start] + now[ours.start : ours.end] + merged[place.end :]


@dataclass(frozen=True, slots=True)
class _Changes:
    """Of each line what became of it (itself, another, nothing), and what was put in before it."""

    lines: list[list[str]]
    before: list[list[str]]


def _changes(base: Sequence[str], changed: Sequence[str]) -> _Changes:
    found = _Changes([[line] for line in base], [[] for _ in range(len(base) + 1)])
    matcher = SequenceMatcher(None, base, changed, autojunk=False)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind == "equal":
            continue
        paired = min(i2 - i1, j2 - j1)
        for step in range(i2 - i1):
            found.lines[i1 + step] = [changed[j1 + step]] if step < paired else []
        found.before[i2] += changed[j1 + paired : j2]
    return found


def _of_line(line: list[str], theirs: list[str], ours: list[str]) -> list[str]:
    if ours in (line, []) and theirs != line:
        return theirs if ours == line or theirs else ours
    return ours


def _union(theirs: list[str], ours: list[str]) -> list[str]:
    """Both, what is the same in both once."""
    matcher = SequenceMatcher(None, theirs, ours, autojunk=False)
    merged: list[str] = []
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        merged += theirs[i1:i2]
        merged += [] if kind == "equal" else ours[j1:j2]
    return merged
