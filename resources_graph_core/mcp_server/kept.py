"""One memory, kept open between calls, that outlives a graph which goes away and comes back."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.config import Settings
    from resources_graph_core.memory import Memory

T = TypeVar("T")


class KeptMemory:
    """Opens the memory at its first use and keeps it; calls take turns, as a Graph demands.

    ``settings`` is asked before each use: a memory whose settings changed is opened anew.
    """

    def __init__(self, settings: Callable[[], Settings]) -> None:
        self._settings = settings
        self._turn = threading.Lock()
        self._memory: Memory | None = None
        self._writes_left: list[Callable[[Memory], None]] = []

    @property
    def settings(self) -> Settings:
        """The settings as they are now."""
        return self._settings()

    def use(self, work: Callable[[Memory], T], *, repeat: bool = True) -> T:
        """What ``work`` makes of the memory.

        When the graph went away meanwhile, the memory is opened again and, with ``repeat``, the
        work done once more: say False for work that must not be done twice. Raises what opening
        raises, and what ``work`` does.
        """
        from resources_graph_core.errors import GraphUnavailable  # noqa: PLC0415 - see the server

        with self._turn:
            try:
                return work(self._opened())
            except GraphUnavailable:
                was_open = self._memory is not None
                self._let_go()
                if not (repeat and was_open):
                    raise
            try:
                return work(self._opened())
            except GraphUnavailable:
                self._let_go()
                raise

    def before_closing(self, write: Callable[[Memory], None]) -> None:
        """Do ``write``, of what waits to be written, before a memory is let go of."""
        self._writes_left.append(write)

    def write_waiting(self) -> None:
        """Write what waits, when the memory is open; what a graph that is away misses waits on."""
        with self._turn:
            self._write_waiting()

    def close(self) -> None:
        """Let go of the memory; the next use opens it again."""
        with self._turn:
            self._let_go()

    def _opened(self) -> Memory:
        settings = self._settings()
        if self._memory is not None and self._memory.settings != settings:
            self._let_go()
        if self._memory is None:
            from stamina.instrumentation import set_on_retry_hooks  # noqa: PLC0415 - slow

            from resources_graph_core.memory import open_memory  # noqa: PLC0415 - slow

            # By default each retry is a line on stdout, where structlog is installed: that is where
            # the protocol is spoken.
            set_on_retry_hooks(())
            self._memory = open_memory(settings=settings)
        return self._memory

    def _let_go(self) -> None:
        if self._memory is not None:
            self._write_waiting()
            self._memory.close()
            self._memory = None

    def _write_waiting(self) -> None:
        if self._memory is None or not self._writes_left:
            return
        from resources_graph_core.errors import GraphUnavailable  # noqa: PLC0415 - see the server

        for write in self._writes_left:
            with suppress(GraphUnavailable):
                write(self._memory)
