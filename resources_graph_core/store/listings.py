"""Listings: stored lists; a refetch replaces the members in one statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.address import Address
    from resources_graph_core.graph import Graph, Row

_STORE = """
MATCH (repository:Resource {address: $repository})
MERGE (listing:Listing {key: $key})
SET listing += $properties
MERGE (listing)-[:LISTS_FROM]->(repository)
WITH listing
OPTIONAL MATCH (listing)-[old:HAS_MEMBER]->()
WITH listing, collect(old) AS edges
FOREACH (old IN edges | DELETE old)
WITH listing
UNWIND $members AS member
MATCH (resource:Resource {node_id: member.node_id})
CREATE (listing)-[:HAS_MEMBER {position: member.position}]->(resource)
"""

_FIND = "MATCH (listing:Listing {key: $key}) RETURN listing"

_MEMBERS = """
MATCH (:Listing {key: $key})-[member:HAS_MEMBER]->(resource:Resource)
RETURN member.position AS position, resource, labels(resource) AS labels
ORDER BY position
LIMIT $limit
"""


def store(
    graph: Graph,
    address: Address,
    node_ids: Sequence[str | None],
    *,
    repository: str,
    total_count: int,
    fetched_at: str,
) -> None:
    """Write a Listing with these members, in this order; None is one that could not be had.

    They and the repository are stored already; ``repository`` is the key of the repository's
    present Address. The Listing is fully expanded when it holds every member GitHub counted.
    ``unbroken_count`` members stand before the first that could not be had.
    """
    members = [
        {"node_id": node_id, "position": position}
        for position, node_id in enumerate(node_ids)
        if node_id is not None
    ]
    unbroken = node_ids.index(None) if None in node_ids else len(node_ids)
    graph.query(
        _STORE,
        repository=repository,
        key=address.key,
        properties={
            "scope": address.scope,
            "item_kind": address.list_kind,
            "query": address.query,
            "limit": address.limit,
            "total_count": total_count,
            "member_count": len(members),
            "unbroken_count": unbroken,
            "fully_expanded": len(members) >= total_count,
            "fetched_at": fetched_at,
        },
        members=members,
    )


def find(graph: Graph, key: str) -> Row | None:
    """A Listing's own properties, or None."""
    return next((row["listing"] for row in graph.query(_FIND, key=key)), None)


def members(graph: Graph, key: str, *, limit: int) -> list[Row]:
    """A Listing's first ``limit`` members with all their properties, in GitHub's order."""
    return [row["resource"] for row in graph.query(_MEMBERS, key=key, limit=limit)]
