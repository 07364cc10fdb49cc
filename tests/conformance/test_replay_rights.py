"""Nobody gets round the rights by replaying what was never written, on every engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from resources_graph_core.errors import AccessDenied, Refused, ResourcesGraphError
from resources_graph_core.memory_graph import Access, MemoryGraph, statements
from resources_graph_core.memory_graph.model import Node
from resources_graph_core.memory_graph.records import LinkEntry, PutEntry, SupersedeEntry
from resources_graph_core.memory_graph.requests import (
    Drop,
    Get,
    Link,
    Put,
    Replay,
    Supersede,
    Trace,
    TraceEdge,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.graph import Graph, Row
    from resources_graph_core.memory_graph.model import Edge
    from resources_graph_core.memory_graph.records import JournalEntry

BEFORE = "2001-01-01T00:00:00.000000Z"
MADE = "2002-01-01T00:00:00.000000Z"
SINCE = "2003-01-01T00:00:00.000000Z"
NOW = "2004-01-01T00:00:00.000000Z"
YET_TO_COME = "2005-01-01T00:00:00.000000Z"


def theirs(graph: Graph) -> tuple[Node, Edge]:
    """A node and an edge of somebody else's, made in 2002."""
    ada = MemoryGraph(graph, access=Access(origin="ada"), clock=lambda: MADE)
    node = ada.put(Put(id="x", kind="task", label="Theirs", attrs={"a": 1})).node
    ada.put(Put(id="y", kind="task"))
    return node, ada.link(Link(id="e", src="x", dst="y", rel="needs")).edge


def bob(graph: Graph, journal: list[JournalEntry] | None = None) -> MemoryGraph:
    tell = None if journal is None else journal.append
    return MemoryGraph(graph, access=Access(origin="bob"), clock=lambda: NOW, journal=tell)


def changed(node: Node, **changes: Any) -> PutEntry:  # noqa: ANN401 - any field of a node
    return PutEntry(
        graph_id="main",
        node=node.model_validate(
            node.model_dump() | {"writer": "bob", "recorded_at": SINCE} | changes
        ),
    )


@pytest.mark.parametrize(
    ("changes", "error", "says"),
    [
        ({"attrs": {}}, AccessDenied, "not remove a"),
        ({"attrs": {"b": 2}}, AccessDenied, "not remove a"),
        ({"attrs": {"a": 2}}, AccessDenied, "attrs.a"),
        ({"label": "Mine"}, AccessDenied, "label"),
        ({"kind": "file"}, AccessDenied, "kind"),
        ({"origin": "bob"}, AccessDenied, "of origin 'ada' here"),
        ({"origin": "bob", "recorded_at": BEFORE}, AccessDenied, "of origin 'ada' here"),
        ({"recorded_at": BEFORE, "attrs": {"a": 1, "b": 2}}, AccessDenied, "there was no node"),
        ({"recorded_at": YET_TO_COME, "attrs": {"a": 1, "b": 2}}, Refused, "yet to come"),
        ({"writer": "ada", "label": "Mine"}, AccessDenied, "of origin 'ada'"),
        ({"provenance": "observed", "attrs": {"a": 1, "b": 2}}, AccessDenied, "observed"),
    ],
)
def test_an_entry_that_could_not_have_been_put_is_refused(
    graph: Graph, changes: dict[str, Any], error: type[Exception], says: str
) -> None:
    node, _ = theirs(graph)
    with pytest.raises(error, match=says):
        bob(graph).replay(Replay(entries=(changed(node, **changes),)))
    assert bob(graph).trace(Trace(id="x")).versions == (node,)


def test_what_was_added_to_anothers_node_is_replayed(graph: Graph) -> None:
    node, _ = theirs(graph)
    entry = changed(node, attrs={"a": 1, "b": 2})
    assert bob(graph).replay(Replay(entries=(entry,))).versions == 1
    assert bob(graph).replay(Replay(entries=(entry,))).versions == 0
    nothing_new = changed(node, attrs={"a": 1, "b": 2}, recorded_at=NOW)
    assert bob(graph).replay(Replay(entries=(nothing_new,))).versions == 0
    assert bob(graph).get(Get(id="x")).node == entry.node


def test_ones_own_journal_is_replayed_beside_anothers(graph: Graph) -> None:
    """Added before the other one said something else: it stands where it stood."""
    journal: list[JournalEntry] = []
    theirs(graph)
    bob(graph, journal).put(Put(id="x", attrs={"b": 2}))
    MemoryGraph(graph, access=Access(privileged=True, origin="root")).drop(Drop(confirm=True))
    theirs(graph)
    ada = MemoryGraph(graph, access=Access(origin="ada"), clock=lambda: YET_TO_COME)
    ada.put(Put(id="x", label="Anew"))
    late = MemoryGraph(graph, access=Access(origin="bob"), clock=lambda: YET_TO_COME)
    assert late.replay(Replay(entries=tuple(journal))).versions == 1
    labels = [one.label for one in late.trace(Trace(id="x")).versions]
    assert labels == ["Theirs", "Theirs", "Anew"]
    assert late.replay(Replay(entries=tuple(journal))).versions == 0


class InBetween:
    """A graph in which something happens just before the first version is recorded."""

    def __init__(self, graph: Graph, happens: Callable[[], object]) -> None:
        self._graph = graph
        self._happens: Callable[[], object] | None = happens

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        """Whatever else a graph has."""
        return getattr(self._graph, name)

    def query(self, text: str, **parameters: Any) -> list[Row]:  # noqa: ANN401
        if text.startswith(statements.RECORD_VERSIONS) and self._happens is not None:
            happens, self._happens = self._happens, None
            happens()
        return self._graph.query(text, **parameters)


def test_a_node_that_another_made_meanwhile_is_not_taken_over(graph: Graph) -> None:
    between: Any = InBetween(graph, lambda: theirs(graph))
    node = Node(
        id="x",
        kind="task",
        label="Mine",
        attrs={},
        origin="bob",
        writer="bob",
        provenance="claimed",
        recorded_at=BEFORE,
    )
    with pytest.raises(AccessDenied, match="of origin 'ada' here"):
        bob(between).replay(Replay(entries=(PutEntry(graph_id="main", node=node),)))
    (version,) = bob(graph).trace(Trace(id="x")).versions
    assert (version.label, version.origin) == ("Theirs", "ada")


def test_ones_own_node_is_replayed_while_it_changes(graph: Graph) -> None:
    node, _ = theirs(graph)
    mine(graph)
    again = MemoryGraph(graph, access=Access(origin="bob"), clock=lambda: SINCE)
    between: Any = InBetween(graph, lambda: again.put(Put(id="own", label="Later")))
    entry = changed(node, id="own", origin="bob", recorded_at=NOW)
    assert bob(between).replay(Replay(entries=(entry,))).versions == 1
    labels = [one.label for one in bob(graph).trace(Trace(id="own")).versions]
    assert labels == ["own", "Later", "Theirs"]


def test_who_lost_a_node_meanwhile_cannot_change_it(graph: Graph) -> None:
    """A version from before made it another's; the current one stayed as it was."""
    node, _ = theirs(graph)
    root = MemoryGraph(graph, access=Access(privileged=True, origin="root"))
    before = changed(node, origin="eve", writer="eve", recorded_at=BEFORE)
    between: Any = InBetween(graph, lambda: root.replay(Replay(entries=(before,))))
    ada = MemoryGraph(between, access=Access(origin="ada"), clock=lambda: SINCE)
    with pytest.raises(AccessDenied, match="of origin 'eve'"):
        ada.put(Put(id="x", label="Anew"))


def test_nobody_supersedes_anothers_edge_by_saying_so(graph: Graph) -> None:
    _, edge = theirs(graph)
    forged = edge.model_copy(
        update={"id": "f", "origin": "bob", "supersedes": "e", "recorded_at": SINCE}
    )
    retired = SupersedeEntry(graph_id="main", id="e", at=SINCE, by="bob")
    for entry in (
        LinkEntry(graph_id="main", edge=forged),
        retired,
        retired.model_copy(update={"edge": forged}),
    ):
        with pytest.raises(AccessDenied, match="'ada'"):
            bob(graph).replay(Replay(entries=(entry,)))
    assert bob(graph).trace_edge(TraceEdge(id="e")).edges == (edge,)


def own_entries(node: Node, edge: Edge, at: str) -> dict[str, JournalEntry]:
    """Entries of bob's own at a moment, one of each kind; they need what ``mine`` makes."""
    new = {"origin": "bob", "recorded_at": at}
    made = edge.model_copy(update={"id": "f", "supersedes": None, **new})
    instead = made.model_copy(update={"id": "g", "supersedes": "mine"})
    retired = SupersedeEntry(graph_id="main", id="mine", at=at, by="bob")
    return {
        "a new node": changed(node, id="z", **new),
        "an own node": changed(node, id="own", **new),
        "an edge": LinkEntry(graph_id="main", edge=made),
        "a retirement": retired,
        "a replacement": retired.model_copy(update={"at": NOW, "edge": instead}),
    }


def mine(graph: Graph) -> None:
    """A node and an edge of bob's."""
    handle = MemoryGraph(graph, access=Access(origin="bob"), clock=lambda: MADE)
    handle.put(Put(id="own", kind="task"))
    handle.link(Link(id="mine", src="own", dst="x", rel="needs"))


@pytest.mark.parametrize(
    "what", ["a new node", "an own node", "an edge", "a retirement", "a replacement"]
)
def test_nobody_records_what_is_yet_to_come(graph: Graph, what: str) -> None:
    """Else whoever wrote on it afterwards would be later still."""
    node, edge = theirs(graph)
    mine(graph)
    before = bob(graph).dump()
    entry = own_entries(node, edge, YET_TO_COME)[what]
    fine = changed(node, id="fine", origin="bob")
    with pytest.raises(Refused, match=r"Entry 1: it was recorded at 2005.* yet to come"):
        bob(graph).replay(Replay(entries=(fine, entry)))
    bob(graph).replay(Replay(entries=(own_entries(node, edge, SINCE)[what],)))
    root = MemoryGraph(graph, access=Access(privileged=True, origin="root"), clock=lambda: NOW)
    root.drop(Drop(confirm=True))
    theirs(graph)
    mine(graph)
    assert bob(graph).dump() == before
    assert sum(root.replay(Replay(entries=(entry,))).model_dump().values())
    # It is there now, so that the same once more changes nothing.
    assert not any(bob(graph).replay(Replay(entries=(entry,))).model_dump().values())


@pytest.mark.parametrize("written", ["", "banana", "2026-13-01T00:00:00Z", "now"])
def test_a_time_that_is_none_is_refused(graph: Graph, written: str) -> None:
    node, edge = theirs(graph)
    for record, field in ((node, "recorded_at"), (edge, "recorded_at"), (edge, "valid_from")):
        name = "node" if record is node else "edge"
        bad = record.model_dump() | {field: written}
        entry = PutEntry if record is node else LinkEntry
        with pytest.raises(ValidationError, match="time"):
            entry.model_validate({"graph_id": "main", name: bad})


def test_times_from_elsewhere_are_kept_in_the_one_form(graph: Graph) -> None:
    node, _ = theirs(graph)
    written = node.model_dump() | {"id": "z", "origin": "bob", "writer": "bob"}
    for at in ("2003-01-01", "2003-01-01T01:00:00+01:00"):
        entry = PutEntry.model_validate({"graph_id": "main", "node": written | {"recorded_at": at}})
        assert entry.node.recorded_at == SINCE


who = st.sampled_from(["ada", "bob"])
moments = st.sampled_from([BEFORE, MADE, SINCE, NOW, YET_TO_COME])
nodes = st.fixed_dictionaries(
    {
        "id": st.sampled_from(["x", "y", "z"]),
        "kind": st.sampled_from(["task", "file"]),
        "label": st.sampled_from(["Theirs", "y", "Mine"]),
        "attrs": st.dictionaries(st.sampled_from("ab"), st.integers(1, 2)),
        "origin": who,
        "writer": who,
        "provenance": st.sampled_from(["claimed", "observed"]),
        "recorded_at": moments,
    }
)
edges = st.fixed_dictionaries(
    {
        "id": st.sampled_from(["e", "f", "g"]),
        "src": st.sampled_from("xyz"),
        "dst": st.sampled_from("xyz"),
        "rel": st.just("needs"),
        "origin": who,
        "provenance": st.just("claimed"),
        "recorded_at": moments,
        "supersedes": st.sampled_from([None, "e", "f"]),
    }
)
entries = st.one_of(
    st.fixed_dictionaries({"op": st.just("put"), "node": nodes}),
    st.fixed_dictionaries({"op": st.just("link"), "edge": edges}),
    st.fixed_dictionaries(
        {
            "op": st.just("supersede"),
            "id": st.sampled_from(["e", "f", "g"]),
            "at": moments,
            "by": who,
            "edge": st.none() | edges,
        }
    ),
)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(written=st.lists(entries, min_size=1, max_size=12))
def test_whatever_is_replayed_what_another_said_stays(
    graph: Graph, written: list[dict[str, Any]]
) -> None:
    root = MemoryGraph(graph, access=Access(privileged=True, origin="root"))
    root.drop(Drop(confirm=True))
    node, edge = theirs(graph)
    before = root.dump()
    handle = bob(graph)
    for one in written:
        request = Replay.model_validate({"entries": [one | {"graph_id": "main"}]})
        try:
            handle.replay(request)
        except ResourcesGraphError:
            continue
    told = root.dump()
    versions = [one for each in told.nodes for one in each.versions]
    times = [one.recorded_at for one in (*versions, *told.edges)]
    times += [one.superseded_at for one in told.edges if one.superseded_at is not None]
    assert max(times) <= NOW
    assert {one.id: one for one in versions if one.writer == "ada"} == {
        one.id: one for each in before.nodes for one in each.versions
    }
    found = handle.get(Get(id="x")).node
    assert (found.id, found.kind, found.label, found.origin) == ("x", "task", "Theirs", "ada")
    assert found.attrs["a"] == 1
    assert handle.trace(Trace(id="x")).versions[0] == node
    assert handle.trace_edge(TraceEdge(id="e")).edges == (edge,)
    ada = MemoryGraph(graph, access=Access(origin="ada"), clock=lambda: NOW)
    assert ada.put(Put(id="x", label="Anew")).node.recorded_at < YET_TO_COME
    assert ada.supersede(Supersede(id="e", retire=True)).old.superseded_at == NOW


def test_after_the_last_moment_there_is_no_other(graph: Graph) -> None:
    node, _ = theirs(graph)
    last = "9999-12-31T23:59:59.999999Z"
    own = changed(node, id="z", origin="bob", recorded_at=last)
    root = MemoryGraph(graph, access=Access(privileged=True, origin="root"))
    root.replay(Replay(entries=(own,)))

    def put_all(*labels: str) -> None:
        for label in labels:
            bob(graph).put(Put(id="z", label=label))

    with pytest.raises(Refused, match="after 9999"):
        put_all("one", "two", "one")  # of two, one sorts before the other
