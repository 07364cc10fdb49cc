"""What the graph holds, read back as the stateful test's model has it."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from resources_graph_core.address import Address
from tests.sweep.model import Kept, KeptListing, Model, within

if TYPE_CHECKING:
    from resources_graph_core.graph import Graph
    from resources_graph_core.graph.base import Row
    from tests.sweep.world import Snapshot, Values

_RESOURCES = """
MATCH (resource:Resource)
OPTIONAL MATCH (resource)-[:MOVED_TO]->(now:Resource)
RETURN resource, now.node_id AS onward
"""

_COMMENTS = """
MATCH (resource:Resource {node_id: $node_id})-[:HAS_COMMENT]->(comment:Comment)
RETURN comment
"""

_FORMER = """
MATCH (former:FormerAddress)-[:LEADS_TO]->(resource:Resource)
RETURN former.key AS key, resource.node_id AS node_id
"""

_LISTINGS = """
MATCH (listing:Listing)
WHERE listing.key IS NOT NULL
OPTIONAL MATCH (listing)-[member:HAS_MEMBER]->(resource:Resource)
WITH listing, member.position AS position, resource.node_id AS node_id
ORDER BY position
RETURN listing.key AS key, listing.fully_expanded AS full,
  listing.unbroken_count AS unbroken, collect(node_id) AS members
"""

_EDGES = """
MATCH (one:Resource)-[edge:REFERENCES|CLOSES]->(other:Resource)
RETURN type(edge) AS kind, one.node_id AS one, other.node_id AS other
"""

_BROKEN = {
    "a Comment of nothing that is in memory": """
        MATCH (comment:Comment)
        OPTIONAL MATCH (resource:Resource)-[:HAS_COMMENT]->(comment)
        WHERE resource.fetched_at IS NOT NULL
        WITH comment, count(resource) AS resources WHERE resources = 0
        RETURN comment.node_id AS what""",
    "an open link though both ends are in memory": """
        MATCH (mention:Mention)
        MATCH (resource:Resource {node_id: mention.key})
        WHERE resource.fetched_at IS NOT NULL
        RETURN mention.key AS what""",
    "a tombstone that says more than it should": """
        MATCH (resource:Resource)
        WHERE resource.withdrawn_at IS NOT NULL AND (resource.fetched_at IS NOT NULL
          OR resource.title IS NOT NULL OR resource.body IS NOT NULL
          OR resource.readme IS NOT NULL OR resource.referenced_by_urls IS NOT NULL)
        RETURN resource.node_id AS what""",
    "two Resources at one Address": """
        MATCH (resource:Resource)
        WITH resource.address AS what, count(resource) AS resources
        WHERE what IS NOT NULL AND resources > 1
        RETURN what""",
    "an item of no repository, or of two": """
        MATCH (item:Resource)
        WHERE item.number IS NOT NULL
        OPTIONAL MATCH (repository:Repository)-[:HAS_ISSUE|HAS_PULL_REQUEST]->(item)
        WITH item.node_id AS what, count(repository) AS repositories
        WHERE repositories <> 1
        RETURN what""",
}


def broken(graph: Graph) -> dict[str, list[object]]:
    """What must never be in the graph, and is."""
    found = {
        what: [row["what"] for row in graph.query(statement)] for what, statement in _BROKEN.items()
    }
    return {what: examples for what, examples in found.items() if examples}


def edges(graph: Graph) -> set[tuple[str, str, str]]:
    """Every reference drawn between two Resources."""
    return {(row["kind"], row["one"], row["other"]) for row in graph.query(_EDGES)}


def texts(graph: Graph) -> set[str]:
    """Every text that people wrote and that is in the graph."""
    rows = graph.query("MATCH (n) RETURN n.title AS title, n.body AS body, n.description AS more")
    return {value for row in rows for value in row.values() if isinstance(value, str)}


def differences(resource: Row, comments: list[Row], snapshot: Snapshot) -> Values:
    """What is stored otherwise than it was on GitHub: stored and true, by name."""
    found: Values = {}
    for name, value in snapshot.values.items():
        stored = resource.get(name)
        stored = list(stored) if isinstance(stored, list | tuple) else stored
        if stored != value:
            found[name] = (stored, value)
    sources = set(resource.get("referenced_by_ids") or ())
    if snapshot.kind != "Repository" and sources != snapshot.sources:
        found["referenced_by_ids"] = (sources, snapshot.sources)
    closes = set(resource.get("closes_ids") or ())
    if closes != snapshot.closes:
        found["closes_ids"] = (closes, snapshot.closes)
    told = [
        {name: one.get(name) for name in names}
        for one, names in zip_longest(comments, snapshot.comments, fillvalue={})
    ]
    if told != list(snapshot.comments):
        found["comments"] = (told, snapshot.comments)
    return found


def adopt(graph: Graph, before: Model, after: Model) -> Model:
    """What memory holds now, of which each part must be as it was or as it was to become.

    For Sweeps that something disturbed: which parts of their work they did is theirs to say.
    """
    now = Model(touches=before.touches)
    for row in graph.query(_RESOURCES):
        resource = row["resource"]
        node_id = resource["node_id"]
        if row["onward"] is not None:
            now.onward[node_id] = row["onward"]
        now.kept[node_id] = _one_of(
            graph, resource, before.kept.get(node_id), after.kept.get(node_id)
        )
    now.former = {row["key"]: row["node_id"] for row in graph.query(_FORMER)}
    for row in graph.query(_LISTINGS):
        key = row["key"]
        known = [*_listings_at(before, key, now), *_listings_at(after, key, now)]
        assert known, f"nobody asked for {key}"
        listing = next((one for one in reversed(known) if _fits(row, one)), None)
        assert listing, (key, row, known)
        now.listings[key] = KeptListing(
            row["members"], row["full"], listing.repository_id, row["unbroken"]
        )
    return now


def _listings_at(model: Model, key: str, now: Model) -> list[KeptListing]:
    """The list of this key, and one that has it now that its repository has another name."""
    found = []
    for before, listing in model.listings.items():
        held = now.kept.get(listing.repository_id)  # none where the Sweep did not get so far
        place = held and held.where
        moved = place and within(Address.from_key(place), Address.from_key(before)).key
        if key in {before, moved}:
            found.append(listing)
    return found


def _fits(row: Row, listing: KeptListing) -> bool:
    """Whether this is a list as it was, or, not in full, without those that could not be had."""
    members = row["members"]
    if row["full"]:
        return listing.members == members
    return members == [one for one in listing.members if one in members]


def _one_of(graph: Graph, resource: Row, before: Kept | None, after: Kept | None) -> Kept:
    node_id, where = resource["node_id"], resource.get("address")
    known = [one for one in (after, before) if one is not None]
    assert known, f"{node_id} at {where} was never asked for"
    if resource.get("fetched_at") is None:
        assert any(one.snapshot is None for one in known), f"{node_id} was withdrawn for nothing"
        return Kept(None, known[0].kind, known[0].repository_id, known[0].number, where)
    rows = graph.query(_COMMENTS, node_id=node_id)
    comments = sorted(
        (row["comment"] for row in rows), key=lambda one: (one["created_at"], one["position"])
    )
    wrong = []
    for one in known:
        if one.snapshot is None:
            continue
        wrong.append(differences(resource, comments, one.snapshot))
        if not wrong[-1]:
            return Kept(one.snapshot, one.kind, one.repository_id, one.number, where)
    raise AssertionError(f"{node_id} at {where} is neither as it was nor as it is: {wrong}")
