"""The versions of a text on GitHub, and which edits each of them holds.

Every edit that is written gets an id, and a comment in the text tells the latest of those that are
in it: ``<!-- rg:edits 3f2a9c 77ab01 -->``. So whoever reads a text knows whether it was made from
another one or in ignorance of it, and no two writes leave the same text, of which GitHub would keep
one version only.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from resources_graph_core.github_memory.markdown import find_block, outside_code
from resources_graph_core.github_memory.merging import changes_between

if TYPE_CHECKING:
    from collections.abc import Sequence

KEPT = 8
"""Ids in the comment: as many as writers may be ahead of one that looks for his own."""

_COMMENT = re.compile(r"<!-- rg:edits(?P<ids>(?: [0-9a-f]{6})*) -->")


def new_edit() -> str:
    """The id of one more edit."""
    return secrets.token_hex(3)


@dataclass(frozen=True, slots=True)
class Version:
    """A text without the comment, and the ids of the latest edits that are in it, oldest first."""

    text: str
    edits: tuple[str, ...] = ()

    @classmethod
    def of(cls, body: str) -> Version:
        """The version that a body is. Comments in code are text about comments."""
        edits: list[str] = []
        kept, at = [], 0
        for match in outside_code(body, _COMMENT):
            edits += match["ids"].split()
            kept.append(body[at : match.start()])
            at = match.end()
        return cls("".join((*kept, body[at:])), tuple(edits))

    def with_edit(self, text: str, edit: str, others: Sequence[str] = ()) -> Version:
        """What this version becomes by ``edit``, which puts in ``others`` as well."""
        # What it was made from stays next to last: see made_from.
        before = [one for one in self.edits[:-1] if one not in others]
        edits = [*before, *others, *self.edits[-1:], edit]
        return Version(text, tuple(dict.fromkeys(edits))[-KEPT:])

    def body(self, begin: str, end: str) -> str:
        """The text with the comment, just after the block between ``begin`` and ``end``."""
        if not self.edits:
            return self.text
        block = find_block(self.text, begin, end)
        at = len(self.text) if block is None else block.end + len(end)
        return f"{self.text[:at]}<!-- rg:edits {' '.join(self.edits)} -->{self.text[at:]}"

    def holds(self, other: Version) -> bool:
        """Whether it was made from ``other``, or from what was, as far as the ids tell."""
        return not other.edits or other.edits[-1] in self.edits


@dataclass(frozen=True, slots=True)
class Overwritten:
    """A version that was overwritten unseen, and the one that it was made from."""

    base: Version
    version: Version

    @property
    def edits(self) -> tuple[str, ...]:
        """The edits that it brought; none for a program that leaves no ids."""
        return tuple(one for one in self.version.edits if one not in self.base.edits)


def place_in(versions: Sequence[Version], mine: Version) -> int | None:
    """Where a version that was written here stands among those there are, newest first.

    Its last edit is its own. A program that leaves no ids can have made newer ones from it.
    """
    places = [at for at, one in enumerate(versions) if one.edits[-1:] == mine.edits[-1:]]
    return places[-1] if places else None


def overwritten(base: Version, mine: Version, versions: Sequence[Version]) -> list[Overwritten]:
    """What a write of ``mine``, made from ``base``, overwrote unseen, oldest first.

    ``versions`` are those there are, newest first. Where they lack the base, nothing can be said of
    the others.
    """
    place = place_in(versions, mine)
    older = [] if place is None else versions[place + 1 :]
    unseen = older[: older.index(base)] if base in older else []
    found = []
    for at, version in enumerate(unseen):
        origin = _made_from(version, [one for one in older[at + 1 :] if one.text != version.text])
        if origin is not None:
            found.append(Overwritten(origin, version))
    return found[::-1]


def _made_from(version: Version, older: Sequence[Version]) -> Version | None:
    """Which of the ``older`` versions, newest first, one was made from.

    It is one whose last edit is the latest that is known in it. A program that leaves no ids can
    have made several of these: then it is taken for the one that differs least, since whoever
    changed an old copy changed little of it.
    """

    def known(one: Version) -> int:
        return version.edits.index(one.edits[-1]) if one.edits else -1

    seen = [one for one in older if version.holds(one)] if version.edits else []
    if not seen:
        return min(older, key=partial(_changes, version), default=None)
    latest = max(map(known, seen))
    return min((one for one in seen if known(one) == latest), key=partial(_changes, version))


def _changes(one: Version, other: Version) -> int:
    return changes_between(one.text, other.text)
