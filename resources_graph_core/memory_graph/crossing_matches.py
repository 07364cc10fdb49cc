"""Finding what memory holds of GitHub by what it is, as nodes of the graph ``main``.

The engine narrows as far as it can tell, and what is read is looked at once more. Words are looked
for as they were written: what stands in for something hidden in a stranger's text is not found.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from resources_graph_core.memory_graph import crossings, keys
from resources_graph_core.memory_graph.model import MAIN
from resources_graph_core.store.agent_memory import LABELS as KEPT
from resources_graph_core.store.resources import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.graph import Graph
    from resources_graph_core.memory_graph.model import Node
    from resources_graph_core.memory_graph.requests import Match

_SMALLEST_PAGE: Final = 50
_LARGEST_PAGE: Final = 10_000
_GROWTH: Final = 4
"""Each page is so many times as long as the last, since each looks through all there is."""

_STANDS_IN: Final = re.compile(r"^[^\[<]*[\]>]|[\[<][^\]>]*(?:[\]>]|$)|\\")
"""What of a label may stand in for something else in a stranger's text."""

_TEXTS: Final[dict[str, tuple[str, ...]]] = {
    "Resource": ("address", "title", "name_with_owner", "node_id"),
    "Listing": ("key",),
    "Session": ("session_id",),
    **dict.fromkeys(KEPT, ("title", "summary", "ref", "verdict")),
}
"""The properties that labels are made of."""

_PAGES: Final = """
MATCH {pattern}
WHERE {where}
RETURN node.{key} AS value
ORDER BY value
LIMIT $page
"""

_OF_USER: Final = "(:User {user_id: $user})-[:HAD_SESSION]->(node:Session)"

_COUNT: Final = "MATCH {pattern} RETURN count(node) AS n"


@dataclass(slots=True)
class _Search:
    """Where to look for nodes of one place, and the conditions that each of them meets."""

    label: str
    pattern: str
    clauses: list[str] = field(default_factory=list)
    parameters: dict[str, Any] = field(default_factory=dict)


def nodes(graph: Graph, request: Match, *, user: str | None) -> Iterator[Node]:
    """What may match, by id; those read that do not match come too."""
    if request.provenance == "claimed" or request.origin not in {None, crossings.ORIGIN}:
        return
    if request.ids is not None:
        named = sorted({one for one in request.ids if keys.is_external(MAIN, one)})
        found = crossings.nodes(graph, named, as_of=request.as_of, user=user)
        yield from (found[one] for one in named if one in found)
        return
    for search in _searches(graph, request, user):
        for values in _pages(graph, search, first=max(request.limit, _SMALLEST_PAGE)):
            ids = [keys.external_id(search.label, value) for value in values]
            found = crossings.nodes(graph, ids, as_of=_latest(request), user=user)
            yield from (found[one] for one in ids if one in found)


def count(graph: Graph, *, user: str | None) -> dict[str, int]:
    """How many nodes of each kind there are; of Sessions, only the user's."""
    patterns = {label: f"(node:{label})" for label in (*KINDS, "Listing", *KEPT)}
    if user is not None:
        patterns["Session"] = _OF_USER
    counts = {
        kind: int(graph.query(_COUNT.format(pattern=pattern), user=user)[0]["n"])
        for kind, pattern in sorted(patterns.items())
    }
    return {kind: n for kind, n in counts.items() if n}


def _searches(graph: Graph, request: Match, user: str | None) -> Iterator[_Search]:
    """One for each place that holds nodes of the kind asked for, in the order of their ids."""
    ascii_only = graph.dialect == "memgraph"  # its toLower() knows no other letters
    for _, place in sorted(keys.EXTERNAL.items()):
        label = kind = place.label
        if label == "Resource" and request.kind in KINDS:
            kind = request.kind
        elif request.kind not in {None, label}:
            continue
        search = _Search(label, f"(node:{kind})")
        if label == "Session":
            if user is None:
                continue
            search = _Search(label, _OF_USER, parameters={"user": user})
        if _narrow(search, request, ascii_only=ascii_only):
            yield search


def _narrow(search: _Search, request: Match, *, ascii_only: bool) -> bool:
    """Add what the engine can tell of a match; returns whether anything can match at all."""
    for number, word in enumerate(_words(request, ascii_only=ascii_only)):
        held = (f"toLower(node.{name}) CONTAINS $word{number}" for name in _TEXTS[search.label])
        search.clauses.append(f"({' OR '.join(held)})")
        search.parameters[f"word{number}"] = word
    if request.recorded_between is not None and "fetched_at" in crossings.ATTRS[search.label]:
        # Fetched for the last time no earlier than for the first; to the second, as it is written.
        search.clauses.append("(node.fetched_at IS NULL OR node.fetched_at >= $start)")
        search.parameters["start"] = request.recorded_between.start[:19]
    for number, (name, value) in enumerate((request.attrs or {}).items()):
        if name == crossings.METADATA and search.label in KEPT:
            continue
        if name not in crossings.ATTRS[search.label] or not isinstance(value, str | int | float):
            return False
        if not isinstance(value, str) or _STANDS_IN.search(value) is None:
            search.clauses.append(f"node.{name} = $value{number}")
            search.parameters[f"value{number}"] = value
    return True


def _words(request: Match, *, ascii_only: bool) -> list[str]:
    """Parts of a label that is asked for which stand in one of the texts that it is made of.

    In small letters, parted at those whose small form is not the same everywhere.
    """
    texts = [text for text in (request.label, request.label_contains) if text is not None]
    plain = (
        letter.lower()
        if letter.isascii() or (_has_one_small_form(letter) and not ascii_only)
        else " "
        for text in texts
        for letter in f"{_STANDS_IN.sub(' ', text)} "
    )
    # A verdict's label has a colon of its own.
    return [word for one in "".join(plain).split() if (word := one.strip(":"))]


def _has_one_small_form(letter: str) -> bool:
    small, large = letter.lower(), letter.upper()
    if small == "\u03c3":  # at the end of a word it has another
        return False
    forms = {small, large.lower(), letter.casefold()}
    return letter.isalnum() and forms == {small} and len(small) == len(large) == 1


def _latest(request: Match) -> str | None:
    """The last moment at which what may match was recorded."""
    between = request.recorded_between
    moments = [request.as_of, None if between is None else between.end]
    return min((moment for moment in moments if moment is not None), default=None)


def _pages(graph: Graph, search: _Search, *, first: int) -> Iterator[list[str]]:
    """Pages of the values of the unique property, in their order; the first one is ``first``."""
    key = next(place.key for place in keys.EXTERNAL.values() if place.label == search.label)
    after, page = "", min(first, _LARGEST_PAGE)
    while True:
        beyond = [f"node.{key} > $after"] if after else [f"node.{key} IS NOT NULL"]
        where = " AND ".join([*beyond, *search.clauses])
        statement = _PAGES.format(pattern=search.pattern, where=where, key=key)
        rows = graph.query(statement, after=after, page=page, **search.parameters)
        if rows:
            yield [row["value"] for row in rows]
        if len(rows) < page:
            return
        after, page = rows[-1]["value"], min(page * _GROWTH, _LARGEST_PAGE)
