"""The graph: one interface, two engines (DESIGN, "One Cypher, two engines")."""

from resources_graph_core.graph.base import Graph, Row

__all__ = ["Graph", "Row"]
