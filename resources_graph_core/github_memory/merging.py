"""Three texts into one: what somebody else changed, put into a text that replaced it unseen.

Lines are told apart by what they say, tasks and entries by what they are about. What both put in
stands there once where it is the same.
"""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, TypeVar

from resources_graph_core.github_memory import roadmap_block, triage_block
from resources_graph_core.github_memory.markdown import find_block
from resources_graph_core.github_memory.roadmap_block import RoadmapBlock
from resources_graph_core.github_memory.task_line import progress_of, task_key
from resources_graph_core.github_memory.triage_block import TriageBlock

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from resources_graph_core.github_memory.records import TriageEntry

TokenT = TypeVar("TokenT", bound="Hashable")


def merge_lines(base: str, lost: str, now: str) -> str:
    """``now`` with what changed from ``base`` to ``lost``, line by line.

    A line goes that either took out. What ``lost`` put in comes before what ``now`` put in at the
    same place; a line that both changed is there in both ways.
    """
    return "\n".join(_merge(*(text.split("\n") for text in (base, lost, now))))


def merge_roadmap(base: str, lost: str, now: str) -> str:
    """The same for a roadmap issue: its tasks one by one, everything else by lines.

    A task that both changed is kept as ``now`` has it, and one that both added as the further one
    has it; one that either took out goes. Raises BlockError when what comes of it cannot be read.
    """
    merged = _around(base, lost, now, roadmap_block.BEGIN, roadmap_block.END)
    if merged is None:
        return RoadmapBlock(merge_lines(base, lost, now)).text
    before, inside, after = merged
    return RoadmapBlock(f"{before}{_merge_tasks(*inside)}{after}").text


def merge_triage(base: str, lost: str, now: str) -> str:
    """The same for a triage issue: its entries one by one, the text around them by lines.

    Raises BlockError when one of the three cannot be read.
    """
    before, theirs, ours = (_entries(text) for text in (base, lost, now))
    around = _around(base, lost, now, triage_block.BEGIN, triage_block.END)
    block = TriageBlock(now if around is None else around[0] + around[1][-1] + around[2])
    for ref, entry in theirs.items():
        if entry != before.get(ref) and ours.get(ref) == before.get(ref):
            block.put(entry)
    for ref in before:
        if ref not in theirs and ref in ours:
            block.remove(ref)
    return block.text


def _entries(text: str) -> dict[str, TriageEntry]:
    return {entry.ref.lower(): entry for entry in TriageBlock(text).entries}


def _around(
    base: str, lost: str, now: str, begin: str, end: str
) -> tuple[str, tuple[str, str, str], str] | None:
    """What comes before and after the block, merged, and the three insides of the block.

    None where the block is not in both ``lost`` and ``now``, or does not come out whole.
    """
    rest: list[str] = []
    insides: list[str] = []
    for text in (base, lost, now):
        place = find_block(text, begin, end)
        rest.append(text if place is None else text[: place.start] + text[place.end :])
        insides.append("" if place is None else text[place.start : place.end])
        if place is None and text is not base:
            return None
    merged = merge_lines(*rest)
    place = find_block(merged, begin, end)
    if place is None or place.start != place.end:
        return None
    return merged[: place.start], (insides[0], insides[1], insides[2]), merged[place.end :]


def _merge_tasks(base: str, lost: str, now: str) -> str:
    """The inside of a roadmap's block."""
    before, theirs, ours = (_keyed(text) for text in (base, lost, now))
    merged = _merge(list(before), list(theirs), list(ours))
    content = {
        key: line
        for key in {**before, **theirs, **ours}
        if (line := _content(before.get(key), theirs.get(key), ours.get(key))) is not None
    }
    result = [key for key in dict.fromkeys(merged) if key in content]
    missing = [key for key in [*ours, *theirs] if key in content and key not in result]
    for key in missing:
        order = list(ours if key in ours else theirs)
        earlier = [one for one in order[: order.index(key)] if one in result]
        result.insert(result.index(earlier[-1]) + 1 if earlier else 0, key)
    return "\n".join(content[key] for key in result)


def _keyed(text: str) -> dict[tuple[str, int], str]:
    """The lines of a block by what they are; equal ones are numbered."""
    seen: Counter[str] = Counter()
    found: dict[tuple[str, int], str] = {}
    for line in text.split("\n"):
        key = task_key(line) or f"line {line}"
        seen[key] += 1
        found[key, seen[key]] = line
    return found


def changes_between(one: str, other: str) -> int:
    """How many lines differ between two texts; a task whose state differs is one."""
    lines, others = _keyed(one), _keyed(other)
    return sum(lines.get(key) != others.get(key) for key in {**lines, **others})


def _content(before: str | None, theirs: str | None, ours: str | None) -> str | None:
    """What becomes of a line that has, or had, one key in all three; None when it goes."""
    if theirs in (ours, before):
        return ours
    if ours == before:
        return theirs
    if theirs is None or ours is None:
        return None if before is not None else theirs or ours
    further = before is None and progress_of(theirs) > progress_of(ours)
    return theirs if further else ours


def _merge(base: list[TokenT], lost: list[TokenT], now: list[TokenT]) -> list[TokenT]:
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
