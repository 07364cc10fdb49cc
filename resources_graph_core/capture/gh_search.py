"""``gh search issues`` and ``gh search prs`` to the Listing they show, if of one repository.

GitHub answers a search by best match. With qualifiers alone every match is as good, and the order
is the one ``gh issue list --label`` shows (the same search, newest created first): filters describe
it. With words in it, the search is a Listing with a query, defined by its exact text, as the one of
``gh issue list --search`` is. A ``--sort`` other than newest created first is not recorded.
"""

from __future__ import annotations

from resources_graph_core.capture import rest, search_query
from resources_graph_core.capture.flags import Flags, FlagSet, comma_list, known, parse_pflag
from resources_graph_core.capture.gh import check_reads, limit_of
from resources_graph_core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from resources_graph_core.address import Address, ListKind
    from resources_graph_core.capture.context import Context

_MOST_RESULTS = 1000
_OUTPUT = ("json", "jq", "template", "limit", "repo")
_PEOPLE = ("assignee", "author", "commenter", "involves", "mentions")
_VALUES = (*_PEOPLE, "milestone")
_DATES_AND_NUMBERS = ("closed", "created", "updated", "comments", "interactions", "reactions")
_MISSING = ("assignee", "label", "milestone", "project")

_ISSUES = FlagSet(
    values=[
        "limit,L",
        "state",
        "repo,R",
        "owner",
        "label",
        "match",
        "visibility",
        *_VALUES,
        *_DATES_AND_NUMBERS,
        *("app", "team-mentions", "language", "project", "sort", "order", "search-type"),
        *("json", "jq,q", "template,t"),
    ],
    switches=[
        *("archived", "locked", "include-prs", "web,w", "help,h"),
        *(f"no-{name}" for name in _MISSING),
    ],
)
_PULLS = _ISSUES.plus(
    values=["base,B", "head,H", "checks", "merged-at", "review", "review-requested", "reviewed-by"],
    switches=["draft", "merged"],
)
_DESCRIBED = frozenset(
    [
        *_OUTPUT,
        *("state", "label", "match", "sort", "order", "merged"),
        *_VALUES,
        *_DATES_AND_NUMBERS,
        *(f"no-{name}" for name in _MISSING),
    ]
)


def listing(kind: ListKind, arguments: Sequence[str], context: Context) -> Address:
    """The Listing a search shows. Raises UsageError when no key says it."""
    flags = parse_pflag(arguments, _ISSUES if kind == "issues" else _PULLS)
    check_reads(flags)
    bent = flags.values.keys() - _DESCRIBED - {"help", "web"}
    if bent:
        raise UsageError(f"no Listing key says {', '.join(sorted(bent))}")
    words = [_quoted(known(argument)) for argument in flags.arguments]
    text = " ".join([*words, *sorted(_qualifiers(flags))])
    query = search_query.parse(text, context)
    names = (*query.repositories, *comma_list(flags.all("repo")))
    host = context.default_host
    if not context.knows(host):
        raise UsageError(f"{host!r} is not a host named in the settings")
    repository = rest.only_repository(names, host)
    return query.listing(repository, list_kind=kind, limit=limit_of(flags, largest=_MOST_RESULTS))


def _quoted(argument: str) -> str:
    """An argument as gh puts it in the search text: with white space in it, it is one phrase."""
    if len(argument) > 1 and argument[0] == argument[-1] == '"':
        return argument
    if not any(character in argument for character in ' "\t\r\n'):
        return argument
    name, colon, value = argument.partition(":")
    if '"' in argument:
        if colon and name.isascii() and value[0] == value[-1] == '"' and '"' not in value[1:-1]:
            return argument
        raise UsageError("an argument has a quote inside")
    if colon and name.lstrip("-").replace("-", "").isalpha():
        return f'{name}:"{value}"'
    return f'"{argument}"'


def _qualifiers(flags: Flags) -> Iterator[str]:
    """The qualifiers that gh adds for its flags."""
    yield from _repeated(flags)
    state = flags.last("state")
    if state is not None:
        if state.lower() not in {"open", "closed"}:
            raise UsageError(f"--state is open or closed, not {state!r}")
        yield f"state:{state.lower()}"
    for name in (*_VALUES, *_DATES_AND_NUMBERS):
        value = flags.last(name)
        if value:
            yield f"{name}:{_quoted(value)}"
    for name in _MISSING:
        if flags.is_on(f"no-{name}"):
            yield f"no:{name}"
    if flags.is_on("merged"):
        yield "is:merged"
    yield from _order(flags)


def _repeated(flags: Flags) -> Iterator[str]:
    for label in comma_list(flags.all("label")):
        if "," in label:
            raise UsageError("a label holds a comma, which in a search means 'or'")
        yield f'label:"{label}"'
    for name in comma_list(flags.all("match")):
        if name.lower() not in {"title", "body", "comments"}:
            raise UsageError(f"--match knows no {name!r}")
        yield f"in:{name.lower()}"


def _order(flags: Flags) -> Iterator[str]:
    sort = (flags.last("sort") or "best-match").lower()
    order = (flags.last("order") or "desc").lower()
    if sort == "best-match":
        return
    if (sort, order) != ("created", "desc"):
        raise UsageError(f"a search by {sort} {order} is not the newest created first")
    yield search_query.NEWEST_FIRST
