"""What of a Resource or Listing is asked for, and how much of it at once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from resources_graph_core.errors import UsageError

DEFAULT_BUDGET = 6_000
"""Tokens an answer costs at most when nobody says otherwise."""

SMALLEST_BUDGET = 1_000
LARGEST_BUDGET = 20_000
"""Clients cap an answer at 25,000 tokens as they count them."""

_RANGE = re.compile(r"\s*(\d{1,9})\s*(?:(-|\u2013|\.\.)\s*(\d{1,9})?\s*)?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)?)?")


@dataclass(frozen=True, slots=True)
class Ask:
    """One ask: the default is the whole, from its beginning.

    At most one of the selections may be given: ``first`` and ``last`` (comments by number, both
    included; ``last`` None: to the end), ``since`` (comments from a time on, ISO-8601 UTC),
    ``outline`` (a line for each comment, or README section), ``files``, ``reviews``, ``comment``
    (one of them, whole) or ``section`` (one of a README's). ``page`` continues any of them.
    """

    page: int = 1
    budget: int = DEFAULT_BUDGET
    first: int | None = None
    last: int | None = None
    since: str | None = None
    outline: bool = False
    files: bool = False
    reviews: bool = False
    comment: int | None = None
    section: int | None = None

    @property
    def is_whole(self) -> bool:
        """Whether nothing was selected."""
        return not self.selection

    @property
    def selection(self) -> str:
        """What was selected, as it is written in a call; empty for the whole."""
        return ", ".join(_written(self))


def asked(  # noqa: PLR0913 - one for each way to ask
    *,
    page: int = 1,
    budget: int = DEFAULT_BUDGET,
    comments: str | None = None,
    since: str | None = None,
    outline: bool = False,
    files: bool = False,
    reviews: bool = False,
    comment: int | None = None,
    section: int | None = None,
) -> Ask:
    """An Ask from what a model or a person wrote. Raises UsageError for what cannot be meant.

    ``comments`` is a range such as ``41-80`` or ``41-``; ``since`` a date or a time.
    """
    first, last = _range(comments) if comments and comments.strip() else (None, None)
    made = Ask(
        page=max(page, 1),
        budget=min(max(budget, SMALLEST_BUDGET), LARGEST_BUDGET),
        first=first,
        last=last,
        since=_time(since) if since and since.strip() else None,
        outline=outline,
        files=files,
        reviews=reviews,
        comment=comment,
        section=section,
    )
    selected = list(_written(made))
    if len(selected) > 1:
        raise UsageError(f"ask for one thing at a time, not for {' and '.join(selected)}")
    return made


def _written(ask: Ask) -> list[str]:
    found = []
    if ask.first is not None:
        found.append(f'comments="{ask.first}-{ask.last or ""}"')
    if ask.since is not None:
        found.append(f'since="{ask.since}"')
    found += [f"{name}=true" for name in ("outline", "files", "reviews") if getattr(ask, name)]
    found += [
        f"{name}={getattr(ask, name)}"
        for name in ("comment", "section")
        if getattr(ask, name) is not None
    ]
    return found


def _range(text: str) -> tuple[int, int | None]:
    found = _RANGE.fullmatch(text)
    first = int(found[1]) if found else 0
    last = None if found is None else int(found[3]) if found[3] else None if found[2] else first
    if first < 1 or (last is not None and last < first):
        raise UsageError(f'comments={text!r} is no range; write comments="41-80" or "41-"')
    return first, last


def _time(text: str) -> str:
    given = text.strip()
    try:
        moment = datetime.fromisoformat(given) if _DATE.fullmatch(given) else None
    except ValueError:  # such as the 31st of February
        moment = None
    if moment is None:
        raise UsageError(f'since={text!r} is no time; write since="2026-11-30"')
    if moment.tzinfo is None:
        return given  # as UTC; a day alone sorts before all of its moments
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
