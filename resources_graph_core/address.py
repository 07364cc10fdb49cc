"""Addresses: how something on GitHub was referred to, normalised to one lookup key.

An Address is never an identity (that is GitHub's ``node_id``): repositories get renamed and issues
transferred. Standard library only, since every hook imports this.
"""

from __future__ import annotations

import re

from resources_graph_core.errors import UsageError
from resources_graph_core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal, Self

    AddressKind = Literal["repo", "item", "listing"]
    ListKind = Literal["issues", "pulls"]
else:
    AddressKind = ListKind = str  # what importers need at run time, without 6 ms of typing

DEFAULT_HOST = "github.com"
LARGEST_NUMBER = 2**31 - 1
"""GitHub's GraphQL numbers are 32-bit; a larger one is a validation error there."""

STATES: dict[ListKind, tuple[str, ...]] = {
    "issues": ("open", "closed", "all"),
    "pulls": ("open", "closed", "merged", "all"),
}
"""The states each kind of list can be asked for; ``closed`` pull requests include merged ones."""

RESERVED_OWNERS = frozenset(
    [
        "about",
        "apps",
        "codespaces",
        "collections",
        "copilot",
        "customer-stories",
        "dashboard",
        "discussions",
        "enterprise",
        "events",
        "explore",
        "features",
        "issues",
        "login",
        "marketplace",
        "new",
        "notifications",
        "orgs",
        "organizations",
        "pricing",
        "pulls",
        "search",
        "security",
        "sessions",
        "settings",
        "signup",
        "site",
        "sponsors",
        "stars",
        "topics",
        "trending",
        "users",
        "watching",
    ]
)
"""First path segments of github.com that are pages of the site, never an owner."""

_OWNER = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,62})")
_NAME = re.compile(r"(?!\.{1,2}$)[a-z0-9._-]{1,100}")
_HOST = re.compile(r"(?=.*\.|localhost)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[0-9]{1,5})?")
_NUMBER = re.compile(r"[1-9][0-9]{0,9}", re.ASCII)
_LONGEST_KEY = 4096
"""FalkorDB indexes no longer text; GitHub takes no longer URL to speak of."""

FILTER_NAMES = ("assignee", "author", "labels", "milestone", "state")
"""In the order in which a Listing key has them."""


class Filters(Record):
    """The filters a Listing key can describe, normalised on construction.

    Several labels mean all of them, as in ``gh``, REST and search. A milestone is its title, or
    ``#3`` for the one numbered 3. ``assignee`` may be ``none`` or ``*``, ``milestone`` too.
    """

    state: str = "open"
    labels: tuple[str, ...] = ()
    author: str | None = None
    assignee: str | None = None
    milestone: str | None = None

    def __init__(
        self,
        state: str = "open",
        labels: Iterable[str] = (),
        author: str | None = None,
        assignee: str | None = None,
        milestone: str | None = None,
    ) -> None:
        super().__init__(
            state=_normalised(state) or "open",
            labels=tuple(sorted({label for raw in labels if (label := _normalised(raw))})),
            author=_normalised(author or "") or None,
            assignee=_normalised(assignee or "") or None,
            milestone=_normalised(milestone or "") or None,
        )


class Address(Record):
    """A normalised reference to a repository, to an issue or pull request, or to a list of them.

    Issues and pull requests share one number sequence, so an item's Address does not say which it
    is. ``limit`` is how many members of a list were asked for (None: all); it is no part of the
    key, nor is it compared.

    Build one with :meth:`of_repository`, :meth:`of_item`, :meth:`of_listing`, :meth:`from_key`, or
    from what a person writes with :func:`parse_address`. Raises UsageError for anything GitHub
    could not know.
    """

    kind: AddressKind
    owner: str
    name: str
    number: int | None = None
    list_kind: ListKind | None = None
    filters: Filters | None = None
    query: str | None = None
    limit: int | None = None
    host: str = DEFAULT_HOST

    def __init__(  # noqa: PLR0913 - one for each field
        self,
        *,
        kind: AddressKind,
        owner: str,
        name: str,
        number: int | None = None,
        list_kind: ListKind | None = None,
        filters: Filters | None = None,
        query: str | None = None,
        limit: int | None = None,
        host: str = DEFAULT_HOST,
    ) -> None:
        owner, name, host = owner.lower(), name.lower(), host.lower()
        if not _OWNER.fullmatch(owner) or owner in RESERVED_OWNERS:
            raise UsageError(f"{owner!r} is not a GitHub owner; write owner/repo")
        if not _NAME.fullmatch(name):
            raise UsageError(f"{name!r} is not a repository name; write owner/repo")
        if not _HOST.fullmatch(host):
            raise UsageError(f"{host!r} is not a host name")
        if kind == "item" and not 1 <= (number or 0) <= LARGEST_NUMBER:
            raise UsageError(
                f"{number} is not an issue or pull request number (1 to {LARGEST_NUMBER})"
            )
        if kind == "listing":
            filters = _checked(filters or Filters(), list_kind, limit)
            query = " ".join((query or "").split()) or None
        super().__init__(
            kind=kind,
            owner=owner,
            name=name,
            number=number,
            list_kind=list_kind,
            filters=filters,
            query=query,
            limit=limit,
            host=host,
        )
        if kind == "listing":
            self._check_key()

    def _check_key(self) -> None:
        try:
            length = len(self.key)  # percent-encoded, so ASCII
        except UnicodeEncodeError:
            raise UsageError("a list's Address holds half a character; write it whole") from None
        if length > _LONGEST_KEY:
            raise UsageError(f"a list's Address has at most {_LONGEST_KEY} characters")

    def __eq__(self, other: object) -> bool:
        """Addresses are equal when they name the same, whatever limit they ask for."""
        return isinstance(other, Address) and {**self.fields(), "limit": None} == {
            **other.fields(),
            "limit": None,
        }

    def __hash__(self) -> int:
        """Equal Addresses hash alike."""
        return hash((self.owner, self.name, self.number, self.filters, self.query, self.host))

    @classmethod
    def of_repository(cls, owner: str, name: str, *, host: str = DEFAULT_HOST) -> Address:
        """The repository ``owner/name``."""
        return cls(kind="repo", owner=owner, name=name, host=host)

    @classmethod
    def of_item(cls, owner: str, name: str, number: int, *, host: str = DEFAULT_HOST) -> Address:
        """Issue or pull request ``number`` of ``owner/name``."""
        return cls(kind="item", owner=owner, name=name, number=number, host=host)

    @classmethod
    def of_listing(
        cls,
        owner: str,
        name: str,
        list_kind: ListKind,
        filters: Filters | None = None,
        *,
        query: str | None = None,
        limit: int | None = None,
        host: str = DEFAULT_HOST,
    ) -> Address:
        """The issues or pull requests of ``owner/name`` that match ``filters`` and ``query``."""
        return cls(
            kind="listing",
            owner=owner,
            name=name,
            list_kind=list_kind,
            filters=filters,
            query=query,
            limit=limit,
            host=host,
        )

    @classmethod
    def from_key(cls, key: str, *, limit: int | None = None) -> Address:
        """The Address whose :attr:`key` this is; ``limit`` comes back only when it is given.

        Raises UsageError when ``key`` is not one.
        """
        scheme, _, rest = key.partition(":")
        path, question, query_string = rest.partition("?")
        path, hash_sign, number = path.partition("#")
        segments = path.split("/")
        try:
            if scheme != "github":
                raise UsageError("it does not start with 'github:'")
            if question:
                *host, owner, name, list_kind = segments
                where = {"host": host[0]} if host else {}
                filters, query = _filters_from_key(query_string)
                if len(host) > 1 or hash_sign or list_kind not in STATES:
                    raise UsageError("a list is github:owner/repo/issues?… or …/pulls?…")
                return cls.of_listing(
                    owner, name, list_kind, filters, query=query, limit=limit, **where
                )
            *host, owner, name = segments
            where = {"host": host[0]} if host else {}
            if len(host) > 1:
                raise UsageError("it has too many parts")
            if hash_sign:
                return cls.of_item(owner, name, parse_number(number), **where)
            return cls.of_repository(owner, name, **where)
        except ValueError as error:  # UsageError is one; so is a list of too few segments
            reason = str(error) if isinstance(error, UsageError) else "it has too few parts"
            raise UsageError(f"{key!r} is not an Address key: {reason}") from None

    @property
    def key(self) -> str:
        """The lookup key, such as ``github:owner/repo#123``; another host stands first."""
        host = "" if self.host == DEFAULT_HOST else f"{self.host}/"
        base = f"github:{host}{self.owner}/{self.name}"
        if self.kind == "item":
            return f"{base}#{self.number}"
        if self.kind == "listing":
            return f"{base}/{self.list_kind}?{self._query_string()}"
        return base

    @property
    def scope(self) -> str:
        """What Listings can answer for one another within: a repository's issues, or its pulls."""
        return f"{self.repository.key}/{self.list_kind}"

    @property
    def repository(self) -> Address:
        """The Address of the repository this one belongs to."""
        return Address.of_repository(self.owner, self.name, host=self.host)

    @property
    def name_with_owner(self) -> str:
        """``owner/repo``, lower-case, without the host."""
        return f"{self.owner}/{self.name}"

    def with_limit(self, limit: int | None) -> Self:
        """The same Address, asking for ``limit`` members."""
        return self.changed(limit=limit)

    def __str__(self) -> str:
        """The key without its scheme: what a person would write."""
        return self.key.removeprefix("github:")

    def _query_string(self) -> str:
        filters = self.filters or Filters()
        texts = [filter_text(name, getattr(filters, name)) for name in FILTER_NAMES]
        return "&".join(filter(None, [*texts, filter_text("q", self.query)]))


def filter_text(name: str, value: str | tuple[str, ...] | None) -> str:
    """One filter as a Listing key has it, ``author=mona``; nothing for a filter that is not set."""
    from urllib.parse import quote  # noqa: PLC0415 - 4 ms that only a list costs a hook

    if isinstance(value, tuple):
        text = ",".join(quote(label, safe=":/") for label in value)
    else:
        text = quote(value or "", safe=",:/")
    return f"{name}={text}" if text else ""


def parse_number(text: str) -> int:
    """An issue or pull request number from ASCII digits; UsageError for anything else."""
    if not _NUMBER.fullmatch(text) or int(text) > LARGEST_NUMBER:
        raise UsageError(f"{text!r} is not an issue or pull request number (1 to {LARGEST_NUMBER})")
    return int(text)


def _checked(filters: Filters, list_kind: ListKind | None, limit: int | None) -> Filters:
    """The filters of a list, once list and limit are such as GitHub could know."""
    if list_kind not in STATES:
        raise UsageError(f"a list is of 'issues' or of 'pulls', not {list_kind!r}")
    if filters.state not in STATES[list_kind]:
        known = ", ".join(STATES[list_kind])
        raise UsageError(f"{list_kind} have no state {filters.state!r}; one of {known}")
    if limit is not None and limit < 1:
        raise UsageError(f"a limit is at least 1, not {limit}")
    return filters


def _normalised(value: str) -> str:
    return value.strip().lower()


def _filters_from_key(query_string: str) -> tuple[Filters, str | None]:
    from urllib.parse import unquote  # noqa: PLC0415 - 4 ms that only a list costs a hook

    values: dict[str, str] = {}
    for pair in query_string.split("&"):
        name, equals, value = pair.partition("=")
        if not equals or name in values or name not in (*FILTER_NAMES, "q"):
            raise UsageError(f"{pair!r} is not a filter")
        values[name] = value
    query = unquote(values.pop("q", "")) or None
    labels = tuple(unquote(label) for label in values.pop("labels", "").split(",") if label)
    return Filters(labels=labels, **{name: unquote(v) for name, v in values.items()}), query


def parse_address(text: str) -> Address:
    """The Address a person would write: a URL, ``owner/repo#n``, ``owner/repo`` or a key.

    A key may lack its ``github:``. Raises UsageError when the text names nothing on GitHub.
    """
    text = text.strip()
    if text.startswith("github:"):
        return Address.from_key(text)
    if text.lower().startswith(("https://", "http://")):
        return _from_url(text)
    if "?" in text or "#" in text or text.count("/") == 1:
        try:
            return Address.from_key(f"github:{text}")
        except UsageError as error:
            reason = str(error).partition(" key: ")[2]
            raise UsageError(f"{text!r} names nothing on GitHub: {reason}") from None
    raise UsageError(
        f"{text!r} names nothing on GitHub; write owner/repo, owner/repo#123 or a github.com URL"
    )


def _from_url(text: str) -> Address:
    from urllib.parse import unquote, urlsplit  # noqa: PLC0415 - 4 ms that only a URL costs a hook

    try:
        url = urlsplit(text)
        host = (url.hostname or "").removeprefix("www.")
    except ValueError:
        raise UsageError(f"{text!r} is not a URL") from None
    if host != DEFAULT_HOST:
        raise UsageError(f"{text!r} is not on {DEFAULT_HOST}")
    segments = [unquote(segment) for segment in url.path.split("/") if segment]
    match segments:
        case [owner, name]:
            return Address.of_repository(owner, name.removesuffix(".git"))
        case [owner, name, "issues" | "pull", number, *_]:
            return Address.of_item(owner, name, parse_number(number))
        case _:
            raise UsageError(f"{text!r} is neither a repository, an issue nor a pull request")
