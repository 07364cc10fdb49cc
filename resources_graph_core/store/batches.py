"""Cutting long lists of rows into statements of a bounded size."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BATCH = 500
"""Rows a statement at most: large enough to be quick, small enough to stay atomic and short."""

T = TypeVar("T")


def batches(rows: Sequence[T], size: int = BATCH) -> Iterator[Sequence[T]]:
    """``rows`` in order, at most ``size`` at a time."""
    return (rows[start : start + size] for start in range(0, len(rows), size))
