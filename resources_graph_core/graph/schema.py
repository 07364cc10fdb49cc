"""Indexes and unique constraints, the one place that knows the engines' dialects."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from resources_graph_core.errors import GraphQueryError, GraphUnavailable
from resources_graph_core.graph import text_index
from resources_graph_core.graph.embedded import GRAPH_NAME

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.graph.base import Dialect, Graph, Row

Key = tuple[str, str]
"""A label and one of its properties."""

UNIQUE: Final[tuple[Key, ...]] = (
    ("Resource", "node_id"),
    ("Comment", "node_id"),
    ("Listing", "key"),
    ("Mention", "key"),
    ("FormerAddress", "key"),
    ("Touch", "touch_id"),
    ("Session", "session_id"),
    ("User", "user_id"),
    ("ForgottenSession", "session_id"),
    ("SweepRun", "run_id"),
    ("Task", "key"),
    ("Decision", "key"),
    ("Verdict", "key"),
    ("MemoryNode", "key"),
    ("MemoryVersion", "key"),
    ("MemoryEdge", "key"),
    ("MemoryVector", "key"),
)
"""At most one node of the label has a value of the property; also found by index."""

INDEXED: Final[tuple[Key, ...]] = (
    ("Resource", "address"),
    ("Resource", "awaiting"),
    ("Listing", "scope"),
    ("Touch", "status"),
    ("Touch", "address"),
    ("Touch", "reason"),
    ("Touch", "claimed_by"),
    ("Touch", "tool_use_id"),
    ("Touch", "awaiting"),
    ("ToolCall", "tool_use_id"),
    ("Task", "kept_in"),
    ("Decision", "kept_in"),
    ("Verdict", "kept_in"),
    ("Task", "awaiting"),
    ("Decision", "awaiting"),
    ("Verdict", "awaiting"),
    ("MemoryNode", "graph_id"),
    ("MemoryNode", "kind"),
    ("MemoryNode", "label"),
    ("MemoryVersion", "graph_id"),
    ("MemoryEdge", "graph_id"),
    ("MemoryVector", "graph_id"),
    ("MemoryEdge", "src"),
    ("MemoryEdge", "dst"),
    ("MemoryEdge", "supersedes"),
)
"""Found by index; several nodes may share a value."""

_READY_SECONDS = 300.0


@dataclass(frozen=True)
class _Language:
    """How one engine writes schema statements, and how its answers about them are read."""

    add_index: str
    add_unique: str
    list_indexes: str
    list_unique: str
    indexes_of: Callable[[Row], list[Key]]
    unique_of: Callable[[Row], list[Key]]
    unique_brings_index: bool


def setup(graph: Graph) -> list[str]:
    """Add the indexes and unique constraints that the graph lacks, and return what was added.

    Each is written as ``index Label.property``, ``unique Label.property`` or, where the engine has
    one, ``text index Label.property``. Safe to repeat, and
    to run in several processes at once; returns when all of them are in force. Raises
    GraphQueryError when nodes that share a value stand in the way of a constraint.
    """
    language = _LANGUAGES[graph.dialect]
    indexed = INDEXED if language.unique_brings_index else UNIQUE + INDEXED
    present = partial(_keys, graph, language.list_indexes, language.indexes_of)
    indexes = _add_missing(graph, language.add_index, indexed, present)
    present = partial(_keys, graph, language.list_unique, language.unique_of)
    constraints = _add_missing(graph, language.add_unique, UNIQUE, present)
    if graph.dialect == "falkordb":
        _await_constraints(graph)
    return [
        *(f"index {_name(key)}" for key in indexes),
        *(f"unique {_name(key)}" for key in constraints),
        *text_index.setup(graph),
    ]


def missing(graph: Graph) -> list[str]:
    """What ``setup`` would add now, written in the same way. Changes nothing."""
    language = _LANGUAGES[graph.dialect]
    indexed = INDEXED if language.unique_brings_index else UNIQUE + INDEXED
    indexes = _keys(graph, language.list_indexes, language.indexes_of)
    constraints = _keys(graph, language.list_unique, language.unique_of)
    return [
        *(f"index {_name(key)}" for key in indexed if key not in indexes),
        *(f"unique {_name(key)}" for key in UNIQUE if key not in constraints),
        *text_index.missing(graph),
    ]


def _name(key: Key) -> str:
    return ".".join(key)


def _keys(graph: Graph, statement: str, keys_of: Callable[[Row], list[Key]]) -> set[Key]:
    return {key for row in graph.change_schema(statement) for key in keys_of(row)}


def _add_missing(
    graph: Graph, statement: str, wanted: tuple[Key, ...], present: Callable[[], set[Key]]
) -> list[Key]:
    before = present()
    return [key for key in wanted if key not in before and _add(graph, statement, key, present)]


def _add(graph: Graph, statement: str, key: Key, present: Callable[[], set[Key]]) -> bool:
    """Add one; False when another process was quicker."""
    label, name = key
    words = statement.format(label=label, property=name, name=f"{label}_{name}".lower())
    try:
        graph.change_schema(words)
    except GraphQueryError as error:
        if key in present():
            return False
        raise GraphQueryError(
            f"{_name(key)} cannot be given its index or unique constraint: {error} "
            f"{_find_duplicates(key)}"
        ) from error
    return True


def _find_duplicates(key: Key) -> str:
    label, name = key
    return (
        "Nodes that share a value are found with: "
        f"MATCH (n:{label}) WITH n.{name} AS value, count(n) AS nodes WHERE nodes > 1 "
        "RETURN value, nodes"
    )


def _await_constraints(graph: Graph) -> None:
    """Wait until FalkorDB, which checks a new constraint in the background, has done so."""
    deadline = time.monotonic() + _READY_SECONDS
    while True:
        states = {
            key: row["status"]
            for row in graph.change_schema("CALL db.constraints()")
            for key in _falkordb_constraint(row)
        }
        for key in UNIQUE:
            if states.get(key) == "FAILED":
                raise GraphQueryError(
                    f"{_name(key)} cannot be made unique: some nodes share a value. Remove the "
                    f"surplus ones and run setup again. {_find_duplicates(key)}"
                )
        if all(states.get(key) == "OPERATIONAL" for key in UNIQUE):
            return
        if time.monotonic() > deadline:
            raise GraphUnavailable(
                f"The graph engine has been checking unique constraints for {_READY_SECONDS:g} "
                "seconds. Run setup again later."
            )
        time.sleep(0.01)


def _falkordb_index(row: Row) -> list[Key]:
    types = row["types"]
    return [(row["label"], name) for name in row["properties"] if "RANGE" in types.get(name, ())]


def _falkordb_constraint(row: Row) -> list[Key]:
    if row["type"] != "UNIQUE" or row["entitytype"] != "NODE" or len(row["properties"]) != 1:
        return []
    return [(row["label"], row["properties"][0])]


def _falkordb_sound_constraint(row: Row) -> list[Key]:
    """One that failed is asked for again: its duplicates may be gone."""
    return [] if row["status"] == "FAILED" else _falkordb_constraint(row)


def _memgraph_key(row: Row) -> list[Key]:
    """A row of SHOW INDEX INFO or SHOW CONSTRAINT INFO; newer versions write lists."""
    kind = str(row.get("index type", row.get("constraint type", ""))).lower()
    names = row.get("property", row.get("properties"))
    names = [names] if isinstance(names, str) else list(names or ())
    if kind not in {"label+property", "unique"} or len(names) != 1:
        return []
    return [(row["label"], names[0])]


def _neo4j_key(row: Row) -> list[Key]:
    """A row of SHOW INDEXES or SHOW CONSTRAINTS."""
    labels, names = row["labelsOrTypes"] or [], row["properties"] or []
    if row["entityType"] != "NODE" or len(labels) != 1 or len(names) != 1:
        return []
    return [(labels[0], names[0])]


_NEO4J: Final = _Language(
    add_index="CREATE INDEX {name} IF NOT EXISTS FOR (n:{label}) ON (n.{property})",
    add_unique=(
        "CREATE CONSTRAINT {name} IF NOT EXISTS FOR (n:{label}) REQUIRE n.{property} IS UNIQUE"
    ),
    list_indexes="SHOW INDEXES",
    list_unique="SHOW CONSTRAINTS",
    indexes_of=_neo4j_key,
    unique_of=_neo4j_key,
    unique_brings_index=True,
)

# Each statement as its engine's documentation gives it:
# https://docs.falkordb.com/cypher/indexing.html, https://docs.falkordb.com/commands/graph.constraint-create.html,
# https://memgraph.com/docs/fundamentals/indexes, https://memgraph.com/docs/fundamentals/constraints,
# https://neo4j.com/docs/cypher-manual/current/ (ArcadeDB understands the same).
_LANGUAGES: Final[dict[Dialect, _Language]] = {
    "falkordb": _Language(
        add_index="CREATE INDEX FOR (n:{label}) ON (n.{property})",
        add_unique=(
            f"GRAPH.CONSTRAINT CREATE {GRAPH_NAME} UNIQUE NODE {{label}} PROPERTIES 1 {{property}}"
        ),
        list_indexes="CALL db.indexes()",
        list_unique="CALL db.constraints()",
        indexes_of=_falkordb_index,
        unique_of=_falkordb_sound_constraint,
        unique_brings_index=False,
    ),
    "memgraph": _Language(
        add_index="CREATE INDEX ON :{label}({property})",
        add_unique="CREATE CONSTRAINT ON (n:{label}) ASSERT n.{property} IS UNIQUE",
        list_indexes="SHOW INDEX INFO",
        list_unique="SHOW CONSTRAINT INFO",
        indexes_of=_memgraph_key,
        unique_of=_memgraph_key,
        unique_brings_index=False,
    ),
    "arcadedb": _NEO4J,
    "neo4j": _NEO4J,
}
