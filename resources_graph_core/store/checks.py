"""What must hold of a graph that Sweeps have written; each statement returns what breaks it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from resources_graph_core.graph import Graph, Row

PlannedKind = Literal["resource", "listing"]
"""What a planned Touch asks for: a repository or an item, or a list."""

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


_NOT_PUBLIC = """
MATCH (resource:Resource)
WHERE resource.fetched_at IS NOT NULL
  AND (resource:Repository OR resource:Issue OR resource:PullRequest)
OPTIONAL MATCH (repository:Resource)-[:HAS_ISSUE|HAS_PULL_REQUEST]->(resource)
WITH resource, collect(repository) AS repositories
WITH resource, CASE WHEN size(repositories) = 0 THEN resource ELSE repositories[0] END AS owner
WHERE coalesce(owner.visibility, '') <> 'PUBLIC' OR owner.fetched_at IS NULL
RETURN resource.node_id AS node_id, resource.address AS address, owner.visibility AS visibility
ORDER BY node_id
LIMIT $limit
"""

_DANGLING = """
MATCH (comment:Comment)
OPTIONAL MATCH (resource:Resource)-[:HAS_COMMENT]->(comment)
WITH comment, sum(CASE WHEN resource.fetched_at IS NOT NULL THEN 1 ELSE 0 END) AS owners
WHERE owners <> 1
RETURN comment.node_id AS node_id, comment.url AS url, owners
ORDER BY node_id
LIMIT $limit
"""

_LATE = """
MATCH (touch:Touch {status: 'pending'})
WHERE touch.at < $before
RETURN touch.touch_id AS touch_id, touch.address AS address, touch.at AS at, touch.error AS error
ORDER BY at, touch_id
LIMIT $limit
"""

_EXPIRED = """
MATCH (touch:Touch {status: 'pending'})
WHERE touch.claimed_until < $now
RETURN touch.touch_id AS touch_id, touch.address AS address, touch.claimed_by AS claimed_by,
       touch.claimed_until AS claimed_until
ORDER BY claimed_until, touch_id
LIMIT $limit
"""

_NOT_DEALT_WITH = """
MATCH (touch:Touch {status: 'pending', planned_by: $run_id})
WHERE touch.error IS NULL AND touch.claimed_by IS NULL
  AND (CASE WHEN touch.address CONTAINS '?' THEN 'listing' ELSE 'resource' END) = $kind
RETURN touch.touch_id AS touch_id, touch.address AS address, touch.at AS at
ORDER BY at, touch_id
LIMIT $limit
"""

_UNPLANNED = """
MATCH (touch:Touch {status: 'pending'})
WHERE touch.planned_by IS NULL AND touch.at < $before AND touch.claimed_by IS NULL
RETURN touch.touch_id AS touch_id, touch.address AS address, touch.at AS at
ORDER BY at, touch_id
LIMIT $limit
"""

# What is known of a reference has to be drawn when both ends are in memory, and nothing else may be
# drawn. The ids are on the item that is referred to, or that closes.
_NOT_DRAWN = """
MATCH (item:Resource)
WHERE item.fetched_at IS NOT NULL AND size(coalesce(item.{ids}, [])) > 0
UNWIND item.{ids} AS other_id
MATCH (other:Resource {{node_id: other_id}})
WHERE other.fetched_at IS NOT NULL
OPTIONAL MATCH (item){start}[edge:{kind}]{end}(other)
WITH item, other, count(edge) AS edges
WHERE edges <> 1
RETURN '{kind}' AS kind, item.address AS address, other.address AS other, edges
ORDER BY address, other
LIMIT $limit
"""

_DRAWN_TOO_MUCH = """
MATCH (item:Resource){start}[edge:{kind}]{end}(other:Resource)
WHERE item.fetched_at IS NULL OR NOT other.node_id IN coalesce(item.{ids}, [])
RETURN '{kind}' AS kind, item.address AS address, other.address AS other, count(edge) AS edges
ORDER BY address, other
LIMIT $limit
"""

_REFERENCES = (
    {"kind": "REFERENCES", "ids": "referenced_by_ids", "start": "<-", "end": "-"},
    {"kind": "CLOSES", "ids": "closes_ids", "start": "-", "end": "->"},
)


def resolved_without_target(graph: Graph, *, limit: int = EXAMPLES) -> list[Row]:
    """Resolved Touches that point at nothing: ``touch_id`` and ``address``."""
    return graph.query(_WITHOUT_TARGET, limit=limit)


def miscounted_listings(graph: Graph, *, limit: int = EXAMPLES) -> list[Row]:
    """Listings whose counts and edges disagree: both counts, and the ``members`` there are."""
    return graph.query(_MISCOUNTED, limit=limit)


def not_public(graph: Graph, *, limit: int = EXAMPLES) -> list[Row]:
    """Stored Resources that are not of a public repository: ``node_id``, ``address``."""
    return graph.query(_NOT_PUBLIC, limit=limit)


def dangling_comments(graph: Graph, *, limit: int = EXAMPLES) -> list[Row]:
    """Comments of no stored item, or of several: ``node_id``, ``url`` and how many ``owners``."""
    return graph.query(_DANGLING, limit=limit)


def pending_since(graph: Graph, before: str, *, limit: int = EXAMPLES) -> list[Row]:
    """Touches pending since before a time (ISO-8601 UTC), the oldest first, with their error."""
    return graph.query(_LATE, before=before, limit=limit)


def expired_claims(graph: Graph, now: str, *, limit: int = EXAMPLES) -> list[Row]:
    """Pending Touches with a claim that is older than its lease: whoever held it died."""
    return graph.query(_EXPIRED, now=now, limit=limit)


def not_dealt_with(
    graph: Graph, run_id: str, kind: PlannedKind, *, limit: int = EXAMPLES
) -> list[Row]:
    """Touches that a run planned and that nobody has tried: ``touch_id``, ``address``, ``at``."""
    return graph.query(_NOT_DEALT_WITH, run_id=run_id, kind=kind, limit=limit)


def unplanned(graph: Graph, before: str, *, limit: int = EXAMPLES) -> list[Row]:
    """Pending Touches from before a time that are in no plan and in nobody's hands."""
    return graph.query(_UNPLANNED, before=before, limit=limit)


def asymmetric_links(graph: Graph, *, limit: int = EXAMPLES) -> list[Row]:
    """Edges that are not as the stored ids say: ``kind``, both Addresses, how many ``edges``."""
    return [
        row
        for statement in (_NOT_DRAWN, _DRAWN_TOO_MUCH)
        for reference in _REFERENCES
        for row in graph.query(statement.format(**reference), limit=limit)
    ][:limit]
