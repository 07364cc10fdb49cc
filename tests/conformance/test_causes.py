"""Touches and what made them, with the real ``actions-graph`` writing into the same graph.

A payload of Claude Code's goes to the hooks of both: to ours, which records the Touch, and to
theirs, which records the call. On a Bolt server ``actions-graph`` speaks through its own client; on
the embedded engine, which has no Bolt, its statements go through ours. Its ``setup`` is in
Memgraph's dialect, which ArcadeDB and FalkorDB refuse; all its other statements run on them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from actions_graph import ActionsGraph
from actions_graph.connector import ActionsGraphConnector
from memgraph_context_graph import AgentLink
from memgraph_context_graph.adapters.claude_code import ClaudeCodeHooksAdapter
from memgraph_toolbox.api.memgraph import Memgraph

from resources_graph_core import Address, harness
from resources_graph_core.clock import now
from resources_graph_core.config import Settings
from resources_graph_core.hook import sightings
from resources_graph_core.memory import Memory
from resources_graph_core.store import causes, touches
from resources_graph_core.touch import Touch, new_touch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from resources_graph_core.graph import Graph
    from tests.engines import Engine

PAYLOADS = Path(__file__).parents[1] / "harness/payloads/claude-code"
SESSION = "9f1c2a34-5b6d-4e7f-8a90-b1c2d3e4f501"
AGENT = "a3f9d0c2e7b1"
SETTINGS = Settings(
    graph_url="embedded:", user="mona", github_api_url="http://127.0.0.1:9", github_token="made-up"
)
BASH = "toolu_01EXAMPLEbash000000000001"


class OverOurConnection:
    """What ``actions-graph`` asks of its client, for an engine that its own cannot reach."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def query(self, query: str, params: dict[str, Any] | None = None) -> list[dict[str, Any]]:
        """Run a statement."""
        return self._graph.query(query, **(params or {}))


@pytest.fixture
def actions(graph: Graph, engine: Engine) -> Iterator[ActionsGraph]:
    """The real package, on the graph of the test."""
    if engine.name == "embedded":
        yield ActionsGraph(OverOurConnection(graph))
        return
    client = Memgraph(
        url=engine.url,
        username=engine.user or "",
        password=engine.password or "",
        database="resources" if engine.name == "arcadedb" else "memgraph",
    )
    actions = ActionsGraph(client)
    if engine.name == "memgraph":
        actions.setup()
    yield actions
    client.driver.close()


@pytest.fixture
def their_hook(actions: ActionsGraph) -> Callable[[str], None]:
    """Deliver a payload to their hook."""
    connecting = AgentLink()
    connecting.add_connector(ActionsGraphConnector(actions))
    adapter = ClaudeCodeHooksAdapter(connecting)

    def deliver(name: str) -> None:
        assert adapter.handle_payload(payload(name))

    return deliver


@pytest.fixture
def our_hook(graph: Graph, tmp_path: Path) -> Callable[[str], None]:
    """Deliver a payload to ours, as far as the Touches that it records."""

    def deliver(name: str) -> None:
        event = harness.read("claude-code", payload(name))
        assert event is not None
        wanted = sightings.fetched(event, None)
        made = sightings.touches(event, "FETCHED", wanted, folder=str(tmp_path), user="mona")
        assert touches.record(graph, list(made))

    return deliver


def payload(name: str) -> dict[str, Any]:
    """A payload of Claude Code's."""
    read: dict[str, Any] = json.loads((PAYLOADS / f"{name}.json").read_text())
    return read


def record(graph: Graph, session: str = SESSION, **known: str | None) -> Touch:
    """Record a Touch of a session, and return it."""
    address = Address.of_item("octo-org", "widgets", 1)
    touch = new_touch(address, session=session, user="mona", discriminator=str(known), **known)
    touches.record(graph, [touch])
    return touch


def caused(graph: Graph) -> list[tuple[str, str]]:
    """The Addresses touched and the calls that made the Touches."""
    rows = graph.query(
        "MATCH (touch:Touch)-[:CAUSED_BY]->(call:Action) "
        "RETURN touch.address AS address, call.tool_use_id AS call"
    )
    return sorted((row["address"], row["call"]) for row in rows)


def by_agents(graph: Graph) -> list[tuple[str, str]]:
    """The Addresses touched and the subagents that touched them."""
    rows = graph.query(
        "MATCH (touch:Touch)-[:BY_AGENT]->(agent:Agent) "
        "RETURN touch.address AS address, agent.agent_id AS agent"
    )
    return sorted((row["address"], row["agent"]) for row in rows)


def waiting(graph: Graph) -> int:
    """How many Touches wait for what made them."""
    rows = graph.query("MATCH (touch:Touch {awaiting: 'cause'}) RETURN count(touch) AS touches")
    return int(rows[0]["touches"])


def nodes(graph: Graph) -> dict[str, int]:
    """How many nodes of the other package there are."""
    return {
        label: graph.query(f"MATCH (node:{label}) RETURN count(node) AS nodes")[0]["nodes"]
        for label in ("Action", "Agent", "Session")
    }


def link(graph: Graph) -> int:
    """Link what waits, as the end of a Sweep does."""
    return Memory(graph, SETTINGS).link()


def test_the_call_came_first(
    graph: Graph, their_hook: Callable[[str], None], our_hook: Callable[[str], None]
) -> None:
    their_hook("PreToolUse-Bash")
    our_hook("PreToolUse-Bash")
    their_hook("PostToolUse-Bash")
    before = nodes(graph)
    assert link(graph) == 1
    assert caused(graph) == [("github:octo-org/widgets#42", BASH)]
    assert by_agents(graph) == []
    assert waiting(graph) == 0
    assert nodes(graph) == before


def test_the_touch_came_first(
    graph: Graph, their_hook: Callable[[str], None], our_hook: Callable[[str], None]
) -> None:
    our_hook("PreToolUse-Bash")
    assert link(graph) == 0
    assert caused(graph) == []
    assert waiting(graph) == 1
    assert nodes(graph) == {"Action": 0, "Agent": 0, "Session": 1}
    their_hook("PreToolUse-Bash")
    assert link(graph) == 1
    assert link(graph) == 0
    assert caused(graph) == [("github:octo-org/widgets#42", BASH)]
    assert waiting(graph) == 0


@pytest.mark.parametrize("ours_first", [False, True])
def test_what_a_subagent_did_is_linked_to_it(
    graph: Graph,
    their_hook: Callable[[str], None],
    our_hook: Callable[[str], None],
    *,
    ours_first: bool,
) -> None:
    if ours_first:
        our_hook("PreToolUse-in-subagent")
        link(graph)
    their_hook("SubagentStart")
    their_hook("PreToolUse-in-subagent")
    if not ours_first:
        our_hook("PreToolUse-in-subagent")
    link(graph)
    assert caused(graph) == [("github:octo-org/widgets#57", "toolu_01EXAMPLEsub0000000000001")]
    assert by_agents(graph) == [("github:octo-org/widgets#57", AGENT)]
    assert waiting(graph) == 0


def test_the_end_of_a_sweep_links(
    graph: Graph, their_hook: Callable[[str], None], our_hook: Callable[[str], None]
) -> None:
    our_hook("PreToolUse-Bash")
    their_hook("PreToolUse-Bash")
    memory = Memory(graph, SETTINGS)
    with memory.open_source() as source, memory.sweeper(source) as sweep:
        assert sweep.link() == 1
    assert caused(graph) == [("github:octo-org/widgets#42", BASH)]


def test_the_same_call_id_in_another_session_is_another_call(
    graph: Graph, actions: ActionsGraph, their_hook: Callable[[str], None]
) -> None:
    their_hook("PreToolUse-Bash")
    record(graph, "another-session", tool_use_id=BASH)
    assert link(graph) == 0
    actions.record_tool_call("another-session", "Bash", {}, tool_use_id=BASH)
    link(graph)
    rows = graph.query(
        "MATCH (:Touch)-[:CAUSED_BY]->(:Action)<-[:HAS_ACTION]-(session:Session) "
        "RETURN session.session_id AS session"
    )
    assert rows == [{"session": "another-session"}]


def test_a_result_is_no_cause(graph: Graph, their_hook: Callable[[str], None]) -> None:
    their_hook("PostToolUse-Bash")
    record(graph, tool_use_id=BASH)
    assert link(graph) == 0
    assert caused(graph) == []


def test_without_a_call_id_the_agents_name_is_enough(
    graph: Graph, their_hook: Callable[[str], None]
) -> None:
    record(graph, agent_name=AGENT)
    record(graph, "another-session", agent_name=AGENT)
    their_hook("SubagentStart")
    assert link(graph) == 1
    assert by_agents(graph) == [("github:octo-org/widgets#1", AGENT)]
    assert waiting(graph) == 1


def test_a_touch_that_names_no_cause_waits_for_none(graph: Graph) -> None:
    record(graph)
    assert waiting(graph) == 0


def test_a_touch_delivered_again_does_not_wait_again(
    graph: Graph, their_hook: Callable[[str], None], our_hook: Callable[[str], None]
) -> None:
    their_hook("PreToolUse-Bash")
    our_hook("PreToolUse-Bash")
    link(graph)
    our_hook("PreToolUse-Bash")
    assert waiting(graph) == 0


def test_waiting_ends_when_nothing_comes(graph: Graph) -> None:
    touch = record(graph, tool_use_id=BASH)
    causes.link_waiting(graph, now())
    assert waiting(graph) == 1
    causes.link_waiting(graph, touch.at.replace(touch.at[:4], str(int(touch.at[:4]) + 1)))
    assert waiting(graph) == 0


def test_a_touch_can_be_linked_after_its_wait(
    graph: Graph, their_hook: Callable[[str], None]
) -> None:
    touch = record(graph, tool_use_id=BASH)
    graph.query("MATCH (touch:Touch) SET touch.awaiting = null")
    their_hook("PreToolUse-Bash")
    assert link(graph) == 0
    assert causes.link(graph, [touch.touch_id]) == 1
    assert caused(graph) == [("github:octo-org/widgets#1", BASH)]
