"""What a Sweep needs of GitHub, whichever API answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType

    from resources_graph_core.address import Address
    from resources_graph_core.errors import GitHubError
    from resources_graph_core.model import Content

Reason = Literal["not_found", "not_public", "rate_limited", "failed"]
"""Why a Touch is Unresolved."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What became of one Address: ``content``, or a ``reason`` with the ``error`` behind it."""

    address: Address
    content: Content | None = None
    reason: Reason | None = None
    error: GitHubError | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """What the source has used since it was opened, and what is left (None: not known yet).

    ``requests`` counts HTTP requests, ``points`` what GitHub charged for them. ``reset_at`` is
    ISO-8601 UTC.
    """

    requests: int = 0
    points: int = 0
    remaining: int | None = None
    reset_at: str | None = None


@dataclass(frozen=True, slots=True)
class Version:
    """What tells whether something changed since it was fetched, and where it is now.

    ``updated_at`` alone does not tell: reviews and deletions of comments may not move it, nor does
    a push to a repository (its README may be another). The others are the model's fields of the
    same names, as far as it has them: a repository has no counts, an item no stars.
    """

    node_id: str
    address: Address
    updated_at: str
    comment_count: int = 0
    review_count: int = 0
    review_thread_count: int = 0
    stars: int = 0
    pushed_at: str | None = None


@dataclass(frozen=True, slots=True)
class ListingIndex:
    """What a list holds, without content: enough to tell which members have to be fetched.

    ``total_count`` items match; ``entries`` are as many of them as the Address asks for, newest
    created first (or as its own search sorts). ``repository`` is where the list's repository is
    now, ``repository_id`` its node id.
    """

    repository: Address
    repository_id: str
    total_count: int
    entries: tuple[Version, ...]


class Source(Protocol):
    """Where Sweeps get content from. Public content only, complete or not at all."""

    @property
    def usage(self) -> Usage:
        """What was used so far."""

    def account(self, host: str) -> str:
        """Whose hourly points are spent at this host: a limit of one account is no other's.

        A text that may be stored and shown, and tells no token.
        """

    def fetch(self, addresses: Sequence[Address]) -> Iterator[Fetched]:
        """Fetch repositories and items, each whole; one answer per Address, in any order.

        An Address that cannot be had comes back with its reason. Raises RateLimited when a limit
        stops everything, GitHubAuthError for a rejected token, GitHubUnavailable when GitHub cannot
        be reached at all.
        """

    def index(self, address: Address) -> ListingIndex:
        """Which items a list holds, as many as ``address.limit`` (None: all), a hundred a request.

        An entry may since have become something else, such as a discussion: fetching it says so.
        Raises NotFound, NotPublic, RateLimited (without a time to come back when only a login
        helps), GitHubAuthError or GitHubUnavailable.
        """

    def versions(self, stored: Mapping[str, Address]) -> Iterator[tuple[str, Version | None]]:
        """What tells whether stored things changed; one answer for each stored node id, any order.

        ``stored`` tells where each was when it was stored, by its node id as memory has it: another
        host's stands behind that host and a ``|``. None for what is no longer there by its id, is
        not public or could not be checked: fetching its Address says why. Raises RateLimited,
        GitHubAuthError or GitHubUnavailable when nothing more can be checked.
        """


class OpenSource(Source, Protocol):
    """A source that holds connections: use it in a ``with`` block, or close it."""

    def close(self) -> None:
        """Let go of the connections."""

    def __enter__(self) -> Self:
        """Use it in a ``with`` block, closed at its end."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the connections."""
        self.close()
