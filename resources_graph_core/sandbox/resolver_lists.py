"""GraphQL's lists of issues and pull requests: which items, in which order.

Filters are those of ``Repository.issues`` and ``Repository.pullRequests``
(https://docs.github.com/graphql/reference/objects#repository).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from resources_graph_core.sandbox.logins import listed_login
from resources_graph_core.sandbox.nodes import PullRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from resources_graph_core.sandbox.nodes import Item, Repository


def issues_of(repository: Repository, arguments: Mapping[str, Any]) -> list[Any]:
    """The issues that the field's ``arguments`` ask for."""
    found = [item for item in repository.items.values() if not isinstance(item, PullRequest)]
    chosen = arguments.get("filterBy") or {}
    states = chosen.get("states") or arguments.get("states")
    labels = chosen.get("labels") or arguments.get("labels")
    tests: list[Callable[[Item], bool]] = [*_common_tests(states, labels)]
    if "createdBy" in chosen:
        tests.append(lambda item: listed_login(item.author) == (chosen["createdBy"] or "").lower())
    if "assignee" in chosen:
        tests.append(_assigned(chosen["assignee"]))
    milestone = chosen.get("milestoneNumber", chosen.get("milestone", ""))
    if milestone != "":
        tests.append(_in_milestone(milestone))
    return _ordered(found, tests, arguments)


def pull_requests_of(repository: Repository, arguments: Mapping[str, Any]) -> list[Any]:
    """The pull requests that the field's ``arguments`` ask for."""
    found = [item for item in repository.items.values() if isinstance(item, PullRequest)]
    tests = [*_common_tests(arguments.get("states"), arguments.get("labels"))]
    for argument, attribute in (("baseRefName", "base_ref_name"), ("headRefName", "head_ref_name")):
        if arguments.get(argument):
            tests.append(_has(attribute, arguments[argument]))
    return _ordered(found, tests, arguments)


def _has(attribute: str, value: str) -> Callable[[Item], bool]:
    return lambda item: bool(getattr(item, attribute) == value)


def _common_tests(
    states: Sequence[str] | None, labels: Sequence[str] | None
) -> Sequence[Callable[[Item], bool]]:
    tests: list[Callable[[Item], bool]] = []
    if states:
        tests.append(lambda item: item.state in states)
    if labels:
        # GitHub takes several labels here as any of them.
        wanted = {label.lower() for label in labels}
        tests.append(lambda item: any(label.name.lower() in wanted for label in item.labels))
    return tests


def _assigned(login: str | None) -> Callable[[Item], bool]:
    if login is None:
        return lambda item: not item.assignees
    if login == "*":
        return lambda item: bool(item.assignees)
    return lambda item: any(listed_login(one) == login.lower() for one in item.assignees)


def _in_milestone(number: str | None) -> Callable[[Item], bool]:
    if number is None:
        return lambda item: item.milestone is None
    if number == "*":
        return lambda item: item.milestone is not None
    return lambda item: item.milestone is not None and str(item.milestone.number) == number


def _ordered(
    found: Sequence[Any], tests: Sequence[Callable[[Any], bool]], arguments: Mapping[str, Any]
) -> list[Any]:
    kept = [item for item in found if all(test(item) for test in tests)]
    order = arguments.get("orderBy") or {"field": "CREATED_AT", "direction": "ASC"}
    key: Callable[[Any], Any] = {
        "CREATED_AT": lambda item: (item.created_at, item.number),
        "UPDATED_AT": lambda item: (item.updated_at, item.number),
        "COMMENTS": lambda item: (len(item.comments), item.number),
    }[order["field"]]
    return sorted(kept, key=key, reverse=order["direction"] == "DESC")
