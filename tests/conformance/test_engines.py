"""What every engine keeps: unique keys, what it acknowledged, and its schema."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from resources_graph_core.errors import GraphQueryError
from resources_graph_core.graph.schema import INDEXED, UNIQUE, setup

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.graph import Graph

MERGE_TOUCHES = """
import json, sys
from resources_graph_core.graph import open_graph
task = json.load(sys.stdin)
with open_graph(task["url"], user=task["user"], password=task["password"]) as graph:
    for n in range(task["count"]):
        graph.query(
            "MERGE (t:Touch {touch_id: $id}) ON CREATE SET t.by = $by "
            "MERGE (s:Session {session_id: 's'}) MERGE (t)-[:IN_SESSION]->(s)",
            id=f"touch-{n}", by=task["by"],
        )
"""


def test_setup_is_repeatable(graph: Graph) -> None:
    assert setup(graph) == []


def test_setups_at_once_agree(open_again: Callable[[], Graph], graph: Graph) -> None:
    connections = [open_again() for _ in range(4)]
    try:
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(setup, connections)) == [[]] * 4
    finally:
        for connection in connections:
            connection.close()
    assert setup(graph) == []


@pytest.mark.parametrize(("label", "name"), UNIQUE, ids=".".join)
def test_a_second_node_with_a_unique_key_is_refused(graph: Graph, label: str, name: str) -> None:
    graph.query(f"CREATE (n:{label} {{{name}: 'same'}})")
    with pytest.raises(GraphQueryError, match="refused"):
        graph.query(f"CREATE (n:{label} {{{name}: 'same'}})")
    assert graph.query(f"MATCH (n:{label}) RETURN count(n) AS n") == [{"n": 1}]


@pytest.mark.parametrize(("label", "name"), INDEXED, ids=".".join)
def test_nodes_may_share_an_indexed_value(graph: Graph, label: str, name: str) -> None:
    for _ in range(2):
        graph.query(f"CREATE (n:{label} {{{name}: 'same'}})")
    assert graph.query(f"MATCH (n:{label} {{{name}: 'same'}}) RETURN count(n) AS n") == [{"n": 2}]


def test_a_statement_that_fails_half_way_writes_nothing(graph: Graph) -> None:
    graph.query("CREATE (r:Resource {node_id: 'last'})")
    with pytest.raises(GraphQueryError):
        graph.query("UNWIND $ids AS id CREATE (r:Resource {node_id: id})", ids=["a", "b", "last"])
    assert graph.query("MATCH (r:Resource) RETURN r.node_id AS id") == [{"id": "last"}]


def test_processes_that_write_the_same_keys_at_once_make_each_node_once(
    address: dict[str, str | None], graph: Graph
) -> None:
    count = 40
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", MERGE_TOUCHES],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for number, writer in enumerate(writers):
        assert writer.stdin is not None
        writer.stdin.write(json.dumps({**address, "count": count, "by": number}))
        writer.stdin.close()
        writer.stdin = None
    for writer in writers:
        _, errors = writer.communicate(timeout=120)
        assert (writer.returncode, errors) == (0, "")
    assert graph.query(
        "MATCH (t:Touch)-[:IN_SESSION]->(s:Session) RETURN count(DISTINCT t) AS touches, "
        "count(DISTINCT s) AS sessions"
    ) == [{"touches": count, "sessions": 1}]
    assert graph.query("MATCH (t:Touch) RETURN count(t) AS n") == [{"n": count}]


def test_a_killed_server_has_everything_it_acknowledged(
    graph: Graph, crash: Callable[[], None]
) -> None:
    body = "größer 🙂 \"'\\\n" * 1000
    for n in range(50):
        graph.query(
            "MERGE (r:Resource {node_id: $id}) SET r += $values "
            "MERGE (l:Listing {key: 'l'}) MERGE (l)-[:HAS_MEMBER {position: $n}]->(r)",
            id=f"r{n}",
            n=n,
            values={"body": body, "number": n, f"new_{n}": [n]},
        )
    graph.query("MATCH (r:Resource {node_id: 'r0'}) DETACH DELETE r")
    crash()
    found = graph.query(
        "MATCH (:Listing {key: 'l'})-[m:HAS_MEMBER]->(r:Resource) RETURN r, m ORDER BY m.position"
    )
    assert found == [
        {
            "r": {"node_id": f"r{n}", "body": body, "number": n, f"new_{n}": [n]},
            "m": {"position": n},
        }
        for n in range(1, 50)
    ]
    assert setup(graph) == []
    with pytest.raises(GraphQueryError):
        graph.query("CREATE (r:Resource {node_id: 'r1'})")
