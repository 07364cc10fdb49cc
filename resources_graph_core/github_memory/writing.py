"""How a text on GitHub is changed so that nobody's change is lost.

GitHub replaces a text without asking what it was, so two writers can each replace the other's. What
helps is the history that it keeps: after a write the version just before it has to be the one that
the change was made to. Where it is another, that one was overwritten unseen, and what it changed is
put into the text again, by whoever overwrote it. A writer who finds that his change was
overwritten waits a moment for the other to do so, then makes it again himself (the other may be a
program that knows nothing of this, or may have ended). Which text was made from which is told by
the ids of edits in it, see :mod:`resources_graph_core.github_memory.versions`.
"""

from __future__ import annotations

import random
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from resources_graph_core.errors import BlockError, GitHubError, WriteConflict, WriteUncertain
from resources_graph_core.github.problems import Passing
from resources_graph_core.github_memory.versions import (
    Overwritten,
    Version,
    new_edit,
    overwritten,
    place_in,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from resources_graph_core.address import Address
    from resources_graph_core.github_memory.issues import Issues, IssueText
    from resources_graph_core.github_memory.merging import Merged

ResultT = TypeVar("ResultT")

TRIES = 40
"""How often a change is made at most, with pauses that grow to a second."""
SHORT_HISTORY, LONG_HISTORY = 5, 100
"""Versions that are looked at, and how many when ours does not follow the one it was made from."""
MENDING = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
"""Seconds between looks at whether somebody put back what he overwrote."""
MENDED_WITHIN = 30.0
"""Seconds after a write in which somebody may still put it back."""
_LONGEST_PAUSE = 1.0


class Merge(Protocol):
    """Puts what changed from ``base`` to ``lost`` into ``now``.

    What both added under one id is two things where ``apart`` has the id, else one.
    """

    def __call__(
        self, base: str, lost: str, now: str, *, apart: Collection[str] = frozenset()
    ) -> Merged:
        """Raises BlockError for a text that cannot be read."""


@dataclass(frozen=True, slots=True)
class BlockKind:
    """A kind of block: between which markers it stands, and how three texts become one."""

    begin: str
    end: str
    merge: Merge


@dataclass(frozen=True, slots=True)
class Edited(Generic[ResultT]):
    """A text with a change made to it, and what whoever made the change is told.

    ``added`` has the ids of what is new whatever others add at the same time.
    """

    text: str
    result: ResultT
    added: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Outcome(Generic[ResultT]):
    """How a write left an issue, and what its change told.

    ``renamed`` tells what became of ids in it which others had given, too.
    """

    issue: IssueText
    result: ResultT
    renamed: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Try(Generic[ResultT]):
    """A change that was sent: from which version, to which, and what is told of it."""

    base: Version
    version: Version
    edited: Edited[ResultT]


class Writer:
    """Changes the text of one issue, a block of one ``kind`` in it."""

    def __init__(self, issues: Issues, where: Address, kind: BlockKind) -> None:
        self._issues = issues
        self._where = where
        self._kind = kind
        self._timing = issues.timing
        self._last: tuple[Overwritten, float] | None = None

    def read(self) -> IssueText:
        """The issue as it is now, once what this writer wrote last is in it.

        Somebody may have overwritten it a moment ago and be about to put it back, which is waited
        for once.
        """
        issue = self._issues.read(self._where)
        if self._last is None:
            return issue
        written, since = self._last
        if self._timing.monotonic() - since > MENDED_WITHIN:
            self._last = None
        elif not self._is_known(written, issue):
            self._last = None
            for pause in MENDING[1:]:
                self._timing.sleep(pause)
                issue = self._issues.read(self._where)
                if self._holds(written, Version.of(issue.text)):
                    break
        return issue

    def write(self, change: Callable[[str], Edited[ResultT]]) -> Outcome[ResultT]:
        """Make ``change`` to the text as it is now; the issue as it was left.

        ``change`` may be called several times, each time with what is there; what it raises ends
        the write. Raises WriteConflict when others went on writing until the tries were used up,
        WriteUncertain when it cannot be told what became of the write.
        """
        tried: list[_Try[ResultT]] = []
        for attempt in range(TRIES):
            self._pause(attempt)
            issue = self.read()
            now = Version.of(issue.text)
            there = next((one for one in reversed(tried) if now.holds(one.version)), None)
            if there is None:
                edited = change(now.text)
                if edited.text == now.text:
                    return Outcome(issue, edited.result)
                # Nobody needs to put back an earlier try of what is in this one.
                earlier = [one.version.edits[-1] for one in tried]
                wanted = now.with_edit(edited.text, new_edit(), earlier)
                there = _Try(now, wanted, edited)
                tried.append(there)
                versions = self._replace(issue, wanted)
                if versions is None:
                    continue
            else:
                versions = self._versions(issue, there.version) or [now]
            made = Overwritten(there.base, there.version)
            newest, renamed = self._mend(made, versions, there.edited.added)
            issue = issue.model_copy(update={"body": self._body(newest)})
            if self._stays(made, issue):
                self._last = made, self._timing.monotonic()
                return Outcome(issue, there.edited.result, renamed)
        raise self._given_up()

    def _mend(
        self, made: Overwritten, versions: Sequence[Version], added: Collection[str]
    ) -> tuple[Version, dict[str, str]]:
        """Put back what a write overwrote unseen, then what doing so overwrote, and so on.

        Returns what is there now, and what became of ids in it.
        """
        renamed: dict[str, str] = {}
        lost: list[Overwritten] = []
        for attempt in range(TRIES):
            lost += overwritten(made.base, made.version, versions)
            if not lost:
                return versions[0], renamed
            self._pause(attempt)
            issue = self._issues.read(self._where)
            now = Version.of(issue.text)
            later = [*self._later(issue, made.version), now]
            apart = {renamed.get(one, one) for one in added}
            wanted, names = self._with(lost, now, later, apart)
            renamed = _both(renamed, names)
            if wanted.text == now.text:
                return now, renamed
            told = self._replace(issue, wanted)
            if told is not None:
                made, versions, lost = Overwritten(now, wanted), told, []
        raise self._given_up()

    def _with(
        self,
        lost: Sequence[Overwritten],
        now: Version,
        later: Sequence[Version],
        added: Collection[str],
    ) -> tuple[Version, dict[str, str]]:
        """``now`` with the changes that were lost, but for those that a ``later`` version has.

        Whoever made them may have made them again, and have gone on from there.
        """
        text, put_back, renamed = now.text, list[str](), dict[str, str]()
        try:
            for one in lost:
                if any(self._holds(one, version) for version in later):
                    continue
                known = {*now.edits, *put_back}
                # Of a program that leaves no ids it cannot be told whether it meant the same.
                other = bool(one.edits) and known.isdisjoint(one.edits)
                apart = {renamed.get(id_, id_) for id_ in added} if other else frozenset()
                merged = self._kind.merge(one.base.text, one.version.text, text, apart=apart)
                text, renamed = merged.text, _both(renamed, merged.renamed)
                put_back += one.edits
        except BlockError as error:
            raise WriteConflict(
                f"Somebody's edit of {self._where} was overwritten and cannot be put back, since "
                f"the text cannot be read ({error}). It is in the issue's edit history."
            ) from None
        return now.with_edit(text, new_edit(), put_back), renamed

    def _replace(self, issue: IssueText, wanted: Version) -> list[Version] | None:
        """Replace the text; the versions there are then, None when it cannot be told of."""
        text = self._body(wanted)
        with suppress(Passing):
            self._issues.replace_text(issue, text, self._where)
        try:
            for pause in (0.0, 0.1, 0.5):
                if pause:
                    self._timing.sleep(pause)
                if (versions := self._versions(issue, wanted)) is not None:
                    return versions
            # No history tells of it: take the text that is there for the newest version.
            now = Version.of(self._issues.read(self._where).text)
        except GitHubError as error:
            raise WriteUncertain(
                f"The text of {self._where} was sent, but what became of it cannot be looked up "
                f"({error}); look at the issue before writing to it again"
            ) from error
        return [now] if now == wanted else None

    def _versions(self, issue: IssueText, wanted: Version) -> list[Version] | None:
        """The history, as far as it is needed; None when it tells of no write of ``wanted``."""
        for count in (SHORT_HISTORY, LONG_HISTORY):
            versions, whole = self._history(issue, count)
            place = place_in(versions, wanted)
            if place is None:
                continue
            follows = versions[place + 1 : place + 2] == [Version.of(issue.text)]
            if follows or whole or count == LONG_HISTORY:
                return versions
        return None

    def _later(self, issue: IssueText, version: Version) -> list[Version]:
        """The versions after one that was written here."""
        versions, _ = self._history(issue, LONG_HISTORY)
        return versions[: place_in(versions, version) or 0]

    def _history(self, issue: IssueText, count: int) -> tuple[list[Version], bool]:
        """The latest versions, newest first and without those withheld; whether these are all."""
        told = self._issues.history(issue, self._where, count)
        return [Version.of(body) for body in told if body is not None], len(told) < count

    def _stays(self, made: Overwritten, issue: IssueText) -> bool:
        """Whether a change is in the text, or soon is: whoever overwrote it may put it back."""
        if self._is_known(made, issue):
            return True
        for pause in MENDING:
            self._timing.sleep(pause)
            if self._holds(made, Version.of(self._issues.read(self._where).text)):
                return True
        return False

    def _is_known(self, made: Overwritten, issue: IssueText) -> bool:
        """Whether a change is in the text, or was before whoever wrote after it took it out."""
        return self._holds(made, Version.of(issue.text)) or any(
            version.edits and version.holds(made.version)
            for version in self._later(issue, made.version)
        )

    def _holds(self, made: Overwritten, now: Version) -> bool:
        """Whether a change is in a text, though perhaps not in the same order.

        Without the ids of edits the words have to tell. A text that cannot be read is not ours to
        mend.
        """
        if made.edits and now.edits:
            return now.holds(made.version)
        base, text = made.base.text, made.version.text
        moved = _distance(base, text) == 0
        if text == now.text or (not moved and _shows(base, text, now.text)):
            return True
        try:
            merged = self._kind.merge(base, text, now.text).text
        except BlockError:
            return not self._can_be_read(now.text)
        return merged == now.text if moved else _distance(merged, now.text) == 0

    def _can_be_read(self, text: str) -> bool:
        try:
            self._kind.merge(text, text, text)
        except BlockError:
            return False
        return True

    def _body(self, version: Version) -> str:
        return version.body(self._kind.begin, self._kind.end)

    def _given_up(self) -> WriteConflict:
        return WriteConflict(
            f"Others went on writing to {self._where}, {TRIES} times in a row. Look at the issue "
            "and its edit history, then try again."
        )

    def _pause(self, attempt: int) -> None:
        """Wait before another attempt; the first one (0) is made at once."""
        if attempt:
            most = min(_LONGEST_PAUSE, 0.01 * 2.0**attempt)
            # To fall out of step with others, no secret.
            self._timing.sleep(random.uniform(0, most))  # noqa: S311


def _both(renamed: dict[str, str], again: dict[str, str]) -> dict[str, str]:
    """What becomes of ids that are renamed, then once more."""
    return {**again, **{old: again.get(new, new) for old, new in renamed.items()}}


def _distance(one: str, other: str) -> int:
    """How many lines are only in one of two texts."""
    lines, others = Counter(one.split("\n")), Counter(other.split("\n"))
    return ((lines - others) + (others - lines)).total()


def _shows(base: str, text: str, now: str) -> bool:
    """Whether every line that was put in is in a text, and none that was taken out."""
    before, after, held = (Counter(one.split("\n")) for one in (base, text, now))
    return not (after - before) - held and all(held[line] <= after[line] for line in before - after)
