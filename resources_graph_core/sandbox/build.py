"""From an archive to the linked nodes that are served, with what the archive lacks derived.

Derived values depend only on the archive's own, so a later archive of the same repository gives
the same things the same ids.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from resources_graph_core.sandbox.archive import ArchivedIssue, ArchivedPullRequest
from resources_graph_core.sandbox.identity import commit_oid, node_id
from resources_graph_core.sandbox.nodes import (
    Actor,
    ChangedFile,
    Issue,
    IssueComment,
    Label,
    Milestone,
    PullRequest,
    Repository,
)
from resources_graph_core.sandbox.reviews import Review, ReviewComment, Thread

if TYPE_CHECKING:
    from resources_graph_core.sandbox.archive import (
        Archive,
        ArchivedComment,
        ArchivedItem,
        ArchivedReview,
        ArchivedReviewComment,
    )

_BOT = "[bot]"
_DEFAULT_LABELS = frozenset(
    [
        "bug",
        "documentation",
        "duplicate",
        "enhancement",
        "good first issue",
        "help wanted",
        "invalid",
        "question",
        "wontfix",
    ]
)
_NO_CREATION = "2020-01-01T00:00:00Z"
"""When an empty repository without dates of its own was created."""


def build_repository(archive: Archive) -> Repository:
    """The repository that ``archive`` describes, with every item linked."""
    repository = _bare_repository(archive)
    builder = _ItemBuilder(repository)
    everything: list[ArchivedIssue | ArchivedPullRequest] = [*archive.issues, *archive.pulls]
    for archived in sorted(everything, key=lambda item: item.number):
        repository.items[archived.number] = builder.build(archived)
    return repository


def actor(login: str | None) -> Actor | None:
    """The account of this login, None for a deleted one; ``…[bot]`` is a bot."""
    if login is None:
        return None
    if login.endswith(_BOT):
        return Actor(login.removesuffix(_BOT), "Bot")
    return Actor(login)


def _bare_repository(archive: Archive) -> Repository:
    facts = archive.repository
    owner, _, name = archive.repo.partition("/")
    items = [*archive.issues, *archive.pulls]
    oldest = min((item.created_at for item in items), default=_NO_CREATION)
    newest = max((item.updated_at for item in items), default=oldest)
    text = f"# {name}\n\nThe repository {archive.repo}, served from an archive.\n"
    repository = Repository(
        id=facts.id or node_id("Repository", archive.repo.lower()),
        owner=Actor(owner, "Organization"),
        name=name,
        description=facts.description,
        homepage_url=facts.homepage_url,
        readme_path=facts.readme.name if facts.readme else "README.md",
        readme_text=facts.readme.text if facts.readme else text,
        stargazer_count=facts.stars,
        fork_count=facts.forks,
        default_branch=facts.default_branch,
        topics=list(facts.topics),
        is_archived=facts.archived,
        licence=facts.licence,
        fork_parent=facts.fork_parent,
        visibility=facts.visibility,
        has_issues_enabled=facts.has_issues,
        created_at=facts.created_at or oldest,
        updated_at=facts.updated_at or newest,
        pushed_at=facts.pushed_at or newest,
    )
    for label in archive.labels:
        add_label(repository, label.name, label.color, label.description)
    repository.milestones = [
        Milestone(
            node_id("Milestone", repository.id, each.number),
            each.number,
            each.title,
            each.description,
            each.state,
            actor(each.creator),
            each.created_at,
            each.updated_at or each.created_at,
            each.closed_at,
            each.due_on,
            repository,
        )
        for each in archive.milestones
    ]
    return repository


def add_label(
    repository: Repository, name: str, color: str = "ededed", description: str | None = None
) -> Label:
    """Give the repository one more label."""
    label = Label(
        node_id("Label", repository.id, name.lower()),
        name,
        color,
        description,
        repository,
        name in _DEFAULT_LABELS,
    )
    repository.labels.append(label)
    return label


class _ItemBuilder:
    """Builds the items of one repository; the same login is the same Actor throughout."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._labels = {label.name.lower(): label for label in repository.labels}
        self._milestones = {each.title: each for each in repository.milestones}
        self._actors: dict[str, Actor | None] = {}
        self._seen: Counter[tuple[object, ...]] = Counter()

    def build(self, archived: ArchivedIssue | ArchivedPullRequest) -> Issue | PullRequest:
        if isinstance(archived, ArchivedPullRequest):
            return self._pull_request(archived)
        return self._issue(archived)

    def _issue(self, archived: ArchivedIssue) -> Issue:
        reason = "COMPLETED" if archived.state == "CLOSED" else None
        issue = Issue(
            **self._common(archived),
            state_reason=archived.state_reason or reason,
            issue_type=archived.issue_type,
            sub_issues_total=archived.sub_issues_total,
            sub_issues_completed=archived.sub_issues_completed,
        )
        issue.comments = [self._comment(issue, comment) for comment in archived.comments]
        return issue

    def _pull_request(self, archived: ArchivedPullRequest) -> PullRequest:
        base = self._repository
        pull = PullRequest(
            **self._common(archived),
            is_draft=archived.draft,
            merged_at=archived.merged_at,
            merged_by=self._actor(archived.merged_by),
            merge_commit_oid=(archived.merge_commit or {}).get("oid"),
            base_ref_name=archived.base_ref_name,
            base_ref_oid=archived.base_ref_oid or commit_oid(archived.id, "base"),
            head_repository_name=archived.head_repository,
            head_ref_name=archived.head_ref_name,
            head_ref_oid=archived.head_ref_oid or commit_oid(archived.id, "head"),
            files=[
                ChangedFile(each.path, each.additions, each.deletions, each.change_type)
                for each in archived.files or ()
            ],
            stated_closes=[
                f"{base.name_with_owner}#{each}" if isinstance(each, int) else each
                for each in archived.closing_issues_references
            ],
        )
        pull.comments = [self._comment(pull, comment) for comment in archived.comments]
        for thread in archived.review_threads:
            pull.review_threads.append(
                Thread(
                    id=thread.id,
                    pull_request=pull,
                    path=thread.path,
                    original_line=thread.line,
                    is_resolved=thread.is_resolved,
                    is_outdated=thread.is_outdated,
                    resolved_by=self._actor(thread.resolved_by),
                )
            )
        self._add_reviews(pull, archived)
        if archived.files is None:
            paths = sorted({thread.path for thread in pull.review_threads})
            pull.files = [ChangedFile(path, 1, 1, "MODIFIED") for path in paths]
        return pull

    def _common(self, archived: ArchivedIssue | ArchivedPullRequest) -> dict[str, Any]:
        return {
            **self._written(archived, archived.id),
            "repository": self._repository,
            "number": archived.number,
            "title": archived.title,
            "state": archived.state,
            "labels": [self._label(name) for name in archived.labels],
            "assignees": [who for name in archived.assignees if (who := self._actor(name))],
            "milestone": self._milestones.get(archived.milestone or ""),
            "locked": archived.locked,
            "active_lock_reason": archived.active_lock_reason,
            "closed_at": archived.closed_at,
            "stated_references": [
                (each.source, each.created_at, each.actor) for each in archived.cross_references
            ],
        }

    def _written(self, written: ArchivedComment | ArchivedItem, global_id: str) -> dict[str, Any]:
        return {
            "id": global_id,
            "author": self._actor(written.author),
            "author_association": written.author_association,
            "body": written.body,
            "created_at": written.created_at,
            "updated_at": written.updated_at,
            "reaction_counts": dict(written.reactions),
        }

    def _comment(self, item: Issue | PullRequest, comment: ArchivedComment) -> IssueComment:
        global_id = comment.id or self._derived_id("IssueComment", item.id, comment)
        return IssueComment(
            **self._written(comment, global_id),
            is_minimized=comment.is_minimized,
            minimized_reason=comment.minimized_reason,
            item=item,
        )

    def _add_reviews(self, pull: PullRequest, archived: ArchivedPullRequest) -> None:
        threads = {thread.id: thread for thread in pull.review_threads}
        pairs: list[tuple[Review, ArchivedReviewComment]] = []
        for each in archived.reviews:
            review = self._review(pull, each)
            pull.reviews.append(review)
            pairs.extend((review, comment) for comment in each.comments)
        for review, comment in sorted(pairs, key=lambda pair: pair[1].created_at):
            thread = threads.get(comment.thread or "") or self._thread(pull, comment, threads)
            self._add_review_comment(review, thread, comment)

    def _review(self, pull: PullRequest, archived: ArchivedReview) -> Review:
        commit = archived.commit.abbreviated_oid if archived.commit else ""
        return Review(
            **self._written(archived, archived.id),
            is_minimized=archived.is_minimized,
            minimized_reason=archived.minimized_reason,
            pull_request=pull,
            state=archived.state,
            commit_oid=(commit + commit_oid(pull.id, commit))[:40],
        )

    def _thread(
        self, pull: PullRequest, comment: ArchivedReviewComment, threads: dict[str, Thread]
    ) -> Thread:
        path = comment.path or f"{self._repository.name}.md"
        global_id = node_id("PullRequestReviewThread", pull.id, path, comment.original_position)
        if global_id not in threads:
            line = comment.line or comment.original_position
            threads[global_id] = Thread(
                id=global_id, pull_request=pull, path=path, original_line=line
            )
            pull.review_threads.append(threads[global_id])
        return threads[global_id]

    def _add_review_comment(
        self, review: Review, thread: Thread, archived: ArchivedReviewComment
    ) -> None:
        global_id = archived.id or self._derived_id("PullRequestReviewComment", review.id, archived)
        comment = ReviewComment(
            **self._written(archived, global_id),
            is_minimized=archived.is_minimized,
            minimized_reason=archived.minimized_reason,
            review=review,
            thread=thread,
            original_position=archived.original_position,
            original_line=archived.line or thread.original_line,
            reply_to=thread.comments[0] if thread.comments else None,
        )
        if "author" not in archived.model_fields_set:
            comment.author = review.author
        if "author_association" not in archived.model_fields_set:
            comment.author_association = review.author_association
        review.comments.append(comment)
        thread.comments.append(comment)

    def _derived_id(self, typename: str, parent: str, comment: ArchivedComment) -> str:
        described = (typename, parent, comment.created_at, comment.author)
        self._seen[described] += 1
        return node_id(*described, self._seen[described])

    def _actor(self, login: str | None) -> Actor | None:
        if login is None:
            return None
        if login not in self._actors:
            self._actors[login] = actor(login)
        return self._actors[login]

    def _label(self, name: str) -> Label:
        key = name.lower()
        if key not in self._labels:
            self._labels[key] = add_label(self._repository, name)
        return self._labels[key]
