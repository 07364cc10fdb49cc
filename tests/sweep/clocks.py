"""One clock for the product and the sandbox, which moves only when it is told to."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class Clock:
    """Stands in for the ``time`` module where the product reads the time of day."""

    def __init__(self) -> None:
        self._seconds = float(int(time.time()))

    def move(self, seconds: float) -> None:
        """Let time pass."""
        self._seconds += seconds

    def time(self) -> float:
        """The time now, in seconds since 1970."""
        return self._seconds

    def gmtime(self, seconds: float | None = None) -> time.struct_time:
        """The same in UTC, or ``seconds`` in UTC."""
        return time.gmtime(self._seconds if seconds is None else seconds)

    def strftime(self, layout: str, moment: time.struct_time) -> str:
        """As ``time.strftime``."""
        return time.strftime(layout, moment)

    def datetime(self) -> datetime:
        """The time now, as the sandbox takes it."""
        return datetime.fromtimestamp(self._seconds, UTC)
