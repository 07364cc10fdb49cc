"""The one clock: ISO-8601 UTC strings to the second, as GitHub writes them."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

_FORMAT = "%Y-%m-%dT%H:%M:%SZ"


def now() -> str:
    """The time now, such as ``2026-11-30T22:25:00Z``. Two of these compare as text."""
    return time.strftime(_FORMAT, time.gmtime())


_UNITS = (
    ("year", 31_557_600),
    ("month", 2_629_800),
    ("day", 86_400),
    ("hour", 3600),
    ("minute", 60),
)


def ago(then: str, now: str) -> str:
    """How long before ``now`` something was, in its largest unit, as in ``3 days ago``.

    Both are ISO-8601, UTC where they do not say. Raises ValueError for what is not a time.
    """
    seconds = (_moment(now) - _moment(then)).total_seconds()
    for unit, length in _UNITS:
        count = int(seconds // length)
        if count >= 1:
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"


def _moment(stamp: str) -> datetime:
    from datetime import UTC, datetime  # noqa: PLC0415 - 3 ms that only a Nudge costs a hook

    moment = datetime.fromisoformat(stamp)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def after(seconds: float) -> str:
    """The time ``seconds`` from now, in the same form."""
    return time.strftime(_FORMAT, time.gmtime(time.time() + seconds))
