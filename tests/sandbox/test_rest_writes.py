"""What REST lets one change: texts with their history, comments, and who may."""

from __future__ import annotations

import json
from typing import Any

import pytest

from resources_graph_core.sandbox.archive import load_archive, packaged_archives
from resources_graph_core.sandbox.rest import answer
from resources_graph_core.sandbox.rest_messages import RestAnswer, RestRequest
from resources_graph_core.sandbox.state import State

BASE = "http://127.0.0.1:1234"
WIDGETS = "/repos/octo-org/widgets"
ARCHIVES = [load_archive(file) for file in packaged_archives()]


@pytest.fixture
def state() -> State:
    return State(ARCHIVES)


def get(state: State, path: str, *, token: bool = False) -> RestAnswer:
    return answer(state, RestRequest("GET", path, {}, {}, token, BASE))


def send(
    state: State, method: str, path: str, payload: object, *, token: bool = True
) -> RestAnswer:
    sent = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return answer(state, RestRequest(method, path, {}, {}, token, BASE, sent))


def test_an_issues_text_is_edited_and_its_history_kept(state: State) -> None:
    before = get(state, f"{WIDGETS}/issues/1").body["body"]
    for text in ("Once", "Once", "Twice \U0001f600"):
        changed = send(state, "PATCH", f"{WIDGETS}/issues/1", {"body": text})
        assert (changed.status, changed.body["body"]) == (200, text)
    item = state.item("octo-org/widgets", 1)
    assert item is not None
    assert [edit.diff for edit in item.edits] == [before, "Once", "Twice \U0001f600"]
    assert (item.includes_created_edit, item.last_edited_at) == (True, item.updated_at)
    assert item.edits[-1].editor is not None
    assert item.edits[-1].editor.login == "octocat"


def test_a_comment_is_of_the_one_who_asks(state: State) -> None:
    state.viewer = "mona"
    made = send(state, "POST", f"{WIDGETS}/issues/9/comments", {"body": "Well"})
    assert (made.status, made.body["user"]["login"]) == (201, "mona")
    listed: Any = get(state, f"{WIDGETS}/issues/9/comments").body[-1]
    assert (listed["body"], listed["html_url"]) == ("Well", made.body["html_url"])


@pytest.mark.parametrize(
    ("method", "path", "payload", "status"),
    [
        ("PATCH", "issues/1", b"{", 400),
        ("PATCH", "issues/1", [], 400),
        ("PATCH", "issues/1", {"body": 3}, 422),
        ("PATCH", "issues/1", {"body": "x" * 262_145}, 422),
        ("PATCH", "issues/999", {"body": "x"}, 404),
        ("PATCH", "pulls/9", {"body": "x"}, 404),
        ("POST", "issues/1/comments", {"body": ""}, 422),
        ("POST", "issues/1/comments", {}, 422),
        ("POST", "issues/1", {"body": "x"}, 404),
        ("DELETE", "issues/1", {}, 404),
    ],
)
def test_writes_that_are_refused(
    state: State, method: str, path: str, payload: object, status: int
) -> None:
    assert send(state, method, f"{WIDGETS}/{path}", payload).status == status


def test_who_may_write(state: State) -> None:
    path = f"{WIDGETS}/issues/1"
    assert send(state, "PATCH", path, {"body": "x"}, token=False).status == 401
    state.set_permission("octo-org/widgets", "octocat", "read")
    assert send(state, "PATCH", path, {"body": "x"}).status == 403
    state.edit_item("octo-org/widgets", 1, author="octocat")
    assert send(state, "PATCH", path, {"body": "x"}).status == 200  # one's own
    state.rename_repository("octo-org/widgets", "else/where")
    moved = send(state, "PATCH", path, {"body": "x"})
    assert (moved.status, "/repositories/" in moved.headers["location"]) == (307, True)


def test_what_an_account_may_do(state: State) -> None:
    def told(login: str) -> object:
        found = get(state, f"{WIDGETS}/collaborators/{login}/permission", token=True)
        return found.body["permission"] if found.status == 200 else found.status

    state.set_permission("octo-org/widgets", "Mona", "write")
    assert [told(login) for login in ("octo-org", "octocat", "mona", "lou", "x[bot]")] == [
        "admin",
        "write",
        "write",
        "read",
        404,
    ]
    assert get(state, f"{WIDGETS}/collaborators/lou/permission").status == 401
    state.set_permission("octo-org/widgets", "octocat", "read")
    assert told("mona") == 403
    assert get(state, "/user", token=True).headers["x-oauth-scopes"] == "repo"
    state.scopes = None
    assert "x-oauth-scopes" not in get(state, "/user", token=True).headers


def test_somebody_else_can_be_quicker(state: State) -> None:
    state.edit_before_next_write("octo-org/widgets", 1, body="Theirs")
    send(state, "PATCH", f"{WIDGETS}/issues/1", {"body": "Ours"})
    item = state.item("octo-org/widgets", 1)
    assert item is not None
    assert [edit.diff for edit in item.edits][1:] == ["Theirs", "Ours"]
