"""Time between writes, which GitHub asks for of whoever writes.

https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api asks for a
second between requests that change something, of an account: so a file tells every process of a
user when the next one may.
"""

from __future__ import annotations

import logging
from threading import Lock
from typing import TYPE_CHECKING

from resources_graph_core.github.pace import Timing
from resources_graph_core.lockfile import LockFile

if TYPE_CHECKING:
    from pathlib import Path

_log = logging.getLogger(__name__)

_LOCK_SECONDS = 5.0
"""As long as a process may take to read a number and write another."""
_FARTHEST = 60.0
"""Seconds that the next write may be away; more is of a clock that was set back."""


class WritePace:
    """Lets a write through at least ``seconds`` after the one before; safe in several threads.

    With a ``file`` that holds for all processes that use it: it has the time (seconds since 1970)
    from which the next write may be made. Where it cannot be used the pace is this process's own.
    """

    def __init__(
        self, seconds: float = 1.0, timing: Timing | None = None, *, file: Path | None = None
    ) -> None:
        self._seconds = seconds
        self._timing = timing or Timing()
        self._file = file
        self._lock = Lock()
        self._next = float("-inf")

    def wait(self) -> None:
        """Wait until it is time for one more write, and count it."""
        if self._seconds <= 0:
            return
        with self._lock:
            now = self._timing.monotonic()
            pause = max(self._next - now, self._pause_for_others())
            self._next = now + max(pause, 0.0) + self._seconds
        if pause > 0:
            self._timing.sleep(pause)

    def _pause_for_others(self) -> float:
        """Seconds until the next write of any process, which is taken now."""
        if self._file is None:
            return 0.0
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with LockFile(f"{self._file}.lock", seconds=_LOCK_SECONDS):
                now = self._timing.time()
                pause = _told(self._file) - now
                pause = pause if 0 < pause <= _FARTHEST else 0.0
                self._file.touch(mode=0o600)
                self._file.write_text(repr(now + pause + self._seconds))
        except OSError as error:
            _log.warning("Writes of other processes are not known of: %s", error)
            return 0.0
        return pause


def _told(file: Path) -> float:
    try:
        return float(file.read_text())
    except (FileNotFoundError, ValueError):
        return 0.0
