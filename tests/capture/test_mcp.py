"""Tools of the GitHub MCP server, under whatever name a harness gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.capture import capture_mcp

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.capture import Context

OR = {"owner": "octo-org", "repo": "widgets"}
ISSUE = {**OR, "issue_number": 42}
PULL = {**OR, "pullNumber": 42}


@pytest.mark.parametrize(
    "prefix",
    [
        "",
        "mcp__github__",
        "mcp__gh__",
        "mcp__github-mcp-server__",
        "mcp__my_github__",
        "github-",
        "github-mcp-server-",
        "MCP:",
        "github_",
        "my-git_hub_",
        "github__",
        "github/",
    ],
)
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        *[
            ("issue_read", {**ISSUE, "method": method})
            for method in ("get", "get_comments", "get_sub_issues", "get_parent", "get_labels")
        ],
        *[
            ("pull_request_read", {**PULL, "method": method})
            for method in ("get", "get_diff", "get_status", "get_files", "get_commits")
        ],
        *[
            ("pull_request_read", {**PULL, "method": method})
            for method in ("get_review_comments", "get_reviews", "get_comments", "get_check_runs")
        ],
        ("get_issue", ISSUE),
        ("get_issue_comments", {**ISSUE, "page": 2}),
        ("get_pull_request", PULL),
        ("get_pull_request_diff", PULL),
        ("get_pull_request_files", PULL),
        ("get_pull_request_status", PULL),
        ("get_pull_request_comments", PULL),
        ("get_pull_request_reviews", PULL),
    ],
)
def test_what_reads_an_item(
    prefix: str,
    tool: str,
    arguments: dict[str, object],
    context: Callable[..., Context],
    shown: Callable[..., list[str]],
) -> None:
    assert shown(capture_mcp(prefix + tool, arguments, context())) == ["octo-org/widgets#42"]


@pytest.mark.parametrize("number", [42, "42", 42.0])
def test_a_number_as_models_write_it(
    number: object, context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    arguments = {**OR, "issue_number": number, "method": "get"}
    assert shown(capture_mcp("issue_read", arguments, context())) == ["octo-org/widgets#42"]


LISTS = [
    ("list_issues", {}, "issues?state=all [30]"),
    ("list_issues", {"state": "OPEN"}, "issues?state=open [30]"),
    ("list_issues", {"state": "CLOSED", "perPage": 10}, "issues?state=closed [10]"),
    ("list_issues", {"state": "open", "labels": ["bug"]}, "issues?labels=bug&state=open [30]"),
    (
        "list_issues",
        {"state": "OPEN", "labels": ["Area: x,y"]},
        "issues?labels=area:%20x%2Cy&state=open [30]",
    ),
    ("list_issues", {"state": "OPEN", "labels": []}, "issues?state=open [30]"),
    ("list_issues", {"orderBy": "CREATED_AT", "direction": "DESC"}, "issues?state=all [30]"),
    ("list_issues", {"state": "OPEN", "fields": ["title"]}, "issues?state=open [30]"),
    ("list_pull_requests", {}, "pulls?state=open [30]"),
    (
        "list_pull_requests",
        {"state": "closed", "perPage": 100, "page": 1},
        "pulls?state=closed [100]",
    ),
    (
        "list_pull_requests",
        {"state": "all", "sort": "created", "direction": "desc"},
        "pulls?state=all [30]",
    ),
    ("search_issues", {"query": "crash"}, "issues?state=all&q=crash [30]"),
    ("search_issues", {"query": "is:open label:bug"}, "issues?labels=bug&state=open [30]"),
    (
        "search_issues",
        {"query": "is:open label:bug", "sort": "created", "order": "desc"},
        "issues?labels=bug&state=open [30]",
    ),
    (
        "search_pull_requests",
        {"query": "is:merged author:mona", "perPage": 5},
        "pulls?author=mona&state=merged [5]",
    ),
]


@pytest.mark.parametrize(("tool", "arguments", "expected"), LISTS)
def test_what_lists(
    tool: str,
    arguments: dict[str, object],
    expected: str,
    context: Callable[..., Context],
    shown: Callable[..., list[str]],
) -> None:
    found = capture_mcp(f"mcp__github__{tool}", {**OR, **arguments}, context())
    assert shown(found) == [f"octo-org/widgets/{expected}"]


def test_a_search_names_its_repository_in_the_text(
    context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    found = capture_mcp("search_issues", {"query": "repo:o/r is:open"}, context())
    assert shown(found) == ["o/r/issues?state=open [30]"]
    older = capture_mcp("search_issues", {"q": "repo:o/r is:issue is:open"}, context())
    assert shown(older) == ["o/r/issues?state=open [30]"]


NOTHING = [
    ("add_issue_comment", {**ISSUE, "body": "x"}),
    ("issue_write", {**ISSUE, "method": "update"}),
    ("create_issue", {**OR, "title": "x"}),
    ("update_issue", ISSUE),
    ("sub_issue_write", ISSUE),
    ("create_pull_request", {**OR, "title": "x"}),
    ("update_pull_request", PULL),
    ("merge_pull_request", PULL),
    ("pull_request_review_write", PULL),
    ("add_comment_to_pending_review", PULL),
    ("request_copilot_review", PULL),
    ("assign_copilot_to_issue", ISSUE),
    ("get_file_contents", {**OR, "path": "README.md"}),
    ("list_commits", OR),
    ("list_branches", OR),
    ("search_code", {"query": "repo:o/r x"}),
    ("search_repositories", {"query": "x"}),
    ("get_discussion", {**OR, "discussionNumber": 5}),
    ("get_me", {}),
    ("issue_read", ISSUE),  # no method
    ("issue_read", {**ISSUE, "method": "update"}),
    ("issue_read", {**OR, "method": "get"}),
    ("issue_read", {"owner": "o", "issue_number": 5, "method": "get"}),
    ("issue_read", {"owner": 5, "repo": "r", "issue_number": 5, "method": "get"}),
    ("issue_read", {**OR, "issue_number": 0, "method": "get"}),
    ("issue_read", {**OR, "issue_number": True, "method": "get"}),
    ("issue_read", {**OR, "issue_number": 4.5, "method": "get"}),
    ("issue_read", {**OR, "issue_number": float("nan"), "method": "get"}),
    ("issue_read", {**OR, "issue_number": float("inf"), "method": "get"}),
    ("issue_read", {**OR, "issue_number": 2**31, "method": "get"}),
    ("issue_read", {**OR, "issue_number": "²", "method": "get"}),
    ("issue_read", {**OR, "issue_number": [42], "method": "get"}),
    ("issue_read", {"owner": "a/b", "repo": "r", "issue_number": 5, "method": "get"}),
    ("list_issues", {}),
    ("list_issues", {**OR, "labels": ["a", "b"]}),
    ("list_issues", {**OR, "labels": "bug"}),
    ("list_issues", {**OR, "since": "2026-01-01"}),
    ("list_issues", {**OR, "after": "cursor"}),
    ("list_issues", {**OR, "field_filters": [{"a": "b"}]}),
    ("list_issues", {**OR, "orderBy": "UPDATED_AT", "direction": "DESC"}),
    ("list_issues", {**OR, "orderBy": "CREATED_AT", "direction": "ASC"}),
    ("list_issues", {**OR, "state": "all"}),  # the older server's list mixed in pull requests
    ("list_issues", {**OR, "state": "OPEN", "page": 2}),
    ("list_issues", {**OR, "perPage": 0}),
    ("list_issues", {**OR, "perPage": 101}),
    ("list_issues", {**OR, "perPage": "x"}),
    ("list_pull_requests", {**OR, "head": "x:y"}),
    ("list_pull_requests", {**OR, "base": "main"}),
    ("list_pull_requests", {**OR, "sort": "updated"}),
    ("list_pull_requests", {**OR, "direction": "asc"}),
    ("list_pull_requests", {**OR, "page": 2}),
    ("list_pull_requests", {**OR, "state": "merged"}),
    ("search_issues", {"query": "crash"}),
    ("search_issues", {**OR, "query": "is:pr"}),
    ("search_issues", {**OR, "query": "repo:a/b"}),
    ("search_issues", {**OR, "query": "author:@me"}),
    ("search_issues", {**OR, "query": "x", "sort": "updated"}),
    ("search_issues", {**OR, "query": "x", "page": 3}),
    ("search_issues", {**OR, "q": "x"}),
    ("my_issue_reader", ISSUE),
    ("issue_read_all", {**ISSUE, "method": "get"}),
    ("", {}),
]


@pytest.mark.parametrize(("tool", "arguments"), NOTHING)
def test_what_reads_nothing_an_address_names(
    tool: str, arguments: dict[str, object], context: Callable[..., Context]
) -> None:
    assert capture_mcp(f"mcp__github__{tool}", arguments, context()) == []


@pytest.mark.parametrize(
    ("name", "server"),
    [("mcp__gitlab__get_issue", None), ("get_issue", "gitea"), ("linear_list_issues", None)],
)
def test_another_forge(name: str, server: str | None, context: Callable[..., Context]) -> None:
    assert capture_mcp(name, ISSUE, context(), server=server) == []


def test_the_shells_environment_is_not_the_servers(
    context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    around = context(environment={"GH_HOST": "ghe.corp.com"}, hosts=frozenset(["ghe.corp.com"]))
    assert shown(capture_mcp("get_issue", ISSUE, around)) == ["octo-org/widgets#42"]
