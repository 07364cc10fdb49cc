"""What GitHub's answers mean: one table for HTTP, one for the errors inside a GraphQL answer.

The first row that fits an answer decides. Sources of the rules:
https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api,
https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api and
https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from resources_graph_core.clock import after
from resources_graph_core.errors import (
    GitHubAuthError,
    GitHubError,
    GitHubUnavailable,
    NotFound,
    NotPublic,
    RateLimited,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LONGEST_WAIT = 24 * 3600.0
"""Seconds. GitHub's limits start anew within an hour; a time far beyond that is a mistake."""

SECONDARY_WAIT = 60
"""Seconds to stay away after a secondary limit that does not say how long, as GitHub advises."""

LOGIN_ADVICE = "log in with `gh auth login` or `resources-graph config set github.token`"

Meaning = Literal[
    "auth", "primary", "secondary", "sign_on", "not_public", "not_found", "failing", "refused"
]
"""What an answer means; ``failing`` may pass by itself, ``refused`` will not."""


class Passing(GitHubUnavailable):
    """GitHub failed in a way that may pass: worth asking again, or asking for less at once."""


class Unreachable(GitHubUnavailable):
    """No connection to GitHub could be made; nothing else will get through either."""


class SingleSignOn(NotPublic):
    """An organisation wants its own sign-on of every token; what is public is open without one."""


class Withheld(GitHubUnavailable):
    """A part of what was asked for was kept back from this token, so that the rest is not whole."""


class Heavy(GitHubUnavailable):
    """GitHub refused a document as too large: asking again is no use, asking for less is."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer as the table sees it; ``headers`` are by lower-case name."""

    status: int
    headers: Mapping[str, str]
    message: str

    def says(self, *words: str) -> bool:
        """Whether the message holds one of ``words``, in whatever case."""
        return any(word.lower() in self.message.lower() for word in words)


@dataclass(frozen=True, slots=True)
class Rule:
    """A row: which answers it is about, and what they mean."""

    name: str
    statuses: tuple[int, ...]
    meaning: Meaning
    fits: Callable[[Answer], bool] = lambda _answer: True


_LIMIT_STATUSES = (403, 429)

RULES: tuple[Rule, ...] = (
    Rule("token rejected", (401,), "auth"),
    Rule(
        "secondary limit with Retry-After",
        _LIMIT_STATUSES,
        "secondary",
        lambda answer: "retry-after" in answer.headers,
    ),
    Rule(
        "secondary limit without Retry-After",
        _LIMIT_STATUSES,
        "secondary",
        lambda answer: answer.says("secondary rate limit", "abuse detection"),
    ),
    Rule(
        "primary limit",
        _LIMIT_STATUSES,
        "primary",
        lambda answer: answer.headers.get("x-ratelimit-remaining") == "0",
    ),
    Rule("too many requests", (429,), "secondary"),
    Rule(
        "single sign-on",
        (403,),
        "sign_on",
        lambda answer: "x-github-sso" in answer.headers or answer.says("SAML"),
    ),
    Rule("IP allow-list", (403,), "not_public", lambda answer: answer.says("IP allow list")),
    Rule(
        "missing permission",
        (403,),
        "not_public",
        lambda answer: answer.says("not accessible by", "must have", "permission", "scope"),
    ),
    Rule("blocked", (403,), "not_public", lambda answer: answer.says("access blocked")),
    Rule("forbidden otherwise", (403,), "refused"),
    Rule("unknown, or hidden from strangers", (404,), "not_found"),
    Rule("deleted, or turned off", (410,), "not_found"),
    Rule("blocked for legal reasons", (451,), "not_public"),
    Rule(
        "search in a repository that cannot be searched",
        (422,),
        "not_found",
        lambda answer: answer.says("cannot be searched"),
    ),
    Rule("refused as invalid", (422,), "refused"),
    Rule("bad gateway, unavailable, timed out", (502, 503, 504), "failing"),
)
"""What HTTP answers other than 2xx mean, the first that fits; any other status is ``refused``."""

_OTHERWISE = Rule("any other status", (), "refused")


def rule_for(answer: Answer) -> Rule:
    """The row that an HTTP answer falls under."""
    for rule in RULES:
        if answer.status in rule.statuses and rule.fits(answer):
            return rule
    return _OTHERWISE


def error_for(answer: Answer, what: str) -> GitHubError:
    """The error that an HTTP answer other than 2xx means; ``what`` names what was asked for."""
    return _ERRORS[rule_for(answer).meaning](answer, what)


def rejected_token() -> GitHubAuthError:
    """The token is wrong, expired or withdrawn."""
    return GitHubAuthError(
        f"GitHub rejected the token; {LOGIN_ADVICE} (GITHUB_TOKEN or GH_TOKEN, where set, come "
        "before both), then sweep again"
    )


def primary_limit(headers: Mapping[str, str]) -> RateLimited:
    """The hourly limit is used up; when it starts anew is in the headers."""
    retry_at = reset_time(headers) or after(SECONDARY_WAIT)
    return RateLimited(f"GitHub's hourly limit is used up; it starts anew at {retry_at}", retry_at)


def secondary_limit(seconds: float) -> RateLimited:
    """GitHub asks for a pause of so many seconds."""
    retry_at = after(seconds)
    return RateLimited(f"GitHub asks for a pause until {retry_at}", retry_at)


def told_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds to stay away, as an answer's headers say; None when they do not."""
    seconds = headers.get("retry-after", "")
    return min(float(seconds), LONGEST_WAIT) if seconds.isdecimal() else None


def asks_for_pause(answer: Answer) -> bool:
    """Whether an HTTP answer is a secondary limit: asked later, the same may go well."""
    return rule_for(answer).meaning == "secondary"


def _secondary(headers: Mapping[str, str]) -> RateLimited:
    told = told_wait(headers)
    return secondary_limit(SECONDARY_WAIT if told is None else told)


def _said(answer: Answer) -> str:
    return f"{answer.status}: {answer.message}" if answer.message else str(answer.status)


_ERRORS: dict[Meaning, Callable[[Answer, str], GitHubError]] = {
    "auth": lambda _answer, _what: rejected_token(),
    "primary": lambda answer, _what: primary_limit(answer.headers),
    "secondary": lambda answer, _what: _secondary(answer.headers),
    "sign_on": lambda answer, what: SingleSignOn(
        f"{what} asks for a single sign-on of the token: GitHub answered {_said(answer)}"
    ),
    "not_public": lambda answer, what: NotPublic(
        f"{what} is not public: GitHub answered {_said(answer)}"
    ),
    "not_found": lambda answer, what: NotFound(
        f"GitHub knows no {what}, or it is not public ({_said(answer)})"
    ),
    "failing": lambda answer, what: Passing(
        f"GitHub is failing: it answered {_said(answer)} for {what}; try again later"
    ),
    "refused": lambda answer, what: GitHubUnavailable(
        f"GitHub refused {what}: it answered {_said(answer)}"
    ),
}


def reset_time(headers: Mapping[str, str]) -> str | None:
    """When the limit that the headers tell of starts anew, ISO-8601 UTC."""
    seconds = headers.get("x-ratelimit-reset", "")
    if not seconds.isdecimal():
        return None
    latest = time.time() + LONGEST_WAIT
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(min(float(seconds), latest)))


def message_in(body: str) -> str:
    """The message in an error's body: GitHub's own from JSON, nothing from an HTML page."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):  # the latter: nested without end
        return ""
    message = document.get("message") if isinstance(document, dict) else None
    return message if isinstance(message, str) else ""


@dataclass(frozen=True, slots=True)
class QueryError:
    """One of the ``errors`` in a GraphQL answer; ``path`` leads to what is missing for it."""

    kind: str
    message: str
    path: tuple[str | int, ...] = ()


@dataclass(frozen=True, slots=True)
class QueryRule:
    """A row: which errors it is about, by kind or by words of the message, and what to raise."""

    name: str
    kinds: tuple[str, ...]
    words: tuple[str, ...]
    error: Callable[[QueryError, Mapping[str, str], str], GitHubError]

    def fits(self, error: QueryError) -> bool:
        """Whether this row is about ``error``."""
        said = error.message.lower()
        return error.kind in self.kinds or any(word in said for word in self.words)


SECONDARY_QUERY_RULE = QueryRule(
    "secondary limit",
    (),
    ("secondary rate limit", "abuse detection"),
    lambda _error, headers, _what: _secondary(headers),
)

QUERY_RULES: tuple[QueryRule, ...] = (
    SECONDARY_QUERY_RULE,
    QueryRule(
        "primary limit",
        ("RATE_LIMITED", "RATE_LIMIT", "graphql_rate_limit"),
        (),
        lambda _error, headers, _what: primary_limit(headers),
    ),
    QueryRule(
        "single sign-on",
        (),
        ("saml",),
        lambda error, _headers, what: SingleSignOn(
            f"{what} asks for a single sign-on of the token: {error.message}"
        ),
    ),
    QueryRule(
        "not public",
        ("FORBIDDEN", "INSUFFICIENT_SCOPES"),
        (),
        lambda error, _headers, what: NotPublic(f"{what} is not public: {error.message}"),
    ),
    QueryRule(
        "not found",
        ("NOT_FOUND",),
        (),
        lambda error, _headers, what: NotFound(f"GitHub knows no {what}: {error.message}"),
    ),
    QueryRule(
        "too large",
        ("RESOURCE_LIMITS_EXCEEDED", "MAX_NODE_LIMIT_EXCEEDED"),
        (),
        lambda error, _headers, what: Heavy(f"{what} was too much for GitHub: {error.message}"),
    ),
    QueryRule(
        "refused as invalid",
        (
            "undefinedField",
            "argumentLiteralsIncompatible",
            "parse_error",
            "GRAPHQL_VALIDATION_FAILED",
        ),
        (),
        lambda error, _headers, what: GitHubUnavailable(
            f"GitHub refused the question about {what}: {error.message}"
        ),
    ),
)
"""What errors in a GraphQL answer mean, the first row that fits."""


def query_asks_for_pause(error: QueryError) -> bool:
    """Whether an error in a GraphQL answer is a secondary limit."""
    return _rule_for_query(error) is SECONDARY_QUERY_RULE


def _rule_for_query(error: QueryError) -> QueryRule | None:
    return next((rule for rule in QUERY_RULES if rule.fits(error)), None)


ITSELF = 2
"""So many steps at most lead to what was asked for (an alias, a field); more lead to its parts."""


def query_error_for(error: QueryError, headers: Mapping[str, str], what: str) -> GitHubError:
    """The error that one of a GraphQL answer's errors means; an unknown one may pass.

    A part that is missing or kept back says nothing of the whole: it is Passing or Withheld.
    """
    rule = _rule_for_query(error)
    if rule is None:
        kind = error.kind or "an error without a type"
        return Passing(
            f"GitHub could not answer for {what} ({kind}): {error.message}; try again later"
        )
    judged = rule.error(error, headers, what)
    if len(error.path) <= ITSELF:
        return judged
    if isinstance(judged, NotPublic):
        return Withheld(f"A part of {what} is kept back: {error.message}")
    if isinstance(judged, NotFound):
        return Passing(f"A part of {what} is missing: {error.message}; try again later")
    return judged
