"""The Nudge: one line, just before a fetch, about something memory already holds. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from resources_graph_core.address import Address

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def nudge_line(address: Address, *, fetched_at: str, updated_at: str | None, now: str) -> str:
    """One line: what memory holds, how old it is, how to read it. The model decides.

    Times are ISO-8601 UTC.
    """
    changed = f", last changed on GitHub {age(updated_at, now)} ago" if updated_at else ""
    return (
        f"{address} is in memory: fetched {age(fetched_at, now)} ago{changed}. "
        f"The `resource` tool reads it without a request: resource({str(address)!r})"
    )


def age(then: str, now: str) -> str:
    """How long before ``now`` something was, in its largest unit: ``5 min``, ``3 h``, ``12 d``."""
    from datetime import datetime  # noqa: PLC0415 - 3 ms that only a Nudge costs a hook

    seconds = int((datetime.fromisoformat(now) - datetime.fromisoformat(then)).total_seconds())
    if seconds < _MINUTE:
        return f"{max(seconds, 0)} s"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE} min"
    if seconds < 2 * _DAY:
        return f"{seconds // _HOUR} h"
    return f"{seconds // _DAY} d"
