"""Search results as a model sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources_graph_core.render_model import facts
from resources_graph_core.render_model.blocks import Line
from resources_graph_core.render_model.compose import CAUTION
from resources_graph_core.render_model.quoting import cautions, one_line, remarked
from resources_graph_core.render_model.shape import Shown
from resources_graph_core.store.agent_memory import LABELS
from resources_graph_core.untrusted import Treatment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.finding import Findings, Found

_KEPT = {label.lower() for label in LABELS}
_LONGEST = 80
"""Characters of a query that an answer repeats."""


class Result(Shown):
    """One item that was found; ``resource(address)`` reads it, or where a task or such is kept."""

    address: str
    kind: str
    state: str | None = None
    updated_at: str | None = None
    fetched_at: str | None = None
    found_in: str
    title: str
    snippet: str | None = None
    cautions: list[str] | None = None


class Results(Shown):
    """What was found, the best first."""

    summary: str
    results: list[Result]


def results(query: str, found: Findings) -> Results:
    """Results with treated texts."""
    treatment = Treatment()
    shown, total = len(found.found), found.total
    how = "by the text index" if found.indexed else "by looking through the texts"
    if not total:
        told = f"Nothing in memory holds {_words(query, treatment)}; GitHub may have it."
    else:
        some = f"{shown} of {total}{' or more' if found.more else ''}" if total > shown else total
        told = f"Found {some} in memory {how}, best first; GitHub may have more."
    return Results(summary=told, results=[_result(one, treatment) for one in found.found])


def as_text(found: Results) -> str:
    """The results in lines; what is quoted is marked."""
    return "\n".join(_lines(found))


def _lines(found: Results) -> Iterator[str]:
    yield found.summary
    if found.results:
        yield CAUTION
    for one in found.results:
        yield ""
        kind = ", ".join(filter(None, [one.kind, one.state]))
        updated = facts.day(one.updated_at)
        yield facts.line(
            [
                f"{kind}, kept in {one.address}" if one.kind in _KEPT else one.address,
                "" if one.kind in _KEPT else kind,
                f"updated {updated}" if updated else "",
                f"in {one.found_in}",
                cautions(one.cautions or []),
            ]
        )
        yield Line(one.title).shown
        if one.snippet:
            yield Line(one.snippet).shown


def _result(one: Found, treatment: Treatment) -> Result:
    by = f", by {facts.word(one.author)}" if one.author else ""
    where = f"a comment{by}" if one.where == "comment" else f"its {one.where}"
    title, odd = remarked(treatment, one.title)
    snippet, odd_snippet = remarked(treatment, one.snippet)
    return Result(
        address=one.address.removeprefix("github:"),
        kind=facts.kind_name(one.kind),
        state=facts.words(one.state) or None,
        updated_at=facts.time(one.updated_at) or None,
        fetched_at=facts.time(one.fetched_at) or None,
        found_in=where,
        title=title,
        snippet=snippet or None,
        cautions=odd + odd_snippet or None,
    )


def _words(query: str, treatment: Treatment) -> str:
    words = one_line(treatment, query)
    return f"any of the words {words!r}" if len(words) <= _LONGEST else "any of these words"
