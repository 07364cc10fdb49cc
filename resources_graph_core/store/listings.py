"""Listings: stored lists; a refetch replaces the members in one statement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from resources_graph_core.listing_answers import matches
from resources_graph_core.store.listing_filters import of_members

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.address import Address
    from resources_graph_core.graph import Graph, Row

_STORE = """
MATCH (repository:Resource {address: $repository})
MERGE (listing:Listing {key: $key})
SET listing.first_fetched_at =
  coalesce(listing.first_fetched_at, listing.fetched_at, $properties.fetched_at)
SET listing += $properties
MERGE (listing)-[:LISTS_FROM]->(repository)
WITH listing, repository
OPTIONAL MATCH (listing)-[former:LISTS_FROM]->(other:Resource)
WHERE other.node_id <> repository.node_id
WITH listing, collect(former) AS formers
FOREACH (former IN formers | DELETE former)
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

# Facts and members in one statement each, so that no reader sees those of one fetch with these of
# the next.
_WHOLE = """
MATCH (listing:Listing {{key: $key}})
OPTIONAL MATCH (listing)-[member:HAS_MEMBER]->(resource:Resource)
WITH listing, resource, member.position AS position
ORDER BY position {limit}
RETURN listing, collect({member}) AS members
"""

# The Listings are bound before their members are looked at, and members have no label here: else an
# engine may begin with all Resources.
_FILTERED = """
UNWIND $keys AS key
MATCH (listing:Listing {{key: key}})
WITH collect(listing) AS listings, min(listing.fetched_at) AS fetched_at,
  sum(CASE WHEN listing.fully_expanded THEN 1 ELSE 0 END) AS whole
UNWIND listings AS listing
OPTIONAL MATCH (listing)-[member:HAS_MEMBER]->(resource)
WHERE {conditions}
WITH {ordered}
WITH fetched_at, whole, collect({member}) AS members
RETURN fetched_at, whole, size(members) AS total, members[0..$limit] AS members
"""

_BRIEF = (
    *("address", "number", "title", "state", "draft", "labels", "comment_count", "updated_at"),
    *("author", "author_is_bot", "assignees", "milestone", "milestone_number"),
)
"""What an index of members shows, and what decides whether a member is in a narrower list."""

_WHOLE_MEMBER = "resource"
_BRIEF_MEMBER = (
    "CASE WHEN resource IS NULL THEN NULL ELSE "
    f"resource {{{', '.join(f'.{name}' for name in _BRIEF)}}} END"
)

_OF_ONE = "fetched_at, whole, resource, member.position AS position ORDER BY position"
_OF_TWO = (
    "DISTINCT fetched_at, whole, resource ORDER BY resource.created_at DESC, resource.number DESC"
)

_ALL = 2**31 - 1
"""Members, where no limit is asked for: more than GitHub numbers."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a stored Listing, or two, hold of what is asked for: its facts, its first members."""

    facts: Row
    members: list[Row]


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
    ``unbroken_count`` members stand before the first that could not be had. ``first_fetched_at``
    stays; of a Listing that was stored before it was kept, it is the fetch before this one.
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
    found = whole(graph, key, limit=limit)
    return found.members if found else []


def whole(graph: Graph, key: str, *, limit: int | None, brief: bool = False) -> Found | None:
    """The Listing at ``key``: its properties and its first ``limit`` members, in GitHub's order.

    ``brief`` members have no more than an index shows; whole ones have their texts too, which
    takes several times as long.
    """
    statement = _WHOLE.format(limit="" if limit is None else "LIMIT $limit", member=_member(brief))
    for row in graph.query(statement, key=key, **({} if limit is None else {"limit": limit})):
        return Found(row["listing"], row["members"])
    return None


def filtered(
    graph: Graph, keys: Sequence[str], address: Address, *, brief: bool = False
) -> Found | None:
    """What the Listings at ``keys`` hold together of the list at ``address``.

    The facts are the Listing's that they make up, as old as the older one. None when one of them is
    no longer fully expanded. In GitHub's order: that of the one Listing, of two the newest created
    first. ``brief`` members have no more than an index shows.
    """
    told = of_members(address)
    ordered = _OF_ONE if len(keys) == 1 else _OF_TWO
    statement = _FILTERED.format(conditions=told.where, ordered=ordered, member=_member(brief))
    limit = address.limit or _ALL
    rows = graph.query(
        statement, keys=list(keys), limit=limit if told.exact else _ALL, **told.parameters
    )
    for row in rows:
        if row["whole"] != len(keys):
            return None
        found = [member for member in row["members"] if matches(member, address)]
        total = row["total"] if told.exact else len(found)
        facts = {
            "key": address.key,
            "scope": address.scope,
            "item_kind": address.list_kind,
            "total_count": total,
            "member_count": total,
            "unbroken_count": total,
            "fully_expanded": True,
            "fetched_at": row["fetched_at"],
        }
        return Found(facts, found[:limit])
    return None


def _member(brief: bool) -> str:  # noqa: FBT001 - for the two statements above
    return _BRIEF_MEMBER if brief else _WHOLE_MEMBER
