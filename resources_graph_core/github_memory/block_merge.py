"""Three texts into one, each block in them by its own rules, whoever of its writers does it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from resources_graph_core.errors import BlockError
from resources_graph_core.github_memory import roadmap_block, triage_block
from resources_graph_core.github_memory.markdown import find_block
from resources_graph_core.github_memory.roadmap_merge import merge_roadmap
from resources_graph_core.github_memory.triage_merge import merge_triage
from resources_graph_core.github_memory.versions import Merged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from resources_graph_core.github_memory.containing import Merge
    from resources_graph_core.github_memory.versions import Version

_Markers = tuple[str, str]

_ROADMAP: _Markers = (roadmap_block.BEGIN, roadmap_block.END)
_TRIAGE: _Markers = (triage_block.BEGIN, triage_block.END)


def merge_for_roadmap(
    base: Version, lost: Version, now: Version, order: Mapping[str, int] | None = None
) -> Merged:
    """What a writer of a roadmap puts together, see :func:`merge_roadmap`, a backlog beside it too.

    Raises BlockError when the roadmap cannot be read; what is wrong in another block is not its
    business.
    """
    return _with_other(merge_roadmap, _ROADMAP, merge_triage, _TRIAGE)(base, lost, now, order)


def merge_for_triage(
    base: Version, lost: Version, now: Version, order: Mapping[str, int] | None = None
) -> Merged:
    """What a writer of a backlog puts together, see :func:`merge_triage`, a roadmap beside it too.

    Raises BlockError when the backlog cannot be read.
    """
    return _with_other(merge_triage, _TRIAGE, merge_roadmap, _ROADMAP)(base, lost, now, order)


def _with_other(own: Merge, mine: _Markers, other: Merge, others: _Markers) -> Merge:
    def merge(
        base: Version, lost: Version, now: Version, order: Mapping[str, int] | None = None
    ) -> Merged:
        try:
            if not any(_inside(version.text, others) for version in (lost, now)):
                return own(base, lost, now, order)
            beside = other(_emptied(base, mine), _emptied(lost, mine), _emptied(now, mine), order)
            content = _inside(beside.text, others)
        except BlockError:  # then it is text as any other, merged line by line
            return own(base, lost, now, order)
        merged = own(_emptied(base, others), _emptied(lost, others), _emptied(now, others), order)
        names = merged.names if beside.names is None else beside.names
        return Merged(_filled(merged.text, others, content), names)

    return merge


def _inside(text: str, markers: _Markers) -> str:
    """What a block holds; nothing where there is none."""
    block = find_block(text, *markers)
    return "" if block is None else text[block.start : block.end]


def _emptied(version: Version, markers: _Markers) -> Version:
    """A version with nothing between the markers of a block."""
    return replace(version, text=_filled(version.text, markers, ""))


def _filled(text: str, markers: _Markers, content: str) -> str:
    block = find_block(text, *markers)
    return text if block is None else f"{text[: block.start]}{content}{text[block.end :]}"
