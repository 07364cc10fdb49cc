"""Whether a text has a change in it: by the ids of edits, and where it tells none by its words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Protocol

from resources_graph_core.errors import BlockError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from resources_graph_core.github_memory.versions import Change, Merged, Version


class Merge(Protocol):
    """Puts what changed from ``base`` to ``lost`` into ``now``.

    ``order`` tells which of two edits came first, where both gave one id.
    """

    def __call__(
        self, base: Version, lost: Version, now: Version, order: Mapping[str, int] | None = None
    ) -> Merged:
        """Raises BlockError for a text that cannot be read."""


def holds(made: Change, now: Version, merge: Merge) -> bool:
    """Whether a change is in a text, though perhaps not in the same order.

    A text that cannot be read is taken for one that has it: it is not ours to mend.
    """
    if made.edits and now.edits:
        return now.holds(made.version)
    base, text = made.base.text, made.version.text
    moved = _distance(base, text) == 0
    if text == now.text or (not moved and _shows(base, text, now.text)):
        return True
    try:
        merged = merge(made.base, made.version, now).text
    except BlockError:
        return not _can_be_read(now, merge)
    return merged == now.text if moved else _distance(merged, now.text) == 0


def _can_be_read(version: Version, merge: Merge) -> bool:
    try:
        merge(version, version, version)
    except BlockError:
        return False
    return True


def _distance(one: str, other: str) -> int:
    """How many lines are only in one of two texts."""
    lines, others = Counter(one.split("\n")), Counter(other.split("\n"))
    return ((lines - others) + (others - lines)).total()


def _shows(base: str, text: str, now: str) -> bool:
    """Whether every line that was put in is in a text, and none that was taken out."""
    before, after, held = (Counter(one.split("\n")) for one in (base, text, now))
    return not (after - before) - held and all(held[line] <= after[line] for line in before - after)
