"""The sandbox over HTTP: what only the server itself can get right."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

import httpx
import pytest

from resources_graph_core.errors import ArchiveError, UsageError
from resources_graph_core.sandbox import Refusal, Sandbox
from resources_graph_core.sandbox.archive import packaged_archives

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WIDGETS = "/repos/octo-org/widgets"


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    """A running sandbox."""
    with Sandbox(token="right") as running:
        yield running


@pytest.fixture
def client(sandbox: Sandbox) -> Iterator[httpx.Client]:
    """Somebody with the token."""
    headers = {"authorization": "Bearer right"}
    with httpx.Client(base_url=sandbox.url, headers=headers, trust_env=False) as one:
        yield one


def test_requests_are_kept_without_tokens(sandbox: Sandbox, client: httpx.Client) -> None:
    document = "query Mine { viewer { login } }"
    assert client.post("/graphql", json={"query": document}).json()["data"] == {
        "viewer": {"login": "octocat"}
    }
    client.get(f"{WIDGETS}/issues", params={"per_page": 1})
    assert [one.name for one in sandbox.requests.all] == [
        "Mine",
        f"GET {WIDGETS}/issues?per_page=1",
    ]
    assert sandbox.requests.by_name == {"Mine": 1, "rest": 1}
    assert (sandbox.requests.total, sandbox.requests.points) == (2, 2)
    assert "right" not in repr(sandbox.requests.all)
    sandbox.requests.clear()
    assert sandbox.requests.total == 0


def test_a_head_has_no_body(client: httpx.Client) -> None:
    answer = client.head(WIDGETS)
    assert (answer.status_code, answer.content) == (200, b"")


def test_a_cut_body_ends_the_connection(sandbox: Sandbox, client: httpx.Client) -> None:
    sandbox.faults.cut_body()
    with pytest.raises(httpx.RemoteProtocolError):
        client.get(WIDGETS)
    assert client.get(WIDGETS).status_code == 200


def test_requests_in_flight_are_counted_until_their_client_leaves(
    sandbox: Sandbox, client: httpx.Client
) -> None:
    sandbox.faults.slow_down(0.3)
    with pytest.raises(httpx.ReadTimeout):
        client.get(WIDGETS, timeout=0.05)
    threads = [threading.Thread(target=client.get, args=(WIDGETS,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sandbox.requests.most_in_flight >= 3
    # The client hears the last byte a moment before the server is done with the request.
    for _ in range(500):
        if sandbox.requests.in_flight == 0:
            break
        threading.Event().wait(0.01)
    assert sandbox.requests.in_flight == 0


def test_other_processes_control_it(sandbox: Sandbox, client: httpx.Client) -> None:
    body = {"name": "octo-org/widgets", "number": 1, "body": "hello"}
    added = client.post("/_sandbox/state/add_comment", json=body).json()["result"]
    assert sandbox.state.node(added) is not None
    refusal = {"refusal": {"status": 418, "body": "{}"}, "api": "rest"}
    assert client.post("/_sandbox/faults/answer_next", json=refusal).status_code == 200
    assert client.get(WIDGETS).status_code == 418
    path = {"path": str(packaged_archives()[0])}
    assert client.post("/_sandbox/state/load", json=path).status_code == 200
    assert sandbox.state.node(added) is None
    assert [one["status"] for one in client.get("/_sandbox/requests").json()] == [418]


@pytest.mark.parametrize(
    ("path", "content", "said"),
    [
        ("state/lock", b"{}", "there is no 'state/lock'"),
        ("state/__init__", b"{}", "there is no"),
        ("nothing", b"{}", "there is no"),
        ("faults/cut_body", b"{", "cannot be called so"),
        ("faults/cut_body", b"[]", "cannot be called so"),
        ("faults/cut_body", b'{"often": 1}', "cannot be called so"),
        ("state/load", b"{}", "cannot be called so"),
        ("state/load", b'{"path": "none.json"}', "cannot be read"),
        ("state/delete_item", b'{"name": "a/b", "number": 1}', "has no repository a/b"),
        ("faults/cut_body", b" " * 70_000, "small"),
    ],
)
def test_wrong_control_is_told(client: httpx.Client, path: str, content: bytes, said: str) -> None:
    answer = client.post(f"/_sandbox/{path}", content=content)
    assert answer.status_code == 400
    assert said in answer.json()["error"]


def test_a_page_in_a_browser_controls_nothing(sandbox: Sandbox, client: httpx.Client) -> None:
    headers = {"origin": "https://example.com"}
    answer = client.post("/_sandbox/faults/cut_body", headers=headers)
    assert answer.status_code == 403
    assert sandbox.faults.planned("rest") is None


def test_planned_answers_come_in_order_and_by_api(sandbox: Sandbox, client: httpx.Client) -> None:
    sandbox.faults.answer_next(Refusal(status=451), api="graphql")
    sandbox.faults.bad_gateway(times=2, status=504, api="rest")
    statuses = [client.get(WIDGETS).status_code for _ in range(3)]
    assert statuses == [504, 504, 200]
    assert client.post("/graphql", json={"query": "{ viewer { login } }"}).status_code == 451


def test_a_port_that_is_taken_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"cannot listen on 127.0.0.1:{port}"):
            Sandbox(port=port).__enter__()


def test_what_is_no_archive_is_told_before_anything_starts(tmp_path: Path) -> None:
    path = tmp_path / "none.json"
    path.write_text("[]")
    with pytest.raises(ArchiveError, match="is not an archive"):
        Sandbox([path])


def test_the_token_is_not_shown() -> None:
    sandbox = Sandbox(token="very-secret")
    assert "very-secret" not in repr(sandbox.__dict__)
