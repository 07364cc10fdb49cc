"""GraphQL answers as the model has them, case by case."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from resources_graph_core.errors import NotPublic
from resources_graph_core.github.mapping import check_public, item_of, repository_of
from resources_graph_core.github.shapes import (
    IssueShape,
    PullRequestShape,
    RepositoryRef,
    RepositoryShape,
)
from resources_graph_core.model import Comment, Issue, PullRequest, Reference

AT = "2026-11-30T22:25:00Z"
PUBLIC = {"id": "R_1", "nameWithOwner": "o/r", "visibility": "PUBLIC"}
PRIVATE = {"id": "R_2", "nameWithOwner": "o/secret", "visibility": "PRIVATE"}


def connection(*nodes: Any, total: int | None = None) -> dict[str, Any]:  # noqa: ANN401 - JSON
    return {
        "totalCount": len(nodes) if total is None else total,
        "pageInfo": {"hasNextPage": False, "endCursor": None},
        "nodes": list(nodes),
    }


def written(name: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    return {
        "id": name,
        "url": f"https://github.com/o/r#{name}",
        "body": f"body of {name}",
        "author": {"__typename": "User", "login": "ann"},
        "authorAssociation": "MEMBER",
        "createdAt": AT,
        "updatedAt": AT,
        "isMinimized": False,
        "minimizedReason": None,
        **more,
    }


def item(**more: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    return {
        **written("I_1"),
        "__typename": "Issue",
        "number": 5,
        "title": "A title",
        "state": "OPEN",
        "locked": False,
        "closedAt": None,
        "milestone": None,
        "repository": PUBLIC,
        "reactions": {"totalCount": 3},
        "labels": connection(),
        "assignees": connection(),
        "comments": connection(),
        "timelineItems": connection(),
        "stateReason": None,
        "subIssuesSummary": {"total": 2, "completed": 1},
        **more,
    }


def pull(**more: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    return {
        **item(),
        "__typename": "PullRequest",
        "pullRequestState": "OPEN",
        "merged": False,
        "mergedAt": None,
        "mergedBy": None,
        "isDraft": False,
        "baseRefName": "main",
        "headRefName": "change",
        "files": connection(),
        "reviews": connection(),
        "reviewThreads": connection(),
        "closingIssuesReferences": connection(),
        **more,
    }


def review_comment(name: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    return {
        **written(name),
        "path": "a.py",
        "line": 3,
        "originalLine": 2,
        "outdated": False,
        "state": "SUBMITTED",
        "replyTo": None,
        "pullRequestReview": {"id": "PRR_1"},
        **more,
    }


def issue_of(**more: Any) -> Issue:  # noqa: ANN401 - JSON
    mapped = item_of(IssueShape.model_validate(item(**more)), host="github.com")
    assert isinstance(mapped, Issue)
    return mapped


def pull_of(**more: Any) -> PullRequest:  # noqa: ANN401 - JSON
    mapped = item_of(PullRequestShape.model_validate(pull(**more)), host="github.com")
    assert isinstance(mapped, PullRequest)
    return mapped


def test_an_issue() -> None:
    mapped = issue_of(
        labels=connection({"name": "bug"}, {"name": "Help wanted"}),
        assignees=connection({"login": "bo"}),
        milestone={"title": "v1", "number": 3},
        state="CLOSED",
        stateReason="DUPLICATE",
        closedAt=AT,
        comments=connection(written("IC_1"), total=1),
    )
    assert mapped == Issue(
        node_id="I_1",
        repository="o/r",
        repository_id="R_1",
        number=5,
        url="https://github.com/o/r#I_1",
        title="A title",
        body="body of I_1",
        state="CLOSED",
        state_reason="DUPLICATE",
        author="ann",
        author_association="MEMBER",
        labels=("bug", "Help wanted"),
        assignees=("bo",),
        milestone="v1",
        milestone_number=3,
        created_at=AT,
        updated_at=AT,
        closed_at=AT,
        comment_count=1,
        reactions=3,
        sub_issues_total=2,
        sub_issues_completed=1,
        comments=(
            Comment(
                node_id="IC_1",
                url="https://github.com/o/r#IC_1",
                body="body of IC_1",
                author="ann",
                author_association="MEMBER",
                created_at=AT,
                updated_at=AT,
            ),
        ),
    )


def test_a_deleted_author_is_ghost_and_a_bot_is_known() -> None:
    bot = {"__typename": "Bot", "login": "dependabot"}
    mapped = issue_of(author=None, comments=connection(written("IC_1", author=bot)))
    assert (mapped.author, mapped.author_is_bot) == ("ghost", False)
    assert (mapped.comments[0].author, mapped.comments[0].author_is_bot) == ("dependabot", True)


def test_hidden_comments_keep_why() -> None:
    mapped = issue_of(
        comments=connection(
            written("IC_1", isMinimized=True, minimizedReason="off-topic"),
            written("IC_2", isMinimized=True),
            written("IC_3", minimizedReason="stale"),
        )
    )
    assert [one.minimized_reason for one in mapped.comments] == ["off-topic", "hidden", None]


def test_what_is_private_is_not_mentioned() -> None:
    def subject(name: str, repository: dict[str, str]) -> dict[str, Any]:
        return {"id": name, "url": f"https://github.com/{name}", "repository": repository}

    mapped = pull_of(
        timelineItems=connection(
            {"source": subject("I_2", PUBLIC)},
            {"source": subject("I_3", PRIVATE)},
            None,
            {"source": subject("I_2", PUBLIC)},
        ),
        closingIssuesReferences=connection(subject("I_4", PUBLIC), subject("I_5", PRIVATE), None),
    )
    assert mapped.referenced_by == (Reference(node_id="I_2", url="https://github.com/I_2"),)
    assert mapped.closes == (Reference(node_id="I_4", url="https://github.com/I_4"),)


def test_review_comments_know_their_thread() -> None:
    mapped = pull_of(
        reviews=connection({**written("PRR_1"), "state": "APPROVED"}),
        reviewThreads=connection(
            {
                "id": "PRRT_1",
                "isResolved": True,
                "isOutdated": True,
                "comments": connection(
                    review_comment("PRRC_1", line=None, createdAt="2026-11-30T22:26:00Z"),
                    review_comment(
                        "PRRC_2", replyTo={"id": "PRRC_1"}, createdAt="2026-11-30T22:27:00Z"
                    ),
                    review_comment("PRRC_3", state="PENDING"),
                ),
            }
        ),
    )
    review, comment, reply = mapped.comments
    assert (review.kind, review.review_state) == ("review", "APPROVED")
    assert (comment.kind, comment.path, comment.line) == ("review_comment", "a.py", 2)
    assert (comment.resolved, comment.outdated, comment.review_id) == (True, True, "PRR_1")
    assert (reply.reply_to, reply.line) == ("PRRC_1", 3)
    assert (mapped.review_count, mapped.review_thread_count) == (1, 1)


def test_what_pages_give_twice_is_kept_once() -> None:
    mapped = issue_of(comments=connection(written("IC_1"), written("IC_1"), total=1))
    assert len(mapped.comments) == 1


def test_a_merged_pull_request() -> None:
    mapped = pull_of(
        pullRequestState="MERGED",
        merged=True,
        mergedAt=AT,
        mergedBy=None,
        files=connection({"path": "a.py"}, {"path": "b.py"}),
    )
    assert (mapped.state, mapped.merged_by, mapped.merged_at) == ("MERGED", "ghost", AT)
    assert mapped.changed_files == ("a.py", "b.py")
    assert pull_of().merged_by is None


@pytest.mark.parametrize("missing", ["labels", "comments", "reviews", "files", "reviewThreads"])
def test_a_null_connection_is_no_whole_item(missing: str) -> None:
    with pytest.raises(ValidationError):
        PullRequestShape.model_validate(pull(**{missing: None}))
    with pytest.raises(ValidationError):
        PullRequestShape.model_validate(pull(**{missing: connection(None)}))


@pytest.mark.parametrize("visibility", ["PRIVATE", "INTERNAL"])
def test_only_public_repositories_pass(visibility: str) -> None:
    check_public(RepositoryRef.model_validate(PUBLIC), "o/r")
    with pytest.raises(NotPublic, match=visibility.lower()):
        check_public(RepositoryRef.model_validate({**PUBLIC, "visibility": visibility}), "o/r")


def repository(**more: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    return {
        **PUBLIC,
        "url": "https://github.com/o/r",
        "description": None,
        "stargazerCount": 9,
        "defaultBranchRef": None,
        "isArchived": False,
        "createdAt": AT,
        "updatedAt": AT,
        "pushedAt": None,
        "licenseInfo": None,
        "parent": None,
        "repositoryTopics": connection(),
        **more,
    }


def test_an_empty_repository_has_neither_branch_nor_readme() -> None:
    mapped = repository_of(
        RepositoryShape.model_validate(repository()), readme=None, host="ghe.corp.com"
    )
    assert (mapped.default_branch, mapped.readme, mapped.host) == (None, None, "ghe.corp.com")


def test_a_fork_of_what_is_private_does_not_name_it() -> None:
    for parent, named in ((PUBLIC, "o/r"), (PRIVATE, None)):
        shape = RepositoryShape.model_validate(repository(parent=parent))
        assert repository_of(shape, readme=None, host="github.com").fork_parent == named
