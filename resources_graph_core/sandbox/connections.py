"""GraphQL connections: pages of a list, as GitHub cuts and counts them.

``first`` or ``last`` is required and at most 100
(https://docs.github.com/graphql/overview/rate-limits-and-node-limits-for-the-graphql-api).
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphql import GraphQLError

if TYPE_CHECKING:
    from collections.abc import Sequence

LARGEST_PAGE = 100


@dataclass(frozen=True, slots=True)
class PageInfo:
    """Where a page ends and whether there are more."""

    has_next_page: bool
    has_previous_page: bool
    start_cursor: str | None
    end_cursor: str | None


@dataclass(frozen=True, slots=True)
class Edge:
    """A node with its cursor."""

    cursor: str
    node: Any


class Connection:
    """A page of ``items``; what is asked of it is computed when it is asked for."""

    def __init__(
        self,
        items: Sequence[Any],
        name: str,
        *,
        first: int | None = None,
        last: int | None = None,
        after: str | None = None,
        before: str | None = None,
    ) -> None:
        _check(name, first, last)
        begin = 0 if after is None else _position(after) + 1
        end = len(items) if before is None else _position(before)
        if first is not None:
            end = min(end, begin + first)
        elif last is not None:
            begin = max(begin, end - last)
        self._items = items
        self._begin, self._end = begin, max(begin, end)

    @property
    def total_count(self) -> int:
        """How many there are in all."""
        return len(self._items)

    @property
    def nodes(self) -> Sequence[Any]:
        """The nodes of this page."""
        return self._items[self._begin : self._end]

    @property
    def edges(self) -> list[Edge]:
        """The nodes of this page with their cursors."""
        return [Edge(_cursor(self._begin + n), node) for n, node in enumerate(self.nodes)]

    @property
    def page_info(self) -> PageInfo:
        """Where this page ends."""
        some = bool(self.nodes)
        return PageInfo(
            has_next_page=self._end < len(self._items),
            has_previous_page=self._begin > 0,
            start_cursor=_cursor(self._begin) if some else None,
            end_cursor=_cursor(self._begin + len(self.nodes) - 1) if some else None,
        )

    filtered_count = total_count
    issue_count = total_count

    @property
    def page_count(self) -> int:
        """How many are on this page."""
        return len(self.nodes)

    @property
    def repository_count(self) -> int:
        """Searches for repositories are not served."""
        return 0

    @property
    def viewer_has_reacted(self) -> bool:
        """The viewer never reacts."""
        return False

    @property
    def updated_at(self) -> str:
        """When the newest of them was made."""
        return max((item.created_at for item in self._items), default="2020-01-01T00:00:00Z")


def problem(kind: str, message: str) -> GraphQLError:
    """An error that GitHub marks with a ``type``."""
    return GraphQLError(message, extensions={"type": kind})


def _check(name: str, first: int | None, last: int | None) -> None:
    if first is None and last is None:
        raise problem(
            "MISSING_PAGINATION_BOUNDARIES",
            f"You must provide a `first` or `last` value to properly paginate the `{name}` "
            "connection.",
        )
    for bound, value in (("first", first), ("last", last)):
        if value is not None and value > LARGEST_PAGE:
            raise problem(
                "EXCESSIVE_PAGINATION",
                f"Requesting {value} records on the `{name}` connection exceeds the `{bound}` "
                f"limit of {LARGEST_PAGE} records.",
            )
        if value is not None and value < 0:
            raise problem("BAD_USER_INPUT", f"`{bound}` on `{name}` cannot be less than zero.")


def _cursor(position: int) -> str:
    return b64encode(f"cursor:v2:{position}".encode()).decode()


def _position(cursor: str) -> int:
    try:
        return int(b64decode(cursor, validate=True).decode().removeprefix("cursor:v2:"))
    except ValueError:
        raise problem("INVALID_CURSOR_ARGUMENTS", f"`{cursor}` is no cursor.") from None
