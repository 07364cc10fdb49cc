"""GraphQL answers as the model has them; what is not public is left out of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from resources_graph_core.errors import NotPublic
from resources_graph_core.github.shapes import IssueShape
from resources_graph_core.model import (
    GHOST,
    Comment,
    Issue,
    PullRequest,
    Reference,
    Repository,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from resources_graph_core.github.light_shapes import RepositoryVersion
    from resources_graph_core.github.shapes import (
        Actor,
        ClosedIssue,
        IssueComment,
        PullRequestShape,
        RepositoryRef,
        RepositoryShape,
        Review,
        ReviewComment,
        ReviewThread,
        Subject,
    )

BOT = "Bot"


def check_public(repository: RepositoryRef, what: str) -> None:
    """NotPublic unless everybody may see the repository, whatever the token may."""
    if not is_public(repository):
        seen = repository.visibility.lower()
        raise NotPublic(f"{what} is in a repository that is {seen}, so it is not stored")


def repository_of(shape: RepositoryShape, *, readme: str | None, host: str) -> Repository:
    """A repository, with the README fetched beside it."""
    parent = shape.parent
    branch = shape.default_branch_ref
    return Repository(
        node_id=shape.id,
        host=host,
        name_with_owner=shape.name_with_owner,
        url=shape.url,
        description=shape.description,
        readme=readme,
        stars=shape.stargazer_count,
        default_branch=branch.name if branch else None,
        topics=tuple(node.topic.name for node in shape.topics.nodes),
        archived=shape.is_archived,
        fork_parent=parent.name_with_owner if parent and is_public(parent) else None,
        licence=shape.licence.spdx_id if shape.licence else None,
        created_at=shape.created_at,
        updated_at=shape.updated_at,
        pushed_at=shape.pushed_at,
    )


def item_of(shape: IssueShape | PullRequestShape, *, host: str) -> Issue | PullRequest:
    """An issue or pull request, all of whose connections were read to their end."""
    return _issue(shape, host) if isinstance(shape, IssueShape) else _pull_request(shape, host)


def _issue(shape: IssueShape, host: str) -> Issue:
    summary = shape.sub_issues_summary
    return Issue(
        **_common(shape, host),
        comments=_in_order(_conversation(shape.comments.nodes)),
        state_reason=shape.state_reason,
        sub_issues_total=summary.total if summary else None,
        sub_issues_completed=summary.completed if summary else None,
    )


def _pull_request(shape: PullRequestShape, host: str) -> PullRequest:
    threads = shape.review_threads.nodes
    return PullRequest(
        **_common(shape, host),
        comments=_in_order(
            [
                *_conversation(shape.comments.nodes),
                *(_review(review) for review in shape.reviews.nodes),
                *(comment for thread in threads for comment in _thread(thread)),
            ]
        ),
        merged=shape.merged,
        merged_at=shape.merged_at,
        merged_by=login_of(shape.merged_by) if shape.merged else None,
        draft=shape.is_draft,
        base_ref=shape.base_ref_name,
        head_ref=shape.head_ref_name,
        changed_files=tuple(file.path for file in shape.files.nodes),
        review_count=shape.reviews.total_count,
        review_thread_count=shape.review_threads.total_count,
        closes=_references(shape.closing_issues_references.nodes),
    )


def _common(shape: IssueShape | PullRequestShape, host: str) -> dict[str, Any]:
    milestone = shape.milestone
    return {
        "node_id": shape.id,
        "host": host,
        "repository": shape.repository.name_with_owner,
        "repository_id": shape.repository.id,
        "number": shape.number,
        "url": shape.url,
        "title": shape.title,
        "body": shape.body,
        "state": shape.state,
        **_author(shape.author),
        "author_association": shape.author_association,
        "labels": tuple(label.name for label in shape.labels.nodes),
        "assignees": tuple(user.login for user in shape.assignees.nodes),
        "milestone": milestone.title if milestone else None,
        "milestone_number": milestone.number if milestone else None,
        "locked": shape.locked,
        "created_at": shape.created_at,
        "updated_at": shape.updated_at,
        "closed_at": shape.closed_at,
        "comment_count": shape.comments.total_count,
        "reactions": shape.reactions.total_count,
        "referenced_by": _references(
            event.source if event else None for event in shape.timeline_items.nodes
        ),
    }


def _conversation(nodes: Iterable[IssueComment]) -> list[Comment]:
    return [Comment(kind="comment", **_written(node)) for node in nodes]


def _review(review: Review) -> Comment:
    return Comment(kind="review", **_written(review), review_state=review.state)


def _thread(thread: ReviewThread) -> list[Comment]:
    return [
        Comment(
            kind="review_comment",
            **_written(node),
            path=node.path,
            line=node.line if node.line is not None else node.original_line,
            resolved=thread.is_resolved,
            outdated=node.outdated or thread.is_outdated,
            review_id=node.pull_request_review.id if node.pull_request_review else None,
            reply_to=node.reply_to.id if node.reply_to else None,
        )
        for node in thread.comments.nodes
        if node.state != "PENDING"  # seen by its author alone, so not public
    ]


def _written(node: IssueComment | Review | ReviewComment) -> dict[str, Any]:
    return {
        "node_id": node.id,
        "url": node.url,
        "body": node.body,
        **_author(node.author),
        "author_association": node.author_association,
        "created_at": node.created_at,
        "updated_at": node.updated_at,
        "minimized_reason": (node.minimized_reason or "hidden") if node.is_minimized else None,
    }


def _author(actor: Actor | None) -> dict[str, Any]:
    return {
        "author": login_of(actor),
        "author_is_bot": actor is not None and actor.typename == BOT,
    }


def login_of(actor: Actor | None) -> str:
    """Who it was; ``ghost`` for a deleted account, as GitHub shows it."""
    return actor.login if actor else GHOST


def _references(subjects: Iterable[Subject | ClosedIssue | None]) -> tuple[Reference, ...]:
    found = {
        subject.id: Reference(node_id=subject.id, url=subject.url)
        for subject in subjects
        if subject is not None and is_public(subject.repository)
    }
    return tuple(found.values())


def is_public(repository: RepositoryRef | RepositoryVersion) -> bool:
    """Whether everybody may see the repository."""
    return repository.visibility == "PUBLIC"


def _in_order(comments: list[Comment]) -> tuple[Comment, ...]:
    """Each once, oldest first; pages can overlap when something is deleted meanwhile."""
    once = {comment.node_id: comment for comment in comments}
    return tuple(sorted(once.values(), key=lambda comment: comment.created_at))
