"""What GitHub's answers mean and what is done about it: one table, for HTTP and for GraphQL.

The first row that fits an answer decides. Sources of the rules:
https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api,
https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api and
https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from resources_graph_core.address import DEFAULT_HOST
from resources_graph_core.errors import GitHubError, GitHubUnavailable, NotFound, NotPublic
from resources_graph_core.github.problems import (
    Heavy,
    Passing,
    SingleSignOn,
    Withheld,
    primary_limit,
    rejected_token,
    secondary_limit,
    told_wait,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Meaning(Enum):
    """What an answer means, and what is done about it.

    Whatever fails is tried by later Sweeps too, a few times, then shown as failed.
    """

    AUTH = "the Sweep ends, and every Touch stays pending"
    PRIMARY = "the Sweep ends and says when to come back"
    SECONDARY = "all requests pause as told, then it is asked again; too long a pause is as PRIMARY"
    SIGN_ON = "asked once without the token, which is all that an organisation's sign-on is about"
    NOT_PUBLIC = "unresolved as not public; asked of a batch, each of it is asked alone first"
    NOT_FOUND = "GraphQL's is asked of REST too, which knows where it moved; then it is withdrawn"
    MOVED = "followed to where it is now, through a bounded number of moves"
    FAILING = "asked again a bounded number of times, a batch in halves; then it fails"
    TOO_LARGE = "a batch is asked in halves, down to one, which fails alone"
    REFUSED = "it fails alone; asking again is no use"


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer as the table sees it; ``headers`` are by lower-case name."""

    status: int
    headers: Mapping[str, str]
    message: str

    def says(self, *words: str) -> bool:
        """Whether the message holds one of ``words``, in whatever case."""
        return _holds(self.message, words)


@dataclass(frozen=True, slots=True)
class QueryError:
    """One of the ``errors`` in a GraphQL answer; ``path`` leads to what is missing for it.

    ``lacks`` is what GitHub's schema does not know: a field, or an argument as ``field.argument``.
    """

    kind: str
    message: str
    path: tuple[str | int, ...] = ()
    lacks: str | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A row: which answers it is about, and what they mean.

    It is about HTTP answers with one of ``statuses`` that ``fit``, and about GraphQL errors of one
    of ``kinds`` or with one of ``words`` in their message. A row with none of these is about what
    is found out otherwise, as it says.
    """

    name: str
    meaning: Meaning
    statuses: tuple[int, ...] = ()
    fits: Callable[[Answer], bool] = lambda _answer: True
    kinds: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    def is_about(self, answer: Answer | QueryError) -> bool:
        """Whether this row is about ``answer``."""
        if isinstance(answer, Answer):
            return answer.status in self.statuses and self.fits(answer)
        return answer.kind in self.kinds or _holds(answer.message, self.words)


_LIMIT_STATUSES = (403, 429)
_SECONDARY_WORDS = ("secondary rate limit", "abuse detection")

CUT_BODY = Rule("a body that is cut short, or no JSON", Meaning.FAILING)
WRONG_SHAPE = Rule("data of another shape, such as null for a connection", Meaning.REFUSED)
UNKNOWN_ERROR = Rule("a GraphQL error of an unknown kind", Meaning.FAILING)
UNKNOWN_STATUS = Rule("any other status", Meaning.REFUSED)

RULES: tuple[Rule, ...] = (
    Rule("token rejected", Meaning.AUTH, statuses=(401,)),
    Rule(
        "secondary limit with Retry-After",
        Meaning.SECONDARY,
        statuses=_LIMIT_STATUSES,
        fits=lambda answer: "retry-after" in answer.headers,
    ),
    Rule(
        "secondary limit",
        Meaning.SECONDARY,
        statuses=_LIMIT_STATUSES,
        fits=lambda answer: answer.says(*_SECONDARY_WORDS),
        words=_SECONDARY_WORDS,
    ),
    Rule(
        "primary limit",
        Meaning.PRIMARY,
        statuses=_LIMIT_STATUSES,
        fits=lambda answer: answer.headers.get("x-ratelimit-remaining") == "0",
        kinds=("RATE_LIMITED", "RATE_LIMIT", "graphql_rate_limit"),
    ),
    Rule("too many requests", Meaning.SECONDARY, statuses=(429,)),
    Rule(
        "single sign-on",
        Meaning.SIGN_ON,
        statuses=(403,),
        fits=lambda answer: "x-github-sso" in answer.headers or answer.says("SAML"),
        words=("SAML",),
    ),
    Rule(
        "IP allow-list",
        Meaning.NOT_PUBLIC,
        statuses=(403,),
        fits=lambda answer: answer.says("IP allow list"),
        words=("IP allow list",),
    ),
    Rule(
        "missing permission",
        Meaning.NOT_PUBLIC,
        statuses=(403,),
        fits=lambda answer: answer.says("not accessible by", "must have", "permission", "scope"),
        kinds=("FORBIDDEN", "INSUFFICIENT_SCOPES"),
    ),
    Rule(
        "blocked",
        Meaning.NOT_PUBLIC,
        statuses=(403,),
        fits=lambda answer: answer.says("access blocked"),
    ),
    Rule("forbidden otherwise", Meaning.REFUSED, statuses=(403,)),
    Rule("moved", Meaning.MOVED, statuses=(301, 302, 307, 308)),
    Rule(
        "unknown, or hidden from strangers",
        Meaning.NOT_FOUND,
        statuses=(404,),
        kinds=("NOT_FOUND",),
    ),
    Rule("deleted, or turned off", Meaning.NOT_FOUND, statuses=(410,)),
    Rule("blocked for legal reasons", Meaning.NOT_PUBLIC, statuses=(451,)),
    Rule(
        "search in a repository that cannot be searched",
        Meaning.NOT_FOUND,
        statuses=(422,),
        fits=lambda answer: answer.says("cannot be searched"),
    ),
    Rule(
        "refused as invalid",
        Meaning.REFUSED,
        statuses=(422,),
        kinds=(
            "undefinedField",
            "argumentNotAccepted",
            "argumentLiteralsIncompatible",
            "parse_error",
            "GRAPHQL_VALIDATION_FAILED",
        ),
    ),
    Rule("bad gateway, unavailable, timed out", Meaning.FAILING, statuses=(502, 503, 504)),
    Rule(
        "too large",
        Meaning.TOO_LARGE,
        kinds=("RESOURCE_LIMITS_EXCEEDED", "MAX_NODE_LIMIT_EXCEEDED"),
    ),
    CUT_BODY,
    WRONG_SHAPE,
    UNKNOWN_ERROR,
    UNKNOWN_STATUS,
)
"""What GitHub answers other than whole and good data, and what it means."""


def rule_for(answer: Answer | QueryError) -> Rule:
    """The row that an HTTP answer other than 2xx, or an error in a GraphQL answer, falls under."""
    for rule in RULES:
        if rule.is_about(answer):
            return rule
    return UNKNOWN_STATUS if isinstance(answer, Answer) else UNKNOWN_ERROR


def error_for(answer: Answer, what: str, host: str = DEFAULT_HOST) -> GitHubError:
    """The error that an HTTP answer other than 2xx means.

    ``what`` names what was asked for, ``host`` whom the token is for.
    """
    said = f"{answer.status}: {answer.message}" if answer.message else str(answer.status)
    rule = rule_for(answer)
    if rule.meaning is Meaning.AUTH:
        return rejected_token(host)
    return _error(rule, what, said, answer.headers)


ITSELF = 2
"""So many steps at most lead to what was asked for (an alias, a field); more lead to its parts."""


def query_error_for(error: QueryError, headers: Mapping[str, str], what: str) -> GitHubError:
    """The error that one of a GraphQL answer's errors means; an unknown one may pass.

    A part that is missing or kept back says nothing of the whole: it is Passing or Withheld.
    """
    rule = rule_for(error)
    kind = error.kind or "an error without a type"
    said = f"{kind}: {error.message}" if rule is UNKNOWN_ERROR else error.message
    judged = _error(rule, what, said, headers)
    if len(error.path) <= ITSELF:
        return judged
    if isinstance(judged, NotPublic):
        return Withheld(f"A part of {what} is kept back: {error.message}")
    if isinstance(judged, NotFound):
        return Passing(f"A part of {what} is missing: {error.message}; try again later")
    return judged


def asks_for_pause(answer: Answer | QueryError) -> bool:
    """Whether an answer is a secondary limit: asked later, the same may go well."""
    return rule_for(answer).meaning is Meaning.SECONDARY


def wrong_shape(what: str, detail: str) -> GitHubError:
    """The error for data that cannot be understood."""
    return _error(WRONG_SHAPE, what, f"something of the wrong shape, {detail}", {})


def cut_body(what: str) -> GitHubError:
    """The error for a body that cannot be read to its end."""
    return _error(CUT_BODY, what, "something that is cut short or not JSON", {})


def _error(rule: Rule, what: str, said: str, headers: Mapping[str, str]) -> GitHubError:  # noqa: PLR0911 - one for each meaning
    match rule.meaning:
        case Meaning.AUTH:
            return rejected_token()
        case Meaning.PRIMARY:
            return primary_limit(headers)
        case Meaning.SECONDARY:
            return secondary_limit(told_wait(headers))
        case Meaning.SIGN_ON:
            return SingleSignOn(f"{what} asks for a single sign-on of the token: {said}")
        case Meaning.NOT_PUBLIC:
            return NotPublic(f"{what} is not public: GitHub answered {said}")
        case Meaning.NOT_FOUND:
            return NotFound(f"GitHub knows no {what}, or it is not public ({said})")
        case Meaning.FAILING:
            return Passing(f"GitHub is failing: it answered {said} for {what}; try again later")
        case Meaning.TOO_LARGE:
            return Heavy(f"{what} was too much for GitHub: {said}")
        case Meaning.MOVED | Meaning.REFUSED:
            return GitHubUnavailable(f"GitHub refused {what}: it answered {said}")


def message_in(body: str) -> str:
    """The message in an error's body: GitHub's own from JSON, nothing from an HTML page."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):  # the latter: nested without end
        return ""
    message = document.get("message") if isinstance(document, dict) else None
    return message if isinstance(message, str) else ""


def _holds(message: str, words: tuple[str, ...]) -> bool:
    """Whether a message holds one of ``words``, in whatever case."""
    return any(word.lower() in message.lower() for word in words)
