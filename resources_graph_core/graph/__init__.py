"""The graph: one interface, two engines.

``open_graph`` gives a Graph for a URL. Importing this package imports neither client; opening a
graph imports the one it needs. Hooks use ``quick`` instead, which imports next to nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from resources_graph_core.graph.base import Graph, Row
    from resources_graph_core.graph.opening import open_graph

__all__ = ["Graph", "Row", "open_graph"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - a hook asks for none of these

    module = "opening" if name == "open_graph" else "base"
    return getattr(import_module(f"{__name__}.{module}"), name)
