"""Indexes and unique constraints: added once, used, and refused when duplicates are there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from resources_graph_core.errors import GraphQueryError
from resources_graph_core.graph import Graph, embedded, open_graph
from resources_graph_core.graph.schema import INDEXED, UNIQUE, missing, setup
from resources_graph_core.graph.text_index import TEXTS

TEXT_INDEXES = [f"text index {a}.{b}" for a, names in TEXTS.items() for b in names]

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from resources_graph_core.graph import Row
    from resources_graph_core.graph.base import Dialect


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Graph]:
    """A graph without any schema, on an engine of its own."""
    folder = tmp_path / "graph"
    try:
        with open_graph(f"embedded://{folder}") as graph:
            yield graph
    finally:
        embedded.stop(folder)


def test_setup_reports_what_it_added_and_then_nothing(fresh: Graph) -> None:
    added = setup(fresh)
    assert added == [
        *(f"index {a}.{b}" for a, b in UNIQUE + INDEXED),
        *(f"unique {a}.{b}" for a, b in UNIQUE),
        *TEXT_INDEXES,
    ]
    assert setup(fresh) == []
    assert missing(fresh) == []


def test_text_that_is_odd_in_any_way_is_indexed(fresh: Graph) -> None:
    setup(fresh)
    for text in ("", " ", "\x01", "a\x01b", "x" * 5000, "word " * 100_000, "\u202e", "'\"\\", None):
        for body in (text, "changed"):
            fresh.query("MERGE (r:Resource {node_id: 'a'}) SET r.title = $a, r.body = $a", a=body)
            fresh.query("MERGE (c:Comment {node_id: 'a'}) SET c.body = $a", a=body)
    assert fresh.query("RETURN 1 AS one") == [{"one": 1}]


def test_setup_adds_what_is_missing_to_a_graph_in_use(fresh: Graph) -> None:
    fresh.query("CREATE (:Resource {node_id: 'a', address: 'github:o/r#1'})")
    fresh.change_schema("CREATE INDEX FOR (r:Resource) ON (r.address)")
    added = setup(fresh)
    assert "index Resource.address" not in added
    assert "index Resource.node_id" in added
    with pytest.raises(GraphQueryError, match="unique constraint violation"):
        fresh.query("CREATE (:Resource {node_id: 'a'})")


def test_duplicates_are_named_and_setup_works_once_they_are_gone(fresh: Graph) -> None:
    fresh.query("CREATE (:Touch {touch_id: 'same', n: 1}), (:Touch {touch_id: 'same', n: 2})")
    for _ in range(2):
        with pytest.raises(
            GraphQueryError, match=r"Touch\.touch_id cannot be made unique"
        ) as caught:
            setup(fresh)
    [look] = re.findall(r"MATCH .*", str(caught.value))
    assert fresh.query(look) == [{"value": "same", "nodes": 2}]
    fresh.query("MATCH (t:Touch {n: 2}) DELETE t")
    assert setup(fresh) == ["unique Touch.touch_id", *TEXT_INDEXES]


@pytest.mark.parametrize(("label", "name"), UNIQUE + INDEXED, ids=".".join)
def test_a_lookup_uses_the_index(embedded_graph: Graph, label: str, name: str) -> None:
    plan = embedded_graph._graph.explain(f"MATCH (n:{label} {{{name}: 'x'}}) RETURN n")  # type: ignore[attr-defined] # noqa: SLF001 - only the client shows plans
    assert "Node By Index Scan" in str(plan)


class RecordedMemgraph(Graph):
    """Memgraph's documented answers to schema statements; the server itself is rarely at hand."""

    def __init__(self, *, lists: bool) -> None:
        self._lists = lists
        self.added: list[str] = []

    @property
    def dialect(self) -> Dialect:
        return "memgraph"

    def query(self, statement: str, /, **parameters: object) -> list[Row]:
        raise AssertionError(statement, parameters)

    def change_schema(self, statement: str, /) -> list[Row]:
        match statement:
            case "SHOW INDEX INFO":
                return rows_of_memgraph(self.added, lists=self._lists)[0]
            case "SHOW CONSTRAINT INFO":
                return rows_of_memgraph(self.added, lists=self._lists)[1]
        self.added.append(statement)
        return []

    def close(self) -> None:
        pass


def rows_of_memgraph(added: list[str], *, lists: bool) -> tuple[list[Row], list[Row]]:
    """What SHOW INDEX INFO and SHOW CONSTRAINT INFO answer after these statements."""
    text = "\n".join(added)
    indexes = [
        {
            "index type": "label+property",
            "label": label,
            "property": [name] if lists else name,
            "count": 0,
        }
        for label, name in re.findall(r"CREATE INDEX ON :(\w+)\((\w+)\)", text)
    ]
    indexes.append({"index type": "label", "label": "Resource", "property": None, "count": 0})
    constraints = [
        {"constraint type": "unique", "label": label, "properties": [name] if lists else name}
        for label, name in re.findall(r"ON \(n:(\w+)\) ASSERT n\.(\w+) IS UNIQUE", text)
    ]
    constraints.append({"constraint type": "exists", "label": "Touch", "properties": "touch_id"})
    return indexes, constraints


@pytest.mark.parametrize("lists", [False, True], ids=["older", "newer"])
def test_memgraph_gets_indexes_for_its_unique_keys_too(lists: bool) -> None:  # noqa: FBT001 - from the table
    graph = RecordedMemgraph(lists=lists)
    assert len(setup(graph)) == 2 * len(UNIQUE) + len(INDEXED)
    assert "CREATE INDEX ON :Resource(address)" in graph.added
    assert "CREATE CONSTRAINT ON (n:Resource) ASSERT n.node_id IS UNIQUE" in graph.added
    assert setup(graph) == []
