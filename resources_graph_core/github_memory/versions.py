"""The versions of a text on GitHub, and which edits each of them holds.

Every edit that is written gets an id, and a comment in the text tells the latest of those that are
in it, with the ids of what they added: ``<!-- rg:edits 3f2a9c 77ab01.write-the-parser -->``. So
whoever reads a text knows whether it was made from another one or in ignorance of it, and what two
writers added under one id can be told apart. No two writes leave the same text, of which GitHub
would keep one version only.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from resources_graph_core.github_memory.markdown import find_block, outside_code
from resources_graph_core.github_memory.merging import changes_between

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

KEPT = 10
"""Edits in the comment: as many as writers may be ahead of one that looks for his own."""

_COMMENT = re.compile(
    r"<!-- rg:edits(?P<edits>(?: [0-9a-f]{6}(?:\.[^\s.=<>]+(?:=[^\s.=<>]+)?)*)*) -->"
)

Identity = tuple[str, str]
"""What was added: by which edit, and the id that it had then."""


def new_edit() -> str:
    """The id of one more edit."""
    return secrets.token_hex(3)


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit: its id, and the ids of what it added, as they were given and as they are now."""

    id: str
    added: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, word: str) -> Edit:
        """The edit that a word of the comment tells."""
        edit, *added = word.split(".")
        ids = [one.partition("=") for one in added]
        return cls(edit, tuple((given, now or given) for given, _, now in ids))

    @property
    def word(self) -> str:
        """How the comment tells it."""
        ids = [given if given == now else f"{given}={now}" for given, now in self.added]
        return ".".join((self.id, *ids))


@dataclass(frozen=True, slots=True)
class Version:
    """A text without the comment, and the latest edits that are in it, oldest first."""

    text: str
    edits: tuple[Edit, ...] = ()

    @classmethod
    def of(cls, body: str) -> Version:
        """The version that a body is. Comments in code are text about comments."""
        edits: list[Edit] = []
        kept, at = [], 0
        for match in outside_code(body, _COMMENT):
            edits += map(Edit.of, match["edits"].split())
            kept.append(body[at : match.start()])
            at = match.end()
        return cls("".join((*kept, body[at:])), tuple(edits))

    @property
    def identities(self) -> dict[str, Identity]:
        """Who added what, by the id that it has now, as far as the comment tells."""
        return {now: (edit.id, given) for edit in self.edits for given, now in edit.added}

    def with_edit(self, text: str, edit: Edit, ids: Collection[str] | None) -> Version:
        """What this version becomes by ``edit``, which leaves ``ids``; None leaves what there is.

        That is an edit of something else in the text, which knows of none.
        """
        new = {now for _, now in edit.added}
        names = {
            who: now
            for now, who in self.identities.items()
            if (ids is None or now in ids) and now not in new
        }
        return Version(text, (*_named(self.edits, names), edit)[-KEPT:])

    def with_others(
        self, text: str, edits: Iterable[Edit], names: Mapping[Identity, str] | None
    ) -> Version:
        """What this version becomes when the ``edits`` of others are put in.

        ``names`` has the ids that what was added has then, None leaves those that were given.
        """
        others = {one.id: one for one in edits}
        if names is None:
            told = (*others.values(), *self.edits)
            names = {(one.id, given): now for one in told for given, now in one.added}
        before = [one for one in self.edits[:-1] if one.id not in others]
        last = [one for one in self.edits[-1:] if one.id not in others]
        # Whoever made an edit long ago has to find the new ids of what it added.
        named_anew = {
            one.id
            for one in before
            if any(names.get((one.id, given), now) != now for given, now in one.added)
        }
        before.sort(key=lambda one: one.id in named_anew)
        # What it was made from stays last: see _made_from.
        return Version(text, _named([*before, *others.values(), *last], names)[-KEPT:])

    def with_history(self, older: Sequence[Version]) -> Version:
        """This version with all edits that are in it, as far as those tell that are ``older``.

        ``older`` are newest first. The comment tells the latest edits only.
        """
        known = {one.id for one in self.edits}
        edits = {one.id: one for one in reversed(self.edits)}
        for version in older:
            if version.edits and version.edits[-1].id in known:
                known.update(one.id for one in version.edits)
                for one in reversed(version.edits):
                    edits.setdefault(one.id, one)
        return Version(self.text, tuple(edits.values())[::-1])

    def body(self, begin: str, end: str) -> str:
        """The text with the comment, just after the block between ``begin`` and ``end``."""
        if not self.edits:
            return self.text
        block = find_block(self.text, begin, end)
        at = len(self.text) if block is None else block.end + len(end)
        words = " ".join(one.word for one in self.edits)
        return f"{self.text[:at]}<!-- rg:edits {words} -->{self.text[at:]}"

    def holds(self, other: Version) -> bool:
        """Whether it was made from ``other``, or from what was, as far as the ids tell."""
        return not other.edits or other.edits[-1].id in {one.id for one in self.edits}


def _named(edits: Iterable[Edit], names: Mapping[Identity, str]) -> tuple[Edit, ...]:
    """The edits with the ids that what they added has now, and without what is gone."""
    return tuple(
        Edit(
            one.id,
            tuple(
                (given, names[one.id, given]) for given, _ in one.added if (one.id, given) in names
            ),
        )
        for one in edits
    )


@dataclass(frozen=True, slots=True)
class Merged:
    """A text that was put together; ``names`` has the ids that what was added has in it.

    None where the block gives no ids: then all that were given stay.
    """

    text: str
    names: Mapping[Identity, str] | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A version, and the one that it was made from."""

    base: Version
    version: Version

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits that it brought; none for a program that leaves no ids."""
        known = {one.id for one in self.base.edits}
        return tuple(one for one in self.version.edits if one.id not in known)


@dataclass(frozen=True, slots=True)
class Lost:
    """A change that was overwritten unseen, and the version that did so."""

    change: Change
    by: Version


def place_in(versions: Sequence[Version], mine: Version) -> int | None:
    """Where a version that was written here stands among those there are, newest first.

    Its last edit is its own. A program that leaves no ids can have made newer ones from it.
    """
    wanted = [one.id for one in mine.edits[-1:]]
    places = [at for at, one in enumerate(versions) if [e.id for e in one.edits[-1:]] == wanted]
    return places[-1] if places else None


def newest_holds(versions: Sequence[Version], mine: Version) -> bool:
    """Whether the newest version was made from ``mine``, be it by way of many others."""
    known = _known_to_newest(versions)
    return all(one.id in known for one in mine.edits[-1:])


def are_whole(versions: Sequence[Version]) -> bool:
    """Whether nothing is about to be put back.

    That is what a version did not know that overwrote it, unless a program did so that leaves no
    ids: it does not look back.
    """
    known = _known_to_newest(versions)
    last = [one.edits[-1].id if one.edits else "" for one in versions]
    for at, edit in enumerate(last):
        if not edit:
            return True  # nothing is known of what comes before
        by_one_with_ids = at and last[at - 1] not in last[at:]
        if edit not in known and by_one_with_ids:
            return False
    return True


def _known_to_newest(versions: Sequence[Version]) -> set[str]:
    """The ids of all edits that are in the newest version.

    It tells the latest only, the versions that it was made from tell those before.
    """
    known: set[str] = set()
    for at, version in enumerate(versions):
        if not at or (version.edits and version.edits[-1].id in known):
            known.update(one.id for one in version.edits)
    return known


def overwritten(mine: Change, versions: Sequence[Version]) -> list[Lost]:
    """What a write overwrote unseen, oldest first.

    ``versions`` are those there are, newest first. Where they lack the base, nothing can be said of
    the others.
    """
    base = mine.base
    place = place_in(versions, mine.version)
    older = [] if place is None else versions[place + 1 :]
    unseen = older[: older.index(base)] if base in older else []
    known = _known_to_newest(versions[place or 0 :])
    found = []
    for at, version in enumerate(unseen):
        origin = _origin(version, older[at + 1 :], known)
        if origin is not None:
            found.append(Lost(Change(origin, version), mine.version))
    return found[::-1]


def _origin(version: Version, older: Sequence[Version], known: set[str]) -> Version | None:
    """What one was made from, or what that was made from, as far as it is not ``known`` itself."""
    at, origin = _made_from(version, older)
    while origin is not None and origin.edits and origin.edits[-1].id not in known:
        older = older[at + 1 :]
        at, origin = _made_from(origin, older)
    return origin


def _made_from(version: Version, older: Sequence[Version]) -> tuple[int, Version | None]:
    """Which of the ``older`` versions, newest first, one was made from, and its place.

    It is one whose last edit is the latest that is known in it. A program that leaves no ids can
    have made several of these: then it is taken for the one that differs least, since whoever
    changed an old copy changed little of it.
    """
    ids = [one.id for one in version.edits]

    def latest_in(one: Version) -> int:
        return ids.index(one.edits[-1].id) if one.edits else -1

    others = [at for at, one in enumerate(older) if one.text != version.text]
    seen = [at for at in others if version.holds(older[at])] if version.edits else []
    if seen:
        latest = max(latest_in(older[at]) for at in seen)
        others = [at for at in seen if latest_in(older[at]) == latest]
    place = min(others, key=lambda at: _changes(version, older[at]), default=None)
    return (0, None) if place is None else (place, older[place])


def _changes(one: Version, other: Version) -> int:
    return changes_between(one.text, other.text)
