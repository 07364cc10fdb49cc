"""Links between Resources, drawn whichever end came first, by indexed lookups only.

Storing an item leaves a ``(:Mention {key})`` for each reference and marks the item by ``awaiting``,
in the same statement. Linking turns the Mentions whose other end is in memory into edges, removes
them, those that nobody makes any more too, and takes the mark away; the other Mentions wait for
their end, which looks for them when it is stored. So nothing ever looks at all Mentions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources_graph_core.store import agent_memory
from resources_graph_core.store.batches import batches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.graph import Graph

# The marks go with the edges in one statement: an item stored again meanwhile is marked anew.
_DRAW = """
UNWIND $node_ids AS node_id
MATCH (stored:Resource {node_id: node_id})
SET stored.awaiting = null
WITH stored
OPTIONAL MATCH (stored)-[:MENTIONS]->(named:Mention)
WITH collect(DISTINCT stored.node_id) + collect(DISTINCT named.key) AS keys
UNWIND keys AS key
WITH DISTINCT key
MATCH (mention:Mention {key: key})
MATCH (other:Resource {node_id: key})
WHERE other.fetched_at IS NOT NULL
OPTIONAL MATCH (resource:Resource)-[waiting:MENTIONS]->(mention)
FOREACH (_ IN CASE WHEN waiting.kind = 'CLOSES' THEN [1] ELSE [] END |
  MERGE (resource)-[:CLOSES]->(other))
FOREACH (_ IN CASE WHEN waiting.kind = 'REFERENCED_BY' THEN [1] ELSE [] END |
  MERGE (other)-[:REFERENCES]->(resource))
WITH mention, count(waiting) AS drawn
DETACH DELETE mention
RETURN sum(drawn) AS drawn
"""

_WAITING = """
MATCH (stored:Resource {awaiting: 'links'})
RETURN stored.node_id AS node_id
LIMIT $limit
"""


def draw(graph: Graph, node_ids: Sequence[str]) -> int:
    """Draw the edges to and from Resources just stored. Returns how many references were drawn."""
    return sum(
        int(row["drawn"] or 0)
        for batch in batches(node_ids)
        for row in graph.query(_DRAW, node_ids=list(batch))
    )


def draw_waiting(graph: Graph, *, limit: int = 10_000) -> int:
    """Draw the edges of every item that was stored and not linked, as after a crash.

    Costs by how many those are, ``limit`` at a time. Returns how many references were drawn.
    """
    drawn = 0
    while found := [str(row["node_id"]) for row in graph.query(_WAITING, limit=limit)]:
        drawn += draw(graph, found)
    return drawn + agent_memory.draw_waiting(graph)
