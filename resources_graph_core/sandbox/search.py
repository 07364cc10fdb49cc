"""Search as GitHub has it for issues and pull requests, over the sandbox's repositories.

The qualifiers that the project and agents use are understood; free words must all appear in the
title, the body or a comment, in any case
(https://docs.github.com/search-github/searching-on-github/searching-issues-and-pull-requests).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from resources_graph_core.sandbox.logins import listed_login, searched_login
from resources_graph_core.sandbox.nodes import PullRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from resources_graph_core.sandbox.nodes import Issue
    from resources_graph_core.sandbox.state import State

    Item = Issue | PullRequest
    Test = Callable[[Item], bool]

MOST_RESULTS = 1000
"""GitHub gives no more results of one search."""

_TERM = re.compile(r'(-?)(?:([a-z-]+):)?("(?:[^"\\]|\\.)*"|[^\s"]+)', re.IGNORECASE)


def search(state: State, text: str) -> list[Item]:
    """The items that ``text`` finds, in the order it asks for (newest created first).

    More than :data:`MOST_RESULTS` may be returned; whoever answers cuts there, but counts them all.
    """
    tests: list[Test] = []
    names: set[str] = set()
    order = "created-desc"
    for minus, qualifier, raw in _TERM.findall(text.replace("(", " ").replace(")", " ")):
        value = re.sub(r"\\(.)", r"\1", raw[1:-1]) if raw.startswith('"') else raw
        match qualifier.lower():
            case "repo" if not minus:
                names.add(value.lower())
            case "sort":
                order = value.lower()
            case "label":
                # A comma means "or", unless it is quoted: then it belongs to the label's name.
                names_of = [value] if raw.startswith('"') else value.split(",")
                tests.append(_negated(_labelled(names_of), negate=bool(minus)))
            case _:
                tests.append(_negated(_test(qualifier.lower(), value), negate=bool(minus)))
    found = [item for item in _items(state, names) if all(test(item) for test in tests)]
    field, _, direction = order.partition("-")
    key = _ORDERS.get(field, _ORDERS["created"])
    return sorted(found, key=key, reverse=direction != "asc")


_ORDERS: dict[str, Callable[[Item], tuple[str | int, int]]] = {
    "created": lambda item: (item.created_at, item.number),
    "updated": lambda item: (item.updated_at, item.number),
    "comments": lambda item: (len(item.comments), item.number),
}


def _items(state: State, names: set[str]) -> Iterable[Item]:
    for repository in state.repositories:
        # A search does not follow renames, and finds what everybody may see.
        if names and repository.name_with_owner.lower() not in names:
            continue
        if repository.access == "open":
            yield from repository.items.values()


def _negated(test: Test, *, negate: bool) -> Test:
    return (lambda item: not test(item)) if negate else test


def _labelled(names: list[str]) -> Test:
    any_of = {name.lower() for name in names}
    return lambda item: any(label.name.lower() in any_of for label in item.labels)


def _test(qualifier: str, value: str) -> Test:  # noqa: C901, PLR0911 - one line each
    wanted = value.lower()
    match qualifier:
        case "is" | "type" | "state":
            return _is(wanted)
        case "author":
            return lambda item: listed_login(item.author) == searched_login(wanted)
        case "assignee":
            if wanted == "*":
                return lambda item: bool(item.assignees)
            return lambda item: any(listed_login(one) == wanted for one in item.assignees)
        case "milestone":
            if wanted == "*":
                return lambda item: item.milestone is not None
            return lambda item: bool(item.milestone and item.milestone.title.lower() == wanted)
        case "no":
            return _without(wanted)
        case "created":
            return _dated(value, lambda item: item.created_at)
        case "updated":
            return _dated(value, lambda item: item.updated_at)
        case "":
            return lambda item: _mentions(item, wanted)
        case _:
            phrase = f"{qualifier}:{wanted}"
            return lambda item: _mentions(item, phrase)


_KINDS: dict[str, Test] = {
    "issue": lambda item: not isinstance(item, PullRequest),
    "pr": lambda item: isinstance(item, PullRequest),
    "open": lambda item: item.state == "OPEN",
    "closed": lambda item: item.state != "OPEN",
    "merged": lambda item: item.state == "MERGED",
    "unmerged": lambda item: isinstance(item, PullRequest) and item.state == "CLOSED",
    "draft": lambda item: isinstance(item, PullRequest) and item.is_draft,
    "locked": lambda item: item.locked,
    "public": lambda item: item.repository.visibility == "PUBLIC",
}
"""What ``is:``, ``type:`` and ``state:`` can say."""


def _is(wanted: str) -> Test:
    return _KINDS.get(wanted, lambda _: False)


def _without(what: str) -> Test:
    match what:
        case "label":
            return lambda item: not item.labels
        case "assignee":
            return lambda item: not item.assignees
        case "milestone":
            return lambda item: item.milestone is None
        case _:
            return lambda _: True


def _dated(value: str, date: Callable[[Item], str]) -> Test:
    sign = re.match(r"[<>]=?", value)
    when = value[sign.end() :] if sign else value

    def cut(item: Item) -> str:
        return date(item)[: len(when)]

    match sign.group() if sign else "":
        case "<":
            return lambda item: cut(item) < when
        case "<=":
            return lambda item: cut(item) <= when
        case ">":
            return lambda item: cut(item) > when
        case ">=":
            return lambda item: cut(item) >= when
        case _:
            begin, _, end = when.partition("..")
            last = end or begin
            return lambda item: begin <= date(item) and date(item)[: len(last)] <= last


def _mentions(item: Item, phrase: str) -> bool:
    texts = [item.title, item.body, *(comment.body for comment in item.comments)]
    return any(phrase in text.lower() for text in texts)
