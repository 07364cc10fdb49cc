"""Requests: addresses, redirects, retries, what is counted, and what never leaks."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import httpx
import pytest

from resources_graph_core.errors import (
    ConfigError,
    GitHubAuthError,
    GitHubError,
    GitHubUnavailable,
    NotFound,
)
from resources_graph_core.github import transport as transports
from resources_graph_core.github.answers import Passing
from resources_graph_core.github.documents import Ask, Operation
from resources_graph_core.github.limits import Limits
from resources_graph_core.github.retrying import ATTEMPTS
from resources_graph_core.github.token import Token
from resources_graph_core.github.transport import Transport, endpoints, user_agent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECRET = "ghp_MadeUpForTheTests"
API = "https://api.github.com"
QUERY = Operation("Any", (Ask("viewer", {}, (Ask("login"),)),))


def answering(
    handler: Callable[[httpx.Request], httpx.Response], *, token: str | None = SECRET
) -> Transport:
    return Transport(
        API,
        Token(token) if token else None,
        limits=Limits(reserve=0, longest_wait=0),
        client_transport=httpx.MockTransport(handler),
    )


@pytest.mark.parametrize(
    ("given", "rest", "graphql"),
    [
        ("https://api.github.com", "https://api.github.com", "https://api.github.com/graphql"),
        ("https://api.github.com/", "https://api.github.com", "https://api.github.com/graphql"),
        (
            "https://ghe.corp.com/api/v3/",
            "https://ghe.corp.com/api/v3",
            "https://ghe.corp.com/api/graphql",
        ),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080", "http://127.0.0.1:8080/graphql"),
    ],
)
def test_where_rest_and_graphql_are(given: str, rest: str, graphql: str) -> None:
    assert endpoints(given) == (rest, graphql)


@pytest.mark.parametrize("given", ["", "api.github.com", "ftp://h", "https://", "http://[::"])
def test_what_is_no_address_is_refused(given: str) -> None:
    with pytest.raises(ConfigError, match="GITHUB_API_URL"):
        endpoints(given)


def test_every_request_says_who_asks_and_with_which_token() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"data": {}})

    with closing(answering(answer)) as transport:
        transport.get("/repos/o/r", "o/r")
        transport.query(QUERY, "o/r")
    for request in seen:
        assert request.headers["User-Agent"] == user_agent()
        assert request.headers["Authorization"] == f"Bearer {SECRET}"
        assert all(request.extensions["timeout"].values())
    assert user_agent().startswith("resources-graph-dagster/")


def test_moves_are_followed_on_the_same_host() -> None:
    moves = {"/repos/a/a": "/repositories/1", "/repositories/1": f"{API}/repos/b/b"}

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path in moves:
            return httpx.Response(301, headers={"Location": moves[request.url.path]})
        return httpx.Response(200, json={"path": request.url.path})

    with closing(answering(answer)) as transport:
        assert transport.get("/repos/a/a", "a/a").document == {"path": "/repos/b/b"}
        assert transport.usage.requests == 3


@pytest.mark.parametrize(
    "location",
    ["https://evil.example/repos/b/b", "http://api.github.com/repos/b/b", "//evil.example/"],
)
def test_moves_to_another_host_are_not_followed(location: str) -> None:
    hosts = []

    def answer(request: httpx.Request) -> httpx.Response:
        hosts.append((request.url.scheme, request.url.host))
        return httpx.Response(301, headers={"Location": location})

    with closing(answering(answer)) as transport:
        with pytest.raises(GitHubUnavailable, match="not followed"):
            transport.get("/repos/a/a", "a/a")
        assert hosts == [("https", "api.github.com")]


def test_moves_in_a_circle_end() -> None:
    with closing(
        answering(lambda _: httpx.Response(301, headers={"Location": "/repos/a/a"}))
    ) as transport:
        with pytest.raises(GitHubUnavailable, match="in a row"):
            transport.get("/repos/a/a", "a/a")
        assert transport.usage.requests == transports.REDIRECTS + 1


def test_a_moved_graphql_address_is_not_followed() -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(301, headers={"Location": "/other"})

    with closing(answering(answer)) as transport, pytest.raises(GitHubUnavailable):
        transport.query(QUERY, "o/r")


@pytest.mark.parametrize("status", [502, 503, 504])
def test_what_may_pass_is_asked_again(status: int) -> None:
    answers = [httpx.Response(status, html="<html>Unicorn!</html>")] * (ATTEMPTS - 1)

    def answer(_: httpx.Request) -> httpx.Response:
        return answers.pop() if answers else httpx.Response(200, json={})

    with closing(answering(answer)) as transport:
        assert transport.get("/repos/o/r", "o/r").document == {}
        assert transport.usage.requests == ATTEMPTS


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 422, 429, 451, 500, 502])
def test_requests_are_never_repeated_without_end(status: int) -> None:
    with closing(answering(lambda _: httpx.Response(status))) as transport:
        with pytest.raises(GitHubError):
            transport.get("/repos/o/r", "o/r")
        assert transport.usage.requests == (ATTEMPTS if status == 502 else 1)


def test_a_batch_is_not_repeated() -> None:
    with closing(answering(lambda _: httpx.Response(502))) as transport:
        with pytest.raises(GitHubUnavailable):
            transport.query(QUERY, "25 items", again=False)
        assert transport.usage.requests == 1


def test_pages_are_followed_by_their_links() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        after = request.url.params.get("after")
        links = {} if after else {"Link": f'<{API}/list?after=x&per_page=100>; rel="next"'}
        return httpx.Response(200, json=[after], headers=links)

    with closing(answering(answer)) as transport:
        assert list(transport.get_pages("/list", "a list")) == [[None], ["x"]]


def test_a_page_that_is_no_list_is_refused() -> None:
    with (
        closing(answering(lambda _: httpx.Response(200, json={"a": 1}))) as transport,
        pytest.raises(GitHubUnavailable, match="wrong shape"),
    ):
        list(transport.get_pages("/list", "a list"))


@pytest.mark.parametrize(
    "document",
    [
        [],
        5,
        {"data": []},
        {"errors": "x"},
        {"data": {"rateLimit": {"cost": 1}}},
        {"data": {}, "errors": [5]},
    ],
)
def test_a_graphql_answer_of_the_wrong_shape_is_refused(document: object) -> None:
    with (
        closing(answering(lambda _: httpx.Response(200, json=document))) as transport,
        pytest.raises(GitHubUnavailable, match="wrong shape"),
    ):
        transport.query(QUERY, "o/r")


def test_what_was_used_and_what_is_left() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            left = {"x-ratelimit-remaining": "59", "x-ratelimit-reset": "1796083200"}
            return httpx.Response(200, json={}, headers={**left, "x-ratelimit-resource": "core"})
        limit = {"cost": 7, "remaining": 4990, "resetAt": "2026-12-01T01:00:00Z"}
        return httpx.Response(200, json={"data": {"rateLimit": limit}})

    with closing(answering(answer, token=None)) as transport:
        transport.get("/repos/o/r", "o/r")
        usage = transport.usage
        assert (usage.requests, usage.points, usage.remaining) == (1, 1, 59)
        assert usage.reset_at == "2026-12-01T00:00:00Z"
    with closing(answering(answer)) as transport:
        transport.query(QUERY, "o/r")
        transport.get("/repos/o/r", "o/r")
        usage = transport.usage
        assert (usage.requests, usage.points, usage.remaining) == (2, 8, 4990)


@pytest.mark.parametrize(
    ("answer", "points"),
    [
        (httpx.Response(502, html="<html>"), 1),
        (httpx.Response(504), 1),
        (httpx.ReadTimeout("too slow"), 1),
        (httpx.RemoteProtocolError("gone"), 1),
        (httpx.Response(200, text='{"data": {"rate'), 1),
        (httpx.ConnectError("nobody there"), 0),
        (httpx.Response(401), 0),
        (httpx.Response(403, headers={"Retry-After": "9"}), 0),
    ],
)
def test_what_fails_is_counted_as_far_as_it_is_charged(
    answer: httpx.Response | httpx.HTTPError, points: int
) -> None:
    def fail(_: httpx.Request) -> httpx.Response:
        if isinstance(answer, httpx.Response):
            return answer
        raise answer

    with closing(answering(fail)) as transport:
        with pytest.raises(GitHubError):
            transport.query(QUERY, "o/r", again=False)
        usage = transport.usage
        assert usage.points == points
        sent = not isinstance(answer, httpx.ConnectError)
        assert usage.requests == int(sent)


def test_a_document_that_does_not_tell_its_cost_is_counted_at_what_it_was_computed_to_be() -> None:
    refused = {"data": {"viewer": None}, "errors": [{"message": "no"}]}
    with closing(answering(lambda _: httpx.Response(200, json=refused))) as transport:
        transport.query(QUERY, "o/r")
        assert transport.usage.points == QUERY.cost


def test_nothing_that_fails_shows_the_token(caplog: pytest.LogCaptureFixture) -> None:
    def fail(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("too slow", request=request)

    caplog.set_level("DEBUG")
    for handler in (fail, lambda _: httpx.Response(401, json={"message": "Bad credentials"})):
        with closing(answering(handler)) as transport:
            with pytest.raises(GitHubError) as caught:
                transport.get("/repos/o/r", "o/r")
            error: BaseException | None = caught.value
            assert error is not None
            assert error.__cause__ is None
            assert error.__suppress_context__ or error.__context__ is None
            assert SECRET not in repr(transport)
            assert SECRET not in json.dumps(str(error))
    assert SECRET not in caplog.text


def test_a_rejected_token_says_how_to_log_in() -> None:
    with (
        closing(answering(lambda _: httpx.Response(401))) as transport,
        pytest.raises(GitHubAuthError, match="gh auth login"),
    ):
        transport.query(QUERY, "o/r")


def test_a_github_that_is_not_there_is_named() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
        with (
            closing(Transport(url)) as transport,
            pytest.raises(GitHubUnavailable, match=rf"{url}.*GITHUB_API_URL"),
        ):
            transport.get("/repos/o/r", "o/r")


@contextmanager
def raw_server(*answers: bytes) -> Iterator[str]:
    """A server that gives each connection one of ``answers``, as it stands, and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            for answer in answers:
                connection, _ = listening.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        thread.join(10)


WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: application/json\r\n\r\n{}"
CUT = b'HTTP/1.1 200 OK\r\nContent-Length: 99\r\nContent-Type: application/json\r\n\r\n{"a":'
ENDED_EARLY = b'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json\r\n\r\n{"a":'


@pytest.mark.parametrize("cut", [CUT, ENDED_EARLY, b""])
def test_a_cut_answer_is_asked_for_again(cut: bytes) -> None:
    with raw_server(cut, WHOLE) as url, closing(Transport(url)) as transport:
        assert transport.get("/repos/o/r", "o/r").document == {}


def test_an_answer_nested_without_end_is_no_json() -> None:
    deep = httpx.Response(200, content=b"[" * 100_000)
    with (
        closing(answering(lambda _: deep)) as transport,
        pytest.raises(GitHubUnavailable, match="not JSON"),
    ):
        transport.get("/repos/o/r", "o/r")


def test_an_answer_that_is_always_cut_is_an_error() -> None:
    with (
        raw_server(*[CUT] * ATTEMPTS) as url,
        closing(Transport(url)) as transport,
        pytest.raises(GitHubUnavailable, match="broke off"),
    ):
        transport.get("/repos/o/r", "o/r")


def test_nothing_is_said_about_a_missing_repository_but_that() -> None:
    with (
        closing(
            answering(lambda _: httpx.Response(404, json={"message": "Not Found"}))
        ) as transport,
        pytest.raises(NotFound, match="o/r"),
    ):
        transport.get("/repos/o/r", "o/r")


def test_a_write_follows_where_a_thing_moved_and_repeats_what_was_held_back() -> None:
    asked: list[tuple[str, str, bytes]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append((request.method, request.url.path, request.content))
        if len(asked) == 1:
            return httpx.Response(403, headers={"retry-after": "0"}, json={"message": "slow down"})
        if request.url.path == "/old":
            return httpx.Response(307, headers={"location": "/new"}, json={})
        return httpx.Response(200, json={"body": "x"})

    transport = Transport(client_transport=httpx.MockTransport(answer))
    assert transport.write("PATCH", "/old", "it", {"body": "x"}).document == {"body": "x"}
    assert asked == [("PATCH", path, b'{"body":"x"}') for path in ("/old", "/old", "/new")]
    transport.close()


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_write_that_may_have_been_done_is_not_sent_again(status: int) -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.method)
        return httpx.Response(status)

    transport = Transport(client_transport=httpx.MockTransport(answer))
    with pytest.raises(Passing):
        transport.write("POST", "/comments", "it", {})
    assert asked == ["POST"]
    transport.close()


def test_a_write_goes_to_no_other_host() -> None:
    def answer(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(307, headers={"location": "https://elsewhere.example/x"})

    transport = Transport(client_transport=httpx.MockTransport(answer))
    with pytest.raises(GitHubUnavailable, match=r"elsewhere\.example; not written there"):
        transport.write("PATCH", "/x", "it", {})
    transport.close()
