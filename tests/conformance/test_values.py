"""What goes into an engine comes back the same, on every engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.errors import GraphQueryError

if TYPE_CHECKING:
    from resources_graph_core.graph import Graph

STORE = "MERGE (r:Resource {node_id: 'a'}) SET r.value = $value RETURN r.value AS value"
READ = "MATCH (r:Resource {node_id: 'a'}) RETURN r.value AS value"


@pytest.mark.parametrize(
    "value",
    [
        "",
        "plain",
        "größer, 日本語, עברית, e\u0301",
        "🙂 and 👩‍👩‍👧‍👦",
        "\"double\" 'single' `back` \\ \\n \\\\ \\u0041 \\x41",
        "tab\tnewline\nreturn\r\nend",
        "".join(map(chr, range(1, 32))) + "\x7f\x80\x9f",
        "\ufeff\ufffe\uffff\u2028\u2029",
        "$value ${value} {value} %s // -- /* */ ; CYPHER a=1",
        "x" * 1_000_000,
        "é\n\"'\\" * 200_000,
    ],
    ids=lambda text: repr(text[:20]),
)
def test_text(graph: Graph, value: str) -> None:
    assert graph.query(STORE, value=value) == [{"value": value}]
    assert graph.query(READ) == [{"value": value}]


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("a\x00b", "ab"),
        ("a\ud800b", "ab"),
        ("\udfffb", "b"),
        ("\ud83d\ude42", "🙂"),
        (["\x00"], [""]),
    ],
)
def test_what_no_engine_takes_is_removed(graph: Graph, given: object, stored: object) -> None:
    graph.query(STORE, value=given)
    assert graph.query(READ) == [{"value": stored}]


@pytest.mark.parametrize(
    "value",
    [
        *(0, 1, -1, 2**31, 2**53 + 1, 2**63 - 1, -(2**63)),
        *(0.0, 1.5, -2.25, 1e300, 1e-300, 123456.789),
        *(True, False),
        *([], ["a"], [1, 2], ["", "é"], [[1, 2], [], ["a"]]),
        ["x" * 300] * 300,
    ],
    ids=lambda value: repr(value)[:20],
)
def test_other_values(graph: Graph, value: object) -> None:
    graph.query(STORE, value=value)
    [row] = graph.query(READ)
    assert row == {"value": value}
    assert type(row["value"]) is type(value)


def test_a_tuple_is_stored_as_a_list(graph: Graph) -> None:
    graph.query(STORE, value=("a", "b"))
    assert graph.query(READ) == [{"value": ["a", "b"]}]


def test_null_is_no_property(graph: Graph) -> None:
    graph.query(STORE, value=None)
    assert graph.query("MATCH (r:Resource) RETURN r") == [{"r": {"node_id": "a"}}]


def test_null_in_a_map_removes_the_property(graph: Graph) -> None:
    graph.query("CREATE (r:Resource {node_id: 'a', title: 'old', body: 'kept'})")
    graph.query(
        "MATCH (r:Resource {node_id: 'a'}) SET r += $values",
        values={"title": None, "state": "open"},
    )
    assert graph.query("MATCH (r:Resource) RETURN r") == [
        {"r": {"node_id": "a", "body": "kept", "state": "open"}}
    ]


def test_nodes_edges_lists_and_maps_come_back_as_plain_values(graph: Graph) -> None:
    graph.query(
        "CREATE (l:Listing {key: 'l'})-[:HAS_MEMBER {position: 1}]->(r:Resource {node_id: 'a'})"
    )
    [row] = graph.query(
        "MATCH (l:Listing)-[m:HAS_MEMBER]->(r:Resource) "
        "RETURN l, m, collect(r) AS items, {first: r, n: 1} AS map, r {.node_id} AS some, "
        "properties(r) AS all, labels(r) AS labels, null AS nothing"
    )
    assert row == {
        "l": {"key": "l"},
        "m": {"position": 1},
        "items": [{"node_id": "a"}],
        "map": {"first": {"node_id": "a"}, "n": 1},
        "some": {"node_id": "a"},
        "all": {"node_id": "a"},
        "labels": ["Resource"],
        "nothing": None,
    }
    assert type(row["map"]) is dict


def test_a_path_is_its_nodes_and_edges_in_order(graph: Graph) -> None:
    graph.query(
        "CREATE (:Listing {key: 'l'})-[:HAS_MEMBER {position: 1}]->(:Resource {node_id: 'a'})"
    )
    assert graph.query("MATCH p = (:Listing)-[:HAS_MEMBER]->(:Resource) RETURN p") == [
        {"p": [{"key": "l"}, {"position": 1}, {"node_id": "a"}]}
    ]


def test_columns_keep_their_names_and_an_empty_answer_is_an_empty_list(graph: Graph) -> None:
    assert graph.query("RETURN 1 AS one, 'x' AS `a name`") == [{"one": 1, "a name": "x"}]
    assert graph.query("MATCH (n:Nothing) RETURN n") == []
    assert graph.query("MATCH (n:Nothing) RETURN count(n) AS n") == [{"n": 0}]


def test_batches_of_a_thousand_rows(graph: Graph) -> None:
    rows = [
        {"id": f"node-{n}", "values": {"number": n, "body": "text " * 200, "labels": ["a", "b"]}}
        for n in range(1000)
    ]
    statement = "UNWIND $rows AS row MERGE (r:Resource {node_id: row.id}) SET r += row.values"
    for _ in range(2):
        graph.query(statement, rows=rows)
    found = graph.query("MATCH (r:Resource) RETURN r ORDER BY r.number")
    assert found == [{"r": {"node_id": row["id"], **row["values"]}} for row in rows]


def test_long_answers_are_complete(graph: Graph) -> None:
    rows = graph.query("UNWIND range(1, 50000) AS n RETURN n")
    assert [row["n"] for row in rows] == list(range(1, 50001))


@pytest.mark.parametrize(
    "value",
    [
        *(2**63, -(2**63) - 1, float("nan"), float("inf"), b"bytes", object(), {1: "a"}),
        *({"": 1}, {"a`b": 1}, {"a\x00": 1}, {"deep": [{"set": {1}}]}),
    ],
    ids=repr,
)
def test_values_that_no_engine_stores_are_refused(graph: Graph, value: object) -> None:
    with pytest.raises(GraphQueryError, match=r"\$value"):
        graph.query("RETURN $value AS value", value=value)
    assert graph.query("RETURN 1 AS one") == [{"one": 1}]


def test_a_wrong_statement_is_refused_and_the_graph_stays_usable(graph: Graph) -> None:
    with pytest.raises(GraphQueryError, match="refused"):
        graph.query("RETURN nonsense(")
    assert graph.query("RETURN 1 AS one") == [{"one": 1}]
