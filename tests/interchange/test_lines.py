"""JSON Lines: whatever memory holds comes back as it was."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from resources_graph_core.config import load_settings
from resources_graph_core.errors import UsageError
from resources_graph_core.graph import embedded, open_graph
from resources_graph_core.graph.schema import setup
from resources_graph_core.interchange import lines
from resources_graph_core.memory import Memory
from tests.mcp.conftest import fill

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from resources_graph_core.graph import Graph

HEADER = '{"format":"resources-graph","version":1,"private":false}'
EDGE = '{"edge":"LINK","from":["Resource","a"],"to":["Resource","b"],"properties":{}}'


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Graph]:
    """A second, empty graph on an engine of its own."""
    folder = tmp_path / "other"
    with open_graph(f"embedded://{folder}") as graph:
        setup(graph)
        yield graph
    embedded.stop(folder)


def test_a_round_trip_loses_nothing(embedded_graph: Graph, other: Graph, home: Path) -> None:
    assert not home.exists()
    fill(embedded_graph)
    memory = Memory(embedded_graph, load_settings(user="mona"))
    memory.touch("octo-org/widgets#1", session="s1")
    memory.read("octo-org/widgets#1", session="s1")
    memory.forget("s2")
    written = list(lines.export(embedded_graph, private=True))
    moved = lines.load(other, written)
    assert moved.nodes + moved.edges == len(written) - 1
    assert sorted(lines.export(other, private=True)) == sorted(written)
    assert other.query("MATCH (n) RETURN count(n) AS n") == embedded_graph.query(
        "MATCH (n) RETURN count(n) AS n"
    )
    edges = "MATCH ()-[e]->() RETURN type(e) AS kind, count(e) AS n ORDER BY kind"
    assert other.query(edges) == embedded_graph.query(edges)
    with pytest.raises(UsageError, match="holds something already"):
        lines.load(other, written)


def test_what_is_somebodys_own_stays(embedded_graph: Graph, home: Path) -> None:
    assert not home.exists()
    fill(embedded_graph)
    Memory(embedded_graph, load_settings(user="mona")).touch("octo-org/widgets#1", session="s1")
    for line in lines.export(embedded_graph):
        assert "mona" not in json.loads(line).get("properties", {}).get("user_id", "")
        assert '"Touch"' not in line
        assert '"Session"' not in line


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1 is no header"),
        ('{"format":"other"}', "line 1 is no header"),
        (f"{HEADER}\nnot json", "line 2 is no JSON object"),
        (f'{HEADER}\n{{"node":["Stranger"],"properties":{{}}}}', "line 2 is neither"),
        (f'{HEADER}\n{{"node":["Resource"],"properties":{{}}}}', "line 2 is neither"),
        (
            HEADER + '\n{"node":["Resource","A) D //"],"properties":{"node_id":"x"}}',
            "line 2 has a name",
        ),
        (
            f"{HEADER}\n{EDGE.replace('LINK', 'X]->() //')}",
            "line 2 has a name",
        ),
        (
            f"{HEADER}\n{EDGE}\n" + '{"node":["Resource"],"properties":{"node_id":"x"}}',
            "line 3 is a node after an edge",
        ),
        *(
            (
                f'{HEADER}\n{{"node":["Resource"],"properties":{{"node_id":"x","{name}":{value}}}}}',
                f"line 2 has a {name} that is no time",
            )
            for name, value in (
                ("fetched_at", '"banana"'),
                ("created_at", "7"),
                ("closed_at", '""'),
            )
        ),
    ],
)
def test_what_is_no_such_file(embedded_graph: Graph, text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        lines.check(text.split("\n"))
    with pytest.raises(UsageError, match=words):
        lines.load(embedded_graph, text.split("\n"))
    assert embedded_graph.query("MATCH (n) RETURN count(n) AS n") == [{"n": 0}]
