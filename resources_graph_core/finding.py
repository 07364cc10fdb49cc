"""Finding what memory holds by words: ranked, each item once, with a snippet and its Address."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from resources_graph_core.errors import UsageError
from resources_graph_core.graph import text_index
from resources_graph_core.store import agent_memory, search
from resources_graph_core.store.resources import KINDS
from resources_graph_core.untrusted.credentials import credentials
from resources_graph_core.untrusted.invisible import bare

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from resources_graph_core.find_filters import FoundKind, FoundState
    from resources_graph_core.graph import Graph, Row

_LABELS: dict[FoundKind, str] = {
    "issue": "Issue",
    "pull_request": "PullRequest",
    "repository": "Repository",
}
_KEPT: dict[FoundKind, agent_memory.Label] = {
    "task": "Task",
    "decision": "Decision",
    "verdict": "Verdict",
}
Where = Literal["title", "text", "comment", "summary", "rationale", "ref", "state", "verdict"]
_WHERE: dict[str, tuple[Where, Where, Where]] = {
    "Task": ("title", "text", "state"),
    "Decision": ("summary", "rationale", "state"),
    "Verdict": ("ref", "rationale", "verdict"),
}
"""What the title, the text and the state of a thing that is kept on GitHub are called."""
_WHOLE: frozenset[Where] = frozenset({"title", "summary", "ref", "state", "verdict"})
"""Places that are told as they are, and need no snippet."""
_AROUND = 90
"""Characters of a snippet before and after the first word found."""
MOST_WORDS = 12


@dataclass(frozen=True, slots=True)
class Found:
    """One item: where it is, what it is, and ``snippet``, the place that was found (untreated).

    ``where`` is ``title``, ``text`` or ``comment``, by ``author`` then; ``words`` counts how many
    of the words that were searched for the place holds. Of a task, a decision or a verdict,
    ``address`` is the issue that it is kept in, ``state`` a task's state or the verdict, and
    ``where`` says ``title``, ``summary``, ``ref`` or ``rationale``, and ``state`` or ``verdict``
    where that alone holds any of the words; ``words`` counts those that it holds too.
    """

    address: str
    kind: str
    title: str
    state: str | None
    updated_at: str | None
    fetched_at: str | None
    where: Where
    author: str | None
    snippet: str
    words: int


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found, the best first: ``found`` of ``total`` items, with any of ``words``.

    ``indexed`` says whether the engine's text index found them; ``total`` may be too low when
    ``more``, since very many texts match.
    """

    found: list[Found]
    total: int
    words: list[str]
    indexed: bool
    more: bool


def find(
    graph: Graph,
    query: str,
    *,
    repository: str | None = None,
    kind: FoundKind | None = None,
    state: FoundState | None = None,
    label: str | None = None,
    limit: int = 10,
) -> Findings:
    """Search titles, texts and comments, and what agents keep, for the words of ``query``.

    ``repository`` is a key. Tasks, decisions and verdicts have no ``state`` of GitHub's and no
    labels: where one of these is wanted, they are not. Raises UsageError for a query without a
    word, and for a state or a label of theirs.
    """
    words = text_index.words(query)[:MOST_WORDS]
    if not words:
        raise UsageError(f"{query!r} has no word to search for; write some words of the text")
    wanted = search.Wanted(
        words=words,
        repository=repository,
        kinds=[_LABELS[kind]] if kind in _LABELS else [],
        state=state.upper() if state else None,
        label=label.strip().lower() if label and label.strip() else None,
    )
    narrowed = wanted.state is not None or wanted.label is not None
    if kind in _KEPT and narrowed:
        raise UsageError(f"a {kind} has no state and no label to find it by; leave these out")
    rows, indexed = ([], True) if kind in _KEPT else search.hits(graph, wanted)
    more = len(rows) >= search.MOST_HITS
    if kind in _KEPT or (kind is None and not narrowed):
        stems = replace(wanted, words=[_stem(word) for word in words])
        labels = [_KEPT[kind]] if kind in _KEPT else agent_memory.LABELS
        rows += [_kept_row(row, stems.words) for row in search.kept(graph, stems, labels)]
    ranked = rank(rows, words)
    return Findings(
        found=[_found(row, words) for row in ranked[:limit]],
        total=len(ranked),
        words=words,
        indexed=indexed,
        more=more,
    )


def rank(rows: Iterable[Row], words: Sequence[str]) -> list[Row]:
    """The best row of each item: most of the words first, titles before texts. Pure."""
    best: dict[str, tuple[float, Row]] = {}
    for row in rows:
        if not row["address"]:
            continue  # it moved away, and nothing is at an Address now
        weight = _weight(row, words)
        which = row.get("key") or row["address"]
        held = best.get(which)
        if held is None or weight > held[0]:
            best[which] = weight, row
    in_order = sorted(
        best.values(), key=lambda one: (one[0], str(one[1]["updated_at"] or "")), reverse=True
    )
    return [row for _, row in in_order]


def _weight(row: Row, words: Sequence[str]) -> float:
    in_text = _held_by(row, words)
    # The engine weighs how rare a word is; scores of texts of one kind can be compared.
    score = math.log1p(float(row["score"]))
    if row["comment"]:
        return 4.0 * in_text + 0.5 * score
    return 4.0 * in_text + 2.0 * _held(_title(row), words) + score


def _kept_row(row: Row, stems: Sequence[str]) -> Row:
    """A row of what is kept, with the rest of what rows of texts have."""
    nothing = {"name_with_owner": None, "fetched_at": None, "author": None, "comment": False}
    return {**row, **nothing, "score": _held_by(row, stems)}


def _found(row: Row, words: Sequence[str]) -> Found:
    title, text = _title(row), str(row["text"] or "")
    in_title, in_text = _held(title, words), _held(text, words)
    where: Where = "comment" if row["comment"] else "text"
    if where == "text" and in_title == in_text and in_title:
        where = "title"
    # An item's text begins with its title.
    body = text if where == "comment" else text.partition("\n")[2]
    known = (*KINDS, *agent_memory.LABELS)
    kind = next((kind for kind in known if kind in row["labels"]), "Resource")
    if kind in _WHERE:
        title_is, text_is, state_is = _WHERE[kind]
        where = title_is if where == "title" else text_is if in_text else state_is
    return Found(
        address=row["address"],
        kind=kind,
        title=title,
        state=row["state"],
        updated_at=row["updated_at"],
        fetched_at=row["fetched_at"],
        where=where,
        author=row["author"] if where == "comment" else None,
        snippet="" if where in _WHOLE else snippet(body, words),
        words=max(_held_by(row, words), in_title),
    )


def _title(row: Row) -> str:
    return str(row["title"] or row["name_with_owner"] or "")


def _held_by(row: Row, words: Sequence[str]) -> int:
    """How many of the words a row's text holds or, of what agents keep, its state."""
    lower = str(row["text"] or "").lower()
    state = row["state"] if "key" in row else None
    stems = map(_stem, words)
    return sum(stem in lower or search.in_state(state, stem) for stem in stems)


def _held(text: object, words: Sequence[str]) -> int:
    """How many of the words a text holds, in whatever form."""
    lower = str(text or "").lower()
    return sum(_stem(word) in lower for word in words)


def snippet(text: str, words: Sequence[str]) -> str:
    """One line around the first place of any of the words. Pure.

    A credential is in it whole or not at all: no half of one would be known for what it is.
    """
    flat = re.sub(r"\s+", " ", text).strip()
    lower = flat.lower()
    starts = [place for word in words if (place := lower.find(_stem(word))) >= 0]
    start = max(min(starts, default=0) - _AROUND, 0)
    end = min(start + 2 * _AROUND + 20, len(flat))
    seen = bare(flat)
    for found in credentials(seen.text):
        first, last = seen.place(found.start), seen.place(found.end - 1) + 1
        if first < start < last:
            start = first
        if first < end < last:
            end = last
    return f"{'…' if start else ''}{flat[start:end].strip()}{'…' if end < len(flat) else ''}"


def _stem(word: str) -> str:
    """The beginning that the forms of an English word share, as the engine's stemmer has it."""
    for ending in ("ies", "ing", "ed", "es", "s", "e"):
        if word.isascii() and word.endswith(ending) and len(word) - len(ending) >= 4:  # noqa: PLR2004 - short words stay
            return word.removesuffix(ending)
    return word
