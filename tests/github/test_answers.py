"""Every row of the table of what GitHub's answers mean."""

from __future__ import annotations

import re

import pytest

from resources_graph_core.clock import after
from resources_graph_core.errors import (
    GitHubAuthError,
    GitHubError,
    GitHubUnavailable,
    NotFound,
    NotPublic,
    RateLimited,
)
from resources_graph_core.github.answers import (
    CUT_BODY,
    RULES,
    UNKNOWN_ERROR,
    WRONG_SHAPE,
    Answer,
    QueryError,
    cut_body,
    error_for,
    message_in,
    query_error_for,
    rule_for,
    wrong_shape,
)
from resources_graph_core.github.problems import Heavy, Passing, SingleSignOn

RESET = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1796083200"}
RESET_TIME = "2026-12-01T00:00:00Z"

HTTP_ANSWERS: list[tuple[str, int, dict[str, str], str, type[GitHubError]]] = [
    ("token rejected", 401, {}, "Bad credentials", GitHubAuthError),
    ("primary limit", 403, RESET, "API rate limit exceeded", RateLimited),
    ("primary limit", 429, RESET, "", RateLimited),
    ("secondary limit with Retry-After", 403, {"retry-after": "30"}, "", RateLimited),
    ("secondary limit with Retry-After", 429, {"retry-after": "30", **RESET}, "", RateLimited),
    (
        "secondary limit",
        403,
        {"x-ratelimit-remaining": "4000"},
        "You have exceeded a secondary rate limit.",
        RateLimited,
    ),
    ("too many requests", 429, {}, "", RateLimited),
    ("single sign-on", 403, {"x-github-sso": "required; url=…"}, "", SingleSignOn),
    (
        "single sign-on",
        403,
        {},
        "Resource protected by organization SAML enforcement.",
        SingleSignOn,
    ),
    ("IP allow-list", 403, {}, "the organization has an IP allow list enabled", NotPublic),
    (
        "missing permission",
        403,
        {"x-ratelimit-remaining": "10"},
        "Resource not accessible by personal access token",
        NotPublic,
    ),
    ("blocked", 403, {}, "Repository access blocked", NotPublic),
    (
        "forbidden otherwise",
        403,
        {},
        "Request forbidden by administrative rules",
        GitHubUnavailable,
    ),
    ("moved", 301, {}, "Moved Permanently", GitHubUnavailable),
    ("unknown, or hidden from strangers", 404, {}, "Not Found", NotFound),
    ("deleted, or turned off", 410, {}, "This issue was deleted", NotFound),
    ("blocked for legal reasons", 451, {}, "Repository access blocked", NotPublic),
    (
        "search in a repository that cannot be searched",
        422,
        {},
        "The listed users and repositories cannot be searched",
        NotFound,
    ),
    ("refused as invalid", 422, {}, "Validation Failed", GitHubUnavailable),
    ("bad gateway, unavailable, timed out", 502, {}, "", Passing),
    ("bad gateway, unavailable, timed out", 503, {}, "", Passing),
    ("bad gateway, unavailable, timed out", 504, {}, "", Passing),
    ("any other status", 500, {}, "", GitHubUnavailable),
    ("any other status", 418, {}, "I am a teapot", GitHubUnavailable),
]


@pytest.mark.parametrize(("rule", "status", "headers", "message", "kind"), HTTP_ANSWERS)
def test_what_an_http_answer_means(
    rule: str, status: int, headers: dict[str, str], message: str, kind: type[GitHubError]
) -> None:
    answer = Answer(status, headers, message)
    assert rule_for(answer).name == rule
    error = error_for(answer, "o/r#1")
    assert type(error) is kind
    assert str(error)


QUERY_ERRORS: list[tuple[str, QueryError, type[GitHubError]]] = [
    ("primary limit", QueryError("RATE_LIMITED", "API rate limit exceeded"), RateLimited),
    ("primary limit", QueryError("RATE_LIMIT", "API rate limit already exceeded"), RateLimited),
    ("primary limit", QueryError("graphql_rate_limit", "exceeded"), RateLimited),
    ("secondary limit", QueryError("", "You have exceeded a secondary rate limit."), RateLimited),
    ("single sign-on", QueryError("FORBIDDEN", "protected by SAML", ("n0",)), SingleSignOn),
    ("missing permission", QueryError("FORBIDDEN", "Resource not accessible", ("n0",)), NotPublic),
    ("IP allow-list", QueryError("FORBIDDEN", "the IP allow list is enabled"), NotPublic),
    ("missing permission", QueryError("INSUFFICIENT_SCOPES", "needs read:org"), NotPublic),
    (
        "unknown, or hidden from strangers",
        QueryError("NOT_FOUND", "Could not resolve", ("n0",)),
        NotFound,
    ),
    ("too large", QueryError("RESOURCE_LIMITS_EXCEEDED", "too many resources"), Heavy),
    ("too large", QueryError("MAX_NODE_LIMIT_EXCEEDED", "over 500,000 nodes"), Heavy),
    ("refused as invalid", QueryError("undefinedField", "no field x"), GitHubUnavailable),
    (UNKNOWN_ERROR.name, QueryError("SOMETHING_NEW", "never seen"), Passing),
    (
        "a GraphQL error of an unknown kind",
        QueryError("", "Something went wrong while executing it."),
        Passing,
    ),
]


@pytest.mark.parametrize(("rule", "error", "kind"), QUERY_ERRORS)
def test_what_an_error_in_a_graphql_answer_means(
    rule: str, error: QueryError, kind: type[GitHubError]
) -> None:
    assert rule_for(error).name == rule
    assert type(query_error_for(error, {}, "o/r#1")) is kind


def test_what_is_wrong_with_a_good_status() -> None:
    assert type(cut_body("o/r#1")) is Passing
    assert type(wrong_shape("o/r#1", "comments: null")) is GitHubUnavailable


def test_a_rejected_token_says_how_to_log_in() -> None:
    answer = Answer(401, {}, "Bad credentials")
    assert "`gh auth login`" in str(error_for(answer, "o/r"))
    assert "GITHUB_TOKEN" in str(error_for(answer, "o/r"))
    assert "`gh auth login --hostname ghe.corp.com`" in str(
        error_for(answer, "o/r", "ghe.corp.com")
    )


def test_every_row_of_the_table_is_shown_here() -> None:
    shown = {row[0] for row in (*HTTP_ANSWERS, *QUERY_ERRORS)} | {CUT_BODY.name, WRONG_SHAPE.name}
    assert {rule.name for rule in RULES} == shown


def test_a_primary_limit_says_when_it_starts_anew() -> None:
    error = error_for(Answer(403, RESET, ""), "o/r")
    assert isinstance(error, RateLimited)
    assert error.retry_at == RESET_TIME


def test_a_limit_always_says_when_to_come_back() -> None:
    for headers in ({}, {"retry-after": "120"}, {"retry-after": "soon"}):
        error = error_for(Answer(429, headers, ""), "o/r")
        assert isinstance(error, RateLimited)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", error.retry_at or "")


@pytest.mark.parametrize("seconds", ["9" * 12, "9" * 17, "9" * 30, "9" * 5000])
def test_an_absurd_time_to_come_back_is_not_believed(seconds: str) -> None:
    tomorrow = after(24 * 3600 + 60)
    for header in ("retry-after", "x-ratelimit-reset"):
        answer = Answer(429, {header: seconds, "x-ratelimit-remaining": "0"}, "rate limit exceeded")
        limit = error_for(answer, "o/r")
        assert isinstance(limit, RateLimited)
        assert limit.retry_at is not None
        assert limit.retry_at < tomorrow


def test_an_unknown_error_is_shown_with_its_type() -> None:
    error = query_error_for(QueryError("SOMETHING_NEW", "never seen"), {}, "o/r#1")
    assert "SOMETHING_NEW" in str(error)
    assert "never seen" in str(error)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('{"message": "Not Found"}', "Not Found"),
        ("<html>502</html>", ""),
        ("", ""),
        ("[1]", ""),
        ('{"message": 5}', ""),
    ],
)
def test_the_message_in_an_error_body(body: str, message: str) -> None:
    assert message_in(body) == message
