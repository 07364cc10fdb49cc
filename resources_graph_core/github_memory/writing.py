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
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from resources_graph_core.errors import BlockError, GitHubError, WriteConflict, WriteUncertain
from resources_graph_core.github.problems import Passing
from resources_graph_core.github_memory.containing import Merge, holds
from resources_graph_core.github_memory.versions import (
    Change,
    Edit,
    Lost,
    Version,
    are_whole,
    new_edit,
    newest_holds,
    overwritten,
    place_in,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from resources_graph_core.address import Address
    from resources_graph_core.github_memory.issues import Issues, IssueText
    from resources_graph_core.github_memory.versions import Identity

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


@dataclass(frozen=True, slots=True)
class BlockKind:
    """A kind of block: between which markers it stands, and how three texts become one."""

    begin: str
    end: str
    merge: Merge


@dataclass(frozen=True, slots=True)
class Edited(Generic[ResultT]):
    """A text with a change made to it, and what whoever made the change is told.

    ``ids`` has the ids of all that is in it, None where the block gives none, ``added`` those of
    what is new whatever others add at the same time.
    """

    text: str
    result: ResultT
    ids: frozenset[str] | None = None
    added: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome(Generic[ResultT]):
    """How a write left an issue, and what its change told.

    ``names`` has what became of the ids that it gave, some of which others had given too.
    """

    issue: IssueText
    result: ResultT
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Try(Generic[ResultT]):
    """A change that was sent: from which version, to which, and what it told."""

    base: Version
    version: Version
    result: ResultT


class Writer:
    """Changes the text of one issue, a block of one ``kind`` in it."""

    def __init__(self, issues: Issues, where: Address, kind: BlockKind) -> None:
        self._issues = issues
        self._where = where
        self._kind = kind
        self._timing = issues.timing
        self._last: tuple[Change, float] | None = None

    def read(self) -> IssueText:
        """The issue as it is now, once what this writer wrote last is in it.

        Somebody may have overwritten it a moment ago and be about to put it back, which is waited
        for once.
        """
        issue = self._issues.read(self._where)
        if self._last is None:
            return issue
        written, since = self._last
        recent = self._timing.monotonic() - since <= MENDED_WITHIN
        if recent and self._holds(written, Version.of(issue.text)):
            return issue
        self._last = None
        if recent and not self._was_seen(written, issue):
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
        lost: list[Lost] = []
        for attempt in range(TRIES):
            self._pause(attempt)
            issue = self.read()
            now = Version.of(issue.text)
            there = next((one for one in reversed(tried) if self._is_there(one, issue)), None)
            if there is None:
                edited = change(now.text)
                if edited.text == now.text and not lost:
                    return Outcome(issue, edited.result)
                # Nobody needs to put back an earlier try of what is in this one.
                earlier = [replace(one.version.edits[-1], added=()) for one in tried]
                edit = Edit(new_edit(), tuple((one, one) for one in edited.added))
                wanted = now.with_others(now.text, earlier, _names(now))
                wanted = wanted.with_edit(edited.text, edit, edited.ids)
                there = _Try(now, wanted, edited.result)
                tried.append(there)
                versions = self._replace(issue, wanted)
                if versions is None:
                    continue
            else:
                versions = self._versions(issue, there.version) or [now]
            made = Change(there.base, there.version)
            left, lost = self._settle(issue, made, versions, lost)
            if left is not None:
                self._last = made, self._timing.monotonic()
                return Outcome(left, there.result, self._names_in(left, made))
        raise self._given_up()

    def _settle(
        self, issue: IssueText, made: Change, versions: list[Version], lost: list[Lost]
    ) -> tuple[IssueText | None, list[Lost]]:
        """The issue once a write is in it to stay, and what the write overwrote too.

        None when somebody overwrote the write and did not put it back, with what is lost then.
        """
        lost = [*lost, *overwritten(made, versions)]
        for attempt in range(TRIES):
            self._pause(attempt)
            newest, lost = self._mend(made, versions, lost)
            issue = issue.model_copy(update={"body": self._body(newest)})
            left = self._once_in(made, issue)
            if left is None:
                return None, lost
            if not lost:
                return self._once_whole(left, made, versions), []
            # Whoever overwrote the write did not know what it had overwritten before.
            versions, _ = self._history(left, LONG_HISTORY)
        raise self._given_up()

    def _once_whole(self, issue: IssueText, made: Change, versions: Sequence[Version]) -> IssueText:
        """The issue once nothing more is being put back, where a write gave ids.

        What comes back may have been given one of these before.
        """
        if not made.version.edits[-1].added:
            return issue
        for pause in MENDING:
            if are_whole(versions):
                break
            self._timing.sleep(pause)
            versions, _ = self._history(issue, SHORT_HISTORY)
            issue = issue.model_copy(update={"body": self._body(versions[0])})
        return issue

    def _mend(
        self, made: Change, versions: Sequence[Version], lost: list[Lost]
    ) -> tuple[Version, list[Lost]]:
        """Put back what a write overwrote unseen, then what doing so overwrote, and so on.

        Whoever overwrites the write in turn has to put back all of it. Returns what is there now,
        and what is lost unless he does.
        """
        for attempt in range(TRIES):
            if not lost or not self._is_ours_to_mend(made, versions):
                return versions[0], lost
            self._pause(attempt)
            issue = self._issues.read(self._where)
            now = Version.of(issue.text)
            # What a program left out that keeps no ids comes back with what it overwrote.
            known = now if now.edits else replace(now, edits=made.version.edits)
            wanted = self._with(lost, known, issue)
            if wanted == known:
                return now, []
            wanted = wanted.with_edit(wanted.text, Edit(new_edit()), None)
            told = self._replace(issue, wanted)
            if told is not None:
                made, versions = Change(now, wanted), told
                done = newest_holds(versions, wanted)
                lost = [*([] if done else lost), *overwritten(made, versions)]
        raise self._given_up()

    def _is_ours_to_mend(self, made: Change, versions: Sequence[Version]) -> bool:
        """Whether a write is still in the text; else whoever overwrote it puts all of it back.

        A program that leaves no ids does not. By their words its text is told to be made from ours.
        """
        newest = versions[0]
        return newest_holds(versions, made.version) or (
            not newest.edits and self._holds(made, newest)
        )

    def _with(self, lost: Sequence[Lost], now: Version, issue: IssueText) -> Version:
        """``now`` with changes that were overwritten, but for those that were put back since.

        Whoever made them may have made them again, and have gone on from there.
        """
        versions, _ = self._history(issue, LONG_HISTORY)
        order = {one.edits[-1].id: -at for at, one in enumerate(versions) if one.edits}
        text = now
        try:
            for one in lost:
                since = versions[: place_in(versions, one.by) or 0]
                if any(self._holds(one.change, version) for version in [*since, now]):
                    continue
                if text is now:
                    text = now.with_history(versions)
                base, theirs = (
                    version.with_history(versions[(place_in(versions, version) or 0) + 1 :])
                    for version in (one.change.base, one.change.version)
                )
                merged = self._kind.merge(base, theirs, text, order)
                text = text.with_others(merged.text, one.change.edits, merged.names)
        except BlockError as error:
            raise WriteConflict(
                f"Somebody's edit of {self._where} was overwritten and cannot be put back, since "
                f"the text cannot be read ({error}). It is in the issue's edit history."
            ) from None
        return text

    def _names_in(self, issue: IssueText, made: Change) -> dict[str, str]:
        """The ids that what a write added has now, by those that it was given.

        Who gave it another one need not be known to the newest version yet.
        """
        names: dict[str, str] = {}
        mine, now = made.version.edits[-1], Version.of(issue.text)
        if not mine.added or now == made.version:
            return names
        for version in [*self._later(issue, made.version)[::-1], now]:
            for edit in version.edits:
                if edit.id == mine.id:
                    names |= {given: now for given, now in edit.added if given != now}
        return names

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

    def _once_in(self, made: Change, issue: IssueText) -> IssueText | None:
        """The issue with a change in it: whoever overwrote it may put it back. None when not."""
        if self._is_known(made, issue):
            return issue
        for pause in MENDING:
            self._timing.sleep(pause)
            issue = self._issues.read(self._where)
            if self._is_known(made, issue):
                return issue
        return None

    def _is_there(self, one: _Try[ResultT], issue: IssueText) -> bool:
        return self._is_known(Change(one.base, one.version), issue)

    def _is_known(self, made: Change, issue: IssueText) -> bool:
        """Whether a change is in the text, or was before somebody who knew of it took it out."""
        return self._holds(made, Version.of(issue.text)) or self._was_seen(made, issue)

    def _was_seen(self, made: Change, issue: IssueText) -> bool:
        """Whether somebody who knew of a change wrote after it."""
        later = self._later(issue, made.version)
        return any(version.edits and version.holds(made.version) for version in later)

    def _holds(self, made: Change, now: Version) -> bool:
        return holds(made, now, self._kind.merge)

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


def _names(version: Version) -> dict[Identity, str]:
    return {who: now for now, who in version.identities.items()}
