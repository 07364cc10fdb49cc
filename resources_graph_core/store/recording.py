"""The one statement that writes Touches, cheap to import, since hooks run it too."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from resources_graph_core.touch import Touch

    class Asked(Protocol):
        """What runs a statement: a Graph, or a hook's own connection."""

        def query(self, statement: str, /, **parameters: object) -> object:
            """Run one statement."""


BATCH = 500
"""Touches a statement at most: large enough to be quick, small enough to stay atomic and short."""

RECORD = """
UNWIND $touches AS row
OPTIONAL MATCH (forgotten:ForgottenSession {session_id: row.session_id})
WITH row, forgotten WHERE forgotten IS NULL
MERGE (user:User {user_id: row.user_id})
MERGE (session:Session {session_id: row.session_id})
MERGE (user)-[:HAD_SESSION]->(session)
MERGE (touch:Touch {touch_id: row.touch_id})
ON CREATE SET touch += row.properties
MERGE (touch)-[:IN_SESSION]->(session)
"""

LINK_CACHE_READS = """
UNWIND $touches AS row
MATCH (touch:Touch {touch_id: row.touch_id})
UNWIND row.served_from AS key
OPTIONAL MATCH (resource:Resource {address: key})
OPTIONAL MATCH (listing:Listing {key: key})
FOREACH (found IN CASE WHEN resource IS NULL THEN [] ELSE [resource] END |
  MERGE (touch)-[:TOUCHED]->(found))
FOREACH (found IN CASE WHEN listing IS NULL THEN [] ELSE [listing] END |
  MERGE (touch)-[:TOUCHED]->(found))
"""


def record(graph: Asked, touches: Sequence[Touch]) -> list[str]:
    """Write Touches, each once however often it is delivered. Returns the ids taken.

    Those of a forgotten session count as taken, though nothing is written for them.
    """
    from resources_graph_core.graph.values import key_text  # noqa: PLC0415 - loaded by now

    for start in range(0, len(touches), BATCH):
        batch = touches[start : start + BATCH]
        rows = [
            {
                "touch_id": touch.touch_id,
                "session_id": key_text(touch.session_id),
                "user_id": key_text(touch.user_id),
                "properties": touch.properties() | {"awaiting": _awaited(touch)},
            }
            for touch in batch
        ]
        graph.query(RECORD, touches=rows)
        served = [
            {"touch_id": touch.touch_id, "served_from": touch.served_from.split("+")}
            for touch in batch
            if touch.served_from_memory and touch.served_from
        ]
        if served:
            graph.query(LINK_CACHE_READS, touches=served)
    return [touch.touch_id for touch in touches]


def record_what_goes(graph: Asked, touches: Sequence[Touch]) -> list[str]:
    """Write Touches of which one may be refused: the others are written all the same.

    Returns the ids taken. Raises GraphUnavailable.
    """
    from resources_graph_core.errors import GraphQueryError  # noqa: PLC0415 - loaded long before

    try:
        return record(graph, touches)
    except GraphQueryError:
        if len(touches) == 1:
            return []
    middle = len(touches) // 2
    return record_what_goes(graph, touches[:middle]) + record_what_goes(graph, touches[middle:])


def _awaited(touch: Touch) -> str | None:
    """What a new Touch waits for: the call and the subagent that made it; see ``causes``."""
    return "cause" if touch.tool_use_id or touch.agent_name else None
