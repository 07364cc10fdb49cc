"""What the sandbox's things look like in REST answers: field names and values as GitHub has them.

https://docs.github.com/rest describes them; what the project never reads may be missing. ``id`` is
a number there and ``node_id`` what GraphQL calls ``id``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from resources_graph_core.sandbox.identity import commit_oid, database_id
from resources_graph_core.sandbox.nodes import Issue, PullRequest
from resources_graph_core.sandbox.rest_repository_shapes import (
    GHOST,
    JsonObject,
    RepositoryShapes,
)

if TYPE_CHECKING:
    from resources_graph_core.sandbox.nodes import (
        Authored,
        ChangedFile,
        IssueComment,
        Item,
    )
    from resources_graph_core.sandbox.references import CrossReference
    from resources_graph_core.sandbox.reviews import Review, ReviewComment

_REACTIONS = {
    "THUMBS_UP": "+1",
    "THUMBS_DOWN": "-1",
    "LAUGH": "laugh",
    "HOORAY": "hooray",
    "CONFUSED": "confused",
    "HEART": "heart",
    "ROCKET": "rocket",
    "EYES": "eyes",
}
_FILE_STATUS = {"DELETED": "removed"}


@dataclass(frozen=True, slots=True)
class Shapes(RepositoryShapes):
    """Shapes everything there is for one request."""

    def issue(self, item: Item) -> JsonObject:
        """An issue, or a pull request as one."""
        url = f"{self._repository_url(item.repository)}/issues/{item.number}"
        shape = {
            **self._written(item, url),
            **self._item(item),
            "repository_url": self._repository_url(item.repository),
            "labels_url": f"{url}/labels{{/name}}",
            "comments_url": f"{url}/comments",
            "events_url": f"{url}/events",
            "timeline_url": f"{url}/timeline",
            "comments": len(item.comments),
            "body": item.body or None,
            "reactions": self._reactions(item, url),
            "performed_via_github_app": None,
            "state_reason": None,
        }
        if isinstance(item, PullRequest):
            return shape | {"draft": item.is_draft, "pull_request": self._pull_links(item)}
        return shape | (_issue_only(item) if isinstance(item, Issue) else {})

    def pull(self, pull: PullRequest) -> JsonObject:
        """A pull request as lists hold it."""
        url = self._pull_url(pull)
        issue_url = f"{self._repository_url(pull.repository)}/issues/{pull.number}"
        shape = self._written(pull, url) | self._item(pull)
        return shape | {
            "diff_url": f"{pull.url}.diff",
            "patch_url": f"{pull.url}.patch",
            "issue_url": issue_url,
            "commits_url": f"{url}/commits",
            "review_comments_url": f"{url}/comments",
            "comments_url": f"{issue_url}/comments",
            "body": pull.body or None,
            "draft": pull.is_draft,
            "merged_at": pull.merged_at,
            "merge_commit_sha": pull.merge_commit_oid,
            "requested_reviewers": [],
            "requested_teams": [],
            "auto_merge": None,
            "base": self._branch(
                pull.repository.name_with_owner, pull.base_ref_name, pull.base_ref_oid
            ),
            "head": self._branch(pull.head_repository_name, pull.head_ref_name, pull.head_ref_oid),
        }

    def whole_pull(self, pull: PullRequest) -> JsonObject:
        """A pull request asked for by itself: also with its counts and who merged it."""
        return self.pull(pull) | {
            "merged": pull.merged,
            "merged_by": self.user(pull.merged_by or GHOST) if pull.merged else None,
            "mergeable": None,
            "mergeable_state": "unknown",
            "maintainer_can_modify": False,
            "comments": len(pull.comments),
            "review_comments": sum(
                len(review.comments) for review in pull.reviews if review.state != "PENDING"
            ),
            "commits": 1,
            "additions": sum(file.additions for file in pull.files),
            "deletions": sum(file.deletions for file in pull.files),
            "changed_files": len(pull.files),
        }

    def comment(self, comment: IssueComment) -> JsonObject:
        """A comment of a conversation."""
        repository_url = self._repository_url(comment.repository)
        url = f"{repository_url}/issues/comments/{comment.database_id}"
        return self._written(comment, url) | {
            "issue_url": f"{repository_url}/issues/{comment.item.number}",
            "reactions": self._reactions(comment, url),
            "performed_via_github_app": None,
        }

    def review(self, review: Review) -> JsonObject:
        """A review; it has but one time, that of its submission, and no url in the API."""
        pull_url = self._pull_url(review.pull_request)
        return {
            "id": review.database_id,
            "node_id": review.id,
            "user": self.user(review.author) if review.author else None,
            "body": review.body,
            "state": review.state,
            "html_url": review.url,
            "pull_request_url": pull_url,
            "author_association": review.author_association,
            "_links": {"html": {"href": review.url}, "pull_request": {"href": pull_url}},
            "submitted_at": review.submitted_at,
            "commit_id": review.commit_oid,
        }

    def review_comment(self, comment: ReviewComment) -> JsonObject:
        """A comment on a line."""
        url = f"{self._repository_url(comment.repository)}/pulls/comments/{comment.database_id}"
        pull_url = self._pull_url(comment.review.pull_request)
        shape = self._written(comment, url) | {
            "user": self.user(comment.author) if comment.author else None,
            "pull_request_review_id": comment.review.database_id,
            "pull_request_url": pull_url,
            "diff_hunk": comment.diff_hunk,
            "path": comment.path,
            "position": comment.position,
            "original_position": comment.original_position,
            "line": comment.line,
            "original_line": comment.original_line,
            "side": "RIGHT",
            "subject_type": "line",
            "commit_id": comment.review.commit_oid,
            "original_commit_id": comment.review.commit_oid,
            "reactions": self._reactions(comment, url),
        }
        first = comment.reply_to
        return shape | ({"in_reply_to_id": first.database_id} if first else {})

    def file(self, file: ChangedFile) -> JsonObject:
        """A changed file, without its diff, which archives do not keep."""
        return {
            "sha": commit_oid("blob", file.path),
            "filename": file.path,
            "status": _FILE_STATUS.get(file.change_type, file.change_type.lower()),
            "additions": file.additions,
            "deletions": file.deletions,
            "changes": file.additions + file.deletions,
        }

    def cross_reference(self, event: CrossReference) -> JsonObject:
        """The event on a timeline that another item mentioned this one."""
        issue = self.issue(event.source)
        return {
            "event": "cross-referenced",
            "actor": self.user(event.actor or GHOST),
            "created_at": event.created_at,
            "updated_at": event.created_at,
            "source": {
                "type": "issue",
                "issue": issue | {"repository": self.repository(event.source.repository)},
            },
        }

    def _written(self, written: Authored, url: str) -> JsonObject:
        return {
            "id": written.database_id,
            "node_id": written.id,
            "url": url,
            "html_url": written.url,
            "user": self.user(written.author or GHOST),
            "body": written.body,
            "author_association": written.author_association,
            "created_at": written.created_at,
            "updated_at": written.updated_at,
        }

    def _item(self, item: Item) -> JsonObject:
        assignees = [self.user(who) for who in item.assignees]
        reason = item.active_lock_reason
        return {
            "number": item.number,
            "title": item.title,
            "state": "closed" if item.closed else "open",
            "locked": item.locked,
            "active_lock_reason": reason.lower().replace("_", " ") if reason else None,
            "labels": [self.label(label) for label in item.labels],
            "assignee": assignees[0] if assignees else None,
            "assignees": assignees,
            "milestone": self.milestone(item.milestone) if item.milestone else None,
            "closed_at": item.closed_at,
        }

    def _pull_links(self, pull: PullRequest) -> JsonObject:
        return {
            "url": self._pull_url(pull),
            "html_url": pull.url,
            "diff_url": f"{pull.url}.diff",
            "patch_url": f"{pull.url}.patch",
            "merged_at": pull.merged_at,
        }

    def _branch(self, name_with_owner: str | None, ref: str, oid: str) -> JsonObject:
        """One side of a pull request; without a repository when its fork was deleted."""
        repository = self.find(name_with_owner) if name_with_owner else None
        owner = (name_with_owner or "unknown").partition("/")[0]
        return {
            "label": f"{owner}:{ref}",
            "ref": ref,
            "sha": oid,
            "user": self.user(repository.owner) if repository else None,
            "repo": self.repository(repository) if repository else None,
        }

    def _reactions(self, written: Authored, url: str) -> JsonObject:
        counts = {key: written.reaction_counts.get(name, 0) for name, key in _REACTIONS.items()}
        return {"url": f"{url}/reactions", "total_count": sum(counts.values()), **counts}

    def _pull_url(self, pull: PullRequest) -> str:
        return f"{self._repository_url(pull.repository)}/pulls/{pull.number}"


def _issue_only(issue: Issue) -> JsonObject:
    total, completed = issue.sub_issues_total, issue.sub_issues_completed
    return {
        "state_reason": issue.state_reason.lower() if issue.state_reason else None,
        "type": {"id": database_id(issue.issue_type), "name": issue.issue_type}
        if issue.issue_type
        else None,
        "sub_issues_summary": {
            "total": total,
            "completed": completed,
            "percent_completed": 100 * completed // total if total else 0,
        },
    }
