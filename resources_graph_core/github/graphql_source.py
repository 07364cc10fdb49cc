"""The source for those who have a token: GitHub's GraphQL, at full depth, many items at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pydantic import ValidationError

from resources_graph_core.address import DEFAULT_HOST, Address, Filters
from resources_graph_core.errors import (
    GitHubError,
    GitHubUnavailable,
    NotFound,
    RateLimited,
    UsageError,
)
from resources_graph_core.github import freshness, lists, queries
from resources_graph_core.github.answers import SingleSignOn, Withheld
from resources_graph_core.github.asking import Asker, Question
from resources_graph_core.github.documents import PAGE_LIMIT
from resources_graph_core.github.mapping import check_public, item_of, repository_of
from resources_graph_core.github.outcomes import failed, split_by_kind
from resources_graph_core.github.paging import Whole, read_to_the_end
from resources_graph_core.github.rest_reader import RestReader
from resources_graph_core.github.shapes import (
    IndexPage,
    LocatedItem,
    MilestoneScope,
    RepositoryShape,
    SearchPage,
    Shape,
)
from resources_graph_core.github.source import Fetched
from resources_graph_core.github.transport import first_problem, wrong_shape
from resources_graph_core.model import Issue, Listing, PullRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType

    from resources_graph_core.github.source import Usage, Version
    from resources_graph_core.github.transport import Transport
    from resources_graph_core.model import Repository

ShapeT = TypeVar("ShapeT", bound=Shape)


class GraphQLSource:
    """Gets content through GitHub's GraphQL; an OpenSource.

    Where GraphQL knows nothing, REST is asked too: it alone says where an issue was transferred to,
    and nothing counts as gone unless both say so. ``anonymous`` has no token: it reads what an
    organisation's single sign-on keeps from tokens, though not from strangers.
    """

    def __init__(
        self, transport: Transport, anonymous: Transport, *, host: str = DEFAULT_HOST
    ) -> None:
        self._transport = transport
        self._anonymous = anonymous
        self._without_token = RestReader(anonymous, host=host)
        self._asker = Asker(transport)
        self._rest = RestReader(transport, host=host)
        self._host = host

    @property
    def usage(self) -> Usage:
        """What was used so far."""
        usage, other = self._transport.usage, self._anonymous.usage
        return replace(
            usage, requests=usage.requests + other.requests, points=usage.points + other.points
        )

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()
        self._anonymous.close()

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

    def fetch(self, addresses: Sequence[Address]) -> Iterator[Fetched]:
        """Fetch repositories and items, each whole; see Source."""
        wanted = split_by_kind(addresses, self._host)
        yield from wanted.elsewhere
        yield from self._fetch_repositories(wanted.repositories)
        yield from self._fetch_items(wanted.items)

    def fetch_listing(self, address: Address) -> Listing:
        """Fetch a list and its members, newest created first; see Source.

        What is listed but cannot be found, as an issue that became a discussion, is left out.
        """
        if address.kind != "listing":
            raise UsageError(f"{address} is not a list; fetch it as an item")
        for refusal in split_by_kind([address.repository], self._host).elsewhere:
            raise refusal.error or GitHubUnavailable(f"{address} cannot be fetched")
        total, found = self._index(address)
        members: list[Issue | PullRequest] = []
        for fetched in self._fetch_items(found):
            if isinstance(fetched.content, Issue | PullRequest):
                members.append(fetched.content)
            elif not isinstance(fetched.error, NotFound):
                raise fetched.error or GitHubUnavailable(f"{fetched.address} cannot be fetched")
        return Listing(total_count=total - (len(found) - len(members)), members=tuple(members))

    def versions(self, node_ids: Sequence[str]) -> Iterator[tuple[str, Version | None]]:
        """What tells whether stored things changed, a hundred a request; see freshness."""
        return freshness.versions(self._asker, node_ids, host=self._host)

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
        shape = _parsed(RepositoryShape, outcome, what)
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
        shape = _parsed(LocatedItem, outcome, str(address))
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

    def _index(self, address: Address) -> tuple[int, list[Address]]:
        """How many items match, and the Addresses of as many as were asked for."""
        arguments = lists.list_arguments(address)
        if arguments is None:
            return self._search(address)
        found: list[Address] = []
        after = None
        while True:
            first = _page_size(address.limit, len(found))
            question = queries.list_index(address, arguments, first=first, after=after)
            answer = self._asker.ask(queries.LIST_INDEX, question)
            page = _parsed(IndexPage, answer, str(address))
            check_public(page, str(address))
            found.extend(self._item(page.name_with_owner, one.number) for one in page.items.nodes)
            after = page.items.page_info.end_cursor
            if not page.items.page_info.has_next_page or _enough(address.limit, found):
                return page.items.total_count, _first(found, address.limit)

    def _search(self, address: Address) -> tuple[int, list[Address]]:
        number = lists.milestone_number(address.filters or Filters())
        answer = self._asker.ask(queries.SEARCH_SCOPE, queries.search_scope(address, number))
        scope = _parsed(MilestoneScope, answer, str(address))
        check_public(scope, str(address))
        if number is not None and scope.milestone is None:
            raise NotFound(f"GitHub knows no milestone {number} in {address.repository}")
        title = scope.milestone.title if scope.milestone else None
        whole_text = text = lists.search_text(address, scope.name_with_owner, title)
        found: dict[Address, None] = {}
        total = after = None
        seen = 0
        while True:
            first = _page_size(address.limit, len(found))
            question = queries.search_index(address, text, first=first, after=after)
            page = _parsed(
                SearchPage, self._asker.ask(queries.SEARCH_INDEX, question), str(address)
            )
            total = page.issue_count if total is None else total
            before = len(found)
            found.update(
                (self._item(one.repository.name_with_owner, one.number), None)
                for one in page.nodes
                if one.repository.visibility == "PUBLIC"
            )
            seen += len(page.nodes)
            after = page.page_info.end_cursor
            if _enough(address.limit, found) or not page.nodes:
                break
            if not page.page_info.has_next_page or seen >= lists.SEARCH_RESULTS:
                # A search ends after so many results; the next one goes on where it ended.
                ended = seen < lists.SEARCH_RESULTS or lists.sorts_itself(address)
                if ended or len(found) == before:
                    break
                text = lists.before(whole_text, page.nodes[-1].created_at)
                after, seen = None, 0
        return total, _first(list(found), address.limit)

    def _item(self, name_with_owner: str, number: int) -> Address:
        owner, _, name = name_with_owner.partition("/")
        return Address.of_item(owner, name, number, host=self._host)


def _page_size(limit: int | None, held: int) -> int:
    return PAGE_LIMIT if limit is None else max(1, min(PAGE_LIMIT, limit - held))


def _enough(limit: int | None, found: Sequence[Address] | dict[Address, None]) -> bool:
    return limit is not None and len(found) >= limit


def _first(found: list[Address], limit: int | None) -> list[Address]:
    return found if limit is None else found[:limit]


def _parsed(shape: type[ShapeT], outcome: Any, what: str) -> ShapeT:  # noqa: ANN401 - JSON
    """``outcome`` in its shape; raises the error that it is, or says that it does not fit."""
    if isinstance(outcome, GitHubError):
        raise outcome
    try:
        return shape.model_validate(outcome)
    except ValidationError as error:
        raise wrong_shape(what, first_problem(error)) from None
