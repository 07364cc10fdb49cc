"""GitHub's search syntax, read into the filters that a Listing key can describe and the rest.

The syntax is that of GitHub's "searching issues and pull requests": words, quoted phrases and
``name:value`` qualifiers, a leading ``-`` to exclude. What filters cannot describe stays in
``text`` as it was written, since a Listing with a query is defined by its exact search text.
"""

from __future__ import annotations

import re

from resources_graph_core.address import Address, Filters
from resources_graph_core.errors import UsageError
from resources_graph_core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from resources_graph_core.address import ListKind
    from resources_graph_core.capture.context import Context
    from resources_graph_core.capture.repositories import Repository

_TOKEN = re.compile(r'(?:[^\s"]|"[^"]*")+')
_QUALIFIER = re.compile(r"(-?)([a-z][a-z-]*):(.+)", re.DOTALL)
_KINDS: dict[str, ListKind] = {
    "issue": "issues",
    "pr": "pulls",
    "pull-request": "pulls",
}
_ONE_EACH = ("state", "author", "assignee", "milestone")
"""What a list is filtered by at most once."""

_OPERATORS = frozenset(["AND", "OR", "NOT"])
_ELSEWHERE = frozenset(["repo", "org", "user", "owner", "enterprise"])
_PERSON = re.compile(r"[A-Za-z0-9_-]+(?:\[bot\])?", re.ASCII)
_OWN = re.compile(r"(?<=:)@me\b", re.IGNORECASE)
NEWEST_FIRST = "sort:created-desc"


class SearchQuery(Record):
    """A search text, taken apart.

    ``state`` is None when the text names none, ``list_kind`` when it does not say issues or pull
    requests. ``text`` is what no filter describes; ``has_words`` says whether it holds more than
    qualifiers, so that GitHub orders by best match.
    """

    repositories: tuple[str, ...] = ()
    list_kind: ListKind | None = None
    state: str | None = None
    labels: tuple[str, ...] = ()
    author: str | None = None
    assignee: str | None = None
    milestone: str | None = None
    text: str = ""
    has_words: bool = False

    def listing(
        self,
        repository: Repository,
        *,
        list_kind: ListKind | None = None,
        state: str = "all",
        limit: int | None,
    ) -> Address:
        """The Listing of what this search finds in ``repository``.

        ``list_kind`` and ``state`` hold where the text names none. Raises UsageError when it is
        then still unknown whether issues or pull requests are listed, or when they contradict.
        """
        kind = self.list_kind or list_kind
        if kind is None:
            raise UsageError("the search finds issues and pull requests mixed, which no key says")
        if list_kind is not None and kind != list_kind:
            raise UsageError("the search asks for issues and for pull requests, and finds nothing")
        filters = Filters(
            state=self.state or state,
            labels=self.labels,
            author=self.author,
            assignee=self.assignee,
            milestone=self.milestone,
        )
        return Address.of_listing(
            repository.owner,
            repository.name,
            kind,
            filters,
            query=self.text or None,
            limit=limit,
            host=repository.host,
        )

    def within(self, filters: Filters) -> Filters | None:
        """The filters that let through what both these ``filters`` and this search do.

        None where no filters say so, since the two name different states, people or milestones.
        """
        own = {name: getattr(self, name) for name in _ONE_EACH}
        given = {name: getattr(filters, name) for name in _ONE_EACH}
        given["state"] = None if filters.state == "all" else filters.state
        if any(own[name] and given[name] not in {None, own[name].lower()} for name in _ONE_EACH):
            return None
        chosen = {name: own[name] or given[name] for name in _ONE_EACH}
        chosen["state"] = chosen["state"] or "all"
        return Filters(labels=(*self.labels, *filters.labels), **chosen)


def with_login(text: str, context: Context) -> str:
    """The search text with ``@me`` replaced by the user's login.

    Raises UsageError when the text says ``@me`` and no login is configured.
    """
    if not _OWN.search(text):
        return text
    return _OWN.sub(own_login("@me", context), text)


def own_login(person: str, context: Context) -> str:
    """The login that ``person`` stands for: itself, or the user's own for ``@me``.

    Raises UsageError for ``@me`` without a configured login, and for any other ``@word``.
    """
    if not person.startswith("@"):
        return person
    if person.lower() != "@me" or not context.login:
        raise UsageError(f"{person!r} is relative to a user; no login is configured for it")
    return context.login


def parse(text: str, context: Context) -> SearchQuery:
    """Read a search text.

    Raises UsageError for what cannot be described: ``AND``, ``OR``, ``NOT`` and parentheses, an
    order other than newest first, another scope than repositories, an unbalanced quote, ``@me``
    without a login.
    """
    text = with_login(text, context)
    if text.count('"') % 2:
        raise UsageError("the search text has an unbalanced quote")
    reading = _Reading()
    for token in _TOKEN.findall(text):
        reading.take(token)
    return reading.result()


def check_exact(text: str, context: Context) -> str:
    """The text of a search inside one repository, kept as it is (``@me`` aside).

    Raises UsageError when it reaches beyond that repository or orders by anything but creation.
    """
    text = with_login(text, context)
    for token in _TOKEN.findall(text):
        match = _QUALIFIER.fullmatch(token.lstrip("("))
        if match and match[2] in _ELSEWHERE and not match[1]:
            raise UsageError(f"{token!r} widens the search beyond one repository")
        if match and match[2] == "sort" and token.lower() != NEWEST_FIRST:
            raise UsageError(f"{token!r} orders in a way that no Listing has")
    return text


def states_in(text: str) -> set[str]:
    """The states that ``is:`` and ``state:`` name in a search text."""
    found = (_QUALIFIER.fullmatch(token.lower()) for token in _TOKEN.findall(text))
    return {match[3] for match in found if match and not match[1] and match[2] in {"is", "state"}}


class _Reading:
    """What the tokens so far have said."""

    def __init__(self) -> None:
        self.repositories: list[str] = []
        self.kinds: set[ListKind] = set()
        self.states: set[str] = set()
        self.labels: list[str] = []
        self.people: dict[str, str] = {}
        self.rest: list[str] = []
        self.newest_first = False
        self.has_words = False

    def take(self, token: str) -> None:
        """Sort one token into its place."""
        if token in _OPERATORS or "(" in _unquoted(token) or ")" in _unquoted(token):
            raise UsageError("a search with AND, OR, NOT or parentheses is described by no key")
        match = _QUALIFIER.fullmatch(token)
        if match is None:
            self.has_words = True
            self.rest.append(token)
        elif match[1] or not self._take_qualifier(match[2], match[3]):
            self._check_scope(match)
            self.rest.append(token)

    def _check_scope(self, match: re.Match[str]) -> None:
        if match[2] in _ELSEWHERE:
            raise UsageError(f"{match[0]!r} searches elsewhere than in one repository")

    def _take_qualifier(self, name: str, raw: str) -> bool:
        """Whether filters describe ``name:raw``; then it is kept as one."""
        quoted = raw.startswith('"') and raw.endswith('"') and raw.count('"') == 2  # noqa: PLR2004 - both ends
        value = raw[1:-1].strip() if quoted else raw
        if not value or '"' in value:
            return False
        lowered = value.lower()
        match name:
            case "repo":
                self.repositories.append(value)
            case "is" | "type" if lowered in _KINDS:
                self.kinds.add(_KINDS[lowered])
            case "is" | "state" if lowered in {"open", "closed", "merged"}:
                self.states.add(lowered)
            case "label" if "," not in value and "*" not in value:
                self.labels.append(value)
            case "sort":
                if f"sort:{lowered}" not in {NEWEST_FIRST, "sort:created"}:
                    raise UsageError(f"sort:{value} orders in a way that no Listing has")
                self.newest_first = True
            case _:
                return self._take_person(name, value, quoted=quoted)
        return True

    def _take_person(self, name: str, value: str, *, quoted: bool) -> bool:
        """Whether it says who, or which milestone, in a way that filters do."""
        lowered = value.lower()
        if name == "no" and lowered in {"assignee", "milestone"}:
            name, value = lowered, "none"
        elif name == "milestone":
            if lowered == "none" or value.startswith("#") or (quoted and value == "*"):
                return False
        elif name in {"author", "assignee"}:
            anybody = (name, value) == ("assignee", "*")
            if lowered == "none" or not (anybody or _PERSON.fullmatch(value)):
                return False
        else:
            return False
        if self.people.get(name, value).lower() != value.lower():
            raise UsageError(f"the search names two of {name}")
        self.people[name] = value
        return True

    def result(self) -> SearchQuery:
        """All of it together."""
        if len(self.kinds) > 1:
            raise UsageError("the search asks for issues and for pull requests, and finds nothing")
        if self.states == {"closed", "merged"}:
            self.states = {"merged"}  # every merged pull request is closed
        if len(self.states) > 1:
            raise UsageError("the search asks for two states at once, and finds nothing")
        if self.newest_first and self.has_words:
            self.rest.append(NEWEST_FIRST)
        return SearchQuery(
            repositories=tuple(self.repositories),
            list_kind=next(iter(self.kinds), None),
            state=next(iter(self.states), None),
            labels=tuple(self.labels),
            author=self.people.get("author"),
            assignee=self.people.get("assignee"),
            milestone=self.people.get("milestone"),
            text=" ".join(self.rest),
            has_words=self.has_words,
        )


def _unquoted(token: str) -> str:
    return re.sub(r'"[^"]*"', "", token)
