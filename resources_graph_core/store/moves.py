"""Where things are now: what was renamed or transferred is found under its former Addresses.

A transferred issue gets a new node id: its old Resource lets go of the Address and points on with
MOVED_TO. A ``(:FormerAddress {key})`` leads to what was there: a transferred issue, or a renamed
repository, under whose former name its items and Listings are found too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from resources_graph_core.address import Address
from resources_graph_core.store import resources

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from resources_graph_core.graph import Graph

LONGEST_CHAIN = 16
"""Moves that are followed one after another, at most."""

# In two steps, since FalkorDB would begin one long pattern at its far end, with all Resources.
_MOVED_ON = f"""
UNWIND $rows AS row
OPTIONAL MATCH (:FormerAddress {{key: row.key}})-[:LEADS_TO]->(led:Resource)
OPTIONAL MATCH (led)-[:MOVED_TO*0..{LONGEST_CHAIN}]->(now:Resource)
WHERE now.address IS NOT NULL
OPTIONAL MATCH (:FormerAddress {{key: row.repository}})-[:LEADS_TO]->(repository:Resource)
RETURN row.asked AS asked, now.address AS address, repository.address AS repository
"""

_RECORD = """
UNWIND $rows AS row
MATCH (resource:Resource {node_id: row.node_id})
OPTIONAL MATCH (holder:Resource {address: row.key})
WHERE holder.node_id <> row.node_id
OPTIONAL MATCH (holder)-[:HAS_ISSUE|HAS_PULL_REQUEST]->(held:Resource)
WITH row, resource, holder, collect(held) AS released
OPTIONAL MATCH (list:Listing)-[:LISTS_FROM]->(holder)
WITH row, resource, holder, released, collect(list) AS lists
FOREACH (item IN released | SET item.address = null)
FOREACH (list IN lists | SET list.key = null, list.scope = null)
FOREACH (previous IN CASE WHEN holder IS NULL THEN [] ELSE [holder] END |
  SET previous.address = null
  MERGE (previous)-[:MOVED_TO]->(resource))
MERGE (former:FormerAddress {key: row.key})
WITH row, resource, former
OPTIONAL MATCH (former)-[way:LEADS_TO]->(other:Resource)
WHERE other.node_id <> row.node_id
WITH resource, former, collect(way) AS ways
FOREACH (way IN ways | DELETE way)
MERGE (former)-[:LEADS_TO]->(resource)
"""

_FORGET = """
UNWIND $keys AS key
MATCH (former:FormerAddress {key: key})
DETACH DELETE former
"""


@dataclass(frozen=True, slots=True)
class Held:
    """What memory holds: its (stored) node id and where it is now."""

    node_id: str
    address: Address


def held(graph: Graph, addresses: Sequence[Address]) -> dict[str, Held]:
    """What memory holds of these repositories and items, by the key they were asked for with.

    Follows renames and transfers, as many as :data:`LONGEST_CHAIN`.
    """
    found: dict[str, Held] = {}
    waiting = {address.key: address for address in addresses}
    for _ in range(LONGEST_CHAIN):
        if not waiting:
            break
        present = resources.at_addresses(graph, [where.key for where in waiting.values()])
        found |= {
            asked: Held(present[where.key], where)
            for asked, where in waiting.items()
            if where.key in present
        }
        waiting = _moved_on(
            graph, {asked: where for asked, where in waiting.items() if asked not in found}
        )
    return found


def present_listing(graph: Graph, address: Address) -> Address:
    """A Listing's Address under the name that its repository has now, as far as memory knows."""
    moved = held(graph, [address.repository]).get(address.repository.key)
    return address if moved is None else within(moved.address, address)


def record(graph: Graph, moves: Mapping[str, str]) -> None:
    """Keep that what was asked for at these keys turned out to be the Resource of this node id.

    Another Resource that held the Address lets go of it and points on with MOVED_TO.
    """
    rows = [{"key": key, "node_id": node_id} for key, node_id in moves.items()]
    graph.query(_RECORD, rows=rows)


def forget(graph: Graph, keys: Sequence[str]) -> None:
    """Lead on from these keys no longer: GitHub does not either."""
    graph.query(_FORGET, keys=list(keys))


def _moved_on(graph: Graph, waiting: Mapping[str, Address]) -> dict[str, Address]:
    """One move further, by the key asked for; what leads nowhere is left out."""
    if not waiting:
        return {}
    rows = graph.query(
        _MOVED_ON,
        rows=[
            {"asked": asked, "key": where.key, "repository": where.repository.key}
            for asked, where in waiting.items()
        ],
    )
    onward: dict[str, Address] = {}
    for row in rows:
        asked = row["asked"]
        if row["address"] is not None:
            onward[asked] = Address.from_key(row["address"])
        elif row["repository"] is not None:
            onward[asked] = within(Address.from_key(row["repository"]), waiting[asked])
    return onward


def within(repository: Address, address: Address) -> Address:
    """``address``, in the repository that is at ``repository`` now. Pure."""
    return address.changed(owner=repository.owner, name=repository.name)
