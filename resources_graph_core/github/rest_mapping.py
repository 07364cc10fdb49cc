"""REST answers as the model has them, in the words that GraphQL uses for the same things.

REST does not tell what became of review threads, why comments were hidden, nor which issues a pull
request closes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from resources_graph_core.model import (
    GHOST,
    Comment,
    Issue,
    PullRequest,
    Reference,
    Repository,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from resources_graph_core.github.rest_shapes import (
        RestComment,
        RestEvent,
        RestFile,
        RestIssue,
        RestPull,
        RestRepository,
        RestReview,
        RestReviewComment,
        RestUser,
        RestWritten,
    )


@dataclass(frozen=True, slots=True)
class ReviewParts:
    """What only a pull request has, read to the end."""

    pull: RestPull
    reviews: Sequence[RestReview]
    comments: Sequence[RestReviewComment]
    files: Sequence[RestFile]


def repository_of(shape: RestRepository, *, readme: str | None, host: str) -> Repository:
    """A repository, with the README fetched beside it."""
    parent = shape.parent
    return Repository(
        node_id=shape.node_id,
        host=host,
        name_with_owner=shape.full_name,
        url=shape.html_url,
        description=shape.description,
        readme=readme,
        stars=shape.stars,
        default_branch=shape.default_branch,
        topics=shape.topics,
        archived=shape.archived,
        fork_parent=parent.full_name if parent and not parent.private else None,
        licence=shape.licence.spdx_id if shape.licence else None,
        created_at=shape.created_at,
        updated_at=shape.updated_at,
        pushed_at=shape.pushed_at,
    )


def issue_of(
    shape: RestIssue,
    repository: RestRepository,
    *,
    comments: Iterable[RestComment],
    timeline: Iterable[RestEvent],
    host: str,
) -> Issue:
    """An issue with everything that belongs to it."""
    summary = shape.sub_issues_summary
    return Issue(
        **_common(shape, repository, timeline, host),
        state=shape.state.upper(),
        state_reason=shape.state_reason.upper() if shape.state_reason else None,
        issue_type=shape.type.name if shape.type else None,
        sub_issues_total=summary.total if summary else None,
        sub_issues_completed=summary.completed if summary else None,
        comments=_in_order(_comment(comment) for comment in comments),
    )


def pull_request_of(
    shape: RestIssue,
    repository: RestRepository,
    parts: ReviewParts,
    *,
    comments: Iterable[RestComment],
    timeline: Iterable[RestEvent],
    host: str,
) -> PullRequest:
    """A pull request with everything that belongs to it."""
    pull = parts.pull
    return PullRequest(
        **_common(shape, repository, timeline, host),
        state="MERGED" if pull.merged else shape.state.upper(),
        merged=pull.merged,
        merged_at=pull.merged_at,
        merged_by=_login(pull.merged_by) if pull.merged else None,
        draft=pull.draft,
        base_ref=pull.base.ref,
        head_ref=pull.head.ref,
        changed_files=tuple(file.filename for file in parts.files),
        review_count=len(parts.reviews),
        review_thread_count=sum(comment.in_reply_to_id is None for comment in parts.comments),
        comments=_in_order(
            [
                *(_comment(comment) for comment in comments),
                *(_review(review) for review in parts.reviews),
                *_review_comments(parts),
            ]
        ),
    )


def _common(
    shape: RestIssue, repository: RestRepository, timeline: Iterable[RestEvent], host: str
) -> dict[str, Any]:
    milestone = shape.milestone
    return {
        "node_id": shape.node_id,
        "host": host,
        "repository": repository.full_name,
        "repository_id": repository.node_id,
        "number": shape.number,
        "url": shape.html_url,
        "title": shape.title,
        "body": shape.body or "",
        **_author(shape),
        "labels": tuple(label.name for label in shape.labels),
        "assignees": tuple(_login(user) for user in shape.assignees),
        "milestone": milestone.title if milestone else None,
        "milestone_number": milestone.number if milestone else None,
        "locked": shape.locked,
        "created_at": shape.created_at,
        "updated_at": shape.updated_at,
        "closed_at": shape.closed_at,
        "comment_count": shape.comments,
        "reactions": shape.reactions.total_count if shape.reactions else None,
        "referenced_by": _references(timeline),
    }


def _comment(shape: RestComment) -> Comment:
    return Comment(
        kind="comment",
        **_written(shape),
        created_at=shape.created_at,
        updated_at=shape.updated_at,
    )


def _review(shape: RestReview) -> Comment:
    return Comment(
        kind="review",
        **_written(shape),
        created_at=shape.submitted_at,
        updated_at=shape.submitted_at,
        review_state=shape.state.upper(),
    )


def _review_comments(parts: ReviewParts) -> list[Comment]:
    reviews = {review.id: review.node_id for review in parts.reviews}
    comments = {comment.id: comment.node_id for comment in parts.comments}
    return [
        Comment(
            kind="review_comment",
            **_written(shape),
            created_at=shape.created_at,
            updated_at=shape.updated_at,
            path=shape.path,
            line=shape.line if shape.line is not None else shape.original_line,
            outdated=shape.subject_type == "line" and shape.line is None,
            review_id=reviews.get(shape.pull_request_review_id),
            reply_to=comments.get(shape.in_reply_to_id) if shape.in_reply_to_id else None,
        )
        for shape in parts.comments
    ]


def _written(shape: RestWritten) -> dict[str, Any]:
    return {
        "node_id": shape.node_id,
        "url": shape.html_url,
        "body": shape.body or "",
        **_author(shape),
    }


def _author(shape: RestWritten) -> dict[str, Any]:
    return {
        "author": _login(shape.user),
        "author_is_bot": shape.user is not None and shape.user.type == "Bot",
        "author_association": shape.author_association,
    }


def _login(user: RestUser | None) -> str:
    return user.login.removesuffix("[bot]") if user else GHOST


def _references(timeline: Iterable[RestEvent]) -> tuple[Reference, ...]:
    found = {}
    for event in timeline:
        issue = event.source.issue if event.source else None
        if event.event == "cross-referenced" and issue and not issue.repository.private:
            found[issue.node_id] = Reference(node_id=issue.node_id, url=issue.html_url)
    return tuple(found.values())


def _in_order(comments: Iterable[Comment]) -> tuple[Comment, ...]:
    once = {comment.node_id: comment for comment in comments}
    return tuple(sorted(once.values(), key=lambda comment: comment.created_at))
