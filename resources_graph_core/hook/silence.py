"""A server that keeps hooks waiting is left alone for a while: sessions do not pay for each fetch.

Meanwhile Touches go to the spool at once.
"""

from __future__ import annotations

import contextlib
import os
import time

MARK_NAME = "graph-silent"
"""In the data folder; its time is when a server last kept a hook waiting."""

SECONDS = 15.0
"""How long the server is left alone."""

COSTLY = 0.5
"""Seconds a hook waits without its Touches being recorded, after which it was for too long."""


def lasts(folder: str) -> bool:
    """Whether a server kept a hook of this data folder waiting just now."""
    try:
        return abs(time.time() - os.stat(_mark(folder)).st_mtime) < SECONDS  # noqa: PTH116 - pathlib costs a hook 8 ms
    except OSError:
        return False


def note(folder: str) -> None:
    """Keep that it did; where that cannot be kept, the next hook will wait as well."""
    with contextlib.suppress(OSError):
        mark = os.open(_mark(folder), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.utime(mark)
        finally:
            os.close(mark)


def _mark(folder: str) -> str:
    return os.path.join(folder, MARK_NAME)  # noqa: PTH118 - pathlib costs a hook 8 ms
