"""Three texts into one, each block in them by its own rules, whoever of its writers does it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from resources_graph_core.errors import BlockError
from resources_graph_core.github_memory import roadmap_block, triage_block
from resources_graph_core.github_memory.markdown import find_block, without_block
from resources_graph_core.github_memory.roadmap_merge import merge_roadmap
from resources_graph_core.github_memory.triage_merge import merge_triage
from resources_graph_core.github_memory.versions import Merged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from resources_graph_core.github_memory.containing import Merge
    from resources_graph_core.github_memory.markdown import Block
    from resources_graph_core.github_memory.versions import Version


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of block: its markers, and the header above it."""

    begin: str
    end: str
    header: str

    def find(self, text: str) -> Block | None:
        return find_block(text, self.begin, self.end)


_ROADMAP = _Kind(roadmap_block.BEGIN, roadmap_block.END, roadmap_block.HEADER)
_TRIAGE = _Kind(triage_block.BEGIN, triage_block.END, triage_block.HEADER)


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


def _with_other(own: Merge, mine: _Kind, other: Merge, others: _Kind) -> Merge:
    def merge(
        base: Version, lost: Version, now: Version, order: Mapping[str, int] | None = None
    ) -> Merged:
        try:
            if not any(others.find(version.text) for version in (lost, now)):
                return own(base, lost, now, order)
            beside = other(*_apart(base, lost, now, mine), order)
            content = _inside(beside.text, others)
        except BlockError:  # then it is text as any other, merged line by line
            return own(base, lost, now, order)
        merged = own(*_apart(base, lost, now, others), order)
        names = merged.names if beside.names is None else beside.names
        return Merged(_filled(merged.text, others, content), names)

    return merge


def _apart(
    base: Version, lost: Version, now: Version, kind: _Kind
) -> tuple[Version, Version, Version]:
    """The versions with nothing in a block, which stands where it does ``now``, if it does.

    Two writers may each have begun one, at different places.
    """
    if kind.find(lost.text) is None or kind.find(now.text) is None:
        return _emptied(base, kind), _emptied(lost, kind), _emptied(now, kind)
    return _without(base, kind), _without(lost, kind), _emptied(now, kind)


def _inside(text: str, kind: _Kind) -> str:
    """What a block holds; nothing where there is none."""
    block = kind.find(text)
    return "" if block is None else text[block.start : block.end]


def _emptied(version: Version, kind: _Kind) -> Version:
    """A version with nothing between the markers of a block."""
    return replace(version, text=_filled(version.text, kind, ""))


def _without(version: Version, kind: _Kind) -> Version:
    text = without_block(version.text, kind.begin, kind.end, header=kind.header)
    return replace(version, text=text)


def _filled(text: str, kind: _Kind, content: str) -> str:
    block = kind.find(text)
    return text if block is None else f"{text[: block.start]}{content}{text[block.end :]}"
