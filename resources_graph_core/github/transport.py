"""Requests to GitHub over HTTP: addresses, token, time limits, retries, redirects.

Every answer is counted and judged; what comes back is a good answer, or an error of this project.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Literal

import httpx
from pydantic import ValidationError

from resources_graph_core.address import DEFAULT_HOST
from resources_graph_core.errors import ConfigError, GitHubUnavailable
from resources_graph_core.github.answers import (
    Meaning,
    asks_for_pause,
    cut_body,
    error_for,
    wrong_shape,
)
from resources_graph_core.github.conditional import RecentAnswers, Remembered, Request
from resources_graph_core.github.limits import Limits
from resources_graph_core.github.meter import Meter
from resources_graph_core.github.pace import Pace
from resources_graph_core.github.problems import Passing, Unreachable
from resources_graph_core.github.replies import (
    GraphQLAnswer,
    Reply,
    first_problem,
)
from resources_graph_core.github.retrying import try_again_on
from resources_graph_core.github.token import TokenAuth, account_at, origin_of
from resources_graph_core.setting import MOST_IN_FLIGHT

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterator, Mapping

    from resources_graph_core.github.conditional import Answers
    from resources_graph_core.github.documents import Operation
    from resources_graph_core.github.limits import Resource
    from resources_graph_core.github.pace import Timing
    from resources_graph_core.github.source import Usage
    from resources_graph_core.github.token import Token

DEFAULT_API_URL = "https://api.github.com"
PROJECT = "resources-graph-dagster"
REDIRECTS = 5
"""How many moves in a row are followed: each rename or transfer of an item is one."""
TIMEOUT = httpx.Timeout(30.0, connect=10.0)
"""Seconds; GitHub itself ends a request after 10."""
CONNECTIONS = httpx.Limits(max_connections=MOST_IN_FLIGHT, keepalive_expiry=60.0)
"""How many connections there may be, and how many seconds an idle one is kept for the next use.

They speak HTTP/1.1, each request in flight on a connection of its own. HTTP/2 stays off: httpx says
that a client may be shared between threads, but an HTTP/2 connection of its synchronous client may
not, since threads get between each other's frames (https://github.com/iiasa/ixmp4/issues/224; a
mending of it is proposed in https://github.com/pydantic/httpx2/pull/1153). With a few requests in
flight on connections that are kept open there is next to nothing to gain from it.
"""
API_VERSION = "2022-11-28"
RAW = "application/vnd.github.raw+json"
"""What to accept for a file's own text."""
_NO_LONGER_THERE = (Meaning.MOVED, Meaning.NOT_FOUND, Meaning.NOT_PUBLIC)
"""After these nothing is kept of an address and what is under it."""
_MOVED_KEEPING_METHOD = (307, 308)
"""After these the same is to be sent elsewhere; after others a GET (RFC 9110, 15.4)."""

WriteMethod = Literal["PATCH", "POST", "PUT", "DELETE"]


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
class _Sent:
    """A request, what it is about, and the points that GitHub may charge for it."""

    request: httpx.Request
    what: str
    resource: Resource = "core"
    points: int = 1


@cache
def _trusted() -> ssl.SSLContext:
    """The certificates that are trusted, read once: that takes longer than a request does."""
    return httpx.create_ssl_context()


class Transport:
    """Talks to one GitHub, with a token for ``host`` or without. Close it after use.

    REST's answers are kept in memory for conditional requests. What anyone may read is kept in
    ``answers`` where given, which may outlive the process: answers to strangers and the text of
    files, which is only asked for where a repository is public. ``own_answers`` keeps what the
    token alone may read, in memory by default. ``timing`` is the clock of its pauses.
    ``client_transport`` replaces the network, for answers that no server can be made to give.
    """

    def __init__(
        self,
        api_url: str = DEFAULT_API_URL,
        token: Token | None = None,
        *,
        host: str = DEFAULT_HOST,
        limits: Limits | None = None,
        answers: Answers | None = None,
        own_answers: Answers | None = None,
        timing: Timing | None = None,
        client_transport: httpx.BaseTransport | None = None,
    ) -> None:
        limits = limits or Limits(reserve=0)
        self._rest_url, self._graphql_url = endpoints(api_url)
        self._origin = httpx.URL(self._rest_url)
        self._token = token
        self._host = host
        self._meter = Meter("graphql" if token else "core", reserve=limits.reserve)
        self._pace = Pace(limits, timing)
        self._recent: Answers = own_answers or RecentAnswers()
        self._public = self._recent if answers is None else answers
        self._client = httpx.Client(
            auth=TokenAuth(token, self._origin) if token else None,
            headers={"User-Agent": user_agent(), "X-GitHub-Api-Version": API_VERSION},
            timeout=TIMEOUT,
            limits=CONNECTIONS,
            follow_redirects=False,
            transport=client_transport,
            verify=_trusted(),
        )

    @property
    def usage(self) -> Usage:
        """What was used so far."""
        return self._meter.usage

    @property
    def has_token(self) -> bool:
        """Whether requests carry a token; without one nothing can be written."""
        return self._token is not None

    @property
    def account(self) -> str:
        """Whose hourly points are spent, see :func:`account_at`."""
        return account_at(self._rest_url, self._token)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()
        self._public.close()
        self._recent.close()

    def get(
        self, path: str, what: str, *, parameters: Mapping[str, str | int] | None = None
    ) -> Reply:
        """GET a REST path, or a whole address on the same host, following where things moved to.

        ``what`` names what is asked for in messages. Raises the error that the answer means; a
        redirect to another host is not followed.
        """
        return self._get(path, what, parameters or {}, "application/vnd.github+json")

    def get_text(self, path: str, what: str) -> str:
        """GET the raw text of a file, as UTF-8 with what is not replaced; raises as :meth:`get`.

        Only for files that anyone may read: see ``answers``.
        """
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

    def write(self, method: WriteMethod, path: str, what: str, payload: object) -> Reply:
        """Send a change in JSON to a REST path, or to a whole address on the same host, once.

        Where GitHub did not take it in (a pause it asks for, an address that moved) it is sent
        again; never where it may have, so a Passing error leaves open whether it was done. Raises
        the error that the answer means.
        """
        url = httpx.URL(path if "://" in path else self._rest_url + path)
        for _ in range(REDIRECTS + 1):
            if origin_of(url) != origin_of(self._origin):
                raise GitHubUnavailable(f"{what} is said to be at {url.host}; not written there")
            headers = {"Accept": "application/vnd.github+json"}
            request = self._client.build_request(method, url, json=payload, headers=headers)
            reply = self._send(_Sent(request, what), again=False)
            if reply.status >= httpx.codes.INTERNAL_SERVER_ERROR:
                raise Passing(f"GitHub failed at {what} with {reply.status}; it may have been done")
            if reply.status not in _MOVED_KEEPING_METHOD:
                return self._judged(reply, what)
            url = _moved_to(url, reply, what)
        raise GitHubUnavailable(f"{what} moved more than {REDIRECTS} times in a row; not followed")

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
        sent = _Sent(request, what, "graphql", operation.cost)
        while True:
            reply = self._judged(self._send(sent, again=again), what)
            answer = self._answered(reply, sent)
            if not any(asks_for_pause(error) for error in answer.errors):
                return answer
            self._pace.pause(reply.headers)

    def _answered(self, reply: Reply, sent: _Sent) -> GraphQLAnswer:
        """The answer in a reply, its points counted: as it tells them, else as computed."""
        try:
            answer = GraphQLAnswer.model_validate(reply.document)
            limit = answer.rate_limit
        except ValidationError as error:
            raise wrong_shape(sent.what, first_problem(error)) from None
        answer.headers = reply.headers
        if limit is not None:
            self._meter.charge(limit.cost, limit.remaining, limit.reset_at)
        elif answer.data is not None:
            self._meter.count({}, resource="graphql", points=sent.points, requests=0)
        return answer

    def _get(self, path: str, what: str, parameters: Mapping[str, str | int], accept: str) -> Reply:
        url = httpx.URL(path if "://" in path else self._rest_url + path)
        if parameters:
            url = url.copy_merge_params(dict(parameters))
        for _ in range(REDIRECTS + 1):
            if origin_of(url) != origin_of(self._origin):
                raise GitHubUnavailable(f"{what} is said to be at {url.host}; not followed there")
            reply = self._get_if_changed(url, what, accept)
            if reply.meaning is not Meaning.MOVED:
                return self._judged(reply, what)
            url = _moved_to(url, reply, what)
        raise GitHubUnavailable(f"{what} moved more than {REDIRECTS} times in a row; not followed")

    def _get_if_changed(
        self, url: httpx.URL, what: str, accept: str, *, conditional: bool = True
    ) -> Reply:
        """GET one address; what did not change since it was last asked for is not sent again."""
        answers = self._public if self._token is None or accept == RAW else self._recent
        asked = Request(str(url), accept, self._token is not None)
        known = answers.get(asked) if conditional else None
        headers = {"Accept": accept} | ({"If-None-Match": known.etag} if known else {})
        reply = self._send(_Sent(self._client.build_request("GET", url, headers=headers), what))
        if reply.status == httpx.codes.NOT_MODIFIED and known is not None:
            try:
                document = _document(known.content, accept, what)
            except Passing:  # spoilt where it was kept
                return self._get_if_changed(url, what, accept, conditional=False)
            # A page can be the same while more pages have come after it.
            next_url = reply.next_url if "link" in reply.headers else known.next_url
            return Reply(httpx.codes.OK, reply.headers, known.content, document, next_url)
        etag = reply.headers.get("etag")
        if reply.status == httpx.codes.OK and etag:
            answers.keep(asked, Remembered(etag, reply.content, reply.next_url))
        elif reply.meaning in _NO_LONGER_THERE:
            for kept in (self._recent, self._public):
                kept.forget(str(url))
        return reply

    def _send(self, sent: _Sent, *, again: bool = True) -> Reply:
        """Send a request, again when GitHub fails, later when it asks for a pause."""
        passing = (Passing, Unreachable) if again else Unreachable
        while True:
            reply = try_again_on(passing, lambda: self._send_once(sent))
            if reply.meaning is not Meaning.SECONDARY:
                return reply
            self._pace.pause(reply.headers)

    def _send_once(self, sent: _Sent) -> Reply:
        with self._pace.turn(sent.resource):
            self._meter.check(sent.resource, sent.points)
            try:
                response = self._exchange(sent.request)
            except Passing:
                # GitHub charges for what it could not answer in time too.
                self._meter.count({}, resource=sent.resource, points=sent.points)
                raise
        headers = {name.lower(): value for name, value in response.headers.items()}
        next_url = response.links.get("next", {}).get("url")
        reply = Reply(response.status_code, headers, response.content, None, next_url)
        try:
            if reply.good:
                accept = sent.request.headers.get("Accept", "")
                reply = replace(reply, document=_document(reply.content, accept, sent.what))
        finally:
            points = self._charged(reply, sent)
            self._meter.count(headers, resource=sent.resource, points=points)
        if reply.meaning is Meaning.FAILING:
            raise error_for(reply.answer, sent.what, self._host)
        return reply

    def _charged(self, reply: Reply, sent: _Sent) -> int:
        """What GitHub charges for an answer, unless the answer itself is going to tell."""
        if sent.resource == "graphql":
            unfinished = reply.meaning is Meaning.FAILING or (reply.good and not reply.document)
            return sent.points if unfinished else 0
        free = reply.status == httpx.codes.NOT_MODIFIED and self._token is not None
        return 0 if free else sent.points

    def _exchange(self, request: httpx.Request) -> httpx.Response:
        # The cause is left out: httpx's errors carry the request, and the request the token.
        try:
            return self._client.send(request)
        except (httpx.ReadTimeout, httpx.WriteTimeout):
            raise Passing(
                f"GitHub at {self._rest_url} did not answer in time; try again later"
            ) from None
        except (httpx.ProtocolError, httpx.ReadError, httpx.WriteError):
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
        if reply.good:
            return reply
        raise error_for(reply.answer, what, self._host)


def _moved_to(url: httpx.URL, reply: Reply, what: str) -> httpx.URL:
    """Where an answer says that something is now."""
    try:
        return url.join(reply.headers.get("location", ""))
    except httpx.InvalidURL:
        raise wrong_shape(what, "an address that is none for where it moved to") from None


def user_agent() -> str:
    """The project and its version; GitHub refuses requests that do not say who asks."""
    try:
        return f"{PROJECT}/{version(PROJECT)}"
    except PackageNotFoundError:
        return PROJECT


def _document(content: bytes, accept: str, what: str) -> Any:  # noqa: ANN401 - JSON
    """The JSON of a body, or None for a file's own text; raises Passing when it is cut short."""
    if accept == RAW:
        return None
    try:
        return json.loads(content)
    except (ValueError, RecursionError):  # the latter: nested without end
        raise cut_body(what) from None
