"""What is closed at the end of a ``with`` block."""

from __future__ import annotations

from abc import ABC, abstractmethod

TYPE_CHECKING = False  # a hook has no time to import typing
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self


class Closed(ABC):
    """Close it after use, or use it in ``with``."""

    @abstractmethod
    def close(self) -> None:
        """Close the connections that are its own."""

    def __enter__(self) -> Self:
        """Use it in a ``with`` block, closed at its end."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close."""
        self.close()
