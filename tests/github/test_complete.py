"""Complete or not at all: what is missing from an answer, and what becomes of its item."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from resources_graph_core.address import Address
from resources_graph_core.github.graphql_source import GraphQLSource
from resources_graph_core.github.limits import Limits
from resources_graph_core.github.token import Token
from resources_graph_core.github.transport import Transport
from resources_graph_core.model import Issue, PullRequest
from resources_graph_core.sandbox import Sandbox
from resources_graph_core.sandbox.archive import load_archive, packaged_archives

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ARCHIVE = load_archive(max(packaged_archives(), key=lambda path: path.stat().st_size))
OWNER, _, NAME = ARCHIVE.repo.partition("/")
PULL = next(pull.number for pull in ARCHIVE.pulls)
WANTED = [Address.of_item(OWNER, NAME, number) for number in (PULL, ARCHIVE.issues[0].number)]


class Altered(httpx.BaseTransport):
    """The sandbox, with every answer about an item changed before it arrives."""

    def __init__(self, change: Callable[[dict[str, Any]], None]) -> None:
        self._change = change
        self._network = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self._network.handle_request(request)
        answer.read()
        if request.method != "POST" or b'"Items"' not in request.content:
            return answer
        document = json.loads(answer.content)
        numbers = json.loads(request.content)["variables"]
        for alias, held in list(document["data"].items()):
            if numbers.get(f"number_{alias}") == PULL:
                self._change({"document": document, "alias": alias, "held": held})
        return httpx.Response(200, json=document)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(packaged_archives()) as running:
        yield running


def outcomes(sandbox: Sandbox, change: Callable[[dict[str, Any]], None]) -> list[str | None]:
    """Why the pull request and the issue beside it could not be had; None when they could."""
    limits = Limits(longest_wait=0)
    altered = Transport(sandbox.url, Token("x"), limits=limits, client_transport=Altered(change))
    with GraphQLSource(altered, Transport(sandbox.url, limits=limits)) as source:
        fetched = {one.address: one for one in source.fetch(WANTED)}
    for one in fetched.values():
        assert (one.content is None) == (one.reason is not None)
        assert one.content is None or isinstance(one.content, Issue | PullRequest)
    return [fetched[address].reason for address in WANTED]


CONNECTIONS = [
    "comments",
    "labels",
    "assignees",
    "timelineItems",
    "files",
    "reviews",
    "reviewThreads",
    "closingIssuesReferences",
]


def item(answer: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = answer["held"]["issueOrPullRequest"]
    return found


def error(answer: dict[str, Any], kind: str | None, *path: str | int) -> None:
    told = {"message": "told", "path": [answer["alias"], "issueOrPullRequest", *path]}
    errors = answer["document"].setdefault("errors", [])
    errors.append(told | ({"type": kind} if kind else {}))


@pytest.mark.parametrize("connection", CONNECTIONS)
@pytest.mark.parametrize("part", [None, "nodes", "pageInfo", "totalCount"])
def test_a_null_inside_good_data_is_no_whole_item(
    sandbox: Sandbox, connection: str, part: str | None
) -> None:
    def lose(answer: dict[str, Any]) -> None:
        if part is None:
            item(answer)[connection] = None
        else:
            item(answer)[connection][part] = None

    assert outcomes(sandbox, lose) == ["failed", None]


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("RESOURCE_LIMITS_EXCEEDED", "failed"),
        ("MAX_NODE_LIMIT_EXCEEDED", "failed"),
        ("SOMETHING_NEW", "failed"),
        (None, "failed"),
        ("NOT_FOUND", "failed"),
    ],
)
def test_an_error_about_a_part_is_no_whole_item(
    sandbox: Sandbox, kind: str | None, reason: str
) -> None:
    """Even where the data beside it looks whole."""
    assert outcomes(sandbox, lambda answer: error(answer, kind, "comments")) == [reason, None]


def test_a_part_kept_from_the_token_is_read_without_it(sandbox: Sandbox) -> None:
    assert outcomes(sandbox, lambda answer: error(answer, "FORBIDDEN", "comments")) == [None, None]


def test_of_what_is_both_forbidden_and_not_found_the_token_is_told_less(sandbox: Sandbox) -> None:
    def both(answer: dict[str, Any]) -> None:
        answer["held"]["issueOrPullRequest"] = None
        error(answer, "NOT_FOUND")
        error(answer, "FORBIDDEN")

    assert outcomes(sandbox, both) == ["not_public", None]


def test_what_graphql_alone_does_not_know_is_not_gone(sandbox: Sandbox) -> None:
    """REST still has it, so nothing is said about it: it is asked for again by a later Sweep."""

    def lose(answer: dict[str, Any]) -> None:
        answer["held"]["issueOrPullRequest"] = None
        error(answer, "NOT_FOUND")

    assert outcomes(sandbox, lose) == ["failed", None]


def test_what_is_null_without_an_error_is_no_item(sandbox: Sandbox) -> None:
    def lose(answer: dict[str, Any]) -> None:
        answer["held"]["issueOrPullRequest"] = None

    assert outcomes(sandbox, lose) == ["failed", None]


@pytest.mark.parametrize("answered", [None, {}, {"__typename": "Discussion"}])
def test_a_node_of_another_kind_has_no_version(answered: object) -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json={"data": {"n0": answered}})

    transport = Transport(
        "https://api.github.com", Token("x"), client_transport=httpx.MockTransport(answer)
    )
    with GraphQLSource(transport, Transport()) as source:
        assert dict(source.versions({"I_1": WANTED[0]})) == {"I_1": None}
