"""The memory in one object: what a hook script, the command line, Dagster and a server use."""

from __future__ import annotations

from resources_graph_core.config import Settings, load_settings
from resources_graph_core.graph import open_graph
from resources_graph_core.memory.reading import InFlight, Status
from resources_graph_core.memory.sweeping import SweepingMemory

__all__ = ["InFlight", "Memory", "Status", "open_memory"]


def open_memory(url: str | None = None, *, settings: Settings | None = None) -> Memory:
    """Open the memory that the settings name, or the one at ``url``; use it in a ``with`` block.

    Starts the embedded engine when that is what is named and it does not run. Raises
    GraphUnavailable when the graph cannot be reached, ConfigError for a bad setting.
    """
    settings = settings or load_settings()
    if url is not None:
        settings = settings.changed(graph_url=url)
    graph = open_graph(
        settings.graph_url, user=settings.graph_user, password=settings.graph_password
    )
    return Memory(graph, settings)


class Memory(SweepingMemory):
    """One open memory: record Touches, read, sweep. Made by :func:`open_memory`.

    An address may be an Address or a text: whatever a person or an agent would write to name
    something, a command line too; UsageError when it names nothing. Where a ``session`` may be
    given, the default is the user's own, ``cli:<user>``.
    """
