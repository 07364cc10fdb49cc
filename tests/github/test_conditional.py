"""REST answers that did not change are not sent again."""

from __future__ import annotations

from contextlib import closing

import httpx
import pytest

from resources_graph_core.github.conditional import RecentAnswers, Remembered
from resources_graph_core.github.token import Token
from resources_graph_core.github.transport import RAW, Transport

TOKEN = "made-up"
API = "https://api.github.com"


class Versioned:
    """A GitHub whose documents have an ETag; ``asked`` tells what it was asked for and answered."""

    def __init__(self) -> None:
        self.etag = 'W/"1"'
        self.asked: list[tuple[str, int]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
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

    def transport(self, token: str | None, answers: RecentAnswers | None = None) -> Transport:
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


def test_answers_can_be_kept_elsewhere_apart_for_strangers() -> None:
    github, answers = Versioned(), RecentAnswers()
    for token in (TOKEN, "another", None, None):
        with closing(github.transport(token, answers)) as transport:
            transport.get("/list", "a list")
    assert [status for _, status in github.asked] == [200, 304, 200, 304]
    assert not any(TOKEN in request for request in answers)


def test_the_least_recently_used_answer_goes_first() -> None:
    answers = RecentAnswers(most=2)
    one = Remembered("1", b"")
    answers["a"] = answers["b"] = one
    assert answers["a"] is one
    answers["c"] = one
    assert list(answers) == ["a", "c"]
    del answers["a"]
    assert len(answers) == 1
    with pytest.raises(KeyError):
        answers["a"]
