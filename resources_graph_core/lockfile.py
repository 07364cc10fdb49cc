"""A lock between processes that ends with the process that holds it, whatever happens to it.

``flock`` on a file of its own, which stays; cheap to import, since hooks use it.
"""

from __future__ import annotations

import fcntl
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

_PAUSE = 0.002
"""Seconds between two tries."""


class LockFile:
    """The lock on one path; use it in a ``with`` block and look at ``held``.

    Waits up to ``seconds`` (0 tries once). Raises OSError when the lock's file cannot be opened.
    """

    def __init__(self, path: str, *, seconds: float) -> None:
        self._path = path
        self._seconds = seconds
        self._descriptor = -1
        self.held = False

    def __enter__(self) -> Self:
        """Take the lock, or find it taken for longer than we wait."""
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        self._descriptor = os.open(self._path, flags, 0o600)
        give_up_at = time.monotonic() + self._seconds
        while not self.held:
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self.held = True
            except BlockingIOError:
                if time.monotonic() >= give_up_at:
                    break
                time.sleep(_PAUSE)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Let go of it: closing the only descriptor does."""
        os.close(self._descriptor)
        self.held = False
