"""The source for those without a token: GitHub's REST, one item at a time, 60 requests an hour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources_graph_core.address import DEFAULT_HOST
from resources_graph_core.errors import GitHubAuthError, GitHubError, RateLimited
from resources_graph_core.github.freshness import github_id
from resources_graph_core.github.outcomes import failed, split_by_kind
from resources_graph_core.github.problems import Passing, Unreachable, login_advice
from resources_graph_core.github.rest_reader import RestReader
from resources_graph_core.github.source import Fetched, OpenSource

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from resources_graph_core.address import Address
    from resources_graph_core.github.source import ListingIndex, Usage, Version
    from resources_graph_core.github.transport import Transport

FAILURES_IN_A_ROW = 3
"""After so many Addresses that failed one after another, GitHub is taken to be down."""


class RestSource(OpenSource):
    """Gets single items and repositories without a token. Lists wait for one."""

    def __init__(self, transport: Transport, *, host: str = DEFAULT_HOST) -> None:
        self._transport = transport
        self._reader = RestReader(transport, host=host)
        self._host = host

    @property
    def usage(self) -> Usage:
        """What was used so far."""
        return self._transport.usage

    def account(self, host: str) -> str:  # noqa: ARG002 - it knows one host only
        """That of strangers, mostly: this is the source for those without a token."""
        return self._transport.account

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def fetch(self, addresses: Sequence[Address]) -> Iterator[Fetched]:
        """Fetch repositories and items, each whole as far as REST tells; see Source."""
        wanted = split_by_kind(addresses, self._host)
        yield from wanted.elsewhere
        failures = 0
        for address in (*wanted.repositories, *wanted.items):
            try:
                read = self._reader.repository if address.kind == "repo" else self._reader.item
                yield Fetched(address, read(address))
                failures = 0
            except Passing as error:
                failures += 1
                if failures == FAILURES_IN_A_ROW:
                    raise
                yield failed(address, error)
            except RateLimited as error:
                raise RateLimited(
                    f"{error}. For more, {login_advice(self._host)}", error.retry_at
                ) from None
            except GitHubError as error:
                yield failed(address, error)

    def index(self, address: Address) -> ListingIndex:
        """Raise RateLimited: a list takes more requests than there are without a token."""
        raise _waits_for_a_token(address)

    def versions(self, stored: Mapping[str, Address]) -> Iterator[tuple[str, Version | None]]:
        """What tells whether stored things changed, one a request; see Source.

        None for pull requests: REST counts their reviews only by listing them.
        """
        for node_id, address in stored.items():
            try:
                version = self._reader.version(address)
            except (RateLimited, GitHubAuthError, Unreachable):
                raise
            except GitHubError:
                version = None  # fetching it says why
            # Under an Address that something moved away from, another may be found.
            same = version is not None and version.node_id == github_id(node_id, self._host)
            yield node_id, version if same else None


def _waits_for_a_token(address: Address) -> RateLimited:
    return RateLimited(
        f"{address} is a list, which waits for a token: {login_advice(address.host)}"
    )
