"""How each GraphQL field gets its value.

Most come straight from the nodes, whose attributes have the schema's names in snake_case; the rest
are the functions below, by type and field.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from resources_graph_core.sandbox.connections import Connection, problem
from resources_graph_core.sandbox.identity import node_id
from resources_graph_core.sandbox.logins import listed_login
from resources_graph_core.sandbox.nodes import Actor, PullRequest, Repository
from resources_graph_core.sandbox.project_resolvers import OWNERS, PROJECTS
from resources_graph_core.sandbox.repository_resolvers import REPOSITORY, known
from resources_graph_core.sandbox.resolving import Thing, listed, page
from resources_graph_core.sandbox.search import MOST_RESULTS, search

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from graphql import GraphQLResolveInfo

    from resources_graph_core.sandbox.nodes import Authored, Item

ItemT = TypeVar("ItemT", bound="Item")


def _may_see(repository: Repository) -> bool:
    return repository.access != "hidden"


def _open(items: Iterable[ItemT]) -> list[ItemT]:
    """Those of ``items`` in repositories that a token sees."""
    return [item for item in items if item.repository.access == "open"]


def _repository(
    _: Any, info: GraphQLResolveInfo, *, owner: str, name: str, **arguments: Any
) -> Repository:
    follow = bool(arguments.get("followRenames", True))
    found = info.context.state.repository(f"{owner}/{name}", follow_renames=follow)
    if not isinstance(found, Repository) or not _may_see(found):
        raise problem(
            "NOT_FOUND", f"Could not resolve to a Repository with the name '{owner}/{name}'."
        )
    _refuse_saml(found)
    return found


def _refuse_saml(repository: Repository) -> None:
    if repository.access == "saml":
        raise problem(
            "FORBIDDEN",
            "Resource protected by organization SAML enforcement. You must grant your token "
            "access to this organization.",
        )


def _node(_: Any, info: GraphQLResolveInfo, **arguments: Any) -> Any:
    global_id = arguments["id"]
    found = info.context.state.node(global_id)
    repository = found if isinstance(found, Repository) else getattr(found, "repository", None)
    if found is None or repository is None or not _may_see(repository):
        raise problem(
            "NOT_FOUND", f"Could not resolve to a node with the global id of '{global_id}'"
        )
    _refuse_saml(repository)
    return found


def _nodes(_: Any, info: GraphQLResolveInfo, *, ids: list[str]) -> list[Any]:
    if len(ids) > 100:  # noqa: PLR2004 - GitHub's own
        raise problem(
            "ARGUMENT_LIMIT",
            f"You may not provide more than 100 node ids; you provided {len(ids)}.",
        )
    found = []
    for position, global_id in enumerate(ids):
        try:
            found.append(_node(None, info, id=global_id))
        except Exception as error:  # noqa: BLE001 - null in its place, the error beside the data
            error.path = [*info.path.as_list(), position]  # type: ignore[attr-defined]
            found.append(error)
    return found


def _search(_: Any, info: GraphQLResolveInfo, *, query: str, **arguments: Any) -> _Counted | None:
    if arguments["type"] != "ISSUE":
        raise problem("NOT_IMPLEMENTED", "The sandbox searches issues and pull requests only.")
    found = search(info.context.state, query)
    listed_page = page(found[:MOST_RESULTS], info, arguments)
    return None if listed_page is None else _Counted(listed_page, len(found))


class _Counted:
    """A search's page: it ends at 1,000 results, and counts all."""

    def __init__(self, page: Connection, count: int) -> None:
        self.issue_count = count
        self.repository_count = 0
        self.nodes, self.edges, self.page_info = page.nodes, page.edges, page.page_info


def _timeline(item: Item, info: GraphQLResolveInfo, **arguments: Any) -> Connection | None:
    wanted = arguments.get("itemTypes")
    mentions = info.context.state.references.mentions.get(item.id, ())
    events: list[Any] = [one for one in mentions if one.source.repository.access == "open"]
    if wanted is None or "ISSUE_COMMENT" in wanted:
        events = sorted([*events, *item.comments], key=lambda one: one.created_at)
    if wanted is not None and "CROSS_REFERENCED_EVENT" not in wanted:
        events = [one for one in events if one.typename == "IssueComment"]
    return page(events, info, arguments)


def _closing(pull: PullRequest, info: GraphQLResolveInfo, **arguments: Any) -> Connection | None:
    return page(_open(info.context.state.references.closes.get(pull.id, ())), info, arguments)


def _closed_by(issue: Item, info: GraphQLResolveInfo, **arguments: Any) -> Connection | None:
    return page(_open(info.context.state.references.closed_by.get(issue.id, ())), info, arguments)


def _reactions(written: Authored, info: GraphQLResolveInfo, **arguments: Any) -> Connection | None:
    wanted = arguments.get("content")
    made = [
        Thing(
            "Reaction",
            id=node_id("Reaction", written.id, content, number),
            database_id=number + 1,
            content=content,
            created_at=written.created_at,
            user=None,
        )
        for content, count in written.reaction_counts.items()
        if wanted in {None, content}
        for number in range(count)
    ]
    return page(made, info, arguments)


def _reaction_groups(written: Authored, _: GraphQLResolveInfo) -> list[Thing]:
    return [
        Thing("ReactionGroup", content=content, created_at=None, count=count)
        for content, count in written.reaction_counts.items()
    ]


def _reactors(group: Any, info: GraphQLResolveInfo, **arguments: Any) -> Connection | None:
    return page([None] * group.count, info, arguments)


def _edits(item: Item, info: GraphQLResolveInfo, **arguments: Any) -> Connection | None:
    return page(item.edits[::-1], info, arguments)  # the newest comes first


def _participants(item: Item, info: GraphQLResolveInfo, **arguments: Any) -> Connection | None:
    people = {
        who.login: who
        for who in (item.author, *(comment.author for comment in item.comments))
        if who is not None and who.typename == "User"
    }
    return page(list(people.values()), info, arguments)


def _reviews(pull: PullRequest, info: GraphQLResolveInfo, **arguments: Any) -> Connection | None:
    states, author = arguments.get("states"), arguments.get("author")
    found = [
        review
        for review in pull.reviews
        if (not states or review.state in states)
        and (not author or listed_login(review.author) == author.lower())
    ]
    return page(found, info, arguments)


def _commit(pull: PullRequest, oid: str | None) -> Thing | None:
    if not oid:
        return None
    return Thing("Commit", id=node_id("Commit", pull.id, oid), oid=oid, abbreviated_oid=oid[:7])


def _head_repository(pull: PullRequest, info: GraphQLResolveInfo) -> Repository | Thing | None:
    return known(pull.head_repository_name, info) if pull.head_repository_name else None


def _decision(pull: PullRequest, _: GraphQLResolveInfo) -> str | None:
    verdicts = [one.state for one in pull.reviews if one.state in {"APPROVED", "CHANGES_REQUESTED"}]
    return verdicts[-1] if verdicts else None


def _summary(issue: Any, _: GraphQLResolveInfo) -> Thing:
    total, completed = issue.sub_issues_total, issue.sub_issues_completed
    percent = 100 * completed // total if total else 0
    return Thing(total=total, completed=completed, percent_completed=percent)


def _discussion_count(pull: PullRequest, _: GraphQLResolveInfo) -> int:
    return len(pull.comments) + sum(len(review.comments) for review in pull.reviews)


_ITEM: dict[str, Callable[..., Any]] = {
    "assignees": listed("assignees"),
    "labels": listed("labels"),
    "comments": listed("comments"),
    "reactions": _reactions,
    "reactionGroups": _reaction_groups,
    "timelineItems": _timeline,
    "participants": _participants,
    "userContentEdits": _edits,
}
_REACTABLE: dict[str, Callable[..., Any]] = {
    "reactions": _reactions,
    "reactionGroups": _reaction_groups,
}

RESOLVERS: dict[str, dict[str, Callable[..., Any]]] = {
    "Query": {
        "repository": _repository,
        "node": _node,
        "nodes": _nodes,
        "rateLimit": lambda _, info, **__: info.context.rate_limit,
        "search": _search,
        "viewer": lambda _, info: Actor(info.context.state.viewer),
        **OWNERS,
    },
    **PROJECTS,
    "Repository": REPOSITORY,
    "Issue": {
        **_ITEM,
        "subIssuesSummary": _summary,
        "closedByPullRequestsReferences": _closed_by,
        "bodyUrl": lambda issue, _: f"{issue.url}#issue-{issue.database_id}",
    },
    "PullRequest": {
        **_ITEM,
        "files": listed("files"),
        "reviews": _reviews,
        "reviewThreads": listed("review_threads"),
        "closingIssuesReferences": _closing,
        "mergeCommit": lambda pull, _: _commit(pull, pull.merge_commit_oid),
        "baseRepository": lambda pull, _: pull.repository,
        "headRepository": _head_repository,
        "headRepositoryOwner": lambda pull, info: getattr(
            _head_repository(pull, info), "owner", None
        ),
        "isCrossRepository": lambda pull, _: (
            pull.head_repository_name not in {None, pull.repository.name_with_owner}
        ),
        "additions": lambda pull, _: sum(file.additions for file in pull.files),
        "deletions": lambda pull, _: sum(file.deletions for file in pull.files),
        "changedFiles": lambda pull, _: len(pull.files),
        "reviewDecision": _decision,
        "totalCommentsCount": _discussion_count,
        "permalink": lambda pull, _: pull.url,
    },
    "IssueComment": {
        **_REACTABLE,
        "issue": lambda comment, _: comment.item,
        "pullRequest": lambda comment, _: (
            comment.item if isinstance(comment.item, PullRequest) else None
        ),
    },
    "PullRequestReview": {
        **_REACTABLE,
        "comments": listed("comments"),
        "commit": lambda review, _: _commit(review.pull_request, review.commit_oid),
    },
    "PullRequestReviewThread": {
        "comments": listed("comments"),
        "isCollapsed": lambda thread, _: thread.is_resolved,
        "diffSide": lambda *_: "RIGHT",
        "subjectType": lambda *_: "LINE",
    },
    "PullRequestReviewComment": {
        **_REACTABLE,
        "state": lambda *_: "SUBMITTED",
        "subjectType": lambda *_: "LINE",
        "pullRequest": lambda comment, _: comment.review.pull_request,
        "pullRequestReview": lambda comment, _: comment.review,
    },
    "ReactionGroup": {"reactors": _reactors},
}
"""The fields that are no plain attributes, by type."""
