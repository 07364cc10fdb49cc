"""A growable, time-aware memory graph for agents, in the same graph as the Resources.

``MemoryGraph`` is a handle on one graph; its operations take the models of ``requests`` and answer
with those of ``responses``. ``operations`` has them all in one table, for surfaces.
"""

from __future__ import annotations

from resources_graph_core.memory_graph.access import Access
from resources_graph_core.memory_graph.embeddings import Embedder, Embeddings, OpenAICompatible
from resources_graph_core.memory_graph.handle import MemoryGraph
from resources_graph_core.memory_graph.model import Edge, Node
from resources_graph_core.memory_graph.operations import OPERATIONS, dispatch
from resources_graph_core.memory_graph.replaying import journal_to_cypher

__all__ = [
    "OPERATIONS",
    "Access",
    "Edge",
    "Embedder",
    "Embeddings",
    "MemoryGraph",
    "Node",
    "OpenAICompatible",
    "dispatch",
    "journal_to_cypher",
]
