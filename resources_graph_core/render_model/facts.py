"""Facts of GitHub's that may stand in lines of our own: words, numbers and times, nothing else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from resources_graph_core.clock import ago

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_NOT_IN_A_WORD = re.compile(r"[^A-Za-z0-9_.\[\]-]")
_LONGEST_WORD = 60
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)", re.ASCII)

KINDS = {"PullRequest": "pull request", "Listing": "list"}
"""How kinds are called where not by their own lower-case name."""


def kind_name(kind: str | None) -> str:
    """What a kind of thing is called: ``pull request``."""
    return KINDS.get(kind or "", (kind or "").lower())


def word(value: object) -> str:
    """A login, a state or the like; whatever else stands there cannot read as a sentence."""
    return _NOT_IN_A_WORD.sub("?", str(value or ""))[:_LONGEST_WORD]


def words(value: object) -> str:
    """A constant of GitHub's in small words: ``CHANGES_REQUESTED`` is ``changes requested``."""
    return word(value).lower().replace("_", " ")


def time(value: object) -> str:
    """A time as GitHub writes it, or nothing."""
    return value if isinstance(value, str) and _TIME.fullmatch(value) else ""


def minute(value: object) -> str:
    """The same to the minute, short: ``2026-01-02 03:04``."""
    found = _TIME.fullmatch(value) if isinstance(value, str) else None
    return f"{found[1]} {found[2]}" if found else ""


def day(value: object) -> str:
    """The same to the day."""
    return minute(value)[:10]


def aged(label: str, value: object, now: str) -> str:
    """A labelled time with its age, or nothing: ``fetched_at 2026-… (1 hour ago)``."""
    stamp = time(value)
    return f"{label} {stamp} ({_age(stamp, now)})" if stamp else ""


def aged_day(label: str, value: object, now: str) -> str:
    """A labelled day with its age, or nothing: ``created 2026-01-02 (1 month ago)``."""
    stamp = time(value)
    return f"{label} {day(stamp)} ({_age(stamp, now)})" if stamp else ""


def _age(stamp: str, now: str) -> str:
    try:
        return ago(stamp, now)
    except ValueError:  # the form of a time, but no time: the 31st of February
        return "?"


def number(value: object) -> int | None:
    """A whole number, or None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def truth(value: object) -> bool | None:
    """True, or None: what is not so is not said."""
    return True if value is True else None


def author(of: Mapping[str, object]) -> str:
    """Who wrote it: ``by ada (OWNER)``, ``by hubot[bot] (NONE, bot)``."""
    login = word(of.get("author")) or "unknown"
    marks = [word(of.get("author_association")), "bot" if is_bot(of) else ""]
    told = ", ".join(filter(None, marks))
    return f"by {login} ({told})" if told else f"by {login}"


def is_bot(of: Mapping[str, object]) -> bool:
    """Whether a bot wrote it; graphs of other programs do not say so, but names do."""
    return of.get("author_is_bot") is True or word(of.get("author")).endswith("[bot]")


def line(facts: Iterable[str]) -> str:
    """Facts in one line, those that say something."""
    return " · ".join(filter(None, facts))


def counted(count: int, what: str) -> str:
    """``1 comment``, ``2 comments``, or nothing for none."""
    return f"{count:,} {what}{'' if count == 1 else 's'}" if count else ""
