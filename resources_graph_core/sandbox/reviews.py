"""Reviews of pull requests in the sandbox: verdicts, and threads of comments on lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from resources_graph_core.sandbox.nodes import Authored, Numbered

if TYPE_CHECKING:
    from resources_graph_core.sandbox.nodes import Actor, PullRequest, Repository


@dataclass(slots=True, eq=False, kw_only=True)
class Review(Authored):
    """A review: a verdict, perhaps with a body."""

    typename: ClassVar[str] = "PullRequestReview"
    pull_request: PullRequest
    state: str
    commit_oid: str
    comments: list[ReviewComment] = field(default_factory=list)

    @property
    def repository(self) -> Repository:
        """Where it was written."""
        return self.pull_request.repository

    @property
    def submitted_at(self) -> str | None:
        """When it was handed in; None while pending."""
        return None if self.state == "PENDING" else self.created_at

    @property
    def resource_path(self) -> str:  # type: ignore[override]  # follows from the item
        """Its place on the pull request's page."""
        return f"{self.pull_request.resource_path}#pullrequestreview-{self.database_id}"


@dataclass(slots=True, eq=False, kw_only=True)
class ReviewComment(Authored):
    """A review's comment on a line."""

    typename: ClassVar[str] = "PullRequestReviewComment"
    review: Review
    thread: Thread
    original_position: int
    original_line: int | None
    reply_to: ReviewComment | None = None

    @property
    def repository(self) -> Repository:
        """Where it was written."""
        return self.review.repository

    @property
    def path(self) -> str:
        """The file it stands in."""
        return self.thread.path

    @property
    def outdated(self) -> bool:
        """Whether the line is no longer in the diff."""
        return self.thread.is_outdated

    @property
    def line(self) -> int | None:
        """The line in the file; None once outdated."""
        return None if self.thread.is_outdated else self.original_line

    @property
    def position(self) -> int | None:
        """The position in the diff; None once outdated."""
        return None if self.thread.is_outdated else self.original_position

    @property
    def diff_hunk(self) -> str:
        """Archives keep no diffs."""
        return f"@@ -{self.original_position} +{self.original_position} @@"

    @property
    def resource_path(self) -> str:  # type: ignore[override]  # follows from the item
        """Its place on the pull request's page."""
        return f"{self.review.pull_request.resource_path}#discussion_r{self.database_id}"


@dataclass(slots=True, eq=False, kw_only=True)
class Thread(Numbered):
    """A conversation about a line of a pull request."""

    typename: ClassVar[str] = "PullRequestReviewThread"
    id: str
    pull_request: PullRequest
    path: str
    original_line: int | None
    is_resolved: bool = False
    is_outdated: bool = False
    resolved_by: Actor | None = None
    comments: list[ReviewComment] = field(default_factory=list)

    @property
    def repository(self) -> Repository:
        """Where it is."""
        return self.pull_request.repository

    @property
    def line(self) -> int | None:
        """The line in the file; None once outdated."""
        return None if self.is_outdated else self.original_line
