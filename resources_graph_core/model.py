"""What GitHub's answers become before they are stored: Pydantic models, validated once at the edge.

Field names are the property names of the graph. Times are ISO-8601 UTC strings exactly as
GitHub writes them, for example ``2026-11-30T22:25:00Z``.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from resources_graph_core.address import DEFAULT_HOST, Address

GHOST = "ghost"
"""Who GitHub shows as the author of what a deleted account wrote."""

CommentKind = Literal["comment", "review", "review_comment"]


class Frozen(BaseModel):
    """An immutable record that refuses fields it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Comment(Frozen):
    """An issue comment, a review, or a review comment; captured with its item.

    ``review_state`` is a review's verdict (``APPROVED`` …). ``path`` and ``line`` say where a
    review comment stands, ``resolved`` and ``outdated`` what became of its thread.
    """

    node_id: str
    kind: CommentKind = "comment"
    url: str | None = None
    body: str = ""
    author: str = GHOST
    author_is_bot: bool = False
    author_association: str | None = None
    created_at: str
    updated_at: str
    review_state: str | None = None
    review_id: str | None = None
    path: str | None = None
    line: int | None = None
    resolved: bool | None = None
    outdated: bool | None = None
    minimized_reason: str | None = None
    reply_to: str | None = None


class Reference(Frozen):
    """The other end of a cross-reference: GitHub's node id and its web address."""

    node_id: str
    url: str


class Repository(Frozen):
    """A repository. ``fork_parent`` is ``owner/repo``; ``licence`` an SPDX id.

    ``visibility`` is kept so that what is stored can be checked: nothing else is ever stored.
    """

    node_id: str
    host: str = DEFAULT_HOST
    name_with_owner: str
    url: str
    description: str | None = None
    readme: str | None = None
    stars: int = 0
    default_branch: str | None = None
    topics: tuple[str, ...] = ()
    archived: bool = False
    visibility: Literal["PUBLIC"] = "PUBLIC"
    fork_parent: str | None = None
    licence: str | None = None
    created_at: str | None = None
    updated_at: str
    pushed_at: str | None = None

    @property
    def address(self) -> Address:
        """Where it is now."""
        owner, _, name = self.name_with_owner.partition("/")
        return Address.of_repository(owner, name, host=self.host)


class Item(Frozen):
    """What issues and pull requests have in common.

    ``comments`` holds every comment, review and review comment, oldest first;
    ``comment_count`` is GitHub's own count of the conversation's comments.
    ``referenced_by`` are the issues and pull requests that mention this one.
    """

    node_id: str
    host: str = DEFAULT_HOST
    repository: str
    repository_id: str
    number: int
    url: str
    title: str
    body: str = ""
    state: str
    author: str = GHOST
    author_is_bot: bool = False
    author_association: str | None = None
    labels: tuple[str, ...] = ()
    assignees: tuple[str, ...] = ()
    milestone: str | None = None
    milestone_number: int | None = None
    locked: bool = False
    created_at: str
    updated_at: str
    closed_at: str | None = None
    comment_count: int = 0
    reactions: int | None = None
    referenced_by: tuple[Reference, ...] = ()
    comments: tuple[Comment, ...] = ()

    @property
    def address(self) -> Address:
        """Where it is now."""
        owner, _, name = self.repository.partition("/")
        return Address.of_item(owner, name, self.number, host=self.host)


class Issue(Item):
    """An issue. ``state`` is OPEN or CLOSED, ``state_reason`` why."""

    kind: Literal["Issue"] = "Issue"
    state_reason: str | None = None
    issue_type: str | None = None
    sub_issues_total: int | None = None
    sub_issues_completed: int | None = None


class PullRequest(Item):
    """A pull request. ``state`` is OPEN, CLOSED or MERGED; ``changed_files`` are paths, no diff.

    ``review_count`` and ``review_thread_count`` are GitHub's totals: with ``comment_count`` and
    ``updated_at`` they tell whether anything changed.
    """

    kind: Literal["PullRequest"] = "PullRequest"
    merged: bool = False
    merged_at: str | None = None
    merged_by: str | None = None
    draft: bool = False
    base_ref: str | None = None
    head_ref: str | None = None
    changed_files: tuple[str, ...] = ()
    review_count: int = 0
    review_thread_count: int = 0
    closes: tuple[Reference, ...] = ()


Content = Repository | Issue | PullRequest
"""What becomes a Resource."""
