"""No statement on the way of a Touch, a Sweep or a Cache Read looks at all nodes of a label.

The embedded engine tells how it would run each. It is also the one that scans where it could look
up: for two patterns joined by a property, or when it begins a long pattern at its far end.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from resources_graph_core.graph.falkor import FalkorGraph
from resources_graph_core.store import (
    causes,
    claims,
    freshness,
    holdings,
    links,
    listings,
    moves,
    recording,
    resources,
    runs,
    touches,
    withdrawal,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from resources_graph_core.graph import Graph

MODULES = (
    causes,
    claims,
    freshness,
    holdings,
    links,
    listings,
    moves,
    recording,
    resources,
    runs,
    touches,
    withdrawal,
)
SCANS = ("All Node Scan", "Node By Label Scan", "Value Hash Join")
LISTS = {
    "rows",
    "keys",
    "node_ids",
    "touches",
    "touch_ids",
    "members",
    "repositories",
    "kinds",
    "closed_hosts",
}
ALLOWED = {"runs._LATEST"}
"""For people who ask for the latest runs, of which there are few."""


def of_module(module: ModuleType) -> Iterator[tuple[str, str]]:
    """The statements of a module with their names; parts of statements, and forms, are none."""
    name = module.__name__.rpartition(".")[2]
    for constant, value in vars(module).items():
        texts = value if isinstance(value, dict) else {"": value}
        for key, text in texts.items():
            if not constant.isupper() or not isinstance(text, str) or "{{" in text:
                continue
            if re.match(r"\s*(UNWIND|MATCH|MERGE|OPTIONAL MATCH) ", text):
                yield f"{name}.{constant}{key}", text


STATEMENTS = {name: text for module in MODULES for name, text in of_module(module)}


def plan(graph: Graph, statement: str) -> str:
    """How the engine would run a statement."""
    assert isinstance(graph, FalkorGraph)
    values: dict[str, object] = {}
    for name in re.findall(r"\$(\w+)", statement):
        values[name] = [] if name in LISTS else {} if name == "properties" else 1
    return str(graph._graph.explain(statement, values))  # noqa: SLF001 - the one that explains


def test_the_plan_of_a_scan_is_told_apart(embedded_graph: Graph) -> None:
    assert "Node By Label Scan" in plan(embedded_graph, "MATCH (n:Resource) RETURN n")


def test_statements_are_found() -> None:
    assert {"resources._STOREIssue", "links._DRAW", "causes._LINK_CALLS"} < STATEMENTS.keys()
    assert len(STATEMENTS) > 30


@pytest.mark.parametrize("name", sorted(STATEMENTS.keys() - ALLOWED))
def test_statements_look_up_by_index(embedded_graph: Graph, name: str) -> None:
    told = plan(embedded_graph, STATEMENTS[name])
    assert not [step.strip() for step in told.splitlines() if any(scan in step for scan in SCANS)]
