"""What REST lets one change in the sandbox, and who may.

https://docs.github.com/rest/issues and
https://docs.github.com/rest/collaborators/collaborators#get-repository-permissions-for-a-user
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from resources_graph_core.sandbox.rest_messages import Refused

if TYPE_CHECKING:
    from resources_graph_core.sandbox.nodes import IssueComment, Item, Repository
    from resources_graph_core.sandbox.state import State

LONGEST_BODY = 262_144
"""Bytes of UTF-8 in the text of an issue or comment."""

_EDITABLE = ("title", "body")
_WRITERS = ("admin", "write")


def edit_item(state: State, item: Item, body: bytes) -> None:
    """Change the title or the text of an item; Refused for who may not, and for what is wrong."""
    fields = {name: value for name, value in _fields(body).items() if name in _EDITABLE}
    viewer = item.author is not None and item.author.login == state.viewer
    if not viewer and state.permission(item.repository, state.viewer) not in _WRITERS:
        raise Refused(403, "Must have admin rights to Repository.")
    for value in fields.values():
        _check(value)
    state.let_others_write()
    state.edit_item(item.repository.name_with_owner, item.number, **fields)


def add_comment(state: State, item: Item, body: bytes) -> IssueComment:
    """Add a comment of the one who asks; Refused for what is wrong."""
    text = _fields(body).get("body")
    _check(text)
    if not text:
        raise Refused(422, "Validation Failed")
    state.add_comment(item.repository.name_with_owner, item.number, text, author=state.viewer)
    return item.comments[-1]


def permission(state: State, repository: Repository, login: str) -> str:
    """What an account may do in a repository; only who may write there is told."""
    if state.permission(repository, state.viewer) not in _WRITERS:
        raise Refused(403, "Must have push access to view collaborator permission.")
    if login.endswith("[bot]"):
        raise Refused(404, f"{login} is not a user")
    return state.permission(repository, login)


def _fields(body: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(body)
    except ValueError:
        raise Refused(400, "Problems parsing JSON") from None
    if not isinstance(fields, dict):
        raise Refused(400, "Body should be a JSON object")
    return fields


def _check(value: object) -> None:
    if not isinstance(value, str) or len(value.encode(errors="replace")) > LONGEST_BODY:
        raise Refused(422, "Validation Failed")
