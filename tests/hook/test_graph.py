"""A hook and the graph: Touches, Cache Reads and Nudges when it is up, the spool when it is not."""

from __future__ import annotations

import io
import json
import os
import select
import socket
import time
from typing import TYPE_CHECKING, Any

import pytest

from resources_graph_core import answer_line, failures, hook, open_memory
from resources_graph_core.graph import embedded, quick
from resources_graph_core.hook import errand, silence, starting
from resources_graph_core.lockfile import LockFile
from resources_graph_core.spool import Spool
from resources_graph_core.touch import Touch
from tests.hook.conftest import bash

if TYPE_CHECKING:
    from pathlib import Path

    from resources_graph_core.graph import Graph, Row
    from tests.engines import ArcadeServer
    from tests.hook.conftest import StartHook

ITEM = "github:octo-org/widgets#12"
OPEN_ISSUES = "github:octo-org/widgets/issues?state=open"
CLOSED_ISSUES = "github:octo-org/widgets/issues?state=closed"


def run(payload: bytes, name: str = "claude-code", event: str | None = None) -> Any:  # noqa: ANN401 - JSON
    said = io.BytesIO()
    assert hook.main([name] if event is None else [name, event], io.BytesIO(payload), said) == 0
    return json.loads(said.getvalue()) if said.getvalue() else None


def touches(graph: Graph) -> list[Row]:
    return [
        row["touch"]
        for row in graph.query(
            "MATCH (user:User)-[:HAD_SESSION]->(session:Session)<-[:IN_SESSION]-(touch:Touch) "
            "RETURN touch {.*, session: session.session_id, user: user.user_id} AS touch, "
            "touch.address AS address ORDER BY address"
        )
    ]


def store_item(graph: Graph) -> None:
    graph.query(
        "CREATE (:Resource:Issue {node_id: 'I_12', address: $address, number: 12, "
        "fetched_at: '2026-11-30T10:00:00Z', updated_at: '2026-11-01T00:00:00Z'})",
        address=ITEM,
    )


def test_a_fetch_is_one_touch_in_the_graph_however_often_it_is_told(
    on_engine: Graph, home: Path
) -> None:
    for _ in range(3):
        assert run(bash("gh issue view 12 -R Octo-Org/Widgets")) is None
    (touch,) = touches(on_engine)
    expected = {
        "address": ITEM,
        "address_kind": "item",
        "provenance": "FETCHED",
        "status": "pending",
        "session": "s1",
        "user": "mona",
        "tool_use_id": "call-1",
    }
    assert touch.items() >= expected.items()
    assert not Spool(home).holds_anything()
    assert failures.recent(home) == []


def test_a_prompt_is_a_touch_too(on_engine: Graph) -> None:
    payload = {
        "hook_event_name": "UserPromptSubmit",
        "session_id": "s1",
        "prompt_id": "p1",
        "prompt": "look at octo-org/widgets#12 and https://github.com/octo-org/gadgets",
    }
    run(json.dumps(payload).encode())
    assert [(one["address"], one["provenance"]) for one in touches(on_engine)] == [
        ("github:octo-org/gadgets", "PROMPTED"),
        (ITEM, "PROMPTED"),
    ]


def test_nothing_is_written_of_a_forgotten_session(on_engine: Graph, home: Path) -> None:
    run(bash("gh issue view 12 -R octo-org/widgets"))
    with open_memory() as memory:
        assert memory.forget("s1") == 1
    run(bash("gh issue view 13 -R octo-org/widgets", call="call-2"))
    assert touches(on_engine) == []
    assert not Spool(home).holds_anything()


def test_forgetting_reaches_the_spool(on_engine: Graph, home: Path) -> None:
    assert Spool(home).append([waiting(1), waiting(2, session="other")])
    with open_memory() as memory:
        assert memory.forget("s1") == 1
        assert memory.drain_spool().written == 1
    assert [one["session"] for one in touches(on_engine)] == ["other"]


def nudge_of(command: str) -> str | None:
    said = run(bash(command))
    if said is None:
        return None
    answer = said["hookSpecificOutput"]
    assert answer.keys() == {"hookEventName", "additionalContext"}  # and no decision
    context: str = answer["additionalContext"]
    return context


def test_before_a_fetch_of_what_memory_holds_there_is_a_line(on_engine: Graph) -> None:
    store_item(on_engine)
    line = nudge_of("gh issue view 12 -R octo-org/widgets && gh issue view 13 -R octo-org/widgets")
    assert line is not None
    assert line.startswith("octo-org/widgets#12 is in memory: fetched ")
    assert line.count("\n") == 0
    assert len(touches(on_engine)) == 2


def test_nothing_is_said_of_what_memory_lacks(on_engine: Graph) -> None:
    store_item(on_engine)
    on_engine.query("MATCH (r:Resource) SET r.fetched_at = null")  # withdrawn
    assert nudge_of("gh issue view 12 -R octo-org/widgets") is None
    assert nudge_of("gh issue view 13 -R octo-org/widgets") is None


@pytest.mark.parametrize(
    ("stored", "complete", "asked", "told"),
    [(30, False, 30, True), (30, False, 31, False), (30, True, 100, True), (30, False, 5, True)],
)
def test_a_list_is_told_of_when_it_holds_as_many_as_are_asked_for(
    on_engine: Graph, *, stored: int, complete: bool, asked: int, told: bool
) -> None:
    on_engine.query(
        "CREATE (:Listing {key: $key, fetched_at: '2026-11-30T10:00:00Z', "
        "member_count: $stored, fully_expanded: $complete})",
        key=OPEN_ISSUES,
        stored=stored,
        complete=complete,
    )
    line = nudge_of(f"gh issue list -R octo-org/widgets --limit {asked}")
    assert (line is not None) is told


def test_a_list_is_told_of_as_part_of_a_wider_one(on_engine: Graph) -> None:
    on_engine.query(
        "CREATE (:Listing {key: $key, fetched_at: '2026-11-30T10:00:00Z', "
        "member_count: 3, fully_expanded: true})",
        key=OPEN_ISSUES,
    )
    line = nudge_of("gh issue list -R octo-org/widgets --label bug") or ""
    assert line.startswith(
        "octo-org/widgets/issues?labels=bug&state=open is in memory as part of "
        "octo-org/widgets/issues?state=open (subsumed): fetched "
    )
    assert nudge_of("gh issue list -R octo-org/widgets --state all") is None


@pytest.mark.parametrize(
    ("name", "event", "payload", "said"),
    [
        (
            "cursor",
            "preToolUse",
            {"conversation_id": "s1", "tool_name": "Fetch", "tool_use_id": "t"},
            {"permission", "additional_context"},
        ),
        (
            "copilot-cli",
            "preToolUse",
            {"sessionId": "s1", "toolName": "web_fetch", "timestamp": 1},
            {"additionalContext"},
        ),
        (
            "grok",
            None,
            {"hookEventName": "pre_tool_use", "sessionId": "s1", "toolName": "web_fetch"},
            {"hookSpecificOutput"},
        ),
        (
            "antigravity",
            "PostToolUse",
            {"conversationId": "s1", "toolCall": {"name": "read_url_content"}, "stepIdx": 3},
            set(),
        ),
    ],
)
def test_each_harness_is_told_in_its_own_words(
    on_engine: Graph, name: str, event: str | None, payload: dict[str, Any], said: set[str]
) -> None:
    store_item(on_engine)
    url = "https://github.com/octo-org/widgets/issues/12"
    match name:
        case "copilot-cli":
            payload |= {"toolArgs": {"url": url}}
        case "grok":
            payload |= {"toolInput": {"url": url}}
        case "antigravity":
            payload["toolCall"] |= {"args": {"Url": url}}
        case _:
            payload |= {"tool_input": {"url": url}}
    answer = run(json.dumps(payload).encode(), name, event)
    assert answer is not None
    assert answer.keys() == said
    assert ("is in memory" in json.dumps(answer)) is bool(said)
    assert [one["address"] for one in touches(on_engine)] == [ITEM]


def after_reading(answer: str, *, limit: int | None = None) -> bytes:
    arguments: dict[str, object] = {"address": "whatever"}
    return json.dumps(
        {
            "hook_event_name": "PostToolUse",
            "session_id": "s1",
            "tool_name": "mcp__resources-graph__resource",
            "tool_input": arguments if limit is None else {**arguments, "limit": limit},
            "tool_response": [{"type": "text", "text": answer}],
            "tool_use_id": "read-1",
        }
    ).encode()


@pytest.mark.parametrize(
    ("line", "outcome", "served_from"),
    [
        (answer_line.write("hit", ITEM, more="issue, open"), "hit", ITEM),
        (answer_line.write("miss", ITEM), "miss", None),
        (
            answer_line.write(
                "subsumed", "github:o/r/issues?labels=bug&state=open", served_from=OPEN_ISSUES
            ),
            "subsumed",
            OPEN_ISSUES,
        ),
        (
            answer_line.write(
                "subsumed",
                "github:octo-org/widgets/issues?state=all",
                served_from=f"{OPEN_ISSUES}+{CLOSED_ISSUES}",
            ),
            "subsumed",
            f"{OPEN_ISSUES}+{CLOSED_ISSUES}",
        ),
    ],
)
def test_an_answer_of_our_own_tool_is_a_cache_read(
    on_engine: Graph, line: str, outcome: str, served_from: str | None
) -> None:
    store_item(on_engine)
    for _ in range(2):
        assert run(after_reading(f"{line}\n\nA title")) is None
    (touch,) = touches(on_engine)
    assert touch["served_from_memory"] is True
    assert (touch["outcome"], touch.get("served_from")) == (outcome, served_from)
    assert touch.get("status") is None
    edges = on_engine.query("MATCH (:Touch)-[edge:TOUCHED]->(:Resource) RETURN count(edge) AS n")
    assert edges == [{"n": 1 if served_from == ITEM else 0}]


@pytest.mark.parametrize(
    "answer", ["", "hit", "hit o/r#1", "Error: no such tool", "hit github:?#1"]
)
def test_an_answer_of_another_tool_of_that_name_is_none(on_engine: Graph, answer: str) -> None:
    assert run(after_reading(answer)) is None
    assert touches(on_engine) == []


def waiting(number: int, *, session: str = "s1") -> Touch:
    return Touch(
        touch_id=f"{number:032x}",
        session_id=session,
        user_id="mona",
        address=f"github:octo-org/widgets#{number}",
        address_kind="item",
        provenance="FETCHED",
        at="2026-11-30T22:25:00Z",
    )


def test_after_its_own_touch_a_hook_takes_along_some_of_the_spool(
    on_engine: Graph, home: Path
) -> None:
    spool = Spool(home)
    assert spool.append(waiting(number) for number in range(100, 100 + errand.DRAINED + 10))
    run(bash("gh issue view 12 -R octo-org/widgets"))
    assert len(touches(on_engine)) == errand.DRAINED + 1
    assert len(spool.pending()) == 10
    with open_memory() as memory:
        assert memory.drain_spool().written == 10
    assert len(touches(on_engine)) == errand.DRAINED + 11


def test_a_touch_that_the_graph_refuses_keeps_no_other_back(on_engine: Graph, home: Path) -> None:
    assert Spool(home).append([waiting(1), waiting(2).changed(limit=2**70), waiting(3)])
    with open_memory() as memory:
        report = memory.drain_spool()
    assert (report.written, report.left) == (2, 1)
    assert len(touches(on_engine)) == 2


def test_the_spool_is_drained_only_into_the_graph_that_hooks_write_to(
    on_engine: Graph, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Spool(home).append([waiting(1)])
    with open_memory() as memory:
        monkeypatch.setenv("RESOURCES_GRAPH_URL", "bolt://127.0.0.1:1")
        memory.drain_spool()
    assert touches(on_engine) == []
    assert len(Spool(home).pending()) == 1


@pytest.mark.parametrize("way", ["pymgclient", "driver"])
def test_a_server_is_reached_through_either_client(
    arcadedb: ArcadeServer, home: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    engine = arcadedb.engine
    monkeypatch.setenv("RESOURCES_GRAPH_URL", engine.url)
    monkeypatch.setenv("MEMGRAPH_USER", engine.user or "")
    monkeypatch.setenv("MEMGRAPH_PASSWORD", engine.password or "")
    monkeypatch.setattr(errand, "SECONDS", 60.0)  # on a busy machine too
    monkeypatch.setattr(errand, "LATEST", 60.0)
    if way == "driver":
        monkeypatch.setattr(quick, "QuickServer", quick.QuickDriver)
    with engine.open() as graph:
        graph.query("MATCH (n) DETACH DELETE n")
        store_item(graph)
        line = nudge_of("gh issue view 12 -R octo-org/widgets")
        assert failures.recent(home) == []
        assert line is not None
        assert [one["address"] for one in touches(graph)] == [ITEM]
    assert not Spool(home).holds_anything()


def test_a_server_that_accepts_and_says_nothing_is_given_up(
    home: Path, monkeypatch: pytest.MonkeyPatch, start_hook: StartHook
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        monkeypatch.setenv("RESOURCES_GRAPH_URL", f"bolt://127.0.0.1:{port}")
        process = start_hook(bash("gh issue view 12 -R octo-org/widgets"))
        assert process.communicate(timeout=60) == (b"", b"")
    assert process.returncode == 0
    assert [one.address for one in Spool(home).pending()] == [ITEM]
    assert "in time" in failures.recent(home)[-1].message


def test_a_server_that_keeps_hooks_waiting_is_left_alone_for_a_while(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked_by_a_hook() -> bool:
        assert run(bash("gh issue view 12 -R octo-org/widgets")) is None
        asked = False
        while select.select([listener], [], [], 0)[0]:
            listener.accept()[0].close()
            asked = True
        return asked

    monkeypatch.setattr(silence, "SECONDS", 3600.0)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        monkeypatch.setenv("RESOURCES_GRAPH_URL", f"bolt://127.0.0.1:{port}")
        assert asked_by_a_hook()
        assert not asked_by_a_hook()
        os.utime(home / silence.MARK_NAME, (0, 0))
        assert asked_by_a_hook()
        assert not asked_by_a_hook()
    assert [one.address for one in Spool(home).pending()] == [ITEM] * 4


def test_settings_that_cannot_be_read_lose_no_touch(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.mkdir()
    (home / "config.toml").write_text("nonsense")
    monkeypatch.setenv("RESOURCES_GRAPH_USER", "mona")
    assert run(bash("gh issue view 12 -R octo-org/widgets")) is None
    assert [(one.address, one.user_id) for one in Spool(home).pending()] == [(ITEM, "mona")]
    assert failures.recent(home)[-1].kind == "ConfigError"


def test_hosts_and_login_come_from_the_settings(on_engine: Graph, home: Path) -> None:
    (home / "config.toml").write_text(
        "[github]\nhosts = 'git.example.org, ghe.corp.com'\nlogin = 'mona'\n"
    )
    run(bash("gh issue view 5 -R ghe.corp.com/o/r", call="1"))
    run(bash("gh issue view 5 -R other.example.org/o/r", call="2"))
    run(bash("gh issue list -R o/r --author @me", call="3"))
    assert [one["address"] for one in touches(on_engine)] == [
        "github:ghe.corp.com/o/r#5",
        "github:o/r/issues?author=mona&state=open",
    ]


def test_an_engine_that_does_not_run_is_started_for_the_next_hook(
    home: Path, monkeypatch: pytest.MonkeyPatch, start_hook: StartHook
) -> None:
    monkeypatch.setenv("RESOURCES_GRAPH_USER", "mona")
    process = start_hook(bash("gh issue view 12 -R octo-org/widgets"))
    assert process.communicate(timeout=60) == (b"", b"")
    assert len(Spool(home).pending()) == 1
    folder = home / "graph"
    with LockFile(str(home / starting.LOCK_NAME), seconds=60) as lock:  # the starter is done
        assert lock.held
    assert embedded.find(folder) is not None
    process = start_hook(bash("gh issue view 13 -R octo-org/widgets", call="call-2"))
    assert process.communicate(timeout=60) == (b"", b"")
    assert not Spool(home).holds_anything()
    with open_memory() as memory:
        assert [one["address"] for one in touches(memory.graph)] == [
            ITEM,
            "github:octo-org/widgets#13",
        ]
    assert failures.recent(home) == []


def test_an_engine_that_cannot_start_is_tried_now_and_then(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.mkdir()
    monkeypatch.setattr(starting, "_PROGRAM", "pass")
    folder = str(home / "graph")
    assert starting.in_background(folder, str(home))
    with LockFile(str(home / starting.LOCK_NAME), seconds=60) as lock:
        assert lock.held
    assert not starting.in_background(folder, str(home))
    monkeypatch.setattr(time, "time", lambda: 1e12)
    assert starting.in_background(folder, str(home))
