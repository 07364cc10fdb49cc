"""Moments as the memory graph keeps them: ISO-8601 UTC to the microsecond, sorted as text."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Final

from pydantic import BeforeValidator, Field

NOW: Final = "now"
"""What may be written for the moment of asking."""


def now() -> str:
    """The time now, such as ``2026-11-30T22:25:00.000000Z``. Two of these compare as text."""
    return stamp(datetime.now(UTC))


def stamp(moment: datetime) -> str:
    """A moment in the one form that sorts as text; UTC where it names no zone."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return f"{aware.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}".rjust(27, "0")


def normalised(value: object) -> object:
    """What a person writes for a moment, in the one form; ``now`` becomes the time now.

    Any ISO-8601 date or time, UTC where it names no zone. Raises ValueError for another text;
    what is no text is left for its type to refuse.
    """
    if isinstance(value, datetime):
        return stamp(value)
    if not isinstance(value, str):
        return value
    if value == NOW:
        return now()
    try:
        return stamp(datetime.fromisoformat(value))
    except (ValueError, OverflowError):
        raise ValueError(
            f"{value[:40]!r} is not a time; write one as 2026-11-30T22:25:00Z"
        ) from None


Moment = Annotated[
    str,
    BeforeValidator(normalised),
    Field(description="An ISO-8601 time such as 2026-11-30T22:25:00Z, or now."),
]
"""A moment in a request: any ISO-8601 time, kept in the one form."""
