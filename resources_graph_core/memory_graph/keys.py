"""How ids become keys in the graph, and which ids name what memory holds of GitHub."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from resources_graph_core.memory_graph.model import MAIN


@dataclass(frozen=True, slots=True)
class Place:
    """The label and the unique property of the nodes that ids with one prefix name."""

    label: str
    key: str


MEMORY: Final = Place("MemoryNode", "key")

EXTERNAL: Final[dict[str, Place]] = {
    "resource": Place("Resource", "node_id"),
    "listing": Place("Listing", "key"),
    "session": Place("Session", "session_id"),
    "kept-task": Place("Task", "key"),
    "kept-decision": Place("Decision", "key"),
    "kept-verdict": Place("Verdict", "key"),
}
"""What is a node of the graph ``main`` without being its own, by the prefix of its id.

Callers name their own nodes ``task:7`` and the like, so what is kept on GitHub is called ``kept-``.
"""


def key_of(graph_id: str, name: str) -> str:
    """The key of a node or an edge: a graph_id holds no ``|``, so that two never collide."""
    return f"{graph_id}|{name}"


def id_of(key: str) -> str:
    """The id in a key."""
    return key.partition("|")[2]


def place_of(graph_id: str, node_id: str) -> tuple[Place, str]:
    """Where a node is kept, and the value of its unique property there."""
    prefix, colon, rest = node_id.partition(":")
    if graph_id == MAIN and colon and rest and prefix in EXTERNAL:
        return EXTERNAL[prefix], rest
    return MEMORY, key_of(graph_id, node_id)


def is_external(graph_id: str, node_id: str) -> bool:
    """Whether an id names what memory holds of GitHub, which no handle may change."""
    return place_of(graph_id, node_id)[0] is not MEMORY


def external_id(label: str, value: str) -> str:
    """The id of a Resource, a Listing, a Session, or of what is kept on GitHub."""
    prefix = next(name for name, place in EXTERNAL.items() if place.label == label)
    return f"{prefix}:{value}"
