"""The fault table: what goes wrong on GitHub's side, what the Sweep did, where Touches stand."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
import stamina

from resources_graph_core.errors import GitHubAuthError, GitHubError, GitHubUnavailable
from resources_graph_core.github import Limits, open_source
from resources_graph_core.sandbox import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from resources_graph_core.memory import Memory
    from resources_graph_core.sandbox import Sandbox

FIRST, SECOND, THIRD = "octo-org/widgets#1", "octo-org/widgets#2", "octo-org/gadgets#1"
TOUCHED = (FIRST, SECOND, THIRD)
ALWAYS = 1000

State = tuple[str, str | None]
RESOLVED: State = ("resolved", None)
PENDING: State = ("pending", None)
LIMITED: State = ("unresolved", "rate_limited")
NOT_FOUND: State = ("unresolved", "not_found")
NOT_PUBLIC: State = ("unresolved", "not_public")


@dataclass(frozen=True)
class Row:
    """A fault, and what comes of it for three Touches of new items, in the order of ``TOUCHED``.

    ``raised`` is what ended the Sweep. ``attempts`` are what each Touch has behind it; where it is
    tried again it is pending. With ``repositories_known`` the first question is about the items.
    ``said`` is part of what the first Touch tells.
    """

    name: str
    provoke: Callable[[Sandbox], object]
    states: tuple[State, State, State] = (RESOLVED, RESOLVED, RESOLVED)
    raised: type[GitHubError] | None = None
    limited: bool = False
    attempts: tuple[int, int, int] = field(default=(0, 0, 0))
    repositories_known: bool = False
    said: str = ""


def _answer(
    status: int = 200, *, times: int = 1, headers: dict[str, str] | None = None, **body: object
) -> Callable[[Sandbox], None]:
    refusal = Refusal(status, json.dumps(body), headers=headers or {})
    return lambda sandbox: sandbox.faults.answer_next(refusal, times=times, api="graphql")


def _errors(*kinds: str, times: int = 1, message: str = "It went wrong") -> Callable[..., None]:
    """An answer with these errors about the whole document, and nothing in it."""
    errors = [{"type": kind, "message": message} for kind in kinds]
    return _answer(times=times, data=None, errors=errors)


def _errors_of(second: str) -> Callable[..., None]:
    """An answer in which the second of the three is null, with this error."""
    errors = [{"type": second, "message": "It went wrong", "path": ["n1", "item"]}]
    return _answer(data={"n0": None, "n1": None, "n2": None}, errors=errors)


def _without_comments() -> dict[str, object]:
    """An issue that is whole, but for its comments, which are null."""
    empty = {"totalCount": 0, "pageInfo": {"hasNextPage": False, "endCursor": None}, "nodes": []}
    repository = {"id": "R_1", "nameWithOwner": "octo-org/widgets", "visibility": "PUBLIC"}
    written = {
        "id": "I_1",
        "url": "https://github.com/octo-org/widgets/issues/1",
        "body": "",
        "author": None,
        "authorAssociation": "NONE",
        "createdAt": "2026-01-01T00:00:00Z",
        "updatedAt": "2026-01-01T00:00:00Z",
    }
    item = {
        "__typename": "Issue",
        **written,
        "number": 1,
        "title": "A title",
        "locked": False,
        "closedAt": None,
        "milestone": None,
        "repository": repository,
        "reactions": {"totalCount": 0},
        "labels": empty,
        "assignees": empty,
        "comments": None,
        "timelineItems": empty,
        "state": "OPEN",
        "stateReason": None,
        "subIssuesSummary": {"total": 0, "completed": 0},
    }
    return {**repository, "issueOrPullRequest": item}


def _rename_and_transfer(sandbox: Sandbox) -> None:
    sandbox.state.rename_repository("octo-org/widgets", "else/where")
    sandbox.state.rename_repository("else/where", "else/here")
    number = sandbox.state.transfer_item("else/here", 1, "octo-org/gadgets")
    sandbox.state.transfer_item("octo-org/gadgets", number, "else/here")


ONE_LIMITED = (LIMITED, PENDING, PENDING)
ALL_PENDING = (PENDING, PENDING, PENDING)
RETRIED = {"states": ALL_PENDING, "attempts": (1, 1, 1)}

IP_LIST = "Although you appear to have the correct authorization, the IP allow list is enabled"
SAML = "Resource protected by organization SAML enforcement."
PERMISSION = "Resource not accessible by personal access token"

TABLE = [
    Row("401", _answer(401, message="Bad credentials"), ALL_PENDING, GitHubAuthError),
    Row(
        "primary limit",
        lambda sandbox: sandbox.faults.points_left(0, api="graphql"),
        ONE_LIMITED,
        limited=True,
    ),
    Row("200 RATE_LIMITED", _errors("RATE_LIMITED"), ONE_LIMITED, limited=True),
    Row("200 RATE_LIMIT", _errors("RATE_LIMIT"), ONE_LIMITED, limited=True),
    Row("200 graphql_rate_limit", _errors("graphql_rate_limit"), ONE_LIMITED, limited=True),
    *(
        Row(
            f"secondary limit, {status}, retry-after {after}",
            lambda sandbox, status=status, after=after: sandbox.faults.secondary_limit(
                status=status, retry_after=after
            ),
            ONE_LIMITED,
            limited=True,
        )
        for status in (403, 429)
        for after in (30, None)
    ),
    Row(
        "secondary limit, 200",
        _errors("", message="You have exceeded a secondary rate limit"),
        ONE_LIMITED,
        limited=True,
    ),
    Row(
        "secondary limit, 200 with retry-after",
        _answer(
            headers={"Retry-After": "30"},
            errors=[{"message": "You have exceeded a secondary rate limit"}],
        ),
        ONE_LIMITED,
        limited=True,
    ),
    Row(
        "single sign-on, 403, for everything",
        _answer(403, times=ALWAYS, message=SAML, headers={"X-GitHub-SSO": "required"}),
        ALL_PENDING,
        GitHubUnavailable,
    ),
    Row(
        "single sign-on",
        lambda sandbox: sandbox.state.set_access("octo-org/gadgets", "saml"),
    ),
    Row(
        "hidden from the token",
        lambda sandbox: sandbox.state.set_access("octo-org/gadgets", "hidden"),
        (RESOLVED, RESOLVED, NOT_FOUND),
    ),
    Row(
        "private",
        lambda sandbox: sandbox.state.set_visibility("octo-org/gadgets", "PRIVATE"),
        (RESOLVED, RESOLVED, NOT_PUBLIC),
    ),
    Row(
        "FORBIDDEN and NOT_FOUND at once",
        _answer(
            data={"n0": None, "n1": None, "n2": None},
            errors=[{"type": "FORBIDDEN", "message": "no", "path": [f"n{n}"]} for n in (0, 1, 2)]
            + [{"type": "NOT_FOUND", "message": "no", "path": ["n1"]}],
        ),
        (NOT_PUBLIC, NOT_PUBLIC, NOT_PUBLIC),
        repositories_known=True,
    ),
    Row(
        "deleted, 410",
        lambda sandbox: sandbox.state.delete_item("octo-org/widgets", 1),
        (NOT_FOUND, RESOLVED, RESOLVED),
    ),
    Row(
        "became a discussion",
        lambda sandbox: sandbox.state.delete_item("octo-org/widgets", 1, "discussion"),
        (NOT_FOUND, RESOLVED, RESOLVED),
    ),
    Row("301 chain", _rename_and_transfer),
    Row(
        "partial data, RESOURCE_LIMITS_EXCEEDED",
        _errors_of("RESOURCE_LIMITS_EXCEEDED"),
        (PENDING, RESOLVED, PENDING),  # null without an error is an answer of the wrong shape
        attempts=(1, 0, 1),
        repositories_known=True,
    ),
    Row("MAX_NODE_LIMIT_EXCEEDED once", _errors("MAX_NODE_LIMIT_EXCEEDED")),
    Row("too heavy together", lambda sandbox: setattr(sandbox.faults, "heavy_above_nodes", 2500)),
    Row("too heavy alone", _errors("MAX_NODE_LIMIT_EXCEEDED", times=ALWAYS), **RETRIED),
    *(
        Row(
            f"{status} once",
            lambda sandbox, status=status: sandbox.faults.bad_gateway(status=status),
        )
        for status in (502, 503, 504)
    ),
    Row(
        "502 without end",
        lambda sandbox: sandbox.faults.bad_gateway(times=ALWAYS),
        ALL_PENDING,
        GitHubUnavailable,
    ),
    Row("cut body once", lambda sandbox: sandbox.faults.cut_body(api="graphql")),
    Row(
        "cut bodies without end",
        lambda sandbox: sandbox.faults.cut_body(times=ALWAYS, api="graphql"),
        ALL_PENDING,
        GitHubUnavailable,
    ),
    Row(
        "a null connection in good data",
        _answer(data={f"n{n}": _without_comments() for n in range(3)}),
        repositories_known=True,
        said="issueOrPullRequest.Issue.comments",
        **RETRIED,
    ),
    Row("wrong shape", _answer(times=ALWAYS, data={"surprise": 1}), **RETRIED),
    Row(
        "422",
        _answer(422, times=ALWAYS, message="Validation failed"),
        ALL_PENDING,
        GitHubUnavailable,
    ),
    Row("IP allow-list, 403, for a while", _answer(403, message=IP_LIST)),
    Row("missing permission, 403, for a while", _answer(403, message=PERMISSION)),
    Row(
        "IP allow-list, 403, for everything",
        _answer(403, times=ALWAYS, message=IP_LIST),
        ALL_PENDING,
        GitHubUnavailable,
    ),
    Row(
        "missing permission, 403, for everything",
        _answer(403, times=ALWAYS, message=PERMISSION),
        ALL_PENDING,
        GitHubUnavailable,
    ),
    Row("unknown error once", _errors("SOMETHING_NEW")),
    Row(
        "unknown error without end",
        _errors("SOMETHING_NEW", times=ALWAYS),
        ALL_PENDING,
        GitHubUnavailable,
    ),
]


@pytest.fixture(autouse=True)
def _without_pauses() -> Iterator[None]:
    with stamina.set_testing(True, attempts=100, cap=True):
        yield


@pytest.mark.parametrize("row", TABLE, ids=[row.name for row in TABLE])
def test_what_the_sweep_did_and_where_each_touch_stands(
    memory: Memory, sandbox: Sandbox, row: Row
) -> None:
    if row.repositories_known:
        memory.touch_many(["octo-org/widgets", "octo-org/gadgets"], session="before")
        assert memory.sweep().resolved == 2
        memory.forget("before")
    memory.touch_many(TOUCHED)
    # Touches of one second come in any order.
    memory.graph.query(
        "UNWIND $rows AS row MATCH (t:Touch {address: row.address}) SET t.at = row.at",
        rows=[
            {"address": f"github:{text}", "at": f"2026-01-0{day}T00:00:00Z"}
            for day, text in enumerate(TOUCHED, start=1)
        ],
    )
    row.provoke(sandbox)
    raised: GitHubError | None = None
    limits = Limits(longest_wait=0)
    with open_source(sandbox.url, "made-up", limits=limits) as source:
        try:
            with memory.sweeper(source) as sweep:
                report = sweep.run()
        except GitHubError as error:
            raised, report = error, sweep.report
    touches = {one["address"].removeprefix("github:"): one for one in memory.touches()}
    states = tuple((touches[key]["status"], touches[key].get("reason")) for key in TOUCHED)
    assert states == row.states
    assert tuple(touches[key].get("attempts") or 0 for key in TOUCHED) == row.attempts
    assert row.said in (touches[FIRST].get("error") or "")
    assert type(raised) is (row.raised or type(None)), raised
    assert (report.retry_at is not None) is row.limited
    assert report.resolved == states.count(RESOLVED)
    assert report.left == states.count(PENDING) + states.count(LIMITED)
    expected = [reason for status, reason in states if status == "unresolved"]
    assert report.unresolved == {reason: expected.count(reason) for reason in set(expected)}
    for text, state in zip(TOUCHED, states, strict=True):
        assert (memory.read(text).outcome == "hit") is (state == RESOLVED)
    # Once GitHub behaves, everything that waits is there.
    sandbox.faults.clear()
    memory.graph.query("MATCH (t:Touch) WHERE t.retry_at IS NOT NULL SET t.retry_at = '2026'")
    assert memory.sweep().left == 0
    waited = states.count(PENDING) + states.count(LIMITED)
    assert memory.status().touches.get("resolved", 0) == states.count(RESOLVED) + waited
