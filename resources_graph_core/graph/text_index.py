"""The engine's own text index, where it has one that this project knows: FalkorDB's.

Only this module and ``graph.schema`` know dialects. Other engines have text indexes too, but none
that is always on: Memgraph's is asked for when its server starts. There, and while FalkorDB builds
its index after a restart, a search looks through the texts themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from resources_graph_core.errors import GraphQueryError

if TYPE_CHECKING:
    from resources_graph_core.graph.base import Graph, Row

TEXTS: Final = {
    "Resource": ("title", "body", "name_with_owner", "description", "readme"),
    "Comment": ("body",),
}
"""What is searched: the properties of each label."""

SEARCH: Final = "CALL db.idx.fulltext.queryNodes($index, $text) YIELD node, score"
"""How a statement begins that takes nodes from the index, each with its score."""

_SEPARATORS = frozenset(",.<>{}[]\"':;!@#$%^&*()-+=~|/\\ \t\r\n?`")
"""What FalkorDB's search engine, RediSearch, parts words at.
https://redis.io/docs/latest/develop/ai/search-and-query/advanced-concepts/escaping/"""


def setup(graph: Graph) -> list[str]:
    """Add the text indexes that the graph lacks, and return what was added; see ``missing``."""
    if graph.dialect != "falkordb":
        return []
    added = []
    for label in TEXTS:
        names = [name for of, name in _missing(graph) if of == label]
        if names and _add(graph, label, names):
            added += [f"text index {label}.{name}" for name in names]
    return added


def missing(graph: Graph) -> list[str]:
    """What ``setup`` would add now, as ``text index Label.property``. Changes nothing."""
    if graph.dialect != "falkordb":
        return []
    return [f"text index {label}.{name}" for label, name in _missing(graph)]


def is_ready(graph: Graph, label: str) -> bool:
    """Whether a search may ask the index of ``label``: it is there, whole, and built."""
    if graph.dialect != "falkordb":
        return False
    return any(
        row["label"] == label
        and row["status"] == "OPERATIONAL"
        and all(name in _names(row) for name in TEXTS[label])
        for row in _indexes(graph)
    )


def words(text: str) -> list[str]:
    """The words of a text as the index parts them, in small letters, each once."""
    parted = "".join(" " if one in _SEPARATORS or one < " " else one for one in text.lower())
    return list(dict.fromkeys(parted.split()))


def query(wanted: list[str]) -> str:
    """What the index is asked for, so that a text with any of the words is found."""
    return "|".join(wanted)


def _add(graph: Graph, label: str, names: list[str]) -> bool:
    """Add the names to the label's index at once; False when another process was quicker."""
    listed = ", ".join(f"'{name}'" for name in (label, *names))
    try:
        graph.change_schema(f"CALL db.idx.fulltext.createNodeIndex({listed})")
    except GraphQueryError:
        if any((label, name) in _missing(graph) for name in names):
            raise
        return False
    return True


def _missing(graph: Graph) -> list[tuple[str, str]]:
    present = {(row["label"], name) for row in _indexes(graph) for name in _names(row)}
    wanted = [(label, name) for label, names in TEXTS.items() for name in names]
    return [key for key in wanted if key not in present]


def _indexes(graph: Graph) -> list[Row]:
    return graph.change_schema("CALL db.indexes()")


def _names(row: Row) -> list[str]:
    return [name for name in row["properties"] if "FULLTEXT" in row["types"].get(name, ())]
