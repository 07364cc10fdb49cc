"""Tools of the official GitHub MCP server, current and older names, to what they read.

Names and arguments are those of the server at v1.10 and, for the one-tool-per-read names, of its
releases before late 2025. Which host a server asks is its own setting, so it is taken to be
github.com. Only tools that read are known here, so no write is ever captured.
"""

from __future__ import annotations

from resources_graph_core.address import LARGEST_NUMBER, Address, Filters, parse_number
from resources_graph_core.capture import rest, search_query
from resources_graph_core.capture.context import GITHUB
from resources_graph_core.capture.repositories import Repository
from resources_graph_core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from resources_graph_core.address import ListKind
    from resources_graph_core.capture.context import Context

_METHODS = {
    "issue_read": frozenset(["get", "get_comments", "get_sub_issues", "get_parent", "get_labels"]),
    "pull_request_read": frozenset(
        [
            *("get", "get_diff", "get_status", "get_files", "get_commits", "get_review_comments"),
            *("get_reviews", "get_comments", "get_check_runs"),
        ]
    ),
}
_ITEM_TOOLS = frozenset(
    [
        *_METHODS,
        "get_issue",
        "get_issue_comments",
        *("get_pull_request", "get_pull_request_diff", "get_pull_request_files"),
        *("get_pull_request_status", "get_pull_request_comments", "get_pull_request_reviews"),
    ]
)
_SEARCHES: dict[str, ListKind] = {"search_issues": "issues", "search_pull_requests": "pulls"}
_TOOLS = frozenset([*_ITEM_TOOLS, *_SEARCHES, "list_issues", "list_pull_requests"])
_OTHER_FORGES = ("gitlab", "gitea", "forgejo", "bitbucket", "linear", "jira", "azure")
_NUMBER_NAMES = ("issue_number", "pullNumber", "pull_number", "issueNumber")
_SEPARATORS = ("__", ":", "/", ".")
_LARGEST_PAGE = 100


def addresses(
    tool_name: str, arguments: Mapping[str, object], context: Context, server: str | None = None
) -> list[Address]:
    """What a call of the tool reads. ``server`` is its MCP server's name where that is known.

    Raises UsageError when the tool is none of GitHub's that read, or the call is refused there.
    """
    tool = _tool(tool_name, server)
    if tool in _SEARCHES:
        return [_search(_SEARCHES[tool], arguments, context)]
    repository = Repository(
        host=GITHUB, owner=_text(arguments, "owner"), name=_text(arguments, "repo")
    )
    if tool == "list_issues":
        return [_issues(repository, arguments)]
    if tool == "list_pull_requests":
        return [_pulls(repository, arguments, context)]
    methods = _METHODS.get(tool)
    if methods is not None and _text(arguments, "method").lower() not in methods:
        raise UsageError(f"{tool} has no such method")
    return [repository.item(_number(arguments))]


def _tool(name: str, server: str | None) -> str:
    """The tool's own name, wherever the harness put the server's in front of it.

    Copilot joins them by ``-`` and OpenCode by ``_``, so what stands last decides there.
    """
    prefix = f"{server or ''} {name}".lower()
    if any(forge in prefix for forge in _OTHER_FORGES):
        raise UsageError("the tool is another forge's")
    for separator in _SEPARATORS:
        if separator in name:
            name = name.rpartition(separator)[2]
            if name in _TOOLS:
                return name
    for tool in sorted(_TOOLS, key=len, reverse=True):
        if name == tool or name.endswith((f"-{tool}", f"_{tool}")):
            return tool
    raise UsageError(f"{name!r} is no tool of GitHub's that reads")


def _text(arguments: Mapping[str, object], name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str) or not value:
        raise UsageError(f"{name} is missing")
    return value


def _number(arguments: Mapping[str, object]) -> int:
    for name in _NUMBER_NAMES:
        value = arguments.get(name)
        if isinstance(value, str):
            return parse_number(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return _whole(value)
    raise UsageError("the number is missing")


def _whole(value: float) -> int:
    if not -LARGEST_NUMBER <= value <= LARGEST_NUMBER or value != int(value):
        raise UsageError("that is no whole number, or larger than any of GitHub's")
    return int(value)


def _given(arguments: Mapping[str, object]) -> dict[str, object]:
    """The arguments that say something; ``fields`` and the like only shape the answer."""
    shaping = {"owner", "repo", "fields", "minimal_output"}
    return {
        name: value
        for name, value in arguments.items()
        if name not in shaping and value is not None and value not in ("", [])
    }


def _limit(given: Mapping[str, object]) -> int:
    value = given.get("perPage", rest.DEFAULT_PAGE)
    page = given.get("page", 1)
    if isinstance(value, bool) or not isinstance(value, int | float) or page not in (1, 1.0):
        raise UsageError("that is no first page")
    size = _whole(value)
    if not 1 <= size <= _LARGEST_PAGE:
        raise UsageError(f"perPage is 1 to {_LARGEST_PAGE}, not {size}")
    return size


def _words(given: Mapping[str, object], *names: str) -> dict[str, str]:
    """Those of the arguments, lower-cased. Raises UsageError when one is no text."""
    found: dict[str, str] = {}
    for name in names:
        value = given.get(name)
        if value is None:
            continue
        if not isinstance(value, str):
            raise UsageError(f"{name} is no text")
        found[name] = value.lower()
    return found


def _issues(repository: Repository, arguments: Mapping[str, object]) -> Address:
    """``list_issues`` of today's server: no pull requests in it, and no state means both.

    ``state: all``, ``sort`` and ``page`` are the older server's, whose list mixed in pull requests.
    """
    given = _given(arguments)
    if given.keys() - {"state", "labels", "orderBy", "direction", "perPage"}:
        raise UsageError("no Listing key says the list's filters")
    words = _words(given, "state", "orderBy", "direction")
    order = (words.get("orderBy", "created_at"), words.get("direction", "desc"))
    if order != ("created_at", "desc"):
        raise UsageError("the list does not come newest created first")
    state = words.get("state")
    if state not in {None, "open", "closed"}:
        raise UsageError(f"list_issues knows no state {state!r}")
    labels = given.get("labels", [])
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise UsageError("labels is no list of texts")
    if len(labels) > 1:
        raise UsageError("several labels mean any of them here, and all of them in a Listing")
    return Address.of_listing(
        repository.owner,
        repository.name,
        "issues",
        Filters(state=state or "all", labels=tuple(labels)),
        limit=_limit(given),
        host=repository.host,
    )


def _pulls(repository: Repository, arguments: Mapping[str, object], context: Context) -> Address:
    """``list_pull_requests``, which is REST's list."""
    given = _given(arguments)
    limit = _limit(given)
    values = _words(given, *(given.keys() - {"page", "perPage"}))
    path = f"repos/{repository.owner}/{repository.name}/pulls"
    (address,) = rest.addresses(repository.host, path, {**values, "per_page": str(limit)}, context)
    return address


def _search(kind: ListKind, arguments: Mapping[str, object], context: Context) -> Address:
    """A search; ``owner`` and ``repo`` together name the repository."""
    given = _given(arguments)
    if given.keys() - {"query", "q", "sort", "order", "page", "perPage"}:
        raise UsageError("no Listing key says the search's filters")
    text = _text(given, "query" if "query" in given else "q")
    words = _words(given, "sort", "order")
    if "sort" in words:
        rest.check_order(words)
        text = f"{text} {search_query.NEWEST_FIRST}"
    query = search_query.parse(text, context)
    names = query.repositories
    if arguments.get("owner") and arguments.get("repo"):
        names = (*names, f"{_text(arguments, 'owner')}/{_text(arguments, 'repo')}")
    repository = rest.only_repository(names, GITHUB)
    # The older server's 'q' was searched as it is: issues and pull requests, unless it says which.
    expected = None if "query" not in given else kind
    return query.listing(repository, list_kind=expected, limit=_limit(given))
