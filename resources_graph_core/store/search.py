"""Searching the texts in memory: by the engine's text index, else by looking through them.

Without an index the texts of one repository are reached from its node, and those of all
repositories by a scan; a person or a model that searches can wait for one, a hook never searches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from resources_graph_core.graph import text_index

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.graph import Graph, Row
    from resources_graph_core.store.agent_memory import Label

MOST_HITS = 60
"""Texts of items, and as many of comments, that are looked at once the engine ranked them."""

SHORTEST_STATE_WORD = 4
"""Characters of a word that may name a state: ``do`` names none, ``done`` does."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is searched for: the words, in small letters, and what narrows the items.

    ``repository`` is a key; ``kinds`` are labels, empty for all; ``state`` is GitHub's, upper-case;
    ``label`` a label of the items, in small letters.
    """

    words: Sequence[str]
    repository: str | None = None
    kinds: Sequence[str] = ()
    state: str | None = None
    label: str | None = None


# What narrows is portable; ``resource`` is bound, and so are ``score`` and ``comment``.
_NARROWED = """
WHERE resource.fetched_at IS NOT NULL
  AND ($repository IS NULL OR resource.address = $repository
       OR resource.address STARTS WITH $inside)
  AND ($state IS NULL OR resource.state = $state)
  AND ($label IS NULL OR any(name IN coalesce(resource.labels, []) WHERE toLower(name) = $label))
  AND (size($kinds) = 0 OR any(kind IN labels(resource) WHERE kind IN $kinds))
"""

_RETURNED = """
RETURN resource.address AS address, labels(resource) AS labels, resource.title AS title,
       resource.name_with_owner AS name_with_owner, resource.state AS state,
       resource.updated_at AS updated_at, resource.fetched_at AS fetched_at,
       {text} AS text, {comment} AS comment, {author} AS author, score
ORDER BY score DESC, updated_at DESC
LIMIT $most
"""

_OWN_TEXT = (
    "coalesce(resource.title, resource.name_with_owner, '') + '\\n' + "
    "coalesce(resource.body, resource.description, '') + '\\n' + coalesce(resource.readme, '')"
)
_OF_RESOURCE = _RETURNED.format(text=_OWN_TEXT, comment="false", author="null")
_OF_COMMENT = _RETURNED.format(text="comment.body", comment="true", author="comment.author")

_INDEXED_RESOURCES = f"""
{text_index.SEARCH}
WITH node AS resource, score
{_NARROWED}
{_OF_RESOURCE}
"""

_INDEXED_COMMENTS = f"""
{text_index.SEARCH}
WITH node AS comment, score
ORDER BY score DESC
LIMIT $candidates
MATCH (resource:Resource)-[:HAS_COMMENT]->(comment)
WITH resource, comment, score
{_NARROWED}
{_OF_COMMENT}
"""

_INDEXED = {"Resource": _INDEXED_RESOURCES, "Comment": _INDEXED_COMMENTS}

_SOME_WORD = "any(word IN $words WHERE toLower({text}) CONTAINS word)"
_COUNTED = (
    "reduce(found = 0, word IN $words | found + "
    "CASE WHEN toLower({text}) CONTAINS word THEN 1 ELSE 0 END)"
)


def _scan(start: str, text: str, returned: str, carried: str) -> str:
    return f"""
{start}
WITH {carried}
{_NARROWED} AND {_SOME_WORD.format(text=text)}
WITH {carried}, {_COUNTED.format(text=text)} AS score
{returned}
"""


_ALL = "MATCH (resource:Resource)"
_OF_REPOSITORY = (
    "MATCH (:Resource {address: $repository})-[:HAS_ISSUE|HAS_PULL_REQUEST]->(resource:Resource)"
)
_ITS_COMMENTS = "MATCH (resource)-[:HAS_COMMENT]->(comment:Comment)"
_COMMENT_TEXT = "coalesce(comment.body, '')"

_SCANNED = {
    ("Resource", False): _scan(_ALL, _OWN_TEXT, _OF_RESOURCE, "resource"),
    ("Resource", True): _scan(_OF_REPOSITORY, _OWN_TEXT, _OF_RESOURCE, "resource"),
    ("Comment", False): _scan(
        f"{_ALL} {_ITS_COMMENTS}", _COMMENT_TEXT, _OF_COMMENT, "resource, comment"
    ),
    ("Comment", True): _scan(
        f"{_OF_REPOSITORY} {_ITS_COMMENTS}", _COMMENT_TEXT, _OF_COMMENT, "resource, comment"
    ),
}
"""The statement for a label, within one repository or not."""


_KEPT = """
MATCH (kept:{label})
WHERE ($repository IS NULL OR kept.kept_in STARTS WITH $inside
       OR kept.about = $repository OR kept.about STARTS WITH $inside)
WITH kept, coalesce(kept.title, kept.summary, kept.ref, '') AS title,
     coalesce(kept.rationale, '') AS rationale, coalesce(kept.state, kept.verdict) AS state
WITH kept, title, state, title + '\\n' + rationale AS text
WHERE any(word IN $words WHERE toLower(text) CONTAINS word)
   OR any(word IN $state_words WHERE coalesce(state, '') STARTS WITH word)
RETURN kept.key AS key, kept.kept_in AS address, labels(kept) AS labels, title, state,
       kept.created_at AS updated_at, text
ORDER BY updated_at DESC, key
"""


def kept(graph: Graph, wanted: Wanted, labels: Sequence[Label]) -> list[Row]:
    """Tasks, Decisions and Verdicts that hold any of the words, or beginnings of them.

    A task's state and the verdict itself count too, as ``in_state`` says. They are looked through,
    indexed or not, since they are few: what fits into some issues of one's own. A row is as one of
    ``hits``, with a ``key``, and ``address`` is where it is kept.
    """
    found: list[Row] = []
    for label in labels:
        found += graph.query(
            _KEPT.format(label=label),
            repository=wanted.repository,
            inside=f"{wanted.repository}#",
            words=list(wanted.words),
            state_words=[word for word in wanted.words if len(word) >= SHORTEST_STATE_WORD],
        )
    return found


def in_state(state: object, word: str) -> bool:
    """Whether a word, or the beginning of one, names a task's state or a verdict."""
    return len(word) >= SHORTEST_STATE_WORD and str(state or "").startswith(word)


def hits(graph: Graph, wanted: Wanted) -> tuple[list[Row], bool]:
    """Texts that hold any of the words, the best first, and whether an index found all of them.

    A row has the item's ``address``, ``labels``, ``title``, ``name_with_owner``, ``state``,
    ``updated_at`` and ``fetched_at``; the ``text`` that was found, whether it is a ``comment``'s
    and by whom (``author``), and the engine's ``score``.
    """
    found: list[Row] = []
    indexed = True
    for label in text_index.TEXTS:
        if text_index.is_ready(graph, label):
            found += graph.query(
                _INDEXED[label],
                index=label,
                text=text_index.query(list(wanted.words)),
                **_narrowing(wanted),
                **({"candidates": 10 * MOST_HITS} if label == "Comment" else {}),
            )
        else:
            indexed = False
            scan = _SCANNED[label, wanted.repository is not None]
            found += graph.query(scan, words=list(wanted.words), **_narrowing(wanted))
    return found, indexed


def _narrowing(wanted: Wanted) -> dict[str, object]:
    return {
        "repository": wanted.repository,
        "inside": f"{wanted.repository}#",
        "state": wanted.state,
        "label": wanted.label,
        "kinds": list(wanted.kinds),
        "most": MOST_HITS,
    }
