"""Time between writes, which GitHub asks for of whoever writes."""

from __future__ import annotations

from threading import Lock

from resources_graph_core.github.pace import Timing


class WritePace:
    """Lets a write through at least ``seconds`` after the one before; safe in several threads."""

    def __init__(self, seconds: float = 1.0, timing: Timing | None = None) -> None:
        self._seconds = seconds
        self._timing = timing or Timing()
        self._lock = Lock()
        self._next = float("-inf")

    def wait(self) -> None:
        """Wait until it is time for one more write, and count it."""
        with self._lock:
            pause = self._next - self._timing.monotonic()
            if pause > 0:
                self._timing.sleep(pause)
            self._next = self._timing.monotonic() + self._seconds
