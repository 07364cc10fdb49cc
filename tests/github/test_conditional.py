"""REST answers that did not change are not sent again."""

from __future__ import annotations

from contextlib import closing, suppress
from typing import Any

import httpx
import pytest

from resources_graph_core.errors import GitHubError
from resources_graph_core.github.conditional import Answers, RecentAnswers, Remembered, Request
from resources_graph_core.github.token import Token
from resources_graph_core.github.transport import RAW, Transport

TOKEN = "made-up"
API = "https://api.github.com"
JSON = "application/vnd.github+json"


class Versioned:
    """A GitHub whose documents have an ETag; ``asked`` tells what it was asked for and answered."""

    def __init__(self) -> None:
        self.etag = 'W/"1"'
        self.asked: list[tuple[str, int]] = []
        self.gone: dict[str, dict[str, Any]] = {}

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if gone := self.gone.get(str(request.url)):
            return httpx.Response(**gone)
        page = request.url.params.get("page", "1")
        left = {"x-ratelimit-remaining": "59", "x-ratelimit-reset": "1796083200"}
        headers = {"ETag": self.etag, **left}
        if page == "1":
            headers["Link"] = f'<{API}/list?page=2>; rel="next"'
        if request.headers.get("If-None-Match") == self.etag:
            answer = httpx.Response(304, headers={"ETag": self.etag, **left})
        elif request.headers["Accept"] == RAW:
            answer = httpx.Response(200, text=f"# {self.etag}", headers=headers)
        else:
            answer = httpx.Response(200, json=[page, self.etag], headers=headers)
        self.asked.append((page, answer.status_code))
        return answer

    def transport(self, token: str | None, answers: Answers | None = None) -> Transport:
        return Transport(
            API,
            Token(token) if token else None,
            answers=answers,
            client_transport=httpx.MockTransport(self),
        )


@pytest.mark.parametrize(("token", "points"), [(TOKEN, 2), (None, 4)])
def test_pages_that_did_not_change_come_from_memory(token: str | None, points: int) -> None:
    """With a token that is free."""
    github = Versioned()
    with closing(github.transport(token)) as transport:
        first = list(transport.get_pages("/list", "a list"))
        assert list(transport.get_pages("/list", "a list")) == first
        assert [status for _, status in github.asked] == [200, 200, 304, 304]
        assert (transport.usage.requests, transport.usage.points) == (4, points)
        github.etag = 'W/"2"'
        assert list(transport.get_pages("/list", "a list")) != first


def test_a_files_text_is_not_taken_for_its_description() -> None:
    github = Versioned()
    with closing(github.transport(TOKEN)) as transport:
        for _ in range(2):
            assert transport.get_text("/file", "a file") == '# W/"1"'
            assert transport.get("/file", "a file").document == ["1", 'W/"1"']
    assert [status for _, status in github.asked] == [200, 200, 304, 304]


def test_what_anyone_may_read_can_outlive_a_transport() -> None:
    """What a token reads is not kept, but for files, which are asked for where all may read."""
    github, answers = Versioned(), RecentAnswers()
    for token in (TOKEN, "another", None, None):
        with closing(github.transport(token, answers)) as transport:
            transport.get("/list", "a list")
    assert [status for _, status in github.asked] == [200, 200, 200, 304]
    github.asked.clear()
    for token in (TOKEN, "another", None, None):
        with closing(github.transport(token, answers)) as transport:
            transport.get_text("/file", "a file")
    assert [status for _, status in github.asked] == [200, 304, 200, 304]


@pytest.mark.parametrize("status", [301, 404, 410, 451])
def test_nothing_is_kept_of_what_is_no_longer_there(status: int) -> None:
    github, answers = Versioned(), RecentAnswers()
    with closing(github.transport(None, answers)) as transport:
        for path in ("/repos/o/r/issues/1", "/repos/o/r/issues/1/comments", "/repos/o/r/issues/11"):
            transport.get(path, "something")
        gone = {"status_code": status, "headers": {"location": "/elsewhere"}}
        github.gone[f"{API}/repos/o/r/issues/1"] = gone
        with suppress(GitHubError):
            transport.get("/repos/o/r/issues/1", "an issue")
    kept = {
        path: answers.get(Request(f"{API}/repos/o/r/issues/{path}", JSON, with_token=False))
        for path in ("1", "1/comments", "11")
    }
    assert [path for path, answer in kept.items() if answer] == ["11"]


def test_a_kept_answer_that_is_spoilt_is_asked_for_anew() -> None:
    github, answers = Versioned(), RecentAnswers()
    with closing(github.transport(None, answers)) as transport:
        asked = Request(f"{API}/list", JSON, with_token=False)
        answers.keep(asked, Remembered(github.etag, b"[1, 2"))
        assert transport.get("/list", "a list").document == ["1", github.etag]
    assert [status for _, status in github.asked] == [304, 200]


def test_the_least_recently_used_answer_goes_first() -> None:
    answers = RecentAnswers(most=2)
    one = Remembered("1", b"")
    first, second, third = (Request(f"{API}/{n}", JSON, with_token=True) for n in range(3))
    answers.keep(first, one)
    answers.keep(second, one)
    assert answers.get(first) is one
    answers.keep(third, one)
    assert [answers.get(each) for each in (first, second, third)] == [one, None, one]
