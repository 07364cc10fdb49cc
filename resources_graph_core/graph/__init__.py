"""The graph: one interface, two engines.

``open_graph`` gives a Graph for a URL. Importing this package imports neither client; opening a
graph imports the one it needs.
"""

from resources_graph_core.graph.base import Graph, Row
from resources_graph_core.graph.opening import open_graph

__all__ = ["Graph", "Row", "open_graph"]
