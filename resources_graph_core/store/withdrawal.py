"""Withdrawal: what is no longer public, or no longer there, leaves memory but for its tombstone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources_graph_core.store import agent_memory
from resources_graph_core.store.moves import LONGEST_CHAIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.graph import Graph, Row

# A repository takes its items along, and each item what it was before it was transferred. What
# other items say of the withdrawn ones waits as Mentions, in case they come back. A Listing that
# had them is recounted and no longer fully expanded.
_WITHDRAW = f"""
UNWIND $node_ids AS node_id
MATCH (:Resource {{node_id: node_id}})-[:HAS_ISSUE|HAS_PULL_REQUEST*0..1]->(held:Resource)
MATCH (gone:Resource)-[:MOVED_TO*0..{LONGEST_CHAIN}]->(held)
WITH DISTINCT gone
WHERE gone.fetched_at IS NOT NULL
SET gone = {{
  node_id: gone.node_id, address: gone.address, withdrawn_at: $now, withdrawn_reason: $reason}}
WITH collect(gone) AS all_gone
UNWIND all_gone AS gone
OPTIONAL MATCH (gone)-[:HAS_COMMENT]->(comment:Comment)
WITH gone, collect(DISTINCT comment) AS comments
FOREACH (comment IN comments | DETACH DELETE comment)
WITH gone
OPTIONAL MATCH (gone)-[mentioning:MENTIONS]->(:Mention)
WITH gone, collect(mentioning) AS edges
FOREACH (edge IN edges | DELETE edge)
WITH gone
OPTIONAL MATCH (closing:Resource)-[:CLOSES]->(gone)
WHERE closing.fetched_at IS NOT NULL
WITH gone, collect(DISTINCT closing) AS closing
OPTIONAL MATCH (gone)-[:REFERENCES]->(referenced:Resource)
WHERE referenced.fetched_at IS NOT NULL
WITH gone, closing, collect(DISTINCT referenced) AS referenced
FOREACH (other IN closing |
  MERGE (mention:Mention {{key: gone.node_id}})
  MERGE (other)-[:MENTIONS {{kind: 'CLOSES'}}]->(mention))
FOREACH (other IN referenced |
  MERGE (mention:Mention {{key: gone.node_id}})
  MERGE (other)-[:MENTIONS {{kind: 'REFERENCED_BY'}}]->(mention))
WITH gone
OPTIONAL MATCH (gone)-[edge:REFERENCES|CLOSES]-(:Resource)
WITH gone, collect(DISTINCT edge) AS edges
FOREACH (edge IN edges | DELETE edge)
WITH gone
OPTIONAL MATCH (listing:Listing)-[member:HAS_MEMBER]->(gone)
WITH listing, collect(member) AS members, count(DISTINCT gone) AS items
FOREACH (one IN CASE WHEN listing IS NULL THEN [] ELSE [listing] END |
  SET one.member_count = one.member_count - size(members),
    one.unbroken_count = one.unbroken_count - size(members),
    one.fully_expanded = false)
FOREACH (member IN members | DELETE member)
RETURN sum(items) AS withdrawn
"""

_EMPTY = """
MATCH (listing:Listing {key: $key})
OPTIONAL MATCH (listing)-[member:HAS_MEMBER]->(:Resource)
WITH listing, collect(member) AS members
FOREACH (member IN members | DELETE member)
SET listing.member_count = 0, listing.unbroken_count = 0, listing.fully_expanded = false
"""

_TOMBSTONES = """
UNWIND $addresses AS address
MATCH (resource:Resource {address: address})
WHERE resource.withdrawn_at IS NOT NULL
RETURN resource.withdrawn_at AS withdrawn_at, resource.withdrawn_reason AS withdrawn_reason
"""


def withdraw(graph: Graph, node_ids: Sequence[str], *, reason: str, now: str) -> int:
    """Take what is stored by these node ids out of memory, repositories with all their items.

    What stays is ``node_id``, ``address``, ``withdrawn_at`` (``now``), ``withdrawn_reason``. All in
    one statement, but that what agents keep there goes first; what was withdrawn before stays as it
    is. Returns how many Resources went.
    """
    if not node_ids:
        return 0
    agent_memory.forget(graph, node_ids)
    rows = graph.query(_WITHDRAW, node_ids=list(node_ids), reason=reason, now=now)
    return int(rows[0]["withdrawn"] or 0) if rows else 0


def empty_listing(graph: Graph, key: str) -> None:
    """Take all members out of a Listing that GitHub no longer gives; it answers nothing then."""
    graph.query(_EMPTY, key=key)


def tombstone(graph: Graph, keys: Sequence[str]) -> Row | None:
    """``withdrawn_at`` and ``withdrawn_reason`` of the first withdrawn Resource at these keys."""
    return next(iter(graph.query(_TOMBSTONES, addresses=list(keys))), None)
