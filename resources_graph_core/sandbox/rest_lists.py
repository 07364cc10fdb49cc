"""REST's lists of issues and pull requests: which items, in which order, and which page of them.

The parameters and their defaults are those of
https://docs.github.com/rest/issues/issues#list-repository-issues and
https://docs.github.com/rest/pulls/pulls#list-pull-requests; pages are as in
https://docs.github.com/rest/using-the-rest-api/using-pagination-in-the-rest-api.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlencode

from resources_graph_core.sandbox.logins import listed_login
from resources_graph_core.sandbox.nodes import PullRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from resources_graph_core.sandbox.nodes import Actor, Issue, Repository

    AnyItem = Issue | PullRequest

ThingT = TypeVar("ThingT")
ItemT = TypeVar("ItemT", bound="AnyItem")

_PER_PAGE = 30
_MOST_PER_PAGE = 100


@dataclass(frozen=True, slots=True)
class Page:
    """Which page is asked for: ``number`` from 1, of ``size`` things each."""

    number: int
    size: int

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Page:
        """What ``page`` and ``per_page`` say; GitHub takes its defaults for what is no number."""
        size = _positive(query.get("per_page"), _PER_PAGE)
        return cls(_positive(query.get("page"), 1), min(size, _MOST_PER_PAGE))

    def cut(self, things: Sequence[ThingT]) -> Sequence[ThingT]:
        """The things on this page."""
        return things[(self.number - 1) * self.size : self.number * self.size]

    def links(self, url: str, query: Mapping[str, str], total: int) -> dict[str, str]:
        """The ``Link`` header for a list of ``total`` things; none when one page holds them all."""
        last = max(1, -(-total // self.size))
        wanted = {}
        if self.number > 1:
            wanted["prev"] = min(self.number - 1, last)
        if self.number < last:
            wanted |= {"next": self.number + 1, "last": last}
        if self.number > 1:
            wanted["first"] = 1
        links = [
            f'<{url}?{urlencode({**query, "page": number})}>; rel="{relation}"'
            for relation, number in wanted.items()
        ]
        return {"link": ", ".join(links)} if last > 1 else {}


def issues_in(repository: Repository, query: Mapping[str, str]) -> list[AnyItem] | None:
    """Issues and pull requests as ``query`` asks for them; None when its milestone is no number."""
    milestone = query.get("milestone", "")
    if milestone and milestone not in {"*", "none"} and not milestone.isdecimal():
        return None
    labels = {label.strip().lower() for label in query.get("labels", "").split(",")} - {""}
    since = query.get("since", "")
    kept = [
        item
        for item in repository.items.values()
        if _in_state(item, query)
        and labels <= {label.name.lower() for label in item.labels}
        and _assigned(item, query.get("assignee", ""))
        and _written_by(item.author, query.get("creator", ""))
        and _planned(item, milestone)
        and since <= item.updated_at
        and _of_type(item, query.get("type", ""))
    ]
    return _ordered(kept, query, descending=query.get("direction") != "asc")


def pulls_in(repository: Repository, query: Mapping[str, str]) -> list[PullRequest]:
    """Pull requests as ``query`` asks for them."""
    kept = [
        item
        for item in repository.items.values()
        if isinstance(item, PullRequest)
        and _in_state(item, query)
        and query.get("base", item.base_ref_name) == item.base_ref_name
        and _from_branch(item, query.get("head", ""))
    ]
    newest_first = query.get("sort", "created") == "created"
    direction = query.get("direction") or ("desc" if newest_first else "asc")
    return _ordered(kept, query, descending=direction == "desc")


def _positive(text: str | None, default: int) -> int:
    return int(text) if text and text.isdecimal() and int(text) else default


def _in_state(item: AnyItem, query: Mapping[str, str]) -> bool:
    state = query.get("state", "open")
    return state == "all" or item.closed == (state == "closed")


def _assigned(item: AnyItem, assignee: str) -> bool:
    if assignee in {"", "*", "none"}:
        return not assignee or bool(item.assignees) == (assignee == "*")
    return any(_written_by(who, assignee) for who in item.assignees)


def _written_by(who: Actor | None, login: str) -> bool:
    return login.lower() in {"", listed_login(who)}


def _planned(item: AnyItem, milestone: str) -> bool:
    if milestone in {"", "*", "none"}:
        return not milestone or (item.milestone is not None) == (milestone == "*")
    return item.milestone is not None and item.milestone.number == int(milestone)


def _of_type(item: AnyItem, wanted: str) -> bool:
    has = None if isinstance(item, PullRequest) else item.issue_type
    if wanted in {"", "*", "none"}:
        return not wanted or (has is not None) == (wanted == "*")
    return has is not None and has.lower() == wanted.lower()


def _from_branch(pull: PullRequest, head: str) -> bool:
    owner = (pull.head_repository_name or "").partition("/")[0].lower()
    user, _, branch = head.partition(":")
    # GitHub ignores a head without its user.
    return not branch or (user.lower(), branch) == (owner, pull.head_ref_name)


def _ordered(items: list[ItemT], query: Mapping[str, str], *, descending: bool) -> list[ItemT]:
    key = _ORDERS.get(query.get("sort", ""), _ORDERS["created"])
    return sorted(items, key=key, reverse=descending)


_ORDERS: dict[str, Callable[[AnyItem], tuple[str | int, int]]] = {
    "created": lambda item: (item.created_at, item.number),
    "updated": lambda item: (item.updated_at, item.number),
    "comments": lambda item: (len(item.comments), item.number),
    "popularity": lambda item: (len(item.comments), item.number),
}
"""What lists are sorted by."""
