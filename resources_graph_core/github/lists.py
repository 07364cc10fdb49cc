"""How a Listing's filters are asked for: of the list itself where it can tell, else by a search.

GitHub's lists take several labels as any of them where a Listing means all, and pull requests
cannot be listed by author, assignee or milestone. Search can do all of it, but gives 1,000 results
at most and is behind by some seconds. Decisions only; nothing here asks anything.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from resources_graph_core.address import Filters
from resources_graph_core.github.documents import Enum, Variable

if TYPE_CHECKING:
    from resources_graph_core.address import Address
    from resources_graph_core.github.documents import Argument

SEARCH_RESULTS = 1000
"""How many results GitHub gives for one search at most."""

NONE = "none"
ANY = "*"

_STATES: dict[str, dict[str, tuple[str, ...]]] = {
    "issues": {"open": ("OPEN",), "closed": ("CLOSED",), "all": ("OPEN", "CLOSED")},
    "pulls": {
        "open": ("OPEN",),
        # For gh and REST closed includes merged; in GraphQL these are two states.
        "closed": ("CLOSED", "MERGED"),
        "merged": ("MERGED",),
        "all": ("OPEN", "CLOSED", "MERGED"),
    },
}
_PLAIN_LOGIN = re.compile(r"[a-z0-9-]+")
_MILESTONE_NUMBER = re.compile(r"#([1-9][0-9]{0,8})")


def milestone_number(filters: Filters) -> int | None:
    """The number of a milestone given as ``#3``."""
    found = _MILESTONE_NUMBER.fullmatch(filters.milestone or "")
    return int(found[1]) if found else None


def list_arguments(address: Address) -> dict[str, Argument] | None:
    """The arguments that make GitHub's own list answer ``address``; None when only search can."""
    filters = address.filters or Filters()
    by_title = bool(filters.milestone) and (
        milestone_number(filters) is None and filters.milestone not in (NONE, ANY)
    )
    if address.query or len(filters.labels) > 1 or by_title:
        return None
    if any(name and not _PLAIN_LOGIN.fullmatch(name) for name in _people(filters)):
        return None
    kind = address.list_kind or "issues"
    arguments: dict[str, Argument] = {
        "states": [Enum(state) for state in _STATES[kind][filters.state]]
    }
    labels = Variable("labels", "[String!]", list(filters.labels))
    if kind == "pulls":
        if filters.author or filters.assignee or filters.milestone:
            return None
        return {**arguments, "labels": labels} if filters.labels else arguments
    chosen: dict[str, Argument] = {}
    if filters.labels:
        chosen["labels"] = labels
    if filters.author:
        chosen["createdBy"] = Variable("author", "String", filters.author)
    if filters.assignee:
        chosen["assignee"] = _choice("assignee", filters.assignee)
    if filters.milestone:
        number = milestone_number(filters)
        value = filters.milestone if number is None else str(number)
        chosen["milestoneNumber"] = _choice("milestone", value)
    return {**arguments, "filterBy": chosen} if chosen else arguments


def search_text(address: Address, repository: str, milestone_title: str | None) -> str:
    """The search for what ``address`` lists in ``repository`` (its present ``owner/repo``).

    ``milestone_title`` is the title of a milestone that the Address gives by number. Newest first,
    unless the Address's own text sorts.
    """
    filters = address.filters or Filters()
    kind = "issue" if address.list_kind == "issues" else "pr"
    terms = [f"repo:{repository}", f"is:{kind}"]
    if filters.state == "merged":
        terms.append("is:merged")
    elif filters.state != "all":
        terms.append(f"state:{filters.state}")
    terms.extend(f"label:{_quoted(label)}" for label in filters.labels)
    if filters.author:
        terms.append(f"author:{_quoted(filters.author)}")
    terms.extend(_optional("assignee", filters.assignee))
    terms.extend(_optional("milestone", milestone_title or filters.milestone))
    if address.query:
        terms.append(address.query)
    if not sorts_itself(address):
        terms.append("sort:created-desc")
    return " ".join(terms)


def sorts_itself(address: Address) -> bool:
    """Whether the Address's own search text says how to sort."""
    return any(term.lower().startswith("sort:") for term in (address.query or "").split())


def before(text: str, created_at: str) -> str:
    """The same search, for what was created at ``created_at`` or earlier."""
    return f"{text} created:<={created_at}"


def _people(filters: Filters) -> tuple[str | None, ...]:
    assignee = None if filters.assignee in (NONE, ANY) else filters.assignee
    return filters.author, assignee


def _choice(name: str, value: str) -> Argument:
    """A filter's value; GitHub takes a literal null for "none", ``*`` for "any"."""
    return None if value == NONE else Variable(name, "String", value)


def _optional(name: str, value: str | None) -> list[str]:
    match value:
        case None:
            return []
        case "none":
            return [f"no:{name}"]
        case "*":
            return [f"{name}:*"]
    return [f"{name}:{_quoted(value)}"]


def _quoted(value: str) -> str:
    if re.fullmatch(r"[\w./@\[\]-]+", value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
