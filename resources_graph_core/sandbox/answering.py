"""From one HTTP request to one answer: who asks, what it costs, what goes wrong, then the content.

Without I/O, so that every case can be tried by calling it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from graphql import OperationDefinitionNode

from resources_graph_core.sandbox import graphql, rest
from resources_graph_core.sandbox.faults import Refusal
from resources_graph_core.sandbox.requests import Request
from resources_graph_core.sandbox.rest_messages import RestRequest
from resources_graph_core.sandbox.state import timestamp

if TYPE_CHECKING:
    from graphql import GraphQLSchema

    from resources_graph_core.sandbox.faults import Api, Budget, Faults
    from resources_graph_core.sandbox.state import State

_DOCS = "https://docs.github.com/rest"
_ENTERPRISE = "/api/v3"
"""What stands before REST paths on a GitHub Enterprise Server."""
_JSON = "application/json; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Incoming:
    """A request as it came in; header names are lower-case."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes
    base_url: str

    @property
    def token(self) -> str | None:
        """The token in its Authorization header."""
        scheme, _, token = self.headers.get("authorization", "").partition(" ")
        return token.strip() if scheme.lower() in {"bearer", "token"} and token.strip() else None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, and how it is counted."""

    refusal: Refusal
    request: Request


@dataclass(frozen=True, slots=True)
class GitHub:
    """The sandbox's GitHub: its state and its faults.

    ``token`` is the only one that is accepted; None accepts any. Documents that ``published``,
    GitHub's own schema, does not allow are refused, where it is given.
    """

    state: State
    faults: Faults
    token: str | None = field(default=None, repr=False)
    published: GraphQLSchema | None = field(default=None, repr=False)

    def answer(self, incoming: Incoming) -> Answer:
        """The answer to one request."""
        path = incoming.path.removeprefix(_ENTERPRISE)
        if path in {"/graphql", "/api/graphql"}:
            name, refusal, points = self._graphql(incoming)
            return Answer(refusal, Request("graphql", name, refusal.status, points))
        refusal = self._refused(incoming, "rest") or self._rest(incoming, path)
        # What GitHub finds unchanged is free for who has a token.
        points = 0 if refusal.status == HTTPStatus.NOT_MODIFIED and incoming.token else 1
        query = "&".join(f"{key}={value}" for key, value in incoming.query.items())
        name = f"{incoming.method} {path}" + (f"?{query}" if query else "")
        return Answer(refusal, Request("rest", name, refusal.status, points))

    def _refused(self, incoming: Incoming, api: Api) -> Refusal | None:
        if not incoming.headers.get("user-agent"):
            message = "Request forbidden by administrative rules. Set a User-Agent header."
            return _json(403, {"message": message})
        if incoming.token is not None and self.token not in {None, incoming.token}:
            return _json(401, _rest_error("Bad credentials", 401))
        return self.faults.planned(api)

    def _graphql(self, incoming: Incoming) -> tuple[str, Refusal, int]:
        refusal = self._refused(incoming, "graphql")
        if refusal is not None:
            return "refused", refusal, 0
        if incoming.token is None:
            body = _rest_error("This endpoint requires you to be authenticated.", 401)
            return "refused", _json(401, body), 0
        try:
            asked = json.loads(incoming.body)
            text, variables = str(asked["query"]), asked.get("variables") or {}
            name = str(asked.get("operationName") or _operation_name(text))
        except (ValueError, KeyError, TypeError, AttributeError):
            return "unreadable", _json(400, {"message": "Problems parsing JSON"}), 0
        refusal, points = self._document(text, variables)
        return name, refusal, points

    def _document(self, text: str, variables: dict[str, Any]) -> tuple[Refusal, int]:
        """The answer to a document, and what it costs."""
        errors = graphql.objections(self.published, text) if self.published else ()
        if errors:
            return _json(200, graphql.refusal(errors)), 0
        cost = graphql.price(text, variables)
        budget, enough = self.faults.charge("graphql", cost.points)
        headers = _limit_headers("graphql", budget)
        if not enough:
            error = {
                "type": "RATE_LIMIT",
                "code": "graphql_rate_limit",
                "message": "API rate limit already exceeded for user ID 1.",
            }
            return _json(200, {"errors": [error]}, headers), 0
        heavy = self.faults.too_heavy(cost.nodes)
        if heavy is not None:
            return heavy, cost.points
        left = graphql.Limit(budget.limit, budget.remaining, _reset(budget))
        broken = self.faults.broken_connections()
        body = graphql.answer(self.state, text, variables, cost, left, broken)
        return _json(200, body, headers), cost.points

    def _rest(self, incoming: Incoming, path: str) -> Refusal:
        anonymous = incoming.token is None
        if path == "/rate_limit":
            return self._rate_limit(anonymous=anonymous)
        budget, enough = self.faults.charge("rest", 1, anonymous=anonymous)
        headers = _limit_headers("core", budget)
        if not enough:
            body = _rest_error("API rate limit exceeded for user ID 1.", 403)
            return _json(403, body, headers)
        asked = RestRequest(
            method=incoming.method,
            path=path,
            query=incoming.query,
            headers=incoming.headers,
            body=incoming.body,
            authenticated=not anonymous,
            base_url=incoming.base_url
            + (_ENTERPRISE if incoming.path.startswith(_ENTERPRISE) else ""),
        )
        with self.state.lock:
            answer = rest.answer(self.state, asked)
        lost = self.faults.lost_answer(incoming.method)
        if lost is not None:
            return lost
        if answer.status == HTTPStatus.NOT_MODIFIED and not anonymous:
            budget, _ = self.faults.charge("rest", -1)
            headers = _limit_headers("core", budget)
        text = answer.body if isinstance(answer.body, str) else _text(answer.body)
        return Refusal(answer.status, text, answer.content_type, {**headers, **answer.headers})

    def _rate_limit(self, *, anonymous: bool) -> Refusal:
        resources = {}
        names: dict[Api, str] = {"graphql": "graphql", "rest": "core"}
        for api, name in names.items():
            budget, _ = self.faults.charge(api, 0, anonymous=anonymous and api == "rest")
            resources[name] = {
                "limit": budget.limit,
                "used": budget.used,
                "remaining": budget.remaining,
                "reset": _reset_seconds(budget),
            }
        return _json(200, {"resources": resources, "rate": resources["core"]})


def _operation_name(text: str) -> str:
    document = graphql.read_document(text).node
    for definition in document.definitions if document is not None else ():
        if isinstance(definition, OperationDefinitionNode) and definition.name is not None:
            return definition.name.value
    return "unnamed"


def _text(body: Any) -> str:  # noqa: ANN401 - JSON
    return "" if body is None else json.dumps(body, ensure_ascii=False)


def _json(status: int, body: Any, headers: dict[str, str] | None = None) -> Refusal:  # noqa: ANN401 - JSON
    return Refusal(status, _text(body), _JSON, headers or {})


def _rest_error(message: str, status: int) -> dict[str, str]:
    return {"message": message, "documentation_url": _DOCS, "status": str(status)}


def _limit_headers(resource: str, budget: Budget) -> dict[str, str]:
    return {
        "x-ratelimit-limit": str(budget.limit),
        "x-ratelimit-remaining": str(budget.remaining),
        "x-ratelimit-used": str(budget.used),
        "x-ratelimit-reset": str(_reset_seconds(budget)),
        "x-ratelimit-resource": resource,
    }


def _reset(budget: Budget) -> str:
    return timestamp(budget.reset_at)


def _reset_seconds(budget: Budget) -> int:
    return int(budget.reset_at.timestamp())
