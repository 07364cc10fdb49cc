"""A list's filters as conditions on its members, for the engine to check. Pure.

They let through what :func:`resources_graph_core.listing_answers.matches` does, and more only where
:attr:`MemberConditions.exact` is False: engines differ in what they make of capitals that are not
ASCII, so those are left to Python.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from resources_graph_core.address import Filters
from resources_graph_core.listing_answers import (
    ANY,
    MEMBER_STATES,
    NONE,
    is_plain_login,
    milestone_number,
    plain_author,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.address import Address

    Condition = tuple[str, dict[str, object]]

_LABELLED = "all(one IN $labels WHERE any(label IN resource.labels WHERE toLower(label) = one))"
_ASSIGNED = {
    NONE: "coalesce(size(resource.assignees), 0) = 0",
    ANY: "coalesce(size(resource.assignees), 0) > 0",
}
_ASSIGNED_TO = "any(login IN resource.assignees WHERE toLower(login) = $assignee)"
_BY = "toLower(resource.author) = $author AND coalesce(resource.author_is_bot, false) = false"
_BY_BOT = "toLower(resource.author) IN $authors"
_PLANNED = {NONE: "resource.milestone IS NULL", ANY: "resource.milestone IS NOT NULL"}


@dataclass(frozen=True, slots=True)
class MemberConditions:
    """What goes behind WHERE about ``resource``, with its parameters.

    ``exact`` says that nothing is left to check of what they let through.
    """

    where: str
    parameters: dict[str, object]
    exact: bool


def of_members(address: Address) -> MemberConditions:
    """The conditions on members of the list at ``address``."""
    filters = address.filters or Filters()
    told: list[Condition] = [
        ("resource.address STARTS WITH $place", {"place": f"{address.repository.key}#"}),
        (
            "resource.state IN $states",
            {"states": list(MEMBER_STATES[address.list_kind or "issues"][filters.state])},
        ),
        *_on_labels(filters.labels),
        *_on_author(filters.author),
        *_on_assignee(filters.assignee),
        *_on_milestone(filters.milestone),
    ]
    by_bot = any(condition == _BY_BOT for condition, _ in told)
    return MemberConditions(
        " AND ".join(condition for condition, _ in told),
        {name: value for _, named in told for name, value in named.items()},
        exact=not by_bot and all(map(str.isascii, (*filters.labels, filters.milestone or ""))),
    )


def _on_labels(labels: tuple[str, ...]) -> Iterator[Condition]:
    wanted = [label for label in labels if label.isascii()]
    if wanted:
        yield _LABELLED, {"labels": wanted}


def _on_author(author: str | None) -> Iterator[Condition]:
    match plain_author(author):
        case (name, False):
            yield _BY, {"author": name}
        case (name, True):
            yield _BY_BOT, {"authors": [name, author]}


def _on_assignee(assignee: str | None) -> Iterator[Condition]:
    if assignee in _ASSIGNED:
        yield _ASSIGNED[assignee], {}
    elif is_plain_login(assignee):
        yield _ASSIGNED_TO, {"assignee": assignee}


def _on_milestone(milestone: str | None) -> Iterator[Condition]:
    number = milestone_number(milestone)
    if milestone in _PLANNED:
        yield _PLANNED[milestone], {}
    elif number is not None:
        yield "resource.milestone_number = $milestone_number", {"milestone_number": number}
    elif milestone and milestone.isascii():
        yield "toLower(resource.milestone) = $milestone", {"milestone": milestone}
