"""What a GraphQL query reads: repositories, their items, and the lists that a key can describe.

Defaults are those of GitHub's published schema: a connection without ``states`` holds every state,
and without ``orderBy`` the oldest come first.
"""

from __future__ import annotations

from resources_graph_core.address import Address, Filters
from resources_graph_core.capture import graphql_document, rest, search_query, urls
from resources_graph_core.capture.flags import known
from resources_graph_core.capture.graphql_document import Name, Selection, Variable
from resources_graph_core.capture.repositories import Repository
from resources_graph_core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from resources_graph_core.address import ListKind
    from resources_graph_core.capture.context import Context

_ITEMS = frozenset(["issue", "pullRequest", "issueOrPullRequest"])
_LISTS: dict[str, ListKind] = {"issues": "issues", "pullRequests": "pulls"}
_OF_REPOSITORY = frozenset(
    [
        "description",
        "stargazerCount",
        "stargazers",
        "pushedAt",
        "defaultBranchRef",
        "isArchived",
        "repositoryTopics",
        "licenseInfo",
        "forkCount",
        "parent",
    ]
)
"""Fields of a repository that memory holds; one that asks for its id alone reads nothing."""

_STATES: dict[ListKind, dict[frozenset[str], str]] = {
    "issues": {
        frozenset(): "all",
        frozenset(["OPEN"]): "open",
        frozenset(["CLOSED"]): "closed",
        frozenset(["OPEN", "CLOSED"]): "all",
    },
    "pulls": {
        frozenset(): "all",
        frozenset(["OPEN"]): "open",
        frozenset(["MERGED"]): "merged",
        frozenset(["CLOSED", "MERGED"]): "closed",
        frozenset(["OPEN", "CLOSED", "MERGED"]): "all",
    },
}
_LARGEST_PAGE = 100
_MOST_FIELDS = 2000


def addresses(
    text: str,
    variables: Mapping[str, object],
    context: Context,
    *,
    host: str,
    operation: str | None = None,
    paginate: bool = False,
) -> list[Address]:
    """What the query ``text`` reads. A field that no Address names is passed over.

    Raises UsageError when it is no query, or it is unknown which of several runs.
    """
    document = graphql_document.parse(text)
    chosen = [each for each in document.operations if operation in {None, "", each.name}]
    if len(chosen) != 1 or chosen[0].kind != "query":
        raise UsageError("it is no single GraphQL query")
    reader = _Reader(document.fragments, {**chosen[0].defaults, **variables}, context, host)
    reader.paginate = paginate
    found: list[Address] = []
    for field in reader.fields(chosen[0].selections):
        try:
            found.extend(reader.top(field))
        except UsageError:
            continue  # this field names nothing; the others still count
    return found


class _Reader:
    def __init__(
        self,
        fragments: Mapping[str, list[Selection]],
        variables: Mapping[str, object],
        context: Context,
        host: str,
    ) -> None:
        self.fragments = fragments
        self.variables = variables
        self.context = context
        self.host = host
        self.paginate = False
        self.left = _MOST_FIELDS

    def fields(
        self, selections: list[Selection], inside: frozenset[str] = frozenset()
    ) -> Iterator[Selection]:
        """The fields selected, those of fragments too; what a directive decides is left out."""
        for selection in selections:
            self.left -= 1
            if self.left < 0 or selection.conditional:
                continue
            if selection.name:
                yield selection
            elif not selection.spread:
                yield from self.fields(selection.selections, inside)
            elif selection.spread not in inside:
                inner = self.fragments.get(selection.spread, [])
                yield from self.fields(inner, inside | {selection.spread})

    def value(self, value: object) -> object:
        """The value with its variables filled in. Raises UsageError for one that is not given."""
        if isinstance(value, Variable):
            if value.name not in self.variables:
                return None
            return self.value(self.variables[value.name])
        if isinstance(value, Name):
            return value.text
        if isinstance(value, list):
            return [self.value(member) for member in value]
        if isinstance(value, dict):
            return {name: self.value(member) for name, member in value.items()}
        return known(value) if isinstance(value, str) else value

    def arguments(self, field: Selection) -> dict[str, object]:
        """The arguments that are given and not null."""
        values = {name: self.value(value) for name, value in field.arguments.items()}
        return {name: value for name, value in values.items() if value is not None}

    def top(self, field: Selection) -> list[Address]:
        """What a field of the query itself reads."""
        values = self.arguments(field)
        if field.name == "repository":
            owner, name = values.get("owner"), values.get("name")
            if isinstance(owner, str) and isinstance(name, str):
                repository = Repository(host=self.host, owner=owner, name=name)
                return list(self.inside(repository, list(self.fields(field.selections))))
        if field.name == "search" and values.get("type") == "ISSUE":
            return [self.search(values)]
        if field.name == "resource" and isinstance(values.get("url"), str):
            return urls.addresses(str(values["url"]), self.context)
        raise UsageError(f"the field {field.name!r} reads nothing that an Address names")

    def inside(self, repository: Repository, fields: list[Selection]) -> Iterator[Address]:
        """What the fields of a repository read."""
        for field in fields:
            try:
                values = self.arguments(field)
                if field.name in _ITEMS:
                    yield repository.item(_integer(values.get("number")))
                elif field.name in _LISTS:
                    yield self.listing(repository, _LISTS[field.name], values)
            except UsageError:
                continue  # this field names nothing; the others still count
        names = {field.name for field in fields}
        if names & _OF_REPOSITORY and not names & (_ITEMS | _LISTS.keys()):
            yield repository.address()

    def limit(self, values: Mapping[str, object]) -> int | None:
        """The size of the first page; None when every page is asked for."""
        if values.keys() & {"after", "before", "last"}:
            raise UsageError("it is not the beginning of the list")
        first = _integer(values.get("first"))
        if not 1 <= first <= _LARGEST_PAGE:
            raise UsageError(f"first is 1 to {_LARGEST_PAGE}, not {first}")
        return None if self.paginate else first

    def listing(self, repository: Repository, kind: ListKind, values: dict[str, object]) -> Address:
        """A connection that lists newest created first, by filters a key describes."""
        order = values.get("orderBy")
        if order != {"field": "CREATED_AT", "direction": "DESC"}:
            raise UsageError("the list does not come newest created first")
        limit = self.limit(values)
        by = dict(_mapping(values.get("filterBy"))) if kind == "issues" else {}
        given = {name: values[name] for name in ("states", "labels") if name in values} | by
        extra = values.keys() - {"orderBy", "first", "states", "labels", "filterBy"}
        if extra or given.keys() - {"states", "labels", "createdBy", "assignee"}:
            raise UsageError("no Listing key says the list's filters")
        labels = _strings(given.get("labels"))
        if len(labels) > 1:
            raise UsageError("several labels mean any of them here, and all of them in a Listing")
        states = _STATES[kind].get(frozenset(_strings(given.get("states"))))
        if states is None:
            raise UsageError("no Listing key says the list's states")
        return Address.of_listing(
            repository.owner,
            repository.name,
            kind,
            Filters(
                state=states,
                labels=tuple(labels),
                author=_login(given.get("createdBy")),
                assignee=_login(given.get("assignee")),
            ),
            limit=limit,
            host=repository.host,
        )

    def search(self, values: Mapping[str, object]) -> Address:
        """``search(query:, type: ISSUE, first:)`` inside one repository."""
        text = values.get("query")
        if not isinstance(text, str):
            raise UsageError("the search text is not known before it runs")
        query = search_query.parse(text, self.context)
        repository = rest.only_repository(query.repositories, self.host)
        return query.listing(repository, limit=self.limit(values))


def _integer(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageError("a number is not known before it runs")
    return value


def _strings(value: object) -> list[str]:
    members = value if isinstance(value, list) else [] if value is None else [value]
    if not all(isinstance(member, str) for member in members):
        raise UsageError("a list holds something else than words")
    return [str(member) for member in members]


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _login(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or value.lower() in {"none", "@me"} or "/" in value:
        raise UsageError("that is no login")
    return value
