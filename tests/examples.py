"""Small made-up contents, for tests that need something to store."""

from __future__ import annotations

from resources_graph_core.model import Comment, Issue, PullRequest, Reference, Repository

CREATED = "2026-01-02T03:04:05Z"
UPDATED = "2026-02-03T04:05:06Z"


def repository(name: str = "octo-org/widgets", **fields: object) -> Repository:
    """A repository whose id is made of its name."""
    values: dict[str, object] = {
        "node_id": f"R_{name}",
        "name_with_owner": name,
        "url": f"https://github.com/{name}",
        "updated_at": UPDATED,
    }
    return Repository.model_validate(values | fields)


def _item(number: int, in_repository: str, path: str) -> dict[str, object]:
    return {
        "node_id": f"N_{in_repository}_{number}",
        "repository": in_repository,
        "repository_id": f"R_{in_repository}",
        "number": number,
        "url": f"https://github.com/{in_repository}/{path}/{number}",
        "title": f"Number {number}",
        "state": "OPEN",
        "created_at": CREATED,
        "updated_at": UPDATED,
    }


def issue(number: int, in_repository: str = "octo-org/widgets", **fields: object) -> Issue:
    """An open issue without comments."""
    return Issue.model_validate(_item(number, in_repository, "issues") | fields)


def pull_request(
    number: int, in_repository: str = "octo-org/widgets", **fields: object
) -> PullRequest:
    """An open pull request without comments or reviews."""
    return PullRequest.model_validate(_item(number, in_repository, "pull") | fields)


def comment(name: str, body: str = "", **fields: object) -> Comment:
    """A comment whose id is ``name``."""
    values: dict[str, object] = {
        "node_id": name,
        "body": body,
        "created_at": CREATED,
        "updated_at": CREATED,
    }
    return Comment.model_validate(values | fields)


def reference(to: Issue | PullRequest) -> Reference:
    """A reference to or from an item."""
    return Reference(node_id=to.node_id, url=to.url)
