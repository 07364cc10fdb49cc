"""How often nodes were read: kept beside the nodes, written some reads at a time."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from resources_graph_core.memory_graph import keys

if TYPE_CHECKING:
    from collections.abc import Iterable

    from resources_graph_core.graph import Graph

_MOST_WAITING: Final = 2000

_COUNT: Final = """
UNWIND $rows AS row
MATCH (node:MemoryNode {key: row.key})
SET node.accesses = coalesce(node.accesses, 0) + row.n
"""

_OF_NODE: Final = """
MATCH (node:MemoryNode {key: $key})
RETURN coalesce(node.accesses, 0) AS accesses
"""


class Accesses:
    """Counts reads of nodes; what waits is written when the handle closes, or becomes much.

    A read is not made to wait for a write of its own, so a crash loses the latest counts.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._waiting: Counter[str] = Counter()

    def note(self, graph_id: str, ids: Iterable[str]) -> None:
        """Count one read of each of these nodes."""
        self._waiting.update(
            keys.key_of(graph_id, one) for one in ids if not keys.is_external(graph_id, one)
        )
        if len(self._waiting) > _MOST_WAITING:
            self.write()

    def write(self) -> None:
        """Write what waits."""
        if self._waiting:
            rows = [{"key": key, "n": count} for key, count in self._waiting.items()]
            self._graph.query(_COUNT, rows=rows)
            self._waiting.clear()

    def of(self, graph_id: str, node_id: str) -> int:
        """How often a node was read, as far as this handle knows."""
        key = keys.key_of(graph_id, node_id)
        rows = self._graph.query(_OF_NODE, key=key)
        return self._waiting[key] + (int(rows[0]["accesses"]) if rows else 0)
