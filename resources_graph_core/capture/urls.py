"""URLs of GitHub's web site and of its APIs, to Addresses."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from resources_graph_core.address import Address, Filters, parse_number
from resources_graph_core.capture import rest, search_query
from resources_graph_core.capture.repositories import Repository, host_of_url
from resources_graph_core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from resources_graph_core.address import ListKind
    from resources_graph_core.capture.context import Context

WEB_PAGE = 25
"""Members on a page of a web list."""

_LONGEST_URL = 8192
_SITE_PAGES = frozenset(
    [
        "account",
        "advisories",
        "assets",
        "community",
        "contact",
        "education",
        "enterprises",
        "github-copilot",
        "home",
        "join",
        "logout",
        "mobile",
        "models",
        "nonprofit",
        "open-source",
        "partners",
        "raw",
        "readme",
        "resources",
        "solutions",
        "team",
        "user-attachments",
        "why-github",
    ]
)
"""More first segments of github.com that are pages of the site, seen in links."""

_HARMLESS = frozenset(["utf8", "ref", "tab", "source", "plain"])
_LIST_PARAMETERS = frozenset(["labels", "state", "milestone", "assignee", "sort", "direction"])


def addresses(url: str, context: Context) -> list[Address]:
    """What reading ``url`` (with its scheme) reads.

    Raises UsageError when it is no URL, on no known host, or nothing that an Address names.
    """
    if len(url) > _LONGEST_URL:
        raise UsageError("the URL is longer than any of GitHub's")
    host, path, query = split(url)
    try:
        values = rest.parameters(query)
    except ValueError:  # bytes that are no UTF-8, or half a character
        raise UsageError("the URL has a query that is no text") from None
    api = rest.path_of_api_url(host, path)
    if api is not None:
        return rest.addresses(*api, values, context)
    if not context.knows(host):
        raise UsageError(f"{host!r} is not a host named in the settings")
    return [_web(host, path, values, context)]


def split(url: str) -> tuple[str, str, str]:
    """The host as Addresses name it, the path and the query of a web address.

    Raises UsageError when it is none. Its message never holds the URL: there may be a token in it.
    """
    try:
        parts = urlsplit(url.strip())
        host = host_of_url(parts.scheme, parts.hostname or "", parts.port)
    except ValueError:
        raise UsageError("that is not a URL") from None
    if parts.scheme not in {"https", "http"}:
        raise UsageError("that is not a web address")
    return host, parts.path, parts.query


def _web(host: str, path: str, values: dict[str, str], context: Context) -> Address:
    segments = [unquote(segment) for segment in path.split("/") if segment]
    if len(segments) < 2 or segments[0].lower() in _SITE_PAGES:  # noqa: PLR2004 - owner and name
        raise UsageError(f"{path!r} is no page of a repository")
    owner, name, *more = segments
    repository = Repository(host=host, owner=owner, name=_without_suffix(name, ".git"))
    match [more[0].lower(), *more[1:]] if more else []:
        case []:
            return repository.address()
        case ["issues", number, *_] if number.isdecimal():
            return repository.item(parse_number(number))
        case ["pull", number, *_]:
            bare = _without_suffix(_without_suffix(number, ".diff"), ".patch")
            return repository.item(parse_number(bare))
        case ["issues" | "pulls" as kind]:
            return _list(repository, kind, values, context)
        case path_of_person if not _meaningful(values):
            return _list_of_person(repository, path_of_person)
    raise UsageError(f"{path!r} is neither a repository, an item nor a list of them")


def _list_of_person(repository: Repository, segments: list[str]) -> Address:
    """The older pages that list what somebody opened or is assigned to."""
    match segments:
        case ["issues", "created_by", person]:
            return _listing(repository, "issues", Filters(author=person))
        case ["issues", "assigned", person]:
            return _listing(repository, "issues", Filters(assignee=person))
        case ["pulls", person] if not person.isdecimal():
            return _listing(repository, "pulls", Filters(author=person))
    raise UsageError("the page is neither a repository, an item nor a list of them")


def _without_suffix(text: str, suffix: str) -> str:
    return text[: -len(suffix)] if text.lower().endswith(suffix) else text


def _meaningful(values: dict[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in values.items()
        if name not in _HARMLESS and not name.startswith("utm_") and (name, value) != ("page", "1")
    }


def _listing(repository: Repository, kind: ListKind, filters: Filters) -> Address:
    return Address.of_listing(
        repository.owner,
        repository.name,
        kind,
        filters,
        limit=WEB_PAGE,
        host=repository.host,
    )


def _list(
    repository: Repository, kind: ListKind, values: dict[str, str], context: Context
) -> Address:
    """A list page: open ones without a query, what the query says with one."""
    given = _meaningful(values)
    if given.keys() == {"q"}:
        if not given["q"].strip():
            raise UsageError("an empty query lists issues and pull requests mixed")
        query = search_query.parse(given["q"], context)
        own = f"{repository.owner}/{repository.name}".lower()
        if any(name.lower() != own for name in query.repositories):
            raise UsageError("the query searches another repository")
        return query.listing(repository, limit=WEB_PAGE)
    if given.keys() - _LIST_PARAMETERS:
        raise UsageError(f"no Listing key says {', '.join(sorted(given))}")
    rest.check_order(given)
    milestone = given.get("milestone")
    if milestone and milestone not in {"none", "*"}:
        milestone = f"#{parse_number(milestone)}"
    filters = Filters(
        state=given.get("state", "open"),
        labels=tuple(given.get("labels", "").split(",")),
        assignee=search_query.own_login(given.get("assignee", ""), context) or None,
        milestone=milestone,
    )
    return _listing(repository, kind, filters)
