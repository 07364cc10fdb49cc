"""How often nodes were read: kept beside the nodes, written some reads at a time."""

from __future__ import annotations

import time
from collections import Counter
from threading import Lock
from typing import TYPE_CHECKING, Final

from resources_graph_core.memory_graph import keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from resources_graph_core.graph import Graph

MOST_WAITING: Final = 10_000
"""So many nodes' counts wait at most."""

LONGEST_WAIT_SECONDS: Final = 5.0
"""Counts that waited longer are written with the next read."""

_COUNT: Final = """
UNWIND $groups AS group
UNWIND group.keys AS key
MATCH (node:MemoryNode {key: key})
SET node.accesses = coalesce(node.accesses, 0) + group.n
"""

_OF_NODE: Final = """
MATCH (node:MemoryNode {key: $key})
RETURN coalesce(node.accesses, 0) AS accesses
"""


class Accesses:
    """Counts reads of nodes, for handles on one engine, from several threads too.

    A read is not made to wait for a write of its own: what waits is written with a later read, when
    it waited for :data:`LONGEST_WAIT_SECONDS` or is more than :data:`MOST_WAITING`, and at last
    when the handle closes. A crash loses no more than that. ``clock`` is in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._waiting: Counter[str] = Counter()
        self._since = 0.0

    @property
    def is_waiting(self) -> bool:
        """Whether any count waits to be written."""
        with self._lock:
            return bool(self._waiting)

    def note(self, graph: Graph, graph_id: str, ids: Iterable[str]) -> None:
        """Count one read of each of these nodes."""
        fresh = [keys.key_of(graph_id, one) for one in ids if not keys.is_external(graph_id, one)]
        with self._lock:
            if not self._waiting:
                self._since = self._clock()
            self._waiting.update(fresh)
            waited = self._clock() - self._since
            due = len(self._waiting) > MOST_WAITING or waited >= LONGEST_WAIT_SECONDS
        if due:
            self.write(graph)

    def write(self, graph: Graph) -> None:
        """Write what waits; what cannot be written goes on waiting, and the error is raised."""
        with self._lock:
            counts, self._waiting = self._waiting, Counter()
        by_count: dict[int, list[str]] = {}
        for key, count in counts.items():
            by_count.setdefault(count, []).append(key)
        if not by_count:
            return
        groups = [{"n": count, "keys": together} for count, together in by_count.items()]
        try:
            graph.query(_COUNT, groups=groups)
        except BaseException:
            with self._lock:
                self._waiting.update(counts)
            raise

    def of(self, graph: Graph, graph_id: str, node_id: str) -> int:
        """How often a node was read, as far as is known here."""
        key = keys.key_of(graph_id, node_id)
        rows = graph.query(_OF_NODE, key=key)
        with self._lock:
            return self._waiting[key] + (int(rows[0]["accesses"]) if rows else 0)
