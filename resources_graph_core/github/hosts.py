"""Several GitHub hosts as one source: each with its own address, token and limits."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from resources_graph_core.errors import GitHubError, GitHubUnavailable
from resources_graph_core.github.outcomes import failed
from resources_graph_core.github.source import OpenSource, Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from resources_graph_core.address import Address
    from resources_graph_core.github.source import Fetched, ListingIndex, Version

AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True, slots=True)
class HostAccess:
    """How to reach a host: its API (None: where an Enterprise Server has it), and its own token.

    Without ``token`` the login of ``gh`` for that host is used. It does not show in the repr.
    """

    api_url: str | None = None
    token: str | None = field(default=None, repr=False)


class HostsSource(OpenSource):
    """Sends each Address to the source of its host.

    ``openers`` open the sources by host when they are first needed, the main one first: ``usage``
    tells what is left of that one. What stops one host does not stop the others.
    """

    def __init__(self, openers: Mapping[str, Callable[[], OpenSource]]) -> None:
        self._openers = dict(openers)
        self._opened: dict[str, OpenSource] = {}

    @property
    def usage(self) -> Usage:
        """What was used so far, of all hosts together, and what is left of the main one."""
        used = {host: source.usage for host, source in self._opened.items()}
        main = used.get(next(iter(self._openers)), Usage())
        return replace(
            main,
            requests=sum(usage.requests for usage in used.values()),
            points=sum(usage.points for usage in used.values()),
        )

    def account(self, host: str) -> str:
        """Whose points are spent at this host; none's where the settings do not name it."""
        return self._of(host).account(host) if host in self._openers else f"nobody at {host}"

    def close(self) -> None:
        """Close the connections."""
        for source in self._opened.values():
            source.close()

    def fetch(self, addresses: Sequence[Address]) -> Iterator[Fetched]:
        """Fetch from every host in turn; see Source.

        Raises what stopped a host when the other hosts are done.
        """
        by_host: dict[str, list[Address]] = {}
        for address in addresses:
            if address.host in self._openers:
                by_host.setdefault(address.host, []).append(address)
            else:
                yield failed(address, _unknown(address))
        yield from _one_after_the_other(
            self._of(host).fetch(wanted) for host, wanted in by_host.items()
        )

    def index(self, address: Address) -> ListingIndex:
        """Which items a list holds; see Source."""
        return self._for(address).index(address)

    def versions(self, stored: Mapping[str, Address]) -> Iterator[tuple[str, Version | None]]:
        """What tells whether stored things changed, asked of every host in turn; see Source.

        Raises what stopped a host when the other hosts are done.
        """
        by_host: dict[str, dict[str, Address]] = {}
        for node_id, address in stored.items():
            if address.host in self._openers:
                by_host.setdefault(address.host, {})[node_id] = address
            else:
                yield node_id, None
        yield from _one_after_the_other(
            self._of(host).versions(part) for host, part in by_host.items()
        )

    def _for(self, address: Address) -> OpenSource:
        if address.host not in self._openers:
            raise _unknown(address)
        return self._of(address.host)

    def _of(self, host: str) -> OpenSource:
        if host not in self._opened:
            self._opened[host] = self._openers[host]()
        return self._opened[host]


def _one_after_the_other(several: Iterable[Iterable[AnswerT]]) -> Iterator[AnswerT]:
    """All that each of ``several`` gives; raises the first error when all had their turn."""
    stopped: GitHubError | None = None
    for answers in several:
        try:
            yield from answers
        except GitHubError as error:
            stopped = stopped or error
    if stopped is not None:
        raise stopped


def _unknown(address: Address) -> GitHubUnavailable:
    return GitHubUnavailable(
        f"{address} is on {address.host}, which is not set up; add it to github.hosts"
    )
