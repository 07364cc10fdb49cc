"""What the stores that are mappings have in common: every read asks GitHub once, for all of it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import ItemsView, Iterator, MutableMapping, ValuesView
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

RecordT = TypeVar("RecordT")


class StoredMapping(MutableMapping[str, RecordT]):
    """Records by their keys, in the order of the store.

    ``values()``, ``items()``, ``len()`` and iterating are one read each; ``update()`` and
    ``clear()`` one write. ``dict(store)`` reads once for each key, as for any mapping:
    ``dict(store.items())`` reads once.
    """

    @abstractmethod
    def hydrate(self) -> list[RecordT]:
        """All records, read now."""

    @abstractmethod
    def batch(self) -> AbstractContextManager[object]:
        """Make all edits in the ``with`` block one write at its end."""

    @abstractmethod
    def _key(self, record: RecordT) -> str:
        """The key of a record."""

    def __iter__(self) -> Iterator[str]:
        """The keys, in the order of the store."""
        return iter([self._key(record) for record in self.hydrate()])

    def __len__(self) -> int:
        """How many records there are."""
        return len(self.hydrate())

    def values(self) -> ValuesView[RecordT]:
        """The records as they are now, of one read."""
        return self._now().values()

    def items(self) -> ItemsView[str, RecordT]:
        """The keys and records as they are now, of one read."""
        return self._now().items()

    def update(self, *others: Any, **more: Any) -> None:  # noqa: ANN401 - as any mapping takes them
        """Set several, in one write."""
        with self.batch():
            super().update(*others, **more)

    def clear(self) -> None:
        """Take everything out, in one write."""
        with self.batch():
            for key in self:
                del self[key]

    def _now(self) -> dict[str, RecordT]:
        return {self._key(record): record for record in self.hydrate()}
