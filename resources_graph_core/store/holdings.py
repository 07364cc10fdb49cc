"""What memory holds of some Addresses, in two statements cheap enough for hooks."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Protocol

    from resources_graph_core.address import Address
    from resources_graph_core.listing_answers import ListingAnswer

    class Answers(Protocol):
        """What runs a statement: a Graph, or a hook's own connection."""

        def query(self, statement: str, /, **parameters: object) -> list[dict[str, Any]]:
            """Run one statement and return its rows."""


_RESOURCES = """
UNWIND $keys AS key
MATCH (resource:Resource {address: key})
WHERE resource.fetched_at IS NOT NULL
RETURN key, resource.fetched_at AS fetched_at, resource.updated_at AS updated_at
"""

# A Listing whose repository is withdrawn, or has given its name to another, answers nothing.
_LISTINGS = """
UNWIND $keys AS key
MATCH (listing:Listing {key: key})
OPTIONAL MATCH (listing)-[:LISTS_FROM]->(repository:Resource)
WITH listing, repository
WHERE repository IS NULL OR (
  repository.fetched_at IS NOT NULL AND listing.key STARTS WITH (repository.address + '/'))
RETURN listing.key AS key, listing.fetched_at AS fetched_at,
       listing.member_count AS member_count, listing.unbroken_count AS unbroken_count,
       CASE WHEN listing.fully_expanded THEN 1 ELSE 0 END AS fully_expanded
"""


def nudges(graph: Answers, addresses: Sequence[Address], now: str) -> list[str]:
    """One line for each Address that memory can answer, in their order; ``now`` is ISO-8601 UTC."""
    lists = [one for one in addresses if one.kind == "listing"]
    held = _held(graph, [one.key for one in addresses if one.kind != "listing"])
    answers = iter(listing_answers(graph, lists))
    lines = []
    for address in addresses:
        if address.kind == "listing":
            answer = next(answers)
            if answer is not None:
                wider = answer.keys if answer.outcome == "subsumed" else ()
                lines.append(_line(address, now, fetched_at=answer.fetched_at, wider=wider))
        elif facts := held.get(address.key):
            dates = {"fetched_at": facts["fetched_at"], "updated_at": facts["updated_at"]}
            lines.append(_line(address, now, **dates))
    return lines


def listing_answers(graph: Answers, addresses: Sequence[Address]) -> list[ListingAnswer | None]:
    """What answers each of these lists, or None; all looked up in one statement."""
    if not addresses:
        return []
    from resources_graph_core.listing_answers import (  # noqa: PLC0415 - only for lists
        ListingAsk,
        StoredListing,
    )

    asks = [ListingAsk(address) for address in addresses]
    keys = list(dict.fromkeys(key for ask in asks for key in ask.keys))
    stored = {
        row["key"]: StoredListing.of(row)
        for row in (graph.query(_LISTINGS, keys=keys) if keys else ())
    }
    return [ask.answer(stored) for ask in asks]


def _line(address: Address, now: str, **facts: Any) -> str:  # noqa: ANN401 - as nudge_line takes them
    from resources_graph_core.nudge import nudge_line  # noqa: PLC0415 - only when there is one

    return nudge_line(address, now=now, **facts)


def _held(graph: Answers, keys: list[str]) -> dict[str, dict[str, Any]]:
    return {row["key"]: row for row in graph.query(_RESOURCES, keys=keys)} if keys else {}
