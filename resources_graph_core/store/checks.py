"""What must hold of a graph that Sweeps have written; each statement returns what breaks it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from resources_graph_core.graph import Graph, Row

EXAMPLES = 20
"""How many examples are returned at most."""

_WITHOUT_TARGET = """
MATCH (touch:Touch {status: 'resolved'})
OPTIONAL MATCH (touch)-[:TOUCHED]->(target)
WITH touch, count(target) AS targets
WHERE targets = 0
RETURN touch.touch_id AS touch_id, touch.address AS address
ORDER BY touch_id
LIMIT $limit
"""

_MISCOUNTED = """
MATCH (listing:Listing)
OPTIONAL MATCH (listing)-[member:HAS_MEMBER]->(resource)
WITH listing, count(member) AS members
WHERE members <> listing.member_count
   OR (listing.fully_expanded AND members < listing.total_count)
RETURN listing.key AS listing, listing.member_count AS member_count,
       listing.total_count AS total_count, members
ORDER BY listing
LIMIT $limit
"""


def resolved_without_target(graph: Graph, *, limit: int = EXAMPLES) -> list[Row]:
    """Resolved Touches that point at nothing: ``touch_id`` and ``address``."""
    return graph.query(_WITHOUT_TARGET, limit=limit)


def miscounted_listings(graph: Graph, *, limit: int = EXAMPLES) -> list[Row]:
    """Listings whose counts and edges disagree: both counts, and the ``members`` there are."""
    return graph.query(_MISCOUNTED, limit=limit)
