"""What memory holds of GitHub is found in the graph ``main`` by what it is, on every engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from resources_graph_core import Address
from resources_graph_core.memory_graph import Access, MemoryGraph, Node, dispatch
from resources_graph_core.memory_graph.requests import Get, Link, Match, Put, Recall, Subgraph
from resources_graph_core.store import agent_memory, links, listings, resources, runs, touches
from resources_graph_core.touch import new_touch
from tests.examples import issue, pull_request, reference, repository

if TYPE_CHECKING:
    from resources_graph_core.graph import Graph

BEFORE = "2026-03-04T05:06:06Z"
NOW = "2026-03-04T05:06:07Z"
LATER = "2026-03-05T05:06:07Z"
RUN = "cli:test"
ISSUES = Address.of_listing("octo-org", "widgets", "issues")
ADMIN = Access(origin="admin", privileged=True, user="mona")
SECRET = "gh" + "p_" + "a1B2" * 9
REPOSITORY = "resource:R_octo-org/widgets"
LISTING = f"listing:{ISSUES.key}"
SESSION = "session:s1"
OWN = ("a", "note", "z")


def resource(number: int) -> str:
    return f"resource:N_octo-org/widgets_{number}"


def kept(label: str) -> str:
    return f"kept-{label}:{issue(1).address.key}/{label}"


IDS = sorted(
    [
        *OWN,
        *map(resource, range(1, 5)),
        *map(kept, ("task", "decision", "verdict")),
        *(REPOSITORY, LISTING, SESSION),
    ]
)


def fill(graph: Graph) -> None:
    """Some of everything that is joined to the graph, and three nodes of its own."""
    runs.start(graph, RUN, kind="cli", now=NOW)
    resources.store_repositories(graph, [repository()], fetched_at=NOW, run_id=RUN)
    one = issue(1, title="The Parser is slow", author="lisa")
    two = pull_request(2, title=f"Parse {SECRET}\u200b quickly", closes=(reference(one),))
    resources.store_items(graph, [one, two], fetched_at=NOW, run_id=RUN)
    three = issue(3, title="İlk ÇATAL fix", state="CLOSED")
    four = issue(4, title="Parse <|im_start|> [now]")
    resources.store_items(graph, [three, four], fetched_at=LATER, run_id=RUN)
    links.draw(graph, [item.node_id for item in (one, two, three, four)])
    listings.store(
        graph,
        ISSUES,
        [one.node_id],
        repository=repository().address.key,
        total_count=1,
        fetched_at=NOW,
    )
    touch = new_touch(one.address, session="s1", user="mona", discriminator="call-1")
    touches.record(graph, [touch])
    touches.resolve(graph, {touch.touch_id: one.node_id}, run_id=RUN)
    rows: dict[agent_memory.Label, dict[str, Any]] = {
        "Task": {"title": "Parse twice", "state": "doing", "metadata": '{"pull": 7}'},
        "Decision": {"summary": "Two passes", "rationale": "Simpler.", "created_at": NOW},
        "Verdict": {"ref": "octo-org/widgets#3", "verdict": "stale", "rationale": ""},
    }
    for label, row in rows.items():
        about = {"about": three.address.key}
        agent_memory.keep(graph, label, one.address.key, {label.lower(): about | row})
    handle = MemoryGraph(graph, access=Access(origin="ada"), clock=lambda: LATER)
    for name in OWN:
        handle.put(Put(id=name, kind="Issue", label=f"Parse {name}", attrs={"state": "OPEN"}))


@pytest.fixture
def memory(graph: Graph) -> MemoryGraph:
    fill(graph)
    return MemoryGraph(graph, access=ADMIN)


def found(handle: MemoryGraph, **asked: Any) -> list[str]:  # noqa: ANN401 - a request's parts
    return [node.id for node in handle.match(Match.model_validate(asked)).nodes]


def test_all_of_it_is_found_by_id(memory: MemoryGraph) -> None:
    assert found(memory) == IDS
    assert found(memory, limit=5) == IDS[:5]
    assert found(memory, ids=(LISTING, resource(1), "a", "resource:none")) == [
        *("a", LISTING, resource(1)),
    ]
    for name in IDS:
        assert memory.match(Match(ids=(name,))).nodes == (memory.get(Get(id=name)).node,)


def test_an_address_is_an_id_and_follows_its_move(graph: Graph, memory: MemoryGraph) -> None:
    graph.query(
        "MATCH (a:Resource {node_id: $a}) MATCH (b:Resource {node_id: $b}) "
        "CREATE (a)-[:MOVED_TO]->(b)",
        a="N_octo-org/widgets_3",
        b="N_octo-org/widgets_1",
    )
    asked = ("octo-org/widgets#3", "https://github.com/octo-org/widgets/pull/2", str(ISSUES))
    assert found(memory, ids=asked) == [LISTING, resource(1), resource(2)]
    assert found(memory, ids=asked, kind="PullRequest") == [resource(2)]
    assert found(memory, ids=("octo-org/widgets#99",)) == []


@pytest.mark.parametrize(
    ("kind", "ids"),
    [
        ("Issue", [*OWN[:2], *map(resource, (1, 3, 4)), OWN[2]]),
        ("PullRequest", [resource(2)]),
        ("Repository", [REPOSITORY]),
        ("Listing", [LISTING]),
        ("Session", [SESSION]),
        ("Task", [kept("task")]),
        ("Decision", [kept("decision")]),
        ("Verdict", [kept("verdict")]),
        ("Resource", []),
        ("Issue) DETACH DELETE (node", []),
    ],
)
def test_each_kind_is_found(memory: MemoryGraph, kind: str, ids: list[str]) -> None:
    assert found(memory, kind=kind) == ids
    assert found(memory, kind=kind, limit=1) == ids[:1]
    hits = memory.recall(Recall(match=Match(kind=kind), max_cost=0)).hits
    assert sorted(hit.id for hit in hits) == ids


def test_texts_of_strangers_are_found_as_they_are_shown(memory: MemoryGraph) -> None:
    assert resource(2) in found(memory, label_contains="PARSE [github")
    assert resource(2) in found(memory, label_contains="<u+200b> quick")
    assert resource(4) in found(memory, label_contains="parse <\\|im_start")
    assert found(memory, label_contains=SECRET) == []
    assert found(memory, label_contains="widgets#1 the parser") == [resource(1)]
    for part in ("çatal", "Çatal FIX", "i\u0307lk", "i\u0307LK ÇAT"):
        assert found(memory, label_contains=part) == [resource(3)]
    assert found(memory, label_contains="widgets#3: st") == [kept("verdict")]
    (told,) = memory.match(Match(ids=(resource(2),))).nodes
    assert SECRET not in told.model_dump_json()
    assert found(memory, label=told.label) == [resource(2)]


def test_what_of_an_engine_is_no_text_is_matched_too(memory: MemoryGraph) -> None:
    assert found(memory, attrs={"author": "lisa"}) == [resource(1)]
    assert found(memory, attrs={"metadata": {"pull": 7}}) == [kept("task")]
    assert found(memory, attrs={"total_count": 1}) == [LISTING]
    for none in ({"total_count": True}, {"author": None}, {"author": ["lisa"]}, {"of": 1}):
        assert found(memory, attrs=none) == []


def test_sessions_are_their_users(graph: Graph, memory: MemoryGraph) -> None:
    assert found(memory, kind="Session") == [SESSION]
    for user in (None, "lisa"):
        other = MemoryGraph(graph, access=Access(origin="x", user=user))
        assert found(other, kind="Session") == []
        assert found(other, ids=(SESSION,)) == []
        assert "Session" not in other.stats().crossings


def test_other_graphs_find_their_own_alone(graph: Graph, memory: MemoryGraph) -> None:
    other = MemoryGraph(graph, graph_id="other", access=ADMIN)
    other.put(Put(id="b", kind="Issue"))
    assert found(other) == ["b"]
    assert found(other, ids=(resource(1), "octo-org/widgets#1", "b")) == ["b"]
    assert other.stats().crossings == {}
    assert found(memory, kind="Listing") == [LISTING]


def test_a_walk_starts_at_what_is_matched(memory: MemoryGraph) -> None:
    memory.link(Link(src="note", dst=resource(1), rel="about"))
    match = Match(label_contains="parser is slow")
    hits = memory.recall(Recall(match=match, rels=("about",))).hits
    assert [hit.id for hit in hits] == [resource(1), "note"]
    drawn = memory.subgraph(Subgraph(match=match, rels=("about",)))
    assert [edge.rel for edge in drawn.edges] == ["about"]
    early = Recall(match=Match(kind="Issue"), as_of="2026-03-04T12:00:00Z", max_cost=0)
    assert [hit.id for hit in memory.recall(early).hits] == [resource(1)]


def test_more_than_a_page_is_found(graph: Graph) -> None:
    runs.start(graph, RUN, kind="cli", now=NOW)
    resources.store_repositories(graph, [repository()], fetched_at=NOW, run_id=RUN)
    items = [issue(number, title=f"Number {number % 2}") for number in range(1, 121)]
    resources.store_items(graph, items, fetched_at=NOW, run_id=RUN)
    memory = MemoryGraph(graph, access=ADMIN)
    every = sorted(map(resource, range(1, 121)))
    assert found(memory, kind="Issue", limit=500) == every
    assert found(memory, kind="Issue") == every[:50]
    odd = [name for name in every if int(name.rpartition("_")[2]) % 2]
    assert found(memory, label_contains="number 1", limit=200) == odd
    shown = {"start": "2026-01-01", "end": NOW}
    assert found(memory, kind="Issue", recorded_between=shown, limit=5) == []


def test_what_is_joined_is_counted_apart(memory: MemoryGraph) -> None:
    counted = dispatch(memory, "stats", {})
    assert (counted["nodes"], counted["kinds"]) == (3, {"Issue": 3})
    assert counted["origins"] == {"ada": 3}
    assert counted["crossings"] == {
        **dict.fromkeys(("Listing", "PullRequest", "Repository", "Session"), 1),
        **dict.fromkeys(("Decision", "Task", "Verdict"), 1),
        "Issue": 3,
    }


labels = st.sampled_from(
    ["parse", "PARSER IS", "#1 the", "octo-org", "ÇATAL", "two", ": stale", "[now]", "s1", "<|im"]
)
requests = st.fixed_dictionaries(
    {"limit": st.integers(1, 12)},
    optional={
        "ids": st.lists(st.sampled_from(IDS), max_size=6),
        "kind": st.sampled_from(["Issue", "PullRequest", "Listing", "Session", "Task", "file"]),
        "label_contains": labels,
        "attrs": st.sampled_from(
            [
                *({"state": "OPEN"}, {"state": "doing"}, {"fetched_at": NOW}, {"kept_in": "x"}),
            ]
        ),
        "origin": st.sampled_from(["github", "ada"]),
        "provenance": st.sampled_from(["observed", "claimed"]),
        "as_of": st.sampled_from([BEFORE, NOW, "2100-01-01"]),
        "recorded_between": st.sampled_from(
            [
                {"start": BEFORE, "end": LATER},
                {"start": NOW, "end": NOW},
                {"start": LATER, "end": "2100-01-01"},
            ]
        ),
    },
)


def expected(everything: list[Node], request: Match) -> list[str]:
    """What a match finds, told plainly."""
    between = request.recorded_between
    return [
        node.id
        for node in everything
        if (request.ids is None or node.id in request.ids)
        and request.kind in {None, node.kind}
        and (request.label_contains or "").casefold() in node.label.casefold()
        and (request.attrs or {}).items() <= {**node.attrs, "metadata": None}.items()
        and request.origin in {None, node.origin}
        and request.provenance in {None, node.provenance}
        and (request.as_of is None or node.recorded_at <= request.as_of)
        and (between is None or between.start <= node.recorded_at < between.end)
    ][: request.limit]


@settings(
    max_examples=1, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(asked=st.lists(requests, min_size=60, max_size=60))
def test_it_finds_what_a_plain_look_does(graph: Graph, asked: list[dict[str, Any]]) -> None:
    graph.query("MATCH (n) DETACH DELETE n")
    fill(graph)
    memory = MemoryGraph(graph, access=ADMIN)
    everything = [memory.get(Get(id=name)).node for name in IDS]
    full = [node for node in everything if isinstance(node, Node)]
    assert len(full) == len(IDS)
    for one in asked:
        assert found(memory, **one) == expected(full, Match.model_validate(one)), one
