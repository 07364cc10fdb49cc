"""How each GraphQL field gets its value.

Most come straight from the nodes, whose attributes have the schema's names in snake_case; the rest
are the functions below, by type and field.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from resources_graph_core.sandbox.connections import Connection, problem
from resources_graph_core.sandbox.identity import node_id
from resources_graph_core.sandbox.nodes import Actor, PullRequest, Repository
from resources_graph_core.sandbox.resolver_lists import issues_of, login_of, pull_requests_of
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


def _numbered(kind: str, message: str) -> Callable[..., Any]:
    def resolve(repository: Repository, _: GraphQLResolveInfo, *, number: int) -> Any:
        found = repository.items.get(number)
        is_pull = isinstance(found, PullRequest)
        if found is None or (kind == "issue" and is_pull) or (kind == "pull" and not is_pull):
            raise problem(
                "NOT_FOUND", f"Could not resolve to {message} with the number of {number}."
            )
        return found

    return resolve


def _issues(
    repository: Repository, info: GraphQLResolveInfo, **arguments: Any
) -> Connection | None:
    return page(issues_of(repository, arguments), info, arguments)


def _pull_requests(
    repository: Repository, info: GraphQLResolveInfo, **arguments: Any
) -> Connection | None:
    return page(pull_requests_of(repository, arguments), info, arguments)


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
        and (not author or login_of(review.author) == author.lower())
    ]
    return page(found, info, arguments)


def _topics(
    repository: Repository, info: GraphQLResolveInfo, **arguments: Any
) -> Connection | None:
    made = [
        Thing(
            "RepositoryTopic",
            id=node_id("RepositoryTopic", repository.id, name),
            topic=Thing("Topic", id=node_id("Topic", name), name=name),
            url=f"https://github.com/topics/{name}",
            resource_path=f"/topics/{name}",
        )
        for name in repository.topics
    ]
    return page(made, info, arguments)


def _milestones(
    repository: Repository, info: GraphQLResolveInfo, **arguments: Any
) -> Connection | None:
    states = arguments.get("states")
    found = [one for one in repository.milestones if not states or one.state in states]
    return page(found, info, arguments)


def _milestone(repository: Repository, _: GraphQLResolveInfo, *, number: int) -> Any:
    return next((one for one in repository.milestones if one.number == number), None)


def _label(repository: Repository, _: GraphQLResolveInfo, *, name: str) -> Any:
    return next((one for one in repository.labels if one.name.lower() == name.lower()), None)


def _object(repository: Repository, _: GraphQLResolveInfo, **arguments: Any) -> Thing | None:
    path = (arguments.get("expression") or "").partition(":")[2]
    if not path or path != repository.readme_path:
        return None
    text, oid = repository.readme_text, repository.readme_oid
    return Thing(
        "Blob",
        id=node_id("Blob", repository.id, path),
        oid=oid,
        abbreviated_oid=oid[:7],
        byte_size=len(text.encode()),
        is_binary=False,
        is_truncated=False,
        text=text,
        repository=repository,
    )


def _commit(pull: PullRequest, oid: str | None) -> Thing | None:
    if not oid:
        return None
    return Thing("Commit", id=node_id("Commit", pull.id, oid), oid=oid, abbreviated_oid=oid[:7])


def _licence(repository: Repository, _: GraphQLResolveInfo) -> Thing | None:
    if repository.licence is None:
        return None
    key = repository.licence.lower()
    return Thing(
        "License",
        id=node_id("License", key),
        key=key,
        name=repository.licence,
        spdx_id=repository.licence,
        url=f"https://api.github.com/licenses/{key}",
    )


def _branch(repository: Repository, _: GraphQLResolveInfo) -> Thing:
    name = repository.default_branch
    return Thing(
        "Ref",
        id=node_id("Ref", repository.id, name),
        name=name,
        prefix="refs/heads/",
        repository=repository,
    )


def _parent(repository: Repository, info: GraphQLResolveInfo) -> Repository | Thing | None:
    if repository.fork_parent is None:
        return None
    return _known(repository.fork_parent, info)


def _known(name: str, info: GraphQLResolveInfo) -> Repository | Thing:
    """A repository by name; where the sandbox has none, only what its name tells."""
    found = info.context.state.repository(name)
    if isinstance(found, Repository):
        return found
    owner, _, bare = name.partition("/")
    return Thing(
        "Repository",
        id=node_id("Repository", name.lower()),
        name=bare,
        name_with_owner=name,
        owner=Actor(owner, "Organization"),
        url=f"https://github.com/{name}",
        resource_path=f"/{name}",
        visibility="PUBLIC",
        is_private=False,
    )


def _head_repository(pull: PullRequest, info: GraphQLResolveInfo) -> Repository | Thing | None:
    return _known(pull.head_repository_name, info) if pull.head_repository_name else None


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
    },
    "Repository": {
        "issue": _numbered("issue", "an Issue"),
        "pullRequest": _numbered("pull", "a PullRequest"),
        "issueOrPullRequest": _numbered("item", "an issue or pull request"),
        "issues": _issues,
        "pullRequests": _pull_requests,
        "labels": listed("labels"),
        "label": _label,
        "milestones": _milestones,
        "milestone": _milestone,
        "repositoryTopics": _topics,
        "object": _object,
        "licenseInfo": _licence,
        "defaultBranchRef": _branch,
        "parent": _parent,
        "isFork": lambda repository, _: repository.fork_parent is not None,
        "isInOrganization": lambda repository, _: repository.owner.typename == "Organization",
    },
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
