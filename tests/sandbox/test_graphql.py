"""The sandbox's GraphQL answers as GitHub's does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from resources_graph_core.sandbox import graphql
from resources_graph_core.sandbox.archive import load_archive
from resources_graph_core.sandbox.state import State
from tests.archives import archived, archived_comment, write_archive

if TYPE_CHECKING:
    from pathlib import Path

LIMIT = graphql.Limit(5000, 4999, "2026-01-01T00:00:00Z")
REPOSITORY = 'repository(owner: "octo-org", name: "widgets")'


@pytest.fixture
def state(tmp_path: Path) -> State:
    review = {
        **archived_comment("well done", author="hubot"),
        "id": "R_1",
        "state": "APPROVED",
        "comments": [archived_comment("here", path="a.py", originalPosition=3)],
    }
    comments = [archived_comment(f"comment {n}") for n in range(130)]
    file = write_archive(
        tmp_path,
        issues=[
            archived(1, comments=comments, labels=["bug"], author=None),
            archived(2, labels=["bug", "ui"], assignees=["mona"]),
            archived(3, state="CLOSED", labels=["ui"]),
        ],
        pulls=[archived(4, body="Fixes #1", reviews=[review]), archived(5, state="MERGED")],
    )
    return State([load_archive(file)])


def ask(state: State, document: str, **variables: object) -> dict[str, Any]:
    cost = graphql.price(document, variables)
    answer: dict[str, Any] = graphql.answer(state, document, variables, cost, LIMIT)
    return answer


def data(state: State, document: str, **variables: object) -> Any:  # noqa: ANN401 - JSON
    answer = ask(state, document, **variables)
    assert "errors" not in answer, answer["errors"]
    return answer["data"]


def test_a_connection_is_paged_to_its_end(state: State) -> None:
    document = (
        f"query($after: String) {{ {REPOSITORY} {{ issue(number: 1) {{ comments(first: 100, "
        "after: $after) { totalCount pageInfo { hasNextPage endCursor } nodes { body } } } } }"
    )
    first = data(state, document)["repository"]["issue"]["comments"]
    assert (first["totalCount"], len(first["nodes"])) == (130, 100)
    assert first["pageInfo"]["hasNextPage"]
    after = first["pageInfo"]["endCursor"]
    second = data(state, document, after=after)["repository"]["issue"]["comments"]
    assert [node["body"] for node in second["nodes"]] == [f"comment {n}" for n in range(100, 130)]
    assert not second["pageInfo"]["hasNextPage"]


@pytest.mark.parametrize(
    ("bounds", "kind"),
    [
        ("", "MISSING_PAGINATION_BOUNDARIES"),
        ("(first: 101)", "EXCESSIVE_PAGINATION"),
        ('(first: 1, after: "nonsense")', "INVALID_CURSOR_ARGUMENTS"),
    ],
)
def test_pages_have_bounds(state: State, bounds: str, kind: str) -> None:
    answer = ask(state, f"{{ {REPOSITORY} {{ issues{bounds} {{ totalCount }} }} }}")
    assert [error["type"] for error in answer["errors"]] == [kind]


def test_a_deleted_author_is_null_and_the_rest_is_there(state: State) -> None:
    found = data(state, f"{{ {REPOSITORY} {{ issue(number: 1) {{ author {{ login }} title }} }} }}")
    assert found["repository"]["issue"] == {"author": None, "title": "Number 1"}


def test_what_is_not_there_is_null_with_an_error_beside_the_rest(state: State) -> None:
    answer = ask(
        state,
        f"{{ {REPOSITORY} {{ name issueOrPullRequest(number: 99) {{ __typename }} }} "
        'other: repository(owner: "no", name: "where") { id } }',
    )
    assert answer["data"] == {
        "repository": {"name": "widgets", "issueOrPullRequest": None},
        "other": None,
    }
    assert {(error["type"], *error["path"]) for error in answer["errors"]} == {
        ("NOT_FOUND", "repository", "issueOrPullRequest"),
        ("NOT_FOUND", "other"),
    }


def test_one_bad_id_among_nodes_is_null_in_its_place(state: State) -> None:
    answer = ask(state, '{ nodes(ids: ["N_2", "no such id"]) { id ... on Issue { number } } }')
    assert answer["data"]["nodes"] == [{"id": "N_2", "number": 2}, None]
    assert answer["errors"][0]["path"] == ["nodes", 1]


@pytest.mark.parametrize(
    ("arguments", "numbers"),
    [
        ("states: [OPEN]", [2, 1]),
        ("states: [CLOSED]", [3]),
        ('labels: ["bug", "ui"]', [3, 2, 1]),
        ('filterBy: {labels: ["ui"], states: [OPEN]}', [2]),
        ('filterBy: {assignee: "mona"}', [2]),
        ("filterBy: {assignee: null}", [3, 1]),
        ('filterBy: {assignee: "*"}', [2]),
        ('filterBy: {createdBy: "MONA"}', [3, 2]),
    ],
)
def test_issue_lists_filter_as_githubs_do(state: State, arguments: str, numbers: list[int]) -> None:
    order = "orderBy: {field: CREATED_AT, direction: DESC}"
    issues = f"issues(first: 10, {order}, {arguments}) {{ nodes {{ number }} }}"
    found = data(state, f"{{ {REPOSITORY} {{ {issues} }} }}")
    assert [node["number"] for node in found["repository"]["issues"]["nodes"]] == numbers


def test_merged_is_a_state_of_its_own(state: State) -> None:
    found = data(
        state,
        f"{{ {REPOSITORY} {{ closed: pullRequests(first: 9, states: [CLOSED]) {{ totalCount }} "
        "merged: pullRequests(first: 9, states: [MERGED]) { totalCount } } }",
    )
    assert found["repository"] == {"closed": {"totalCount": 0}, "merged": {"totalCount": 1}}


def test_reviews_threads_and_references_follow_from_the_archive(state: State) -> None:
    found = data(
        state,
        f"{{ {REPOSITORY} {{ pullRequest(number: 4) {{ reviewDecision "
        "reviews(first: 5) { nodes { state body comments(first: 5) { nodes { path } } } } "
        "reviewThreads(first: 5) { nodes { path isResolved } } "
        "closingIssuesReferences(first: 5) { nodes { number } } } "
        "issue(number: 1) { timelineItems(first: 5, itemTypes: [CROSS_REFERENCED_EVENT]) "
        "{ nodes { ... on CrossReferencedEvent { willCloseTarget source { ... on PullRequest "
        "{ number } } } } } } } }",
    )["repository"]
    pull = found["pullRequest"]
    assert pull["reviewDecision"] == "APPROVED"
    assert pull["reviews"]["nodes"][0]["comments"]["nodes"] == [{"path": "a.py"}]
    assert pull["reviewThreads"]["nodes"] == [{"path": "a.py", "isResolved": False}]
    assert pull["closingIssuesReferences"]["nodes"] == [{"number": 1}]
    assert found["issue"]["timelineItems"]["nodes"] == [
        {"willCloseTarget": True, "source": {"number": 4}}
    ]


def test_a_cost_is_computed_before_a_document_is_run(state: State) -> None:
    document = (
        f"{{ rateLimit {{ cost nodeCount remaining }} {REPOSITORY} {{ issues(first: 100) {{ nodes "
        "{ comments(first: 100) { totalCount } } } } }"
    )
    assert data(state, document)["rateLimit"] == {"cost": 1, "nodeCount": 10100, "remaining": 4999}
    huge = document.replace("totalCount", "nodes { reactions(first: 100) { totalCount } }")
    assert ask(state, huge)["errors"][0]["type"] == "MAX_NODE_LIMIT_EXCEEDED"


@pytest.mark.parametrize("document", ["{", "{ nonsense }", "query($n: Int!) { viewer { login } }"])
def test_a_document_that_is_none_is_refused(state: State, document: str) -> None:
    answer = ask(state, document)
    assert answer["errors"]
    assert not answer.get("data")
