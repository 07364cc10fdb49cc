"""JSON Lines: a header, then every node, then every edge, each a JSON object on a line of its own.

A node is told by one of its labels and that label's unique property, so that an edge can name both
of its ends in any graph::

    {"format": "resources-graph", "version": 1, "private": false}
    {"node": ["Resource", "Issue"], "key": "node_id", "properties": {"node_id": "I_1", …}}
    {"edge": "HAS_COMMENT", "from": ["Resource", "I_1"], "to": ["Comment", "C_1"], "properties": {}}

Nodes of other programs (tool calls, agents) and edges to them stay where they are.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TextIO

from resources_graph_core.errors import UsageError
from resources_graph_core.graph.schema import UNIQUE
from resources_graph_core.store import counts
from resources_graph_core.store.batches import BATCH

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from resources_graph_core.graph import Graph, Row

FORMAT = "resources-graph"
VERSION = 1
KEYS = dict(UNIQUE)
"""The unique property of each label that is written."""

PRIVATE = frozenset({"Touch", "Session", "User", "ForgottenSession"})
"""Labels of what is somebody's own: written only when asked for."""

LONGEST_LINE = 16 * 2**20
"""Characters: much more than GitHub keeps of anything."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,100}", re.ASCII)

_TIMES = ("_at", "valid_from", "valid_to")
"""How the names of properties end that hold times."""
_A_TIME = "2026-11-30T22:25:00Z"

_NODES = """
MATCH (node:{label})
WHERE $after IS NULL OR node.{key} > $after
WITH node, node.{key} AS value
ORDER BY value
LIMIT $limit
RETURN value, labels(node) AS labels, properties(node) AS properties
"""

_EDGES = """
MATCH (node:{label})
WHERE $after IS NULL OR node.{key} > $after
WITH node, node.{key} AS value
ORDER BY value
LIMIT $limit
OPTIONAL MATCH (node)-[edge]->(other)
RETURN value, type(edge) AS type, properties(edge) AS properties, labels(other) AS labels,
       properties(other) AS other
"""


@dataclass(frozen=True, slots=True)
class Moved:
    """How many nodes and edges were written, or read."""

    nodes: int
    edges: int


def export(graph: Graph, *, private: bool = False) -> Iterator[str]:
    """The lines of everything in memory; what is somebody's own only when ``private``."""
    yield _line({"format": FORMAT, "version": VERSION, "private": private})
    labels = [label for label in KEYS if private or label not in PRIVATE]
    for label in labels:
        for row in _pages(graph, _NODES, label):
            if _owner(row["labels"]) == label:
                kinds = [label, *sorted(set(row["labels"]) - {label})]
                yield _line({"node": kinds, "key": KEYS[label], "properties": row["properties"]})
    for label in labels:
        for row in _pages(graph, _EDGES, label):
            other = _owner(row["labels"] or [])
            if row["type"] is None or other not in labels:
                continue
            to = [other, row["other"][KEYS[other]]]
            properties = row["properties"] or {}
            start = [label, row["value"]]
            yield _line({"edge": row["type"], "from": start, "to": to, "properties": properties})


def bounded(file: TextIO) -> Iterator[str]:
    """The lines of a file. Raises UsageError for one that is longer than export writes any."""
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise UsageError(
                f"line {number} has over {LONGEST_LINE:,} characters; export wrote another file"
            )
        yield line


def check(lines: Iterable[str]) -> None:
    """Read through lines that are to be loaded, so that nothing is where one of them is wrong.

    Raises UsageError as :func:`load` does.
    """
    for _ in _all_read(lines):
        pass


def load(graph: Graph, lines: Iterable[str]) -> Moved:
    """Write what the lines hold into a graph that has its schema and holds no Resource.

    Raises UsageError, which names the line, for what is no such file; what came before that line
    is written then, so :func:`check` first where the lines can be read twice.
    """
    if counts.resources(graph):
        raise UsageError("memory holds something already; import into an empty graph (--graph URL)")
    waiting: dict[_Shape, list[Row]] = defaultdict(list)
    counted = {"node": 0, "edge": 0}
    for shape, row in _all_read(lines):
        if shape.kind == "edge" and not counted["edge"]:
            _write_all(graph, waiting)
        counted[shape.kind] += 1
        waiting[shape].append(row)
        if len(waiting[shape]) == BATCH:
            graph.query(shape.statement, rows=waiting.pop(shape))
    _write_all(graph, waiting)
    return Moved(counted["node"], counted["edge"])


@dataclass(frozen=True, slots=True)
class _Shape:
    """What decides a line's statement: a node's labels, or an edge's type and its ends' labels."""

    kind: Literal["node", "edge"]
    names: tuple[str, ...]

    @property
    def statement(self) -> str:
        return _node(self.names) if self.kind == "node" else _edge(*self.names)


def _pages(graph: Graph, statement: str, label: str) -> Iterator[Row]:
    """The rows of a statement for all nodes of a label, some hundred nodes at a time."""
    words = statement.format(label=label, key=KEYS[label])
    after = None
    while rows := graph.query(words, after=after, limit=BATCH):
        yield from rows
        after = max(row["value"] for row in rows)


def _owner(labels: Iterable[str]) -> str:
    """The label by which a node is told, or nothing for a node that is not ours."""
    return next((label for label in KEYS if label in set(labels)), "")


def _line(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def _all_read(lines: Iterable[str]) -> Iterator[tuple[_Shape, Row]]:
    """Every line after the header, by its shape and as a row. Raises UsageError."""
    numbered = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
    number, first = next(numbered, (1, "{}"))
    header = _parsed(first, number)
    if header.get("format") != FORMAT or header.get("version") != VERSION:
        raise UsageError(
            f"line {number} is no header of {FORMAT} version {VERSION}; export wrote another file"
        )
    edges_began = False
    for number, line in numbered:
        shape, row = _read(_parsed(line, number), number)
        if shape.kind == "node" and edges_began:
            raise UsageError(f"line {number} is a node after an edge; nodes come first")
        edges_began = shape.kind == "edge"
        yield shape, row


def _parsed(line: str, number: int) -> dict[str, Any]:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise UsageError(f"line {number} is no JSON object")
    return document


def _read(document: dict[str, Any], number: int) -> tuple[_Shape, Row]:
    """The shape of a line and its row."""
    match document:
        case {"node": [str(label), *others], "properties": dict(properties)} if (
            label in KEYS
            and isinstance(properties.get(KEYS[label]), str)
            and all(isinstance(other, str) for other in others)
        ):
            row = {"key": properties[KEYS[label]], "properties": properties}
            shape = _Shape("node", (label, *others))
        case {
            "edge": str(kind),
            "from": [str(start), str(start_key)],
            "to": [str(end), str(end_key)],
            "properties": dict(properties),
        } if start in KEYS and end in KEYS:
            row = {"start": start_key, "end": end_key, "properties": properties}
            shape = _Shape("edge", (kind, start, end))
        case _:
            raise UsageError(f"line {number} is neither a node nor an edge that memory knows")
    if not all(_NAME.fullmatch(name) for name in shape.names):
        raise UsageError(f"line {number} has a name that no label or edge has")
    for name, value in row["properties"].items():
        if (name == "at" or name.endswith(_TIMES)) and not (value is None or _is_time(value)):
            raise UsageError(f"line {number} has a {name} that is no time such as {_A_TIME}")
    return shape, row


def _is_time(value: object) -> bool:
    try:
        return isinstance(value, str) and bool(datetime.fromisoformat(value))
    except ValueError:
        return False


def _write_all(graph: Graph, waiting: dict[_Shape, list[Row]]) -> None:
    for shape in list(waiting):
        graph.query(shape.statement, rows=waiting.pop(shape))


def _node(labels: tuple[str, ...]) -> str:
    """The statement that makes nodes with all their labels at once, as ArcadeDB demands."""
    label, key = labels[0], KEYS[labels[0]]
    return f"""
UNWIND $rows AS row
OPTIONAL MATCH (present:{label} {{{key}: row.key}})
FOREACH (_ IN CASE WHEN present IS NULL THEN [1] ELSE [] END |
  CREATE (:{":".join(dict.fromkeys(labels))} {{{key}: row.key}}))
WITH row
MATCH (node:{label} {{{key}: row.key}})
SET node += row.properties
"""


def _edge(kind: str, start: str, end: str) -> str:
    return f"""
UNWIND $rows AS row
MATCH (start:{start} {{{KEYS[start]}: row.start}})
MATCH (end:{end} {{{KEYS[end]}: row.end}})
CREATE (start)-[edge:{kind}]->(end)
SET edge += row.properties
"""
