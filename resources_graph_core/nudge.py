"""The Nudge: one line, just before a fetch, about something memory already holds. Pure."""

from __future__ import annotations

from resources_graph_core.clock import ago

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.address import Address


def nudge_line(
    address: Address,
    *,
    fetched_at: str,
    updated_at: str | None = None,
    wider: Sequence[str] = (),
    now: str,
) -> str:
    """One line: what memory holds, how old it is, how to read it. The model decides.

    Times are ISO-8601 UTC; ``wider`` are the keys of the lists that it is part of, where it is not
    stored itself.
    """
    changed = f", last changed on GitHub {ago(updated_at, now)}" if updated_at else ""
    lists = " and ".join(key.removeprefix("github:") for key in wider)
    part_of = f" as part of {lists} (subsumed)" if wider else ""
    return (
        f"{address} is in memory{part_of}: fetched {ago(fetched_at, now)}{changed}. "
        f"The `resource` tool reads it without a request: resource({str(address)!r})"
    )
