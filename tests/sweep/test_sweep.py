"""Sweeps against the sandbox: what becomes of each Touch, whatever GitHub does."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import pytest

from resources_graph_core import GitHubAuthError, GitHubUnavailable, UsageError
from resources_graph_core.config import Settings
from resources_graph_core.errors import GraphQueryError
from resources_graph_core.github.graphql_source import GraphQLSource
from resources_graph_core.memory import Memory
from resources_graph_core.sandbox import Refusal, Sandbox
from resources_graph_core.store import touches
from tests.archives import archived, write_archive

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from resources_graph_core.address import Address
    from resources_graph_core.github.source import Fetched
    from resources_graph_core.graph import Graph
    from resources_graph_core.sweep import SweepEvent

REPOSITORY = "octo-org/widgets"


def _closed_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def states(memory: Memory) -> dict[str, tuple[str, str | None]]:
    return {row["address"]: (row["status"], row.get("reason")) for row in memory.touches()}


def test_a_touched_item_is_swept_and_read_back_whole(memory: Memory) -> None:
    memory.touch(f"{REPOSITORY}#1")
    report = memory.sweep()
    assert (report.resolved, report.unresolved, report.fetched, report.left) == (1, {}, 1, 0)
    read = memory.read("https://github.com/octo-org/widgets/issues/1")
    assert (read.outcome, read.kind) == ("hit", "Issue")
    assert read.resource["title"] == "Number 1"
    assert [comment["body"] for comment in read.comments] == [f"comment {n}" for n in range(3)]
    assert read.resource["fetched_at"] >= read.resource["updated_at"]
    assert memory.read(REPOSITORY).outcome == "hit"


def test_a_pull_request_is_linked_to_what_it_closes(memory: Memory) -> None:
    memory.touch_many([f"{REPOSITORY}#4", f"{REPOSITORY}#1"])
    assert memory.sweep().linked == 2
    rows = memory.graph.query(
        "MATCH (a:PullRequest)-[edge:CLOSES|REFERENCES]->(b:Issue) "
        "RETURN type(edge) AS type, a.number AS source, b.number AS target ORDER BY type"
    )
    assert [tuple(row.values()) for row in rows] == [("CLOSES", 4, 1), ("REFERENCES", 4, 1)]


def test_an_address_touched_often_is_fetched_once(memory: Memory, sandbox: Sandbox) -> None:
    memory.touch_many([f"{REPOSITORY}#1"] * 5)
    assert memory.sweep().resolved == 5
    sandbox.requests.clear()
    assert memory.sweep().resolved == 0
    assert sandbox.requests.total == 0


def test_a_repository_touched_with_its_items_is_fetched_once(
    memory: Memory, sandbox: Sandbox
) -> None:
    memory.touch_many([f"{REPOSITORY}#1", REPOSITORY, f"{REPOSITORY}#2"])
    assert memory.sweep().resolved == 3
    asked = [request.name for request in sandbox.requests.all]
    assert asked.count("Repositories") == asked.count(f"GET /repos/{REPOSITORY}/readme") == 1


def test_a_listing_is_read_back_in_githubs_order(memory: Memory) -> None:
    memory.touch("octo-org/widgets/issues?state=open", limit=30)
    assert memory.sweep().resolved == 1
    read = memory.read("octo-org/widgets/issues?state=open", limit=10)
    assert (read.outcome, read.kind) == ("hit", "Listing")
    assert [member["number"] for member in read.members] == [2, 1]
    assert read.resource["fully_expanded"] is True
    assert memory.read(f"{REPOSITORY}#2").outcome == "hit"


def test_a_truncated_listing_answers_only_shorter_asks(memory: Memory) -> None:
    memory.touch("octo-org/widgets/issues?state=open", limit=1)
    memory.sweep()
    assert memory.read("octo-org/widgets/issues?state=open", limit=1).outcome == "hit"
    assert memory.read("octo-org/widgets/issues?state=open", limit=2).outcome == "miss"
    assert memory.read("octo-org/widgets/issues?state=open").outcome == "miss"


def test_an_empty_listing_is_stored_as_empty(memory: Memory) -> None:
    memory.touch("octo-org/gadgets/pulls?state=all", limit=30)
    assert memory.sweep().resolved == 1
    read = memory.read("octo-org/gadgets/pulls?state=all")
    assert (read.outcome, read.members) == ("hit", [])


def test_each_reason_is_kept_with_its_touch(memory: Memory, sandbox: Sandbox) -> None:
    sandbox.state.set_visibility("octo-org/gadgets", "PRIVATE")
    memory.touch_many([f"{REPOSITORY}#99", "octo-org/gadgets#1", "no/where", f"{REPOSITORY}#1"])
    report = memory.sweep()
    assert report.unresolved == {"not_found": 2, "not_public": 1}
    assert states(memory) == {
        "github:octo-org/widgets#99": ("unresolved", "not_found"),
        "github:octo-org/gadgets#1": ("unresolved", "not_public"),
        "github:no/where": ("unresolved", "not_found"),
        "github:octo-org/widgets#1": ("resolved", None),
    }
    assert memory.read("octo-org/gadgets#1").outcome == "miss"


def test_an_unreadable_touch_stops_nothing(memory: Memory) -> None:
    memory.touch_many([f"{REPOSITORY}#1", f"{REPOSITORY}#2"])
    memory.graph.query(
        "MATCH (t:Touch {address: $key}) SET t.address = 'github:octo-org/widgets#0'",
        key="github:octo-org/widgets#2",
    )
    report = memory.sweep()
    assert (report.resolved, report.unresolved, report.left) == (1, {"failed": 1}, 0)


def test_a_limit_leaves_the_rest_for_its_time(memory: Memory, sandbox: Sandbox) -> None:
    memory.touch_many([f"{REPOSITORY}#1", f"{REPOSITORY}#2"])
    sandbox.faults.points_left(0, api="graphql")
    report = memory.sweep()
    assert report.resolved == 0
    assert report.retry_at is not None
    assert report.left == 2
    assert set(states(memory).values()) == {
        ("unresolved", "rate_limited"),
        ("pending", None),
    }
    sandbox.faults.clear()
    waiting = memory.graph.query(
        "MATCH (t:Touch {reason: 'rate_limited'}) SET t.retry_at = $past RETURN count(t) AS n",
        past="2026-01-01T00:00:00Z",
    )
    assert waiting == [{"n": 1}]
    assert memory.sweep().resolved == 2


def test_a_rejected_token_leaves_every_touch_pending(memory: Memory) -> None:
    memory.touch(f"{REPOSITORY}#1")
    settings = Settings(
        graph_url="embedded:",
        user="mona",
        github_api_url=memory.settings.github_api_url,
        github_token="another",
    )
    with pytest.raises(GitHubAuthError):
        Memory(memory.graph, settings).sweep()
    assert states(memory) == {"github:octo-org/widgets#1": ("pending", None)}
    assert memory.sweep().resolved == 1


def test_an_unreachable_github_leaves_every_touch_pending(
    memory: Memory,
) -> None:
    memory.touch_many([f"{REPOSITORY}#1", "octo-org/widgets/issues?state=open"])
    settings = Settings(
        graph_url="embedded:",
        user="mona",
        github_api_url=f"http://127.0.0.1:{_closed_port()}",
        github_token="made-up",
    )
    with pytest.raises(GitHubUnavailable, match="GITHUB_API_URL"):
        Memory(memory.graph, settings).sweep()
    assert set(states(memory).values()) == {("pending", None)}
    (run,) = memory.status().runs
    assert "GITHUB_API_URL" in run["error"]


def test_what_was_only_mentioned_is_not_fetched_again(memory: Memory, sandbox: Sandbox) -> None:
    memory.touch(f"{REPOSITORY}#1")
    memory.sweep()
    sandbox.requests.clear()
    memory.touch(f"{REPOSITORY}#1", provenance="PROMPTED")
    assert memory.sweep().resolved == 1
    assert sandbox.requests.total == 0


def test_a_cache_read_is_recorded_and_causes_nothing(memory: Memory, sandbox: Sandbox) -> None:
    memory.touch(f"{REPOSITORY}#1")
    memory.sweep()
    sandbox.requests.clear()
    assert memory.read(f"{REPOSITORY}#1", session="s1").recorded
    assert memory.read(f"{REPOSITORY}#2", session="s1").outcome == "miss"
    assert memory.sweep().resolved == 0
    assert sandbox.requests.total == 0
    assert [row["outcome"] for row in memory.touches(session="s1")] in (
        ["miss", "hit"],
        ["hit", "miss"],
    )


def test_a_miss_says_that_github_knew_nothing_there(memory: Memory) -> None:
    memory.touch(f"{REPOSITORY}#99")
    before = memory.read(f"{REPOSITORY}#99").note
    memory.sweep()
    after = memory.read(f"{REPOSITORY}#99")
    assert after.outcome == "miss"
    assert "GitHub knew nothing at this address" in str(after.note)
    assert before == memory.read(f"{REPOSITORY}#98").note != after.note


def test_a_forgotten_session_is_refused_not_passed_over(memory: Memory) -> None:
    memory.touch(f"{REPOSITORY}#1", session="s1")
    assert memory.forget("s1") == 1
    with pytest.raises(UsageError, match="Session 's1' was forgotten"):
        memory.touch(f"{REPOSITORY}#1", session="s1")
    with pytest.raises(UsageError, match="Name another session"):
        memory.touch_many([f"{REPOSITORY}#1"], session="s1")
    assert memory.read(f"{REPOSITORY}#1", session="s1").recorded is False
    assert memory.touches(session="s1") == []


def test_each_address_is_told_as_it_is_done(memory: Memory) -> None:
    told: list[SweepEvent] = []
    memory.touch_many([f"{REPOSITORY}#1", f"{REPOSITORY}#99"])
    memory.sweep(on_event=told.append)
    assert {(event.kind, str(event.address), event.reason) for event in told} == {
        ("fetched", "octo-org/widgets#1", None),
        ("unresolved", "octo-org/widgets#99", "not_found"),
    }


def test_what_keeps_failing_is_tried_a_few_times_and_then_given_up(
    memory: Memory, sandbox: Sandbox
) -> None:
    memory.touch(f"{REPOSITORY}#1")
    garbage = Refusal(body='{"data": {"surprise": 1}}')
    for _ in range(4):
        sandbox.faults.answer_next(garbage, times=100, api="graphql")
        report = memory.sweep()
        sandbox.faults.clear()
        assert (report.resolved, report.left) == (0, 1)
    sandbox.faults.answer_next(garbage, times=100, api="graphql")
    assert memory.sweep().unresolved == {"failed": 1}
    (row,) = memory.touches()
    assert (row["attempts"], row["reason"]) == (5, "failed")
    assert row["error"]


def test_a_limit_of_one_account_or_api_is_no_other_ones(
    embedded_graph: Graph, tmp_path: Path
) -> None:
    """Whoever logs in, takes another token or asks another API need not wait."""
    archive = write_archive(tmp_path, issues=[archived(1), archived(2)])
    with Sandbox([archive]) as one, Sandbox([archive]) as other:

        def memory_of(api_url: str, token: str | None) -> Memory:
            settings = Settings(
                graph_url="embedded:", user="mona", github_api_url=api_url, github_token=token
            )
            return Memory(embedded_graph, settings)

        first = memory_of(one.url, "first")
        for api, token in (("graphql", "first"), ("rest", None)):
            one.faults.points_left(0, api=api)  # type: ignore[arg-type]
            memory = memory_of(one.url, token)
            memory.touch(f"{REPOSITORY}#{1 if token else 2}")
            assert memory.sweep().resolved == 0
        one.faults.clear()

        limits = first.status().limits
        assert sum(limit.touches for limit in limits) == 1
        assert "first" not in repr(limits)
        assert first.forecast().limits == tuple(limits)
        assert memory.sweep().resolved == 0, "strangers wait still"
        assert list(memory.limited_hosts()) == ["github.com"]
        assert first.limited_hosts() == {}
        assert memory_of(other.url, None).limited_hosts() == {}
        assert memory_of(other.url, None).sweep().resolved == 2


def test_what_the_graph_refuses_of_one_touch_holds_up_no_other(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve = touches.resolve

    def refusing(graph: Graph, targets: dict[str, str], **more: Any) -> int:  # noqa: ANN401
        if "N_2" in targets.values():
            raise GraphQueryError("The graph engine refused a statement: made up")
        return resolve(graph, targets, **more)

    monkeypatch.setattr(touches, "resolve", refusing)
    memory.touch_many(f"{REPOSITORY}#{number}" for number in (1, 2, 3, 4))
    report = memory.sweep()
    assert report.resolved == 3
    waiting = [row for row in memory.touches() if row["status"] != "resolved"]
    assert [row["address"] for row in waiting] == [f"github:{REPOSITORY}#2"]
    assert "made up" in waiting[0]["error"]


def test_after_ctrl_c_nothing_more_is_asked(
    memory: Memory, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.touch(f"{REPOSITORY}#1")
    memory.sweep()
    sandbox.state.delete_item(REPOSITORY, 1)
    memory.touch_many([f"{REPOSITORY}#1", f"{REPOSITORY}#2"])
    fetch = GraphQLSource.fetch

    def interrupted(source: GraphQLSource, addresses: Sequence[Address]) -> Iterator[Fetched]:
        yield from fetch(source, [one for one in addresses if one.number == 1])
        sandbox.requests.clear()
        raise KeyboardInterrupt

    monkeypatch.setattr(GraphQLSource, "fetch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        memory.sweep()
    assert sandbox.requests.total == 0
    monkeypatch.undo()
    assert memory.sweep().withdrawn == 1
