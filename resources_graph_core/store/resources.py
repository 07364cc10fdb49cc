"""Resources: repositories, issues and pull requests, each stored whole in one statement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from resources_graph_core.address import DEFAULT_HOST
from resources_graph_core.errors import GraphQueryError
from resources_graph_core.graph.values import key_text
from resources_graph_core.model import PullRequest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from resources_graph_core.graph import Graph, Row
    from resources_graph_core.model import Comment, Issue, Repository

# Finds or makes the node, whole labels at once: ArcadeDB takes a label added to a node just made
# for a second node with the same key, and scans for a MERGE of two labels. Then, since an Address
# names one Resource, whoever held it before lets go of it and points on; a repository's items and
# Listings let go of theirs too, for they have its name in them. What had moved on from here is here
# again.
_FIND_OR_MAKE = """
OPTIONAL MATCH (present:Resource {{node_id: row.node_id}})
FOREACH (_ IN CASE WHEN present IS NULL THEN [1] ELSE [] END |
  CREATE (:Resource:{label} {{node_id: row.node_id}}))
WITH run, row{carried}
OPTIONAL MATCH (holder:Resource {{address: row.properties.address}})
WHERE holder.node_id <> row.node_id
OPTIONAL MATCH (holder)-[:HAS_ISSUE|HAS_PULL_REQUEST]->(held:Resource)
WITH run, row{carried}, holder, collect(held) AS released
OPTIONAL MATCH (list:Listing)-[:LISTS_FROM]->(holder)
WITH run, row{carried}, holder, released, collect(list) AS lists
OPTIONAL MATCH (former:FormerAddress {{key: row.properties.address}})
WITH run, row{carried}, holder, released, lists, collect(former) AS formers
FOREACH (former IN formers | DETACH DELETE former)
FOREACH (item IN released | SET item.address = null)
FOREACH (list IN lists | SET list.key = null, list.scope = null)
WITH run, row{carried}, holder
MATCH (resource:Resource {{node_id: row.node_id}})
FOREACH (previous IN CASE WHEN holder IS NULL THEN [] ELSE [holder] END |
  SET previous.address = null
  MERGE (previous)-[:MOVED_TO]->(resource))
WITH run, row{carried}, resource
OPTIONAL MATCH (resource)-[onward:MOVED_TO]->(:Resource)
WITH run, row{carried}, resource, collect(onward) AS ways
FOREACH (onward IN ways | DELETE onward)
"""

_WRITE = """
SET resource += row.properties, resource.run_id = $run_id
MERGE (resource)-[fetched:FETCHED_BY]->(run)
SET fetched.at = row.properties.fetched_at
"""

# A renamed repository takes its items and Listings along, and its former Address leads to it. A
# Listing that had the same key is of whoever had the name before, and goes. Items that moved on
# have no Address to take along; what they were at under the new name leads to them.
_RENAME = """
WITH run, row, resource, resource.address AS before
OPTIONAL MATCH (resource)-[:HAS_ISSUE|HAS_PULL_REQUEST]->(item:Resource)
WHERE before IS NULL OR before <> row.properties.address
OPTIONAL MATCH (item)-[onward:MOVED_TO]->(:Resource)
WITH run, row, resource, before, item, count(onward) AS ways
WITH run, row, resource, before,
  collect(CASE WHEN ways = 0 THEN item END) AS staying,
  collect(CASE WHEN ways > 0 AND item.number IS NOT NULL THEN item END) AS moved
FOREACH (item IN staying |
  SET item.address = row.properties.address + '#'
      + coalesce(toString(item.number), split(item.address, '#')[1]),
    item.repository =
      CASE WHEN item.fetched_at IS NULL THEN null ELSE row.properties.name_with_owner END)
FOREACH (item IN moved |
  MERGE (former:FormerAddress {key: row.properties.address + '#' + toString(item.number)})
  MERGE (former)-[:LEADS_TO]->(item))
FOREACH (_ IN CASE WHEN before <> row.properties.address THEN [1] ELSE [] END |
  MERGE (former:FormerAddress {key: before})
  MERGE (former)-[:LEADS_TO]->(resource))
WITH run, row, resource, before
OPTIONAL MATCH (listing:Listing)-[:LISTS_FROM]->(resource)
WHERE before <> row.properties.address AND listing.key STARTS WITH (before + '/')
WITH run, row, resource, before, listing,
  row.properties.address + substring(listing.key, size(coalesce(before, ''))) AS key
OPTIONAL MATCH (taken:Listing {key: key})
WITH run, row, resource, before, collect(listing) AS renamed, collect(taken) AS outdated
FOREACH (other IN outdated | DETACH DELETE other)
FOREACH (listing IN renamed |
  SET listing.key = row.properties.address + substring(listing.key, size(coalesce(before, ''))),
    listing.scope = row.properties.address + substring(listing.scope, size(coalesce(before, ''))))
WITH run, row, resource
"""

_STORE_REPOSITORIES = f"""
MATCH (run:SweepRun {{run_id: $run_id}})
UNWIND $rows AS row
{_FIND_OR_MAKE.format(label="Repository", carried="")}
{_RENAME}
{_WRITE}
RETURN count(resource) AS stored
"""


def _store_items(label: str, relationship: str) -> str:
    # Comments that are no longer on GitHub go; so do edges whose reference is gone, drawn ones and
    # those that wait. References to what is not in memory (yet) wait as Mentions, see the links
    # module. Edges are looked for from the item's end: a repository may have 100,000 of them. What
    # is compared below is taken out of the row: each look into it copies it.
    return f"""
MATCH (run:SweepRun {{run_id: $run_id}})
UNWIND $rows AS row
MATCH (repository:Resource {{node_id: row.repository_id}})
WHERE repository.fetched_at IS NOT NULL
{_FIND_OR_MAKE.format(label=label, carried=", repository")}
{_WRITE}
MERGE (resource)<-[:{relationship}]-(repository)
FOREACH (comment IN row.comments |
  MERGE (kept:Comment {{node_id: comment.node_id}})
  SET kept += comment
  MERGE (resource)-[:HAS_COMMENT]->(kept))
FOREACH (mention IN row.mentions |
  MERGE (named:Mention {{key: mention.key}})
  MERGE (resource)-[:MENTIONS {{kind: mention.kind}}]->(named))
WITH resource, row.comment_ids AS comment_ids, row.closes_ids AS closes_ids,
  row.referenced_by_ids AS referenced_by_ids
OPTIONAL MATCH (resource)-[:HAS_COMMENT]->(comment:Comment)
WHERE NOT comment.node_id IN comment_ids
WITH resource, closes_ids, referenced_by_ids, collect(comment) AS gone
FOREACH (comment IN gone | DETACH DELETE comment)
WITH resource, closes_ids, referenced_by_ids
OPTIONAL MATCH (source:Resource)-[edge:REFERENCES]->(resource)
WHERE NOT source.node_id IN referenced_by_ids
WITH resource, closes_ids, referenced_by_ids, collect(edge) AS gone
FOREACH (edge IN gone | DELETE edge)
WITH resource, closes_ids, referenced_by_ids
OPTIONAL MATCH (resource)-[edge:CLOSES]->(target:Resource)
WHERE NOT target.node_id IN closes_ids
WITH resource, closes_ids, referenced_by_ids, collect(edge) AS gone
FOREACH (edge IN gone | DELETE edge)
WITH resource, closes_ids, referenced_by_ids
OPTIONAL MATCH (resource)-[edge:MENTIONS]->(named:Mention)
WHERE (edge.kind = 'CLOSES' AND NOT named.key IN closes_ids)
   OR (edge.kind = 'REFERENCED_BY' AND NOT named.key IN referenced_by_ids)
WITH resource, collect(edge) AS gone
FOREACH (edge IN gone | DELETE edge)
RETURN count(resource) AS stored
"""


_STORE = {
    "Issue": _store_items("Issue", "HAS_ISSUE"),
    "PullRequest": _store_items("PullRequest", "HAS_PULL_REQUEST"),
}

_ADDRESSES_OF = """
UNWIND $node_ids AS node_id
MATCH (resource:Resource {node_id: node_id})
WHERE resource.fetched_at IS NOT NULL
RETURN node_id, resource.address AS address
"""

_AT_ADDRESSES = """
UNWIND $addresses AS address
MATCH (resource:Resource {address: address})
WHERE resource.fetched_at IS NOT NULL
RETURN address, resource.node_id AS node_id
"""

_FIND = """
MATCH (resource:Resource {address: $address})
WHERE resource.fetched_at IS NOT NULL
RETURN resource, labels(resource) AS labels
"""

_COMMENTS = """
MATCH (:Resource {node_id: $node_id})-[:HAS_COMMENT]->(comment:Comment)
RETURN comment
"""

# On the node under another name, or nodes and edges of their own.
_NOT_PROPERTIES = {
    "node_id",
    "host",
    "repository_id",
    "comments",
    "referenced_by",
    "closes",
    "kind",
}

# What a Resource that was withdrawn has, and one that was fetched has not.
_NOT_WITHDRAWN = {"withdrawn_at": None, "withdrawn_reason": None}

KINDS = ("Repository", "Issue", "PullRequest")
"""The labels that say what a Resource is."""


def stored_id(host: str, node_id: str) -> str:
    """The ``node_id`` as stored: another host's stands behind it, since old ids collide."""
    return node_id if host == DEFAULT_HOST else f"{host}|{node_id}"


def _check_ids(node_ids: Iterable[str]) -> None:
    """Refuse an id that no unique key can be; see ``key_text``."""
    for node_id in node_ids:
        if key_text(node_id) != node_id:
            raise GraphQueryError(f"GitHub's id {node_id[:40]!r} cannot be a key in the graph")


def store_repositories(
    graph: Graph, repositories: Sequence[Repository], *, fetched_at: str, run_id: str
) -> int:
    """Write repositories, whole, in one statement; of twins the last counts. Returns how many."""
    _check_ids([one.node_id for one in repositories])
    once = {stored_id(one.host, one.node_id): one for one in repositories}
    rows = [
        {
            "node_id": node_id,
            "properties": {
                **repository.model_dump(exclude={"node_id", "host"}),
                **_NOT_WITHDRAWN,
                "address": repository.address.key,
                "fetched_at": fetched_at,
            },
        }
        for node_id, repository in once.items()
    ]
    return _stored(graph.query(_STORE_REPOSITORIES, rows=rows, run_id=run_id))


def store_items(
    graph: Graph, items: Sequence[Issue | PullRequest], *, fetched_at: str, run_id: str
) -> int:
    """Write issues and pull requests with all their Comments, one statement for each kind.

    Their repositories must be stored already: an item whose repository is not, or was withdrawn
    meanwhile, is left out. Of an item given twice the last counts. Returns how many were written.
    """
    _check_ids([one.node_id for item in items for one in (item, *item.comments)])
    stored = 0
    items = list({(item.host, item.node_id): item for item in items}.values())
    for kind, statement in _STORE.items():
        rows = [_item_row(item, fetched_at) for item in items if item.kind == kind]
        if rows:
            stored += _stored(graph.query(statement, rows=rows, run_id=run_id))
    return stored


def addresses_of(graph: Graph, node_ids: Sequence[str]) -> dict[str, str | None]:
    """The keys of the Addresses of what memory holds by these (stored) node ids."""
    rows = graph.query(_ADDRESSES_OF, node_ids=list(node_ids))
    return {row["node_id"]: row["address"] for row in rows}


def at_addresses(graph: Graph, keys: Sequence[str]) -> dict[str, str]:
    """The node ids of what memory holds at these Address keys."""
    rows = graph.query(_AT_ADDRESSES, addresses=list(keys))
    return {row["address"]: row["node_id"] for row in rows}


def find(graph: Graph, key: str) -> tuple[str, Row] | None:
    """The kind and the properties of the Resource at an Address key, or None."""
    for row in graph.query(_FIND, address=key):
        kind = next(label for label in KINDS if label in row["labels"])
        return kind, row["resource"]
    return None


def comments(graph: Graph, node_id: str) -> list[Row]:
    """A Resource's Comments, oldest first."""
    rows = [row["comment"] for row in graph.query(_COMMENTS, node_id=node_id)]
    return sorted(rows, key=lambda row: (row.get("created_at") or "", row.get("position") or 0))


def _stored(rows: list[Row]) -> int:
    return int(rows[0]["stored"]) if rows else 0


def _item_row(item: Issue | PullRequest, fetched_at: str) -> dict[str, Any]:
    host = item.host
    sources = {stored_id(host, end.node_id): end.url for end in item.referenced_by}
    properties = {
        **item.model_dump(exclude=_NOT_PROPERTIES),
        **_NOT_WITHDRAWN,
        "awaiting": "links",
        "address": item.address.key,
        "referenced_by_ids": list(sources),
        "referenced_by_urls": list(sources.values()),
        "fetched_at": fetched_at,
    }
    closes: dict[str, str] = {}
    if isinstance(item, PullRequest):
        closes = {stored_id(host, end.node_id): end.url for end in item.closes}
        properties |= {"closes_ids": list(closes), "closes_urls": list(closes.values())}
    comments = [
        _comment_row(comment, host, position) for position, comment in enumerate(item.comments)
    ]
    return {
        "node_id": stored_id(host, item.node_id),
        "repository_id": stored_id(host, item.repository_id),
        "properties": properties,
        "closes_ids": list(closes),
        "referenced_by_ids": list(sources),
        "comments": comments,
        "comment_ids": [comment["node_id"] for comment in comments],
        "mentions": [
            *({"key": key, "kind": "REFERENCED_BY"} for key in sources),
            *({"key": key, "kind": "CLOSES"} for key in closes),
        ],
    }


def _comment_row(comment: Comment, host: str, position: int) -> Row:
    return {
        **comment.model_dump(),
        "node_id": stored_id(host, comment.node_id),
        # Several can be of the same second.
        "position": position,
        # What resources-graph 0.3 tells review comments by.
        "review": comment.kind == "review_comment",
    }
