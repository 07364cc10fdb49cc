"""No text that a caller gives and the graph keeps may be a credential, on every engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from resources_graph_core.errors import Refused, UnknownId
from resources_graph_core.memory_graph import Access, MemoryGraph, dispatch
from resources_graph_core.memory_graph.requests import Get, Link, Put, Supersede, TraceEdge

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.graph import Graph
    from resources_graph_core.memory_graph.records import JournalEntry

SECRET = "gh" + "p_" + "a1B2" * 9  # put together, so that no scanner takes it for one
AT = "2026-01-01T00:00:00.000000Z"
NODE = {"id": "n", "kind": "k", "label": "l", "origin": "admin", "writer": "admin"}
EDGE = {"id": "f", "src": "a", "dst": "a", "rel": "r", "origin": "admin"}
TIMES = {"provenance": "claimed", "recorded_at": AT}


def nested(field: str) -> dict[str, Any]:
    """A request's part with the secret in a field; a field of attrs is in them."""
    if not field.startswith("attrs"):
        return {field: SECRET}
    return {"attrs": {"attrs name": {SECRET: 1}}.get(field, {"deep": [{"er": f"see {SECRET}"}]})}


def asked(name: str, required: dict[str, Any], field: str) -> Callable[[MemoryGraph], object]:
    return lambda memory: dispatch(memory, name, required | nested(field))


def replayed(
    op: str, part: str, record: dict[str, Any], field: str
) -> Callable[[MemoryGraph], object]:
    def attempt(memory: MemoryGraph) -> object:
        entry: dict[str, Any] = {"op": op, "graph_id": "main", part: record | TIMES | nested(field)}
        if op == "supersede":
            entry |= {"id": "e", "at": AT, "by": "admin"}
        return dispatch(memory, "replay", {"entries": [entry]})

    return attempt


def loaded(part: str, record: dict[str, Any], field: str) -> Callable[[MemoryGraph], object]:
    def attempt(memory: MemoryGraph) -> object:
        one = record | TIMES | nested(field)
        held = {"nodes": [{"versions": [one]}]} if part == "nodes" else {"edges": [one]}
        return dispatch(memory, "load", {"dump": {"graph_id": "main", **held}})

    return attempt


ATTRS = ("attrs", "attrs name")
OF_NODES = ("id", "kind", "label", *ATTRS)
OF_EDGES = ("id", "src", "dst", "rel", "scope", *ATTRS)
CALLS: dict[str, tuple[str, Callable[[MemoryGraph], object]]] = {
    "graph_id of a handle": ("graph_id", lambda m: MemoryGraph(m.graph, graph_id=SECRET)),
    "graph_id of an entry": (
        "graph_id",
        lambda m: dispatch(
            m,
            "replay",
            {"entries": [{"op": "put", "graph_id": SECRET, "node": NODE | TIMES}]},
        ),
    ),
    "origin of a handle": ("origin", lambda _: Access(origin=SECRET)),
    "origin of a narrowed handle": ("origin", lambda m: m.as_(origin=f"admin/{SECRET}")),
    "who superseded": (
        "by",
        lambda m: dispatch(
            m,
            "replay",
            {
                "entries": [
                    {"op": "supersede", "graph_id": "main", "id": "e", "at": AT, "by": SECRET}
                ]
            },
        ),
    ),
}
for field in OF_NODES:
    CALLS[f"put {field}"] = (field, asked("put", {"id": "n", "kind": "k"}, field))
for field in OF_EDGES:
    CALLS[f"link {field}"] = (field, asked("link", {"src": "a", "dst": "a", "rel": "r"}, field))
    name = "new_id" if field == "id" else field
    CALLS[f"supersede {name}"] = (field, asked("supersede", {"id": "e"}, name))
for field in (*OF_NODES, "origin", "writer"):
    CALLS[f"replay put {field}"] = (field, replayed("put", "node", NODE, field))
    CALLS[f"load node {field}"] = (field, loaded("nodes", NODE, field))
for field in (*OF_EDGES, "origin", "supersedes"):
    CALLS[f"replay link {field}"] = (field, replayed("link", "edge", EDGE, field))
    CALLS[f"load edge {field}"] = (field, loaded("edges", EDGE, field))
for field in (*OF_EDGES, "origin"):
    replacing = EDGE | {"supersedes": "e"}
    CALLS[f"replay supersede {field}"] = (field, replayed("supersede", "edge", replacing, field))


@pytest.mark.parametrize("call", CALLS)
def test_a_credential_is_refused_in_every_field(graph: Graph, call: str) -> None:
    field, attempt = CALLS[call]
    journal: list[JournalEntry] = []
    access = Access(origin="admin", trusted=True, privileged=True)
    memory = MemoryGraph(graph, access=access, journal=journal.append, clock=lambda: AT)
    memory.put(Put(id="a", kind="k"))
    memory.link(Link(id="e", src="a", dst="a", rel="r"))
    with pytest.raises(Refused, match="GitHub token") as caught:
        attempt(memory)
    where = {"attrs": "attrs.deep[0].er", "attrs name": "the name of entry 0 of attrs"}
    assert f"{where.get(field, field)} holds what looks like a credential" in str(caught.value)
    assert SECRET not in str(caught.value)
    assert len(journal) == 2
    assert SECRET not in str(graph.query("MATCH (n) RETURN properties(n) AS held"))


def test_what_is_not_there_is_told_without_its_secret(graph: Graph) -> None:
    memory = MemoryGraph(graph, access=Access(origin="ada"))
    for attempt in (
        lambda: memory.get(Get(id=f"x {SECRET}")),
        lambda: memory.get(Get(id=f"octo-org/{SECRET}#1")),
        lambda: memory.trace_edge(TraceEdge(id=SECRET)),
        lambda: memory.supersede(Supersede(id=SECRET, retire=True)),
    ):
        with pytest.raises(UnknownId) as caught:
            attempt()
        assert SECRET not in str(caught.value)
