"""What memory holds, in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from resources_graph_core.graph import Graph

_RESOURCES = """
MATCH (resource:Resource)
WHERE resource.fetched_at IS NOT NULL
UNWIND labels(resource) AS label
WITH label, resource WHERE label <> 'Resource'
RETURN label, count(resource) AS n
"""

_TOUCHES = """
MATCH (touch:Touch)
RETURN coalesce(touch.status, 'cache read') AS status, touch.reason AS reason, count(touch) AS n
"""


def resources(graph: Graph) -> dict[str, int]:
    """How many of each kind of Resource are stored."""
    return {row["label"]: int(row["n"]) for row in graph.query(_RESOURCES)}


def labelled(graph: Graph, label: str) -> int:
    """How many nodes carry ``label``, one of the graph model's own."""
    return int(graph.query(f"MATCH (node:{label}) RETURN count(node) AS n")[0]["n"])


def touches(graph: Graph) -> dict[str, int]:
    """How many Touches are in each state: ``pending``, ``resolved``, ``unresolved: why`` …."""
    states: dict[str, int] = {}
    for row in graph.query(_TOUCHES):
        state = f"{row['status']}: {row['reason']}" if row["reason"] else row["status"]
        states[state] = states.get(state, 0) + int(row["n"])
    return states
