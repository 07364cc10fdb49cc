"""Limits and faults, by the answers that they give."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from resources_graph_core.sandbox.answering import GitHub, Incoming
from resources_graph_core.sandbox.archive import load_archive, packaged_archives
from resources_graph_core.sandbox.faults import Faults, Refusal
from resources_graph_core.sandbox.state import State

TOKEN = "right"
NUMBERS = """{ repository(owner: "octo-org", name: "widgets") {
  issues(first: 3) { nodes { number labels(first: 5) { totalCount nodes { name } } } } } }"""


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = datetime(2030, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


class World:
    """The packaged GitHub with a clock of its own, asked without HTTP."""

    def __init__(self) -> None:
        self.clock = Clock()
        archives = [load_archive(path) for path in packaged_archives()]
        self.state = State(archives, clock=self.clock)
        self.faults = Faults(clock=self.clock)
        self.github = GitHub(self.state, self.faults, token=TOKEN)

    def ask(
        self,
        path: str,
        document: str | None = None,
        *,
        token: str | None = TOKEN,
        user_agent: str = "tests",
        **headers: str,
    ) -> tuple[Refusal, int]:
        """The answer and what it cost."""
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        incoming = Incoming(
            method="POST" if document else "GET",
            path=path,
            query={},
            headers={**headers, "user-agent": user_agent},
            body=json.dumps({"query": document}).encode() if document else b"",
            base_url="http://127.0.0.1:1",
        )
        answer = self.github.answer(incoming)
        return answer.refusal, answer.request.points


@pytest.fixture
def world() -> World:
    """A sandbox that behaves so far."""
    return World()


def body_of(refusal: Refusal) -> Any:  # noqa: ANN401 - JSON
    return json.loads(refusal.body)


def test_who_asks_must_say_so(world: World) -> None:
    assert world.ask("/rate_limit", user_agent="")[0].status == 403
    assert world.ask("/user", token="wrong")[0].status == 401
    assert world.ask("/graphql", NUMBERS, token="wrong")[0].status == 401
    assert world.ask("/graphql", NUMBERS, token=None)[0].status == 401
    assert world.ask("/repos/octo-org/widgets", token=None)[0].status == 200


@pytest.mark.parametrize("path", ["/graphql", "/api/graphql"])
def test_graphql_is_served_under_both_paths(world: World, path: str) -> None:
    assert "errors" not in body_of(world.ask(path, NUMBERS)[0])


def test_enterprise_links_stay_under_its_path(world: World) -> None:
    answer, _ = world.ask("/api/v3/repos/octo-org/widgets/issues")
    assert 'rel="next"' in answer.headers["link"]
    assert "http://127.0.0.1:1/api/v3/repos/" in answer.headers["link"]


def test_strangers_have_sixty_requests_an_hour(world: World) -> None:
    world.faults.limit_as_github()
    statuses = [world.ask("/repos/octo-org/widgets", token=None)[0].status for _ in range(61)]
    assert statuses == [200] * 60 + [403]
    answer, _ = world.ask("/repos/octo-org/widgets")
    assert (answer.status, answer.headers["x-ratelimit-limit"]) == (200, "5000")
    world.clock.now += timedelta(hours=1)
    assert world.ask("/repos/octo-org/widgets", token=None)[0].status == 200


def test_what_did_not_change_is_free_with_a_token(world: World) -> None:
    first, points = world.ask("/repos/octo-org/widgets")
    assert points == 1
    unchanged = {"if-none-match": first.headers["etag"]}
    again, points = world.ask("/repos/octo-org/widgets", **unchanged)
    assert (again.status, again.body, points) == (304, "", 0)
    assert again.headers["x-ratelimit-used"] == "1"
    stranger, points = world.ask("/repos/octo-org/widgets", token=None, **unchanged)
    assert (stranger.status, points) == (304, 1)


def test_points_run_out_and_come_back(world: World) -> None:
    world.faults.points_left(1, api="graphql", resets_in=600)
    answer, _ = world.ask("/graphql", NUMBERS)
    assert answer.headers["x-ratelimit-remaining"] == "0"
    over, points = world.ask("/graphql", NUMBERS)
    assert (over.status, points) == (200, 0)
    assert body_of(over)["errors"][0]["type"] == "RATE_LIMIT"
    assert over.headers["x-ratelimit-reset"] == str(int(world.clock.now.timestamp()) + 600)
    world.clock.now += timedelta(seconds=600)
    assert "errors" not in body_of(world.ask("/graphql", NUMBERS)[0])


def test_heavy_documents_end_as_html(world: World) -> None:
    world.faults.time_out_above(17)
    heavy, points = world.ask("/graphql", NUMBERS)
    assert (heavy.status, heavy.content_type, points) == (502, "text/html", 1)
    world.faults.time_out_above(18)
    assert world.ask("/graphql", NUMBERS)[0].status == 200


@pytest.mark.parametrize("retry_after", [None, 7])
@pytest.mark.parametrize("status", [200, 403, 429])
def test_secondary_limits(world: World, status: int, retry_after: int | None) -> None:
    world.faults.secondary_limit(retry_after=retry_after, status=status, times=2, api="rest")
    for _ in range(2):
        answer, _ = world.ask("/repos/octo-org/widgets")
        assert answer.status == status
        assert "secondary rate limit" in body_of(answer)["message"]
        assert answer.headers.get("retry-after") == (None if retry_after is None else "7")
    assert "full_name" in body_of(world.ask("/repos/octo-org/widgets")[0])


def test_connections_break_with_an_error_or_quietly(world: World) -> None:
    world.faults.break_connections("labels")
    broken = body_of(world.ask("/graphql", NUMBERS)[0])
    issues = broken["data"]["repository"]["issues"]["nodes"]
    assert [issue["labels"] for issue in issues] == [None, None, None]
    assert {error["type"] for error in broken["errors"]} == {"RESOURCE_LIMITS_EXCEEDED"}
    assert broken["errors"][0]["path"] == ["repository", "issues", "nodes", 0, "labels"]

    world.faults.break_connections("labels", error=None)
    quiet = body_of(world.ask("/graphql", NUMBERS)[0])
    assert quiet["data"]["repository"]["issues"]["nodes"][0]["labels"] is None
    assert "errors" not in quiet
    whole = body_of(world.ask("/graphql", NUMBERS)[0])
    assert whole["data"]["repository"]["issues"]["nodes"][0]["labels"] is not None


def test_a_connection_that_may_not_be_null_takes_its_parent_along(world: World) -> None:
    world.faults.break_connections("issues")
    assert body_of(world.ask("/graphql", NUMBERS)[0])["data"] == {"repository": None}


def test_clearing_makes_all_well_again(world: World) -> None:
    world.faults.bad_gateway(times=9)
    world.faults.cut_body(times=9)
    world.faults.slow_down(5)
    world.faults.time_out_above(0)
    world.faults.break_connections("issues", times=9)
    world.faults.points_left(0, api="graphql")
    world.faults.clear()
    assert world.faults.latency_seconds == 0
    assert "errors" not in body_of(world.ask("/graphql", NUMBERS)[0])


def test_mentions_from_hidden_repositories_are_not_told(world: World) -> None:
    world.state.add_comment("octo-org/gadgets", 1, "see octo-org/widgets#1")
    document = """{ repository(owner: "octo-org", name: "widgets") { issueOrPullRequest(number: 1) {
      ... on Issue { timelineItems(first: 100, itemTypes: [CROSS_REFERENCED_EVENT]) {
        nodes { ... on CrossReferencedEvent { source { ... on Issue { url }
          ... on PullRequest { url } } } } } } } } }"""
    assert "octo-org/gadgets" in world.ask("/graphql", document)[0].body
    world.state.set_access("octo-org/gadgets", "hidden")
    hidden, _ = world.ask("/graphql", document)
    assert "timelineItems" in hidden.body
    assert "octo-org/gadgets" not in hidden.body
