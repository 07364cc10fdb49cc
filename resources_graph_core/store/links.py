"""Links between Resources, drawn whichever end came first, by indexed lookups only.

Storing an item leaves a ``(:Mention {key})`` for each reference, in the same statement. Linking
turns the Mentions whose other end is in memory into edges and removes them, those that nobody makes
any more too; the rest wait for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources_graph_core.store import agent_memory
from resources_graph_core.store.batches import batches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.graph import Graph

_DRAW = """
UNWIND $keys AS key
MATCH (mention:Mention {key: key})
MATCH (other:Resource {node_id: key})
OPTIONAL MATCH (resource:Resource)-[waiting:MENTIONS]->(mention)
FOREACH (_ IN CASE WHEN waiting.kind = 'CLOSES' THEN [1] ELSE [] END |
  MERGE (resource)-[:CLOSES]->(other))
FOREACH (_ IN CASE WHEN waiting.kind = 'REFERENCED_BY' THEN [1] ELSE [] END |
  MERGE (other)-[:REFERENCES]->(resource))
WITH mention, count(waiting) AS drawn
DETACH DELETE mention
RETURN sum(drawn) AS drawn
"""

_MENTIONED_BY = """
UNWIND $node_ids AS node_id
MATCH (:Resource {node_id: node_id})-[:MENTIONS]->(mention:Mention)
RETURN DISTINCT mention.key AS key
"""

_WAITING = """
MATCH (mention:Mention)
MATCH (other:Resource {node_id: mention.key})
RETURN mention.key AS key
LIMIT $limit
"""


def draw(graph: Graph, node_ids: Sequence[str]) -> int:
    """Draw the edges to and from Resources just stored. Returns how many references were drawn."""
    keys = {str(row["key"]) for row in graph.query(_MENTIONED_BY, node_ids=list(node_ids))}
    return _draw(graph, sorted(keys | set(node_ids)))


def draw_waiting(graph: Graph, *, limit: int = 10_000) -> int:
    """Draw every edge left open though both ends are in memory, as after a crash.

    Looks at all Mentions: for a Sweep's end, not for each item. Returns how many were drawn.
    """
    drawn = 0
    while keys := [str(row["key"]) for row in graph.query(_WAITING, limit=limit)]:
        drawn += _draw(graph, keys)
    return drawn + agent_memory.draw_waiting(graph)


def _draw(graph: Graph, keys: Sequence[str]) -> int:
    return sum(
        int(row["drawn"] or 0)
        for batch in batches(keys)
        for row in graph.query(_DRAW, keys=list(batch))
    )
