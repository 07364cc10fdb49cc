"""GitHub's REST reads: a path and its parameters to Addresses.

Endpoints and defaults are those of GitHub's published OpenAPI description.
"""

from __future__ import annotations

from urllib.parse import parse_qsl, unquote

from resources_graph_core.address import Address, Filters, parse_number
from resources_graph_core.capture import search_query
from resources_graph_core.capture.context import GITHUB
from resources_graph_core.capture.repositories import Repository
from resources_graph_core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from resources_graph_core.capture.context import Context

DEFAULT_PAGE = 30
LARGEST_PAGE = 100
_ENTERPRISE_PREFIX = ["api", "v3"]
_ORDER = frozenset(["sort", "direction", "order"])
_PAGING = frozenset(["page", "per_page"])
_ITEM_PARTS = {
    "issues": frozenset(
        ["comments", "timeline", "events", "labels", "sub_issues", "reactions", "parent"]
    ),
    "pulls": frozenset(
        ["files", "commits", "reviews", "comments", "requested_reviewers", "reactions"]
    ),
}


def parameters(query: str) -> dict[str, str]:
    """The parameters of a query string; of one given twice the last counts, as for GitHub.

    Raises ValueError when it is no UTF-8.
    """
    return dict(parse_qsl(query, keep_blank_values=True, errors="strict"))


def path_of_api_url(host: str, path: str) -> tuple[str, str] | None:
    """The host that Addresses name and the REST path, when ``host`` and ``path`` are an API's.

    ``api.github.com/…``, ``api.SUB.ghe.com/…`` (data residency) or ``HOST/api/v3/…``.
    """
    if host == f"api.{GITHUB}":
        return GITHUB, path
    if host.startswith("api.") and host.endswith(".ghe.com"):
        return host.removeprefix("api."), path
    segments = path.lstrip("/").split("/")
    if host != GITHUB and segments[:2] == _ENTERPRISE_PREFIX:
        return host, "/".join(segments[2:])
    return None


def addresses(
    host: str,
    path: str,
    values: Mapping[str, str],
    context: Context,
    *,
    paginate: bool = False,
) -> list[Address]:
    """What a GET of ``path`` reads. ``paginate`` says that every page is asked for.

    Raises UsageError when that is nothing an Address names.
    """
    if not context.knows(host):
        raise UsageError(f"{host!r} is not a host named in the settings")
    segments = [unquote(segment) for segment in path.removeprefix("/").split("/")]
    match segments:
        case [repos, owner, name] if repos.lower() == "repos":
            return [Repository(host=host, owner=owner, name=name).address()]
        case [repos, owner, name, kind] if repos.lower() == "repos" and kind.lower() == "pulls":
            repository = Repository(host=host, owner=owner, name=name)
            return [_pulls(repository, values, context, paginate=paginate)]
        case [repos, owner, name, kind, number, *part] if repos.lower() == "repos":
            known = _ITEM_PARTS.get(kind.lower())
            if known is not None and (not part or part[0].lower() in known):
                return [Repository(host=host, owner=owner, name=name).item(parse_number(number))]
        case ["search", "issues"]:
            return [_search(host, values, context, paginate=paginate)]
    raise UsageError("the path is neither a repository, an item nor a list of pull requests")


def page_size(values: Mapping[str, str], *, paginate: bool = False) -> int | None:
    """How many members the first page holds; None for every page.

    Raises UsageError for a later page, whose members no key describes, and for nonsense.
    """
    page, size = values.get("page", "1"), values.get("per_page", str(DEFAULT_PAGE))
    if page != "1":
        raise UsageError(f"page {page!r} is not the beginning of the list")
    if not (size.isascii() and size.isdecimal() and int(size[:9]) > 0):
        raise UsageError(f"per_page is a number above 0, not {size!r}")
    return None if paginate else min(int(size[:9]), LARGEST_PAGE)


def check_order(values: Mapping[str, str], *, defaults: str = "created") -> None:
    """Raise UsageError unless the list comes newest created first, as Listings do."""
    sort = values.get("sort", defaults)
    direction = values.get("direction", values.get("order", "desc"))
    if sort != "created" or direction != "desc":
        raise UsageError(f"a list by {sort} {direction} is not the newest created first")


def _pulls(
    repository: Repository, values: Mapping[str, str], context: Context, *, paginate: bool
) -> Address:
    del context  # pull requests are listed alike for everybody
    unknown = values.keys() - _ORDER - _PAGING - {"state"}
    if unknown:
        raise UsageError(f"no Listing key says {', '.join(sorted(unknown))}")
    check_order(values)
    state = values.get("state", "open")
    if state == "merged":
        raise UsageError("REST knows no state 'merged'")
    return Address.of_listing(
        repository.owner,
        repository.name,
        "pulls",
        Filters(state=state),
        limit=page_size(values, paginate=paginate),
        host=repository.host,
    )


def _search(host: str, values: Mapping[str, str], context: Context, *, paginate: bool) -> Address:
    unknown = values.keys() - _ORDER - _PAGING - {"q"}
    if unknown:
        raise UsageError(f"no Listing key says {', '.join(sorted(unknown))}")
    text = values.get("q", "")
    if "sort" in values:
        check_order(values)
        text = f"{text} {search_query.NEWEST_FIRST}"
    query = search_query.parse(text, context)
    repository = only_repository(query.repositories, host)
    return query.listing(repository, limit=page_size(values, paginate=paginate))


def only_repository(names: tuple[str, ...], host: str) -> Repository:
    """The one repository that a search names. Raises UsageError when it is not one."""
    if len({name.lower() for name in names}) != 1:
        raise UsageError("the search is not in one repository")
    owner, slash, name = names[0].partition("/")
    if not slash:
        raise UsageError(f"{names[0]!r} is not owner/repo")
    return Repository(host=host, owner=owner, name=name)
