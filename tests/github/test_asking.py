"""Many questions in one document: what is halved, what is asked again, what stops everything."""

from __future__ import annotations

import json
import re
from contextlib import closing
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from resources_graph_core.errors import (
    GitHubAuthError,
    GitHubError,
    GitHubUnavailable,
    NotFound,
    NotPublic,
    RateLimited,
)
from resources_graph_core.github.asking import BATCH, FAILURES_IN_A_ROW, Asker, Question
from resources_graph_core.github.documents import Ask, Variable
from resources_graph_core.github.limits import Limits
from resources_graph_core.github.problems import Heavy, Withheld
from resources_graph_core.github.retrying import ATTEMPTS
from resources_graph_core.github.token import Token
from resources_graph_core.github.transport import Transport

if TYPE_CHECKING:
    from collections.abc import Callable

API = "https://api.github.com"


def question(number: int) -> Question:
    def part(alias: str) -> Ask:
        where = Variable(f"id_{alias}", "ID!", str(number))
        return Ask("node", {"id": where}, (Ask("id"),))

    return Question(f"question {number}", part)


class Scripted:
    """A GitHub that answers each question with its own number, except as a script says."""

    def __init__(
        self, script: Callable[[list[int]], httpx.Response | dict[str, Any] | None]
    ) -> None:
        self.asked: list[list[int]] = []
        self._script = script
        self.transport = Transport(
            API,
            Token("made-up"),
            limits=Limits(reserve=0, longest_wait=0),
            client_transport=httpx.MockTransport(self._answer),
        )

    def _answer(self, request: httpx.Request) -> httpx.Response:
        document = json.loads(request.content)
        numbers = [int(value) for value in document["variables"].values()]
        assert re.findall(r"n\d+(?=: node)", document["query"]) == [
            f"n{position}" for position in range(len(numbers))
        ]
        self.asked.append(numbers)
        scripted = self._script(numbers)
        if isinstance(scripted, httpx.Response):
            return scripted
        data = {f"n{position}": {"id": number} for position, number in enumerate(numbers)}
        return httpx.Response(200, json={"data": data, **(scripted or {})})

    def ask(self, count: int) -> list[Any]:
        with closing(self.transport):
            asker = Asker(self.transport, in_flight=1)
            batches = asker.ask_each("Any", [question(number) for number in range(count)])
            return [outcome for batch in batches for outcome in batch]


def error(kind: str, *path: str | int, message: str = "told") -> dict[str, Any]:
    return {"errors": [{"type": kind, "path": list(path), "message": message}]}


def test_questions_go_out_in_batches_and_come_back_in_order() -> None:
    github = Scripted(lambda _: None)
    assert [one["id"] for one in github.ask(60)] == list(range(60))
    assert [len(numbers) for numbers in github.asked] == [BATCH, BATCH, 10]


def test_nothing_to_ask_asks_nothing() -> None:
    github = Scripted(lambda _: None)
    assert github.ask(0) == []
    assert github.asked == []


@pytest.mark.parametrize(
    "refusal",
    [
        httpx.Response(502, html="<html>"),
        httpx.Response(504),
        {"data": None, **error("RESOURCE_LIMITS_EXCEEDED")},
        {"data": None, **error("MAX_NODE_LIMIT_EXCEEDED")},
        {"data": None, **error("", message="Something went wrong while executing your query.")},
    ],
)
def test_a_batch_that_is_too_much_is_halved(refusal: httpx.Response | dict[str, Any]) -> None:
    github = Scripted(lambda numbers: refusal if len(numbers) > 7 else None)
    assert [one["id"] for one in github.ask(25)] == list(range(25))
    assert [len(numbers) for numbers in github.asked] == [25, 12, 6, 6, 13, 6, 7]


def test_a_question_that_fails_alone_fails_alone() -> None:
    github = Scripted(lambda numbers: httpx.Response(502) if 3 in numbers else None)
    outcomes = github.ask(25)
    assert [n for n, one in enumerate(outcomes) if isinstance(one, GitHubError)] == [3]
    assert isinstance(outcomes[3], GitHubUnavailable)
    assert github.asked.count([3]) == ATTEMPTS


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("NOT_FOUND", NotFound), ("FORBIDDEN", NotPublic), ("undefinedField", GitHubUnavailable)],
)
def test_a_final_error_is_its_questions_own(kind: str, expected: type[GitHubError]) -> None:
    github = Scripted(lambda _: error(kind, "n2", "x"))
    outcomes = github.ask(5)
    assert [type(one) for one in outcomes] == [dict, dict, expected, dict, dict]
    assert len(github.asked) == 1


def test_an_error_that_may_pass_is_asked_about_again() -> None:
    github = Scripted(lambda numbers: error("SOMETHING_NEW", "n2") if len(numbers) > 1 else None)
    assert [one["id"] for one in github.ask(5)] == list(range(5))
    assert github.asked == [[0, 1, 2, 3, 4], [2]]


def test_an_unknown_error_is_asked_about_a_few_times_and_then_shown() -> None:
    github = Scripted(lambda numbers: error("SOMETHING_NEW", "n0") if numbers == [2] else None)
    assert [one["id"] for one in github.ask(1)] == [0]
    github = Scripted(
        lambda numbers: error("SOMETHING_NEW", f"n{numbers.index(2)}") if 2 in numbers else None
    )
    outcome = github.ask(5)[2]
    assert isinstance(outcome, GitHubUnavailable)
    assert "SOMETHING_NEW" in str(outcome)
    assert github.asked == [[0, 1, 2, 3, 4], *[[2]] * ATTEMPTS]


def test_partial_data_is_never_taken_for_a_whole_answer() -> None:
    github = Scripted(lambda _: error("FORBIDDEN", "n0", "comments", "nodes", 7))
    outcome, other = github.ask(2)
    assert isinstance(outcome, Withheld)
    assert other == {"id": 1}


def test_a_missing_part_does_not_make_the_whole_missing() -> None:
    missing = error("NOT_FOUND", "n0", "comments", "nodes", 7)
    github = Scripted(lambda _: missing if len(github.asked) == 1 else None)
    assert github.ask(2) == [{"id": 0}, {"id": 1}]


def test_of_several_errors_the_one_that_may_pass_decides() -> None:
    both = {
        "errors": [
            *error("NOT_FOUND", "n0")["errors"],
            *error("FORBIDDEN", "n0", "a")["errors"],
        ]
    }
    assert isinstance(Scripted(lambda _: both).ask(1)[0], NotPublic)


@pytest.mark.parametrize("kind", ["RESOURCE_LIMITS_EXCEEDED", "MAX_NODE_LIMIT_EXCEEDED"])
def test_partial_data_of_what_was_too_much_is_asked_for_in_halves(kind: str) -> None:
    """GitHub fills what it has until then, and null for the rest."""

    def answer(numbers: list[int]) -> dict[str, Any] | None:
        if len(numbers) == 1:
            return None
        data = {f"n{position}": None for position in range(len(numbers))}
        return {"data": data | {"n0": {"id": numbers[0]}}, **error(kind)}

    github = Scripted(answer)
    assert [one["id"] for one in github.ask(4)] == [0, 1, 2, 3]
    assert [len(numbers) for numbers in github.asked] == [4, 2, 1, 1, 2, 1, 1]


@pytest.mark.parametrize("kind", ["RESOURCE_LIMITS_EXCEEDED", "MAX_NODE_LIMIT_EXCEEDED"])
def test_what_is_too_much_alone_fails_alone(kind: str) -> None:
    github = Scripted(lambda numbers: error(kind, "n0", "comments") if numbers == [1] else None)
    github_of_many = Scripted(
        lambda numbers: error(kind, f"n{numbers.index(1)}", "comments") if 1 in numbers else None
    )
    assert github.ask(1) == [{"id": 0}]
    outcomes = github_of_many.ask(3)
    assert [type(one) for one in outcomes] == [dict, Heavy, dict]
    assert github_of_many.asked == [[0, 1, 2], [1]]


@pytest.mark.parametrize("count", [1, 5])
@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (error("RATE_LIMITED"), RateLimited),
        (error("RATE_LIMIT"), RateLimited),
        ({"errors": [{"message": "x", "extensions": {"code": "graphql_rate_limit"}}]}, RateLimited),
        (error("", message="You have exceeded a secondary rate limit"), RateLimited),
        (httpx.Response(403, headers={"Retry-After": "9"}), RateLimited),
        (httpx.Response(401), GitHubAuthError),
    ],
)
def test_what_stops_everything(
    answer: httpx.Response | dict[str, Any], expected: type[GitHubError], count: int
) -> None:
    github = Scripted(lambda _: answer)
    with pytest.raises(expected):
        github.ask(count)
    assert len(github.asked) == 1


def test_a_github_that_is_down_is_not_asked_for_everything() -> None:
    github = Scripted(lambda _: httpx.Response(503))
    with pytest.raises(GitHubUnavailable):
        github.ask(500)
    assert sum(len(numbers) == 1 for numbers in github.asked) == ATTEMPTS * FAILURES_IN_A_ROW


def test_several_batches_are_in_flight_but_no_more_than_allowed() -> None:
    github = Scripted(lambda _: None)
    with closing(github.transport):
        asker = Asker(github.transport, batch=2, in_flight=4)
        batches = asker.ask_each("Any", [question(number) for number in range(100)])
        assert next(batches) == [{"id": 0}, {"id": 1}]
        batches.close()  # type: ignore[attr-defined]  # a generator, which may be left early
        assert len(github.asked) <= 5
