"""Requests to GitHub over HTTP: addresses, token, time limits, retries, redirects.

Every answer is counted and judged; what comes back is a good answer, or an error of this project.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - pydantic reads it
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import httpx
import stamina
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from resources_graph_core.errors import ConfigError, GitHubUnavailable
from resources_graph_core.github.answers import (
    Answer,
    Passing,
    QueryError,
    Unreachable,
    error_for,
    message_in,
)
from resources_graph_core.github.meter import Meter
from resources_graph_core.github.token import TokenAuth, origin_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.github.documents import Operation
    from resources_graph_core.github.meter import Resource
    from resources_graph_core.github.source import Usage
    from resources_graph_core.github.token import Token

DEFAULT_API_URL = "https://api.github.com"
PROJECT = "resources-graph-dagster"
ATTEMPTS = 3
"""How often a request is made at most, when GitHub fails in a way that may pass."""
REDIRECTS = 5
"""How many moves in a row are followed: each rename or transfer of an item is one."""
TIMEOUT = httpx.Timeout(30.0, connect=10.0)
"""Seconds; GitHub itself ends a request after 10."""
API_VERSION = "2022-11-28"
RAW = "application/vnd.github.raw+json"
"""What to accept for a file's own text."""
FAILING_STATUSES = (502, 503, 504)
"""What GitHub answers when a request took it too long, or while it is in trouble."""

_MOVED = (301, 302, 307, 308)


class _QueryErrorShape(BaseModel):
    model_config = ConfigDict(extra="ignore")

    message: str = ""
    type: str | None = None
    path: tuple[str | int, ...] = ()
    extensions: dict[str, Any] = Field(default_factory=dict)

    @property
    def kind(self) -> str:
        code = self.extensions.get("code")
        return self.type or (code if isinstance(code, str) else "")


class _RateLimitShape(BaseModel):
    model_config = ConfigDict(extra="ignore")

    cost: int
    remaining: int
    reset_at: str = Field(alias="resetAt")


class GraphQLAnswer(BaseModel):
    """A GraphQL answer that came with status 200: data, errors, or some of both."""

    model_config = ConfigDict(extra="ignore")

    data: dict[str, Any] | None = None
    raw_errors: list[_QueryErrorShape] = Field(default_factory=list, alias="errors")
    headers: Mapping[str, str] = Field(default_factory=dict)

    @property
    def errors(self) -> list[QueryError]:
        """The errors, each with the path to what is missing for it."""
        return [QueryError(one.kind, one.message, one.path) for one in self.raw_errors]


def endpoints(api_url: str) -> tuple[str, str]:
    """The REST and GraphQL addresses that ``api_url`` stands for, the first without a final slash.

    ``https://HOST/api/v3`` (Enterprise Server) has its GraphQL at ``/api/graphql``; any other has
    it at ``/graphql``. Raises ConfigError when it is no http or https address.
    """
    base = api_url.strip().rstrip("/")
    try:
        url = httpx.URL(base)
    except httpx.InvalidURL:
        url = httpx.URL("")
    if url.scheme not in ("http", "https") or not url.host:
        raise ConfigError(f"GITHUB_API_URL is {api_url!r}, not an http or https address")
    if base.endswith("/api/v3"):
        return base, base.removesuffix("/v3") + "/graphql"
    return base, base + "/graphql"


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP answer: headers by lower-case name, and its JSON where it is 2xx."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    document: Any
    next_url: str | None

    @property
    def answer(self) -> Answer:
        """The answer as the table of meanings sees it."""
        return Answer(self.status, self.headers, message_in(self.content.decode(errors="replace")))


class Transport:
    """Talks to one GitHub, with a token or without. Close it after use.

    ``reserve`` points of each hourly limit are left for others who use the same token.
    ``client_transport`` replaces the network, for answers that no server can be made to give.
    """

    def __init__(
        self,
        api_url: str = DEFAULT_API_URL,
        token: Token | None = None,
        *,
        reserve: int = 0,
        client_transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._rest_url, self._graphql_url = endpoints(api_url)
        self._origin = httpx.URL(self._rest_url)
        self._meter = Meter("graphql" if token else "core", reserve=reserve)
        self._client = httpx.Client(
            auth=TokenAuth(token, self._origin) if token else None,
            headers={"User-Agent": user_agent(), "X-GitHub-Api-Version": API_VERSION},
            timeout=TIMEOUT,
            follow_redirects=False,
            transport=client_transport,
        )

    @property
    def usage(self) -> Usage:
        """What was used so far."""
        return self._meter.usage

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def get(
        self, path: str, what: str, *, parameters: Mapping[str, str | int] | None = None
    ) -> Reply:
        """GET a REST path, or a whole address on the same host, following where things moved to.

        ``what`` names what is asked for in messages. Raises the error that the answer means; a
        redirect to another host is not followed.
        """
        return self._get(path, what, parameters or {}, "application/vnd.github+json")

    def get_text(self, path: str, what: str) -> str:
        """GET the raw text of a file, as UTF-8 with what is not replaced; raises as :meth:`get`."""
        reply = self._get(path, what, {}, RAW)
        return reply.content.decode(errors="replace")

    def get_pages(
        self, path: str, what: str, *, parameters: Mapping[str, str | int] | None = None
    ) -> Iterator[list[Any]]:
        """GET a REST list page by page to its end, as its ``Link`` headers lead.

        Raises as :meth:`get` does.
        """
        reply = self.get(path, what, parameters={"per_page": 100, **(parameters or {})})
        while True:
            if not isinstance(reply.document, list):
                raise wrong_shape(what, "a list was expected")
            yield reply.document
            if reply.next_url is None:
                return
            reply = self.get(reply.next_url, what)

    def query(self, operation: Operation, what: str, *, again: bool = True) -> GraphQLAnswer:
        """Send a GraphQL document; its answer may hold errors, which are the caller's to judge.

        ``again`` says whether to ask again when GitHub fails (a batch is better halved than
        repeated). Raises the error that an answer other than 200 means.
        """
        request = self._client.build_request(
            "POST",
            self._graphql_url,
            json={
                "query": operation.text,
                "variables": operation.variables,
                "operationName": operation.name,
            },
        )
        reply = self._judged(self._send(request, what, again=again, resource="graphql"), what)
        try:
            answer = GraphQLAnswer.model_validate(reply.document)
            limit = (answer.data or {}).get("rateLimit")
            if limit is not None:
                charged = _RateLimitShape.model_validate(limit)
                self._meter.charge(charged.cost, charged.remaining, charged.reset_at)
        except ValidationError as error:
            raise wrong_shape(what, first_problem(error)) from None
        answer.headers = reply.headers
        return answer

    def _get(self, path: str, what: str, parameters: Mapping[str, str | int], accept: str) -> Reply:
        url = httpx.URL(path if "://" in path else self._rest_url + path)
        if parameters:
            url = url.copy_merge_params(dict(parameters))
        for _ in range(REDIRECTS + 1):
            if origin_of(url) != origin_of(self._origin):
                raise GitHubUnavailable(f"{what} is said to be at {url.host}; not followed there")
            request = self._client.build_request("GET", url, headers={"Accept": accept})
            reply = self._send(request, what)
            if reply.status not in _MOVED:
                return self._judged(reply, what)
            url = url.join(reply.headers.get("location", ""))
        raise GitHubUnavailable(f"{what} moved more than {REDIRECTS} times in a row; not followed")

    def _send(
        self, request: httpx.Request, what: str, *, again: bool = True, resource: Resource = "core"
    ) -> Reply:
        for attempt in stamina.retry_context(
            on=(Passing, Unreachable) if again else Unreachable,
            attempts=ATTEMPTS,
            wait_initial=0.5,
            wait_max=5.0,
        ):
            with attempt:
                self._meter.check(resource)
                response = self._exchange(request)
                self._meter.count(
                    _lower(response.headers),
                    resource=resource,
                    points=int(resource == "core"),  # a document tells its own
                )
                reply = _reply(response, what)
                if reply.status in FAILING_STATUSES:
                    raise error_for(reply.answer, what)
                return reply
        raise AssertionError("retrying ends by returning or raising")  # pragma: no cover

    def _exchange(self, request: httpx.Request) -> httpx.Response:
        # The cause is left out: httpx's errors carry the request, and the request the token.
        try:
            return self._client.send(request)
        except (httpx.ReadTimeout, httpx.WriteTimeout):
            raise Passing(
                f"GitHub at {self._rest_url} did not answer in time; try again later"
            ) from None
        except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
            raise Passing(
                f"GitHub at {self._rest_url} broke off the connection; try again later"
            ) from None
        except httpx.TransportError as error:
            raise Unreachable(
                f"GitHub cannot be reached at {self._rest_url} ({error}); "
                "check the connection and GITHUB_API_URL"
            ) from None
        except httpx.DecodingError:
            raise Passing(f"GitHub at {self._rest_url} sent an unreadable answer") from None

    def _judged(self, reply: Reply, what: str) -> Reply:
        if 200 <= reply.status < 300:  # noqa: PLR2004 - success, as HTTP has it
            return reply
        raise error_for(reply.answer, what)


def user_agent() -> str:
    """The project and its version; GitHub refuses requests that do not say who asks."""
    try:
        return f"{PROJECT}/{version(PROJECT)}"
    except PackageNotFoundError:
        return PROJECT


def wrong_shape(what: str, detail: str) -> GitHubUnavailable:
    """The error for an answer that cannot be understood."""
    return GitHubUnavailable(
        f"GitHub answered with something of the wrong shape for {what}: {detail}"
    )


def first_problem(error: ValidationError) -> str:
    """Where a shape did not fit, and how; never the value itself."""
    problem = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(str(step) for step in problem['loc'])}: {problem['msg']}"


def _lower(headers: httpx.Headers) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _reply(response: httpx.Response, what: str) -> Reply:
    document = None
    if response.is_success and response.request.headers.get("Accept") != RAW:
        try:
            document = response.json()
        except ValueError:
            raise Passing(
                f"GitHub's answer for {what} is cut short or not JSON; try again later"
            ) from None
    return Reply(
        status=response.status_code,
        headers=_lower(response.headers),
        content=response.content,
        document=document,
        next_url=response.links.get("next", {}).get("url"),
    )
