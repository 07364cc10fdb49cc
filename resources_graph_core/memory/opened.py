"""An open memory: its graph, its settings, and what an address names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources_graph_core.closing import Closed
from resources_graph_core.errors import UsageError
from resources_graph_core.surroundings import named

if TYPE_CHECKING:
    from resources_graph_core.address import Address
    from resources_graph_core.config import Settings
    from resources_graph_core.graph import Graph


class OpenMemory(Closed):
    """A graph and the settings it was opened with: what each part of a memory works on."""

    def __init__(self, graph: Graph, settings: Settings) -> None:
        self.graph = graph
        self.settings = settings

    def close(self) -> None:
        """Let go of the graph; an embedded engine keeps running."""
        self.graph.close()

    @property
    def own_session(self) -> str:
        """The session of what is done on the command line or in Python without naming one."""
        return f"cli:{self.settings.user}"

    def setup(self) -> list[str]:
        """Create the indexes and unique constraints that are missing; returns what was added."""
        from resources_graph_core.graph.schema import setup  # noqa: PLC0415 - seldom needed

        return setup(self.graph)

    def _addresses(self, address: str | Address, limit: int | None = None) -> list[Address]:
        found = named(address, self.settings) if isinstance(address, str) else [address]
        if limit is None:
            return found
        for where in found:
            if where.kind != "listing":
                raise UsageError(f"{where} is no list, so it has no limit")
        return [where.with_limit(limit) for where in found]

    def _address(self, address: str | Address, limit: int | None = None) -> Address:
        """The one thing that an address names; UsageError when it names several."""
        first, *others = self._addresses(address, limit)
        if others:
            raise UsageError(
                f"{address!r} names {len(others) + 1} things, {first} first; name one at a time"
            )
        return first
