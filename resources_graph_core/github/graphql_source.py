"""The source for those who have a token: GitHub's GraphQL, at full depth, many items at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from resources_graph_core.address import DEFAULT_HOST, Address
from resources_graph_core.errors import (
    GitHubError,
    GitHubUnavailable,
    NotFound,
    RateLimited,
)
from resources_graph_core.github import freshness, queries
from resources_graph_core.github.asking import Asker, Question
from resources_graph_core.github.indexing import index_of
from resources_graph_core.github.mapping import check_public, item_of, repository_of
from resources_graph_core.github.outcomes import check_listing, failed, parsed, split_by_kind
from resources_graph_core.github.paging import Whole, read_to_the_end
from resources_graph_core.github.problems import SingleSignOn, Withheld
from resources_graph_core.github.rest_reader import RestReader
from resources_graph_core.github.shapes import LocatedItem, RepositoryShape
from resources_graph_core.github.source import Fetched, OpenSource
from resources_graph_core.setting import IN_FLIGHT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from resources_graph_core.github.source import ListingIndex, Usage, Version
    from resources_graph_core.github.transport import Transport
    from resources_graph_core.model import Repository


class GraphQLSource(OpenSource):
    """Gets content through GitHub's GraphQL.

    Where GraphQL knows nothing, REST is asked too: it alone says where an issue was transferred to,
    and nothing counts as gone unless both say so. ``anonymous`` has no token: it reads what an
    organisation's single sign-on keeps from tokens, though not from strangers.
    """

    def __init__(
        self,
        transport: Transport,
        anonymous: Transport,
        *,
        host: str = DEFAULT_HOST,
        in_flight: int = IN_FLIGHT,
    ) -> None:
        self._transport = transport
        self._anonymous = anonymous
        self._without_token = RestReader(anonymous, host=host)
        self._asker = Asker(transport, in_flight=in_flight)
        self._rest = RestReader(transport, host=host)
        self._host = host

    @property
    def usage(self) -> Usage:
        """What was used so far."""
        usage, other = self._transport.usage, self._anonymous.usage
        return replace(
            usage, requests=usage.requests + other.requests, points=usage.points + other.points
        )

    def account(self, host: str) -> str:  # noqa: ARG002 - it knows one host only
        """That of the token."""
        return self._transport.account

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()
        self._anonymous.close()

    def fetch(self, addresses: Sequence[Address]) -> Iterator[Fetched]:
        """Fetch repositories and items, each whole; see Source."""
        wanted = split_by_kind(addresses, self._host)
        yield from wanted.elsewhere
        yield from self._fetch_repositories(wanted.repositories)
        yield from self._fetch_items(wanted.items)

    def index(self, address: Address) -> ListingIndex:
        """Which items a list holds; see Source."""
        check_listing(address, self._host)
        return index_of(self._asker, address, host=self._host)

    def versions(self, stored: Mapping[str, Address]) -> Iterator[tuple[str, Version | None]]:
        """What tells whether stored things changed, a hundred a request; see Source."""
        return freshness.versions(self._asker, stored, host=self._host)

    def _fetch_repositories(self, addresses: Sequence[Address]) -> Iterator[Fetched]:
        questions = [queries.repository(address) for address in addresses]
        waiting = iter(addresses)
        for outcomes in self._asker.ask_each(queries.REPOSITORIES, questions):
            for outcome in outcomes:
                address = next(waiting)
                try:
                    yield Fetched(address, self._repository(address, outcome))
                except (SingleSignOn, Withheld):
                    yield self._as_a_stranger(address)
                except GitHubError as error:
                    yield failed(address, error)

    def _repository(self, address: Address, outcome: Any) -> Repository:  # noqa: ANN401 - JSON
        if isinstance(outcome, NotFound):
            found = self._rest.repository_address(address)
            outcome = self._ask_again(queries.REPOSITORIES, queries.repository(found))
        what = str(address)
        shape = parsed(RepositoryShape, outcome, what)
        check_public(shape, what)
        self._complete(Whole(what, shape))
        owner, _, name = shape.name_with_owner.partition("/")
        readme = self._rest.readme(Address.of_repository(owner, name, host=self._host))
        return repository_of(shape, readme=readme, host=self._host)

    def _fetch_items(self, addresses: Sequence[Address]) -> Iterator[Fetched]:
        questions = [queries.item(address) for address in addresses]
        start = 0
        for outcomes in self._asker.ask_each(queries.ITEMS, questions):
            batch = addresses[start : start + len(outcomes)]
            start += len(outcomes)
            yield from self._whole_items(batch, outcomes)

    def _whole_items(self, addresses: Sequence[Address], outcomes: Sequence[Any]) -> list[Fetched]:
        """What became of a batch, in its order."""
        fetched: dict[int, Fetched] = {}
        whole: dict[int, Whole] = {}
        for position, (address, outcome) in enumerate(zip(addresses, outcomes, strict=True)):
            try:
                whole[position] = self._found_item(address, outcome)
            except (SingleSignOn, Withheld):
                fetched[position] = self._as_a_stranger(address)
            except GitHubError as error:
                fetched[position] = failed(address, error)
        errors = read_to_the_end(self._asker, list(whole.values()))
        for index, (position, one) in enumerate(whole.items()):
            address = addresses[position]
            if isinstance(errors.get(index), SingleSignOn | Withheld):
                fetched[position] = self._as_a_stranger(address)
            elif index in errors:
                fetched[position] = failed(address, errors[index])
            else:
                located = one.shape
                assert isinstance(located, LocatedItem)  # noqa: S101 - for the type checker
                content = item_of(located.item, host=self._host)
                fetched[position] = Fetched(address, content)
        return [fetched[position] for position in sorted(fetched)]

    def _found_item(self, address: Address, outcome: Any) -> Whole:  # noqa: ANN401 - JSON
        if isinstance(outcome, NotFound):
            found = self._rest.item_address(address)
            outcome = self._ask_again(queries.ITEMS, queries.item(found))
        shape = parsed(LocatedItem, outcome, str(address))
        check_public(shape, str(address))
        return Whole(str(address), shape)

    def _ask_again(self, name: str, question: Question) -> Any:  # noqa: ANN401 - JSON
        """Ask about what REST has found, which therefore does exist."""
        try:
            return self._asker.ask(name, question)
        except NotFound:
            raise GitHubUnavailable(
                f"GitHub's REST knows {question.what} and its GraphQL does not; sweep again later"
            ) from None

    def _as_a_stranger(self, address: Address) -> Fetched:
        """Try once without the token; a limit met there is no reason to stop with the token."""
        reader = self._without_token
        try:
            read = reader.repository if address.kind == "repo" else reader.item
            return Fetched(address, read(address))
        except RateLimited as error:
            return Fetched(address, reason="rate_limited", error=error)
        except GitHubError as error:
            return failed(address, error)

    def _complete(self, whole: Whole) -> None:
        for error in read_to_the_end(self._asker, [whole]).values():
            raise error
