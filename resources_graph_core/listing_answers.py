"""Which stored Listings answer an ask for a list: itself, a wider one, or two that cover it.

Pure decisions over Addresses and a few facts of each stored Listing. Standard library only, since
hooks ask before every list that is fetched.

A Listing that is asked for with filters is *subsumed* by a fully expanded one of the same
repository and kind when each of its filters is at least as narrow: then it is the stored members
that :func:`matches` lets through, in the same order. What cannot be told from a stored member (free
text, a deleted account, a login of an unknown form) is answered only by a Listing with exactly that
filter. ``@me`` is never answered, since Listings are shared and each reader is somebody else.
"""

from __future__ import annotations

import re
from itertools import chain, combinations, islice, product

from resources_graph_core.address import FILTER_NAMES, Filters, filter_text
from resources_graph_core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any, Literal

    from resources_graph_core.address import Address, ListKind

NONE = "none"
"""What an assignee or a milestone says for "nobody" and "not planned"."""

ANY = "*"
"""What they say for "anybody" and "planned"."""

MOST_LABEL_SETS = 64
"""Sets of labels looked up for an ask: every one of up to six labels, of more the smaller ones."""

MEMBER_STATES: dict[ListKind, dict[str, tuple[str, ...]]] = {
    "issues": {"open": ("OPEN",), "closed": ("CLOSED",), "all": ("OPEN", "CLOSED")},
    "pulls": {
        "open": ("OPEN",),
        # For gh, REST and search a merged pull request is closed as well.
        "closed": ("CLOSED", "MERGED"),
        "merged": ("MERGED",),
        "all": ("OPEN", "CLOSED", "MERGED"),
    },
}
"""The states of the members of a list that is asked for by state."""

_HALVES: tuple[tuple[str, str | None, tuple[str, str]], ...] = (
    ("state", "all", ("open", "closed")),
    ("assignee", None, (NONE, ANY)),
    ("milestone", None, (NONE, ANY)),
)
"""Filters, with what they say for everything and the two values that together are everything."""

_LOGIN = re.compile(r"[a-z0-9_-]+", re.ASCII)
_MILESTONE_NUMBER = re.compile(r"#([1-9][0-9]{0,9})", re.ASCII)
_OWN = re.compile(r"@me\b", re.IGNORECASE)
_BOT = "[bot]"
_GHOST = "ghost"


class StoredListing(Record):
    """What decides whether a stored Listing answers: one row of its facts.

    ``unbroken_count`` members stand before the first that could not be had.
    """

    key: str
    fetched_at: str
    fully_expanded: bool
    member_count: int
    unbroken_count: int

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> StoredListing:
        """From the node's properties; resources-graph 0.3 keeps no ``unbroken_count``."""
        unbroken = row.get("unbroken_count")
        return cls(
            key=row["key"],
            fetched_at=row["fetched_at"],
            fully_expanded=bool(row["fully_expanded"]),
            member_count=int(row["member_count"]),
            unbroken_count=int(row["member_count"] if unbroken is None else unbroken),
        )

    def serves(self, limit: int | None) -> bool:
        """Whether it holds as many members as are asked for.

        It does when it holds all there are, or at least ``limit`` without a gap: members keep
        GitHub's order, so a shorter ask is the beginning of a longer one.
        """
        return self.fully_expanded or (limit is not None and self.unbroken_count >= limit)


class ListingAnswer(Record):
    """What answers an ask: the Listings at ``keys``, as old as the older of them.

    A ``hit`` is the Listing itself, its members as they are; ``subsumed`` means that the members of
    one wider Listing, or of two, have to pass :func:`matches`.
    """

    outcome: Literal["hit", "subsumed"]
    keys: tuple[str, ...]
    fetched_at: str

    @property
    def served_from(self) -> str:
        """The keys in one word; no key has a plus sign in it."""
        return "+".join(self.keys)


class ListingAsk:
    """An ask for a list, taken apart once: which keys to look up, then what they answer."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._covers: list[list[list[str]]] = []
        if not (address.query or is_relative(address)):
            states = MEMBER_STATES[address.list_kind or "issues"]
            self._covers = [
                [_keys_of_wider(part, address.scope, states) for part in parts]
                for parts in _covers(address.filters or Filters())
            ]

    @property
    def keys(self) -> list[str]:
        """Of every Listing that could have a part in the answer, each once."""
        if is_relative(self.address):
            return []
        keys = {self.address.key: None}
        for parts in self._covers:
            for part in parts:
                keys |= dict.fromkeys(part)
        return list(keys)

    def answer(self, stored: Mapping[str, StoredListing]) -> ListingAnswer | None:
        """The freshest answer that the ``stored`` Listings, by their keys, can give; or None.

        Of equally fresh ones the Listing itself, then one rather than two.
        """
        found = [*self._hit(stored), *self._subsumed(stored)]
        return max(found, key=_preference, default=None)

    def _hit(self, stored: Mapping[str, StoredListing]) -> Iterator[ListingAnswer]:
        own = None if is_relative(self.address) else stored.get(self.address.key)
        if own is not None and own.serves(self.address.limit):
            yield ListingAnswer(outcome="hit", keys=(own.key,), fetched_at=own.fetched_at)

    def _subsumed(self, stored: Mapping[str, StoredListing]) -> Iterator[ListingAnswer]:
        for parts in self._covers:
            chosen: dict[str, StoredListing] = {}
            for part in parts:
                whole = [
                    stored[key] for key in part if key in stored and stored[key].fully_expanded
                ]
                if not whole:
                    break
                best = max(whole, key=lambda one: (one.fetched_at, -one.member_count))
                chosen[best.key] = best
            else:
                if chosen.keys() != {self.address.key}:  # which would be a hit
                    oldest = min(one.fetched_at for one in chosen.values())
                    keys = tuple(chosen)
                    yield ListingAnswer(outcome="subsumed", keys=keys, fetched_at=oldest)


def is_relative(address: Address) -> bool:
    """Whether what is listed depends on who asks: ``@me`` and the like."""
    filters = address.filters or Filters()
    people = (filters.author or "", filters.assignee or "")
    return any(one.startswith("@") for one in people) or bool(_OWN.search(address.query or ""))


def matches(member: Mapping[str, Any], address: Address) -> bool:
    """Whether a stored member of a wider Listing is in the list at ``address``.

    ``member`` are the properties of an Issue or PullRequest as stored. One that moved elsewhere is
    in no list of this repository any more.
    """
    filters = address.filters or Filters()
    states = MEMBER_STATES[address.list_kind or "issues"][filters.state]
    labels = {_folded(label) for label in member.get("labels") or ()}
    return (
        str(member.get("address") or "").startswith(f"{address.repository.key}#")
        and member.get("state") in states
        and labels.issuperset(filters.labels)
        and _is_by(member, filters.author)
        and _is_assigned(member, filters.assignee)
        and _is_planned(member, filters.milestone)
    )


def milestone_number(milestone: str | None) -> int | None:
    """The number of a milestone given as ``#3``."""
    found = _MILESTONE_NUMBER.fullmatch(milestone or "")
    return int(found[1]) if found else None


def is_plain_login(login: str | None) -> bool:
    """Whether it is the login of an account as those of assignees are stored."""
    return _LOGIN.fullmatch(login or "") is not None


def plain_author(author: str | None) -> tuple[str, bool] | None:
    """The stored login that an ``author`` filter means and whether it is a bot's; None: unknown.

    Bots are stored without the ``[bot]`` that REST and search have at their end. What a deleted
    account wrote is stored as by ``ghost``, which is also the login of an account.
    """
    name = (author or "").removesuffix(_BOT)
    if not _LOGIN.fullmatch(name) or name == _GHOST:
        return None
    return name, name != author


def _preference(answer: ListingAnswer) -> tuple[str, bool, int]:
    return answer.fetched_at, answer.outcome == "hit", -len(answer.keys)


def _covers(filters: Filters) -> Iterator[tuple[Filters, ...]]:
    """The filters themselves, and every pair of filters that together let through the same."""
    yield (filters,)
    for name, everything, halves in _HALVES:
        if getattr(filters, name) == everything:
            yield tuple(filters.changed(**{name: half}) for half in halves)


def _keys_of_wider(filters: Filters, scope: str, states: dict[str, tuple[str, ...]]) -> list[str]:
    """The keys of the Listings that hold all that ``filters`` let through.

    ``states`` are those of the kind of list.
    """
    wanted = set(states[filters.state])
    author_known = plain_author(filters.author) is not None
    options: dict[str, Iterable[str | tuple[str, ...] | None]] = {
        "assignee": _wider_choice(filters.assignee, known=is_plain_login(filters.assignee)),
        "author": _wider(filters.author, known=author_known),
        "labels": _label_sets(filters.labels),
        "milestone": _wider_choice(filters.milestone, known=True),
        "state": [state for state, held in states.items() if wanted.issubset(held)],
    }
    texts = [[filter_text(name, value) for value in options[name]] for name in FILTER_NAMES]
    return [f"{scope}?{'&'.join(filter(None, chosen))}" for chosen in product(*texts)]


def _label_sets(labels: tuple[str, ...]) -> list[tuple[str, ...]]:
    """All of the labels, then fewer of them, the smallest sets first."""
    fewer = (combinations(labels, size) for size in range(len(labels)))
    return [labels, *islice(chain.from_iterable(fewer), MOST_LABEL_SETS - 1)]


def _wider(value: str | None, *, known: bool) -> tuple[str | None, ...]:
    """What a stored Listing may say where the ask says ``value``."""
    if value is None:
        return (None,)
    return (None, value) if known else (value,)


def _wider_choice(value: str | None, *, known: bool) -> tuple[str | None, ...]:
    """The same for a filter that can also say "none" and "any"."""
    if value in {NONE, ANY} or value is None:
        return _wider(value, known=True)
    return (None, ANY, value) if known else (value,)


def _is_by(member: Mapping[str, Any], author: str | None) -> bool:
    wanted = plain_author(author)
    if wanted is None:  # everybody, or what only a Listing with that filter can answer
        return True
    stored = _folded(member.get("author") or "")
    name = stored.removesuffix(_BOT)
    return (name, name != stored or member.get("author_is_bot") is True) == wanted


def _is_assigned(member: Mapping[str, Any], assignee: str | None) -> bool:
    assigned = [_folded(login) for login in member.get("assignees") or ()]
    match assignee:
        case None:
            return True
        case "none":
            return not assigned
        case "*":
            return bool(assigned)
    return not is_plain_login(assignee) or assignee in assigned


def _is_planned(member: Mapping[str, Any], milestone: str | None) -> bool:
    title = member.get("milestone")
    match milestone:
        case None:
            return True
        case "none":
            return title is None
        case "*":
            return title is not None
    number = milestone_number(milestone)
    if number is not None:
        return member.get("milestone_number") == number
    return title is not None and _folded(title) == milestone


def _folded(value: str) -> str:
    """As Filters normalises values."""
    return value.strip().lower()
