"""The questions that the project asks GitHub's GraphQL, each under its operation's name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources_graph_core.github.asking import Question
from resources_graph_core.github.documents import Ask, Enum, Variable
from resources_graph_core.github.light_shapes import (
    AnyVersion,
    IssuePage,
    MilestoneScope,
    PullRequestPage,
    SearchPage,
)
from resources_graph_core.github.shapes import (
    LocatedItem,
    RepositoryRef,
    RepositoryShape,
    asked_for,
    selection_of,
    spread,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from resources_graph_core.address import Address
    from resources_graph_core.github.documents import Argument, Selection

ITEMS = "Items"
NEXT_PAGES = "NextPages"
REPOSITORIES = "Repositories"
LIST_INDEX = "ListIndex"
SEARCH_SCOPE = "SearchScope"
SEARCH_INDEX = "SearchIndex"
VERSIONS = "Versions"

OPERATIONS = (ITEMS, NEXT_PAGES, REPOSITORIES, LIST_INDEX, SEARCH_SCOPE, SEARCH_INDEX, VERSIONS)
"""The names of all operations that are ever sent."""

_NEWEST_FIRST = {"field": Enum("CREATED_AT"), "direction": Enum("DESC")}


def item(address: Address) -> Question:
    """An issue or pull request at full depth: the shape LocatedItem."""

    def part(alias: str) -> Ask:
        number = Variable(f"number_{alias}", "Int!", address.number)
        parts = (*selection_of(RepositoryRef), asked_for(LocatedItem, "item", number=number))
        return _repository(address, alias, parts)

    return Question(str(address), part)


def repository(address: Address) -> Question:
    """A repository, but for its README: the shape RepositoryShape."""
    return Question(
        str(address), lambda alias: _repository(address, alias, selection_of(RepositoryShape))
    )


def list_index(
    address: Address, arguments: Mapping[str, Argument], *, first: int, after: str | None
) -> Question:
    """A page of which items a repository's list holds: the shape IssuePage or PullRequestPage."""

    def part(alias: str) -> Ask:
        arguments_of_page: dict[str, Argument] = {
            **arguments,
            "orderBy": _NEWEST_FIRST,
            "first": first,
            "after": Variable(f"after_{alias}", "String", after),
        }
        page = (
            asked_for(IssuePage, "issues", **arguments_of_page)
            if address.list_kind == "issues"
            else asked_for(PullRequestPage, "pull_requests", **arguments_of_page)
        )
        return _repository(address, alias, (*selection_of(RepositoryRef), page))

    return Question(str(address), part)


def search_scope(address: Address, milestone: int | None) -> Question:
    """Where a repository is now, and a milestone's title, for a search: shape MilestoneScope."""

    def part(alias: str) -> Ask:
        parts = selection_of(RepositoryRef)
        if milestone is not None:
            number = Variable(f"milestone_{alias}", "Int!", milestone)
            parts = (*parts, asked_for(MilestoneScope, "milestone", number=number))
        return _repository(address, alias, parts)

    return Question(str(address), part)


def search_index(address: Address, text: str, *, first: int, after: str | None) -> Question:
    """A page of which items a search finds: the shape SearchPage."""

    def part(alias: str) -> Ask:
        arguments: dict[str, Argument] = {
            "type": Enum("ISSUE"),
            "query": Variable(f"query_{alias}", "String!", text),
            "first": first,
            "after": Variable(f"after_{alias}", "String", after),
        }
        return Ask("search", arguments, selection_of(SearchPage))

    return Question(str(address), part)


def version(node_id: str) -> Question:
    """What tells whether the thing of this id changed: the shape AnyVersion."""

    def part(alias: str) -> Ask:
        return Ask("node", {"id": Variable(f"id_{alias}", "ID!", node_id)}, spread(AnyVersion))

    return Question(node_id, part)


def _repository(address: Address, alias: str, parts: Selection) -> Ask:
    arguments: dict[str, Argument] = {
        "owner": Variable(f"owner_{alias}", "String!", address.owner),
        "name": Variable(f"name_{alias}", "String!", address.name),
    }
    return Ask("repository", arguments, parts)
