"""``gh`` command lines, without the program's name, to what they read.

Flags, defaults and quirks were observed with gh 2.103. What gh would refuse reads nothing, what
opens a browser neither; and a list that a flag bends into something no key says is not recorded.
``gh issue status`` and ``gh pr status`` are three lists each, newest *updated* first and mixed with
mentions and review requests; ``gh status`` spans repositories: no key says any of them.
"""

from __future__ import annotations

import re

from resources_graph_core.address import Address, Filters, parse_number
from resources_graph_core.capture import search_query, urls
from resources_graph_core.capture.flags import Flags, FlagSet, comma_list, known, parse_pflag
from resources_graph_core.capture.repositories import (
    Repository,
    current,
    implied,
    named,
)
from resources_graph_core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.address import ListKind
    from resources_graph_core.capture.context import Context

DEFAULT_LIMIT = 30
_LARGEST_LIMIT = 2**31 - 1
_NUMBER = re.compile(r"[1-9][0-9]{0,9}", re.ASCII)
_KINDS: dict[str, ListKind] = {"issue": "issues", "pr": "pulls"}
_ALIASES = {"ls": "list"}
_GROUPS = frozenset(["issue", "pr", "repo", "search"])
_NUMBERED_URL = ("issues", "pull")

_OUTPUT = FlagSet(values=["json", "jq,q", "template,t"], switches=["help,h", "web,w"])
_REPOSITORY_OUTPUT = _OUTPUT.plus(values=["repo,R"])
_LIST = _REPOSITORY_OUTPUT.plus(
    values=["app", "assignee,a", "author,A", "label,l", "limit,L", "search,S", "state,s"]
)
_FLAGS: dict[tuple[str, str], FlagSet] = {
    ("issue", "list"): _LIST.plus(values=["mention", "milestone,m", "type"]),
    ("pr", "list"): _LIST.plus(values=["base,B", "head,H"], switches=["draft,d"]),
    ("issue", "view"): _REPOSITORY_OUTPUT.plus(switches=["comments,c"]),
    ("pr", "view"): _REPOSITORY_OUTPUT.plus(switches=["comments,c"]),
    ("pr", "diff"): FlagSet(
        values=["color", "exclude,e", "repo,R"],
        switches=["name-only", "patch", "allow-escape-sequences", "web,w", "help,h"],
    ),
    ("pr", "checks"): _REPOSITORY_OUTPUT.plus(
        values=["interval,i"], switches=["watch", "fail-fast", "required"]
    ),
    ("repo", "view"): _OUTPUT.plus(values=["branch,b"]),
}
_INDESCRIBABLE = ("app", "mention", "type", "base", "head", "draft")
"""List flags that no Listing key says."""


def addresses(arguments: Sequence[str], context: Context, stdin: str | None) -> list[Address]:
    """What ``gh`` with these arguments reads; ``stdin`` is what it is piped, where that is known.

    Raises UsageError when it reads nothing that an Address names.
    """
    words, rest = _split(arguments)
    match words:
        case ["api"]:
            from resources_graph_core.capture import gh_api  # noqa: PLC0415 - only when asked for

            return gh_api.addresses(rest, context, stdin)
        case ["search", "issues" | "prs" as what]:
            from resources_graph_core.capture import gh_search  # noqa: PLC0415 - the same

            kind: ListKind = "issues" if what == "issues" else "pulls"
            return [gh_search.listing(kind, rest, context)]
        case [group, verb] if (group, _ALIASES.get(verb, verb)) in _FLAGS:
            verb = _ALIASES.get(verb, verb)
            flags = parse_pflag(rest, _FLAGS[group, verb])
            check_reads(flags)
            if group == "repo":
                return [_repository_view(flags, context)]
            if verb == "list":
                return [_listing(_KINDS[group], flags, context)]
            return [_item(group, flags, context)]
    raise UsageError("the gh command reads nothing that an Address names")


def check_reads(flags: Flags) -> None:
    """Raise UsageError when the flags make gh print help or open a browser instead."""
    if flags.is_on("help") or flags.is_on("web"):
        raise UsageError("gh shows help or opens a browser and reads nothing")


def _split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words of the command (``issue``, ``list``), and everything else in order.

    ``-R`` may stand before them, as cobra lets it.
    """
    words: list[str] = []
    others: list[str] = []
    at = 0
    while at < len(arguments):
        argument = arguments[at]
        if argument in {"-R", "--repo"}:
            others.extend(arguments[at : at + 2])
            at += 2
            continue
        if argument.startswith("-"):
            if not argument.startswith(("-R", "--repo=")):
                break
            others.append(argument)
        else:
            words.append(known(argument))
            if len(words) > 1 or argument not in _GROUPS:
                at += 1
                break
        at += 1
    return words, [*others, *arguments[at:]]


def repository_of(flags: Flags, context: Context) -> Repository:
    """The repository that ``-R``, ``GH_REPO`` or the working directory names."""
    text = flags.last("repo")
    return implied(context) if text is None else named(text, context)


def limit_of(flags: Flags, *, largest: int = _LARGEST_LIMIT) -> int:
    """``--limit``, or its default. Raises UsageError when gh would refuse it."""
    text = flags.last("limit")
    if text is None:
        return DEFAULT_LIMIT
    if not _NUMBER.fullmatch(text) or int(text) > largest:
        raise UsageError(f"--limit is a number from 1 to {largest}")
    return int(text)


def _item(group: str, flags: Flags, context: Context) -> Address:
    """``gh issue view``, ``gh pr view|diff|checks``: exactly one argument says which."""
    if len(flags.arguments) != 1:
        raise UsageError("without a number the pull request is that of the current branch")
    argument = known(flags.arguments[0])
    if argument.lower().startswith(("https://", "http://")):
        return _item_of_url(group, argument, context)
    number = argument.removeprefix("#")
    if not (number.isascii() and number.isdecimal()):
        raise UsageError(f"{argument!r} is a branch, not a number")
    return repository_of(flags, context).item(parse_number(number.lstrip("0")))


def _item_of_url(group: str, url: str, context: Context) -> Address:
    """A URL argument; its repository counts, whatever ``-R`` says."""
    host, path, _ = urls.split(url)
    segments = path.removeprefix("/").split("/")
    if len(segments) < 4 or segments[2] not in _NUMBERED_URL:  # noqa: PLR2004 - o, r, kind, number
        raise UsageError("the URL is not that of an issue or pull request")
    if not context.knows(host) or (group == "pr" and segments[2] != "pull"):
        raise UsageError("gh takes the URL for a branch, or its host is not configured")
    number = segments[3].removesuffix(".diff").removesuffix(".patch")
    return Repository(host=host, owner=segments[0], name=segments[1]).item(
        parse_number(number.lstrip("0"))
    )


def _repository_view(flags: Flags, context: Context) -> Address:
    if len(flags.arguments) > 1:
        raise UsageError("gh repo view takes one repository")
    if not flags.arguments:
        return current(context).address()  # GH_REPO is not looked at here
    argument = known(flags.arguments[0])
    if "/" in argument:
        return named(argument, context).address()
    if not context.login:
        raise UsageError("a bare name is the user's own repository; no login is configured")
    host = context.default_host
    if not context.knows(host):
        raise UsageError(f"{host!r} is not a host named in the settings")
    return Repository(host=host, owner=context.login, name=argument).address()


def _listing(kind: ListKind, flags: Flags, context: Context) -> Address:
    if flags.arguments:
        raise UsageError("gh lists take no argument")
    bent = [name for name in _INDESCRIBABLE if name in flags.values]
    if bent:
        raise UsageError(f"no Listing key says {', '.join(bent)}")
    filters = Filters(
        state=(flags.last("state") or "open").lower(),
        labels=tuple(comma_list(flags.all("label"))),
        author=_person(flags, "author", context),
        assignee=_person(flags, "assignee", context),
        milestone=_milestone(flags),
    )
    text = flags.last("search")
    if text is not None:
        text, filters = _searched(kind, text, filters, context)
    repository = repository_of(flags, context)
    return Address.of_listing(
        repository.owner,
        repository.name,
        kind,
        filters,
        query=text,
        limit=limit_of(flags),
        host=repository.host,
    )


def _searched(kind: ListKind, text: str, filters: Filters, context: Context) -> tuple[str, Filters]:
    """What ``--search`` adds to the flags' filters: the text that is left, and all filters.

    Qualifiers alone are filters where these describe them, as for ``gh search``; a text with words
    in it stays as it is. gh drops its own ``state:open`` when the text says closed.
    """
    text = search_query.check_exact(text, context)
    states = search_query.states_in(text)
    if "pr" in states if kind == "issues" else "issue" in states:
        raise UsageError("gh refuses a search for the other kind")
    if filters.state == "open" and "closed" in states:
        filters = filters.changed(state="closed")
    try:
        query = search_query.parse(text, context)
    except UsageError:  # no filters describe it
        return text, filters
    together = None if query.has_words else query.within(filters)
    return (text, filters) if together is None else (query.text, together)


def _person(flags: Flags, name: str, context: Context) -> str | None:
    text = flags.last(name)
    if not text:
        return None
    if text in {"none", "*"} or "/" in text:
        raise UsageError(f"--{name} {text} is no login")
    return search_query.own_login(text, context)


def _milestone(flags: Flags) -> str | None:
    """A number is a milestone's number, anything else its title."""
    text = flags.last("milestone")
    if not text:
        return None
    if text.isascii() and text.isdecimal():
        return f"#{parse_number(text.lstrip('0'))}"
    if text.startswith("#") or text.strip().lower() in {"none", "*"}:
        raise UsageError("that title cannot be told from a milestone's number, or from none")
    return text
