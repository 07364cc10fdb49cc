"""What memory holds of some Addresses, in two statements cheap enough for hooks."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Protocol

    from resources_graph_core.address import Address

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

_LISTINGS = """
UNWIND $keys AS key
MATCH (listing:Listing {key: key})
RETURN key, listing.fetched_at AS fetched_at, listing.member_count AS member_count,
       listing.unbroken_count AS unbroken_count,
       CASE WHEN listing.fully_expanded THEN 1 ELSE 0 END AS fully_expanded
"""


def nudges(graph: Answers, addresses: Sequence[Address], now: str) -> list[str]:
    """One line for each Address that memory can answer, in their order; ``now`` is ISO-8601 UTC."""
    held = _held(graph, _RESOURCES, [one.key for one in addresses if one.kind != "listing"])
    listed = _held(graph, _LISTINGS, [one.key for one in addresses if one.kind == "listing"])
    if not held and not listed:
        return []
    from resources_graph_core.nudge import nudge_line  # noqa: PLC0415 - only when there is one

    lines = []
    for address in addresses:
        facts = (listed if address.kind == "listing" else held).get(address.key)
        if facts is None or (address.kind == "listing" and not serves(facts, address)):
            continue
        lines.append(
            nudge_line(
                address,
                fetched_at=facts["fetched_at"],
                updated_at=facts.get("updated_at"),
                now=now,
            )
        )
    return lines


def serves(listing: Mapping[str, Any], address: Address) -> bool:
    """Whether a stored Listing of the same key holds as many members as are asked for.

    It does when it holds all there are, or at least ``address.limit`` without a gap: members keep
    GitHub's order, so a shorter ask is the beginning of a longer one.
    """
    if listing["fully_expanded"]:
        return True
    held = listing.get("unbroken_count")
    held = listing["member_count"] if held is None else held  # as resources-graph 0.3 keeps it
    return address.limit is not None and int(held) >= address.limit


def _held(graph: Answers, statement: str, keys: list[str]) -> dict[str, dict[str, Any]]:
    return {row["key"]: row for row in graph.query(statement, keys=keys)} if keys else {}
