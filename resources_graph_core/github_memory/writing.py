"""How a text on GitHub is changed so that nobody's change is lost.

GitHub replaces a text without asking what it was, so two writers can each replace the other's. What
helps is the history that it keeps: after a write the version just before it has to be the one that
the change was made to. Where it is another, that one was overwritten unseen, and what it changed is
put into the text again, by whoever overwrote it. A writer who finds that his change was
overwritten waits a moment for the other to do so, then makes it again himself (the other may be a
program that knows nothing of this, or may have ended).
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from resources_graph_core.errors import BlockError, GitHubError, WriteConflict, WriteUncertain
from resources_graph_core.github.problems import Passing
from resources_graph_core.github_memory.merging import changes_between

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.address import Address
    from resources_graph_core.github_memory.issues import Issues, IssueText

    Change = Callable[[str], str]
    Merge = Callable[[str, str, str], str]

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
class _Written:
    """A write that was made: from which text, to which, and the versions there are, newest first.

    ``versions`` begins with what is there now; it lacks versions whose text is withheld.
    """

    base: str
    text: str
    versions: list[str]

    def overwritten(self) -> list[tuple[str, str]]:
        """What was overwritten unseen, oldest first: each version with the one it was made from.

        That is not told, and need not be the one before it. It is taken for the one that differs
        least: whoever made a small change to an old copy changed little of that copy.
        """
        mine = self.versions.index(self.text)
        older = self.versions[mine + 1 :]
        # Where the history lacks the version that was known, nothing can be said of the others.
        unseen = older[: older.index(self.base)] if self.base in older else []
        found = []
        for at, version in enumerate(unseen):
            before = [one for one in older[at + 1 :] if one != version]
            if before:
                closest = min(before, key=partial(changes_between, version))
                found.append((closest, version))
        return found[::-1]

    def shows_in(self, text: str) -> bool:
        """Whether every line that was put in is in a text, and none that was taken out."""
        before, after, now = (Counter(one.split("\n")) for one in (self.base, self.text, text))
        return not (after - before) - now and all(
            now[line] <= after[line] for line in before - after
        )


def _distance(one: str, other: str) -> int:
    """How many lines are only in one of two texts."""
    lines, others = Counter(one.split("\n")), Counter(other.split("\n"))
    return ((lines - others) + (others - lines)).total()


class Writer:
    """Changes the text of one issue.

    ``merge(base, lost, now)`` puts what changed from ``base`` to ``lost`` into ``now``.
    """

    def __init__(self, issues: Issues, where: Address, merge: Merge) -> None:
        self._issues = issues
        self._where = where
        self._merge = merge
        self._timing = issues.timing
        self._last: tuple[_Written, float] | None = None

    def read(self) -> IssueText:
        """The issue as it is now, once what this writer wrote last is in it.

        Somebody may have overwritten it a moment ago and be about to put it back.
        """
        issue = self._issues.read(self._where)
        if self._last is None:
            return issue
        written, since = self._last
        for pause in MENDING[1:]:
            if self._timing.monotonic() - since > MENDED_WITHIN or self._holds(written, issue.text):
                break
            self._timing.sleep(pause)
            issue = self._issues.read(self._where)
        return issue

    def write(self, change: Change) -> IssueText:
        """Make ``change`` to the text as it is now; the issue as it was left.

        ``change`` may be called several times, each time with what is there; what it raises ends
        the write. Raises WriteConflict when others went on writing until the tries were used up,
        WriteUncertain when it cannot be told what became of the write.
        """
        wanted: Change = change
        made: _Written | None = None
        for attempt in range(TRIES):
            if attempt:
                self._pause(attempt)
            issue = self.read()
            text = wanted(issue.text)
            if text != issue.text:
                written = self._replace(issue, text)
                if written is None:
                    continue
                made = made or written
                if lost := written.overwritten():
                    wanted = partial(self._put_back, issue, written.text, lost)
                    continue
                issue = issue.model_copy(update={"body": written.versions[0]})
            elif made is None:
                return issue
            if self._stays(made, issue.text):
                self._last = made, self._timing.monotonic()
                return issue
            wanted, made = change, None
        raise WriteConflict(
            f"Others went on writing to {self._where}, {TRIES} times in a row. Look at the issue "
            "and its edit history, then try again."
        )

    def _replace(self, issue: IssueText, text: str) -> _Written | None:
        """Replace the text; None when it cannot be told that it was done."""
        try:
            kept = self._issues.replace_text(issue, text, self._where)
        except Passing:
            kept = None
        try:
            return self._found(issue, text if kept is None else kept)
        except GitHubError as error:
            raise WriteUncertain(
                f"The text of {self._where} was sent, but what became of it cannot be looked up "
                f"({error}); look at the issue before writing to it again"
            ) from error

    def _found(self, issue: IssueText, text: str) -> _Written | None:
        """What became of a text that was sent; None when it is nowhere to be seen."""
        for pause in (0.0, 0.1, 0.5):
            if pause:
                self._timing.sleep(pause)
            versions = self._versions(issue, text)
            if versions is not None:
                return _Written(issue.text, text, versions)
        # No history tells of it: take the text that is there for the newest version.
        now = self._issues.read(self._where).text
        return _Written(issue.text, now, [now]) if now == text else None

    def _versions(self, issue: IssueText, text: str) -> list[str] | None:
        """The history, as far as it is needed; None when it tells of no write of ``text``."""
        for count in (SHORT_HISTORY, LONG_HISTORY):
            told = self._issues.history(issue, self._where, count)
            versions = [version for version in told if version is not None]
            if text not in versions:
                continue
            at = versions.index(text)
            if issue.text in versions[:at]:
                return None  # it is from before our time
            follows = versions[at + 1 : at + 2] == [issue.text]
            if follows or len(told) < count or count == LONG_HISTORY:
                return versions
        return None

    def _stays(self, made: _Written, text: str) -> bool:
        """Whether a change is in the text, or soon is: whoever overwrote it may put it back."""
        if self._holds(made, text):
            return True
        for pause in MENDING:
            self._timing.sleep(pause)
            if self._holds(made, self._issues.read(self._where).text):
                return True
        return False

    def _holds(self, made: _Written, text: str) -> bool:
        """Whether a text has a change in it, though perhaps not in the same order.

        A text that cannot be read is not ours to mend.
        """
        if text == made.text or (_distance(made.base, made.text) and made.shows_in(text)):
            return True
        try:
            merged = self._merge(made.base, made.text, text)
        except BlockError:
            return True
        only_moved = _distance(made.base, made.text) == 0
        return merged == text if only_moved else _distance(merged, text) == 0

    def _put_back(self, issue: IssueText, over: str, lost: list[tuple[str, str]], now: str) -> str:
        """``now`` with the changes that ``over`` overwrote, but for those put back meanwhile.

        Whoever made them may have made them again, and have gone on from there.
        """
        told = self._issues.history(issue, self._where, LONG_HISTORY)
        versions = [version for version in told if version is not None]
        later = versions[: versions.index(over)] if over in versions else []
        try:
            for base, version in lost:
                change = _Written(base, version, [])
                if not any(self._holds(change, one) for one in later):
                    now = self._merge(base, version, now)
        except BlockError as error:
            raise WriteConflict(
                f"Somebody's edit of {self._where} was overwritten and cannot be put back, since "
                f"the text cannot be read ({error}). It is in the issue's edit history."
            ) from None
        return now

    def _pause(self, attempt: int) -> None:
        most = min(_LONGEST_PAUSE, 0.01 * 2.0**attempt)
        self._timing.sleep(random.uniform(0, most))  # noqa: S311 - to fall out of step, no secret
