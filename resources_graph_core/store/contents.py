"""Everything that memory holds of one repository, for archives."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from resources_graph_core.graph import Graph, Row

_ITEMS = """
MATCH (:Resource {node_id: $node_id})-[:HAS_ISSUE|HAS_PULL_REQUEST]->(item:Resource)
WHERE item.fetched_at IS NOT NULL
RETURN labels(item) AS labels, item, item.number AS number
ORDER BY number
"""

_COMMENTS = """
MATCH (:Resource {node_id: $node_id})-[:HAS_ISSUE|HAS_PULL_REQUEST]->(item:Resource)
MATCH (item)-[:HAS_COMMENT]->(comment:Comment)
RETURN item.node_id AS item, comment
"""


def items_of(graph: Graph, node_id: str, kind: str) -> list[Row]:
    """The issues, or pull requests (``kind`` is their label), of a repository, by number."""
    rows = graph.query(_ITEMS, node_id=node_id)
    return [row["item"] for row in rows if kind in row["labels"]]


def comments_of(graph: Graph, node_id: str) -> dict[str, list[Row]]:
    """The Comments of a repository's items, by the item's node id, oldest first."""
    found: dict[str, list[Row]] = defaultdict(list)
    for row in graph.query(_COMMENTS, node_id=node_id):
        found[row["item"]].append(row["comment"])
    for comments in found.values():
        comments.sort(key=lambda one: (one.get("created_at") or "", one.get("position") or 0))
    return found
