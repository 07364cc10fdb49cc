"""Graphs kept open for a server's threads: one thread at a time has one."""

from __future__ import annotations

from contextlib import contextmanager
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING

from resources_graph_core.errors import GraphUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from resources_graph_core.graph import Graph


class Connections:
    """At most ``most`` open graphs, opened when one is wanted and none is free."""

    def __init__(self, opening: Callable[[], Graph], *, most: int) -> None:
        self._opening = opening
        self._turns = BoundedSemaphore(most)
        self._lock = Lock()
        self._free: list[Graph] = []

    @contextmanager
    def borrow(self) -> Iterator[Graph]:
        """A graph for this thread alone.

        One that turned out to be unreachable is let go of. Raises what opening raises.
        """
        with self._turns:
            with self._lock:
                graph = self._free.pop() if self._free else None
            if graph is None:
                graph = self._opening()
            try:
                yield graph
            except GraphUnavailable:
                graph.close()
                raise
            except BaseException:
                self._give_back(graph)
                raise
            self._give_back(graph)

    def close(self) -> None:
        """Close those that are free."""
        with self._lock:
            graphs, self._free = self._free, []
        for graph in graphs:
            graph.close()

    def _give_back(self, graph: Graph) -> None:
        with self._lock:
            self._free.append(graph)
