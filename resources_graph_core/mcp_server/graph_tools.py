"""The operations of the memory graph as tools, each write stamped with who the server acts for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from resources_graph_core.mcp_server.tools import OfferedTool
from resources_graph_core.memory_graph import Access, MemoryGraph
from resources_graph_core.memory_graph.accesses import Accesses
from resources_graph_core.memory_graph.tools import tools

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.mcp_server.kept import KeptMemory
    from resources_graph_core.memory import Memory
    from resources_graph_core.memory_graph.tools import Work


KEEPING = frozenset({"graph_dump", "graph_load", "graph_replay", "graph_drop", "graph_reembed"})
"""Tools for who keeps a graph, not for who remembers in it."""


def offered(
    kept: KeptMemory,
    *,
    origin: str | None = None,
    trusted: bool = False,
    privileged: bool = False,
    read_only: bool = False,
) -> Iterator[OfferedTool]:
    """The tools, on the graph ``main`` of the kept memory.

    Writes are by ``origin`` (default: ``mcp:`` and the user's name), claims unless ``trusted``;
    with ``read_only`` there are none. What keeps whole graphs is for a ``privileged`` server: its
    schemas would cost every other session tokens for nothing.
    """
    accesses = Accesses()
    kept.before_closing(lambda memory: accesses.write(memory.graph))

    def handle_on(memory: Memory) -> MemoryGraph:
        user = memory.settings.user
        access = Access(
            origin=origin or f"mcp:{user}",
            trusted=trusted,
            privileged=privileged,
            read_only=read_only,
            user=user,
        )
        memory.setup()
        return MemoryGraph(memory.graph, access=access, accesses=accesses)

    def use(work: Work, *, repeat: bool) -> dict[str, Any]:
        return kept.use(lambda memory: work(handle_on(memory)), repeat=repeat)

    for tool in tools(use, read_only=read_only):
        if tool.name in KEEPING and not privileged:
            continue
        yield OfferedTool(tool.function, tool.description, name=tool.name, writes=tool.writes)
