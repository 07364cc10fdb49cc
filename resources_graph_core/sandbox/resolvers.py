"""How each GraphQL field gets its value.

Most come straight from the nodes, whose attributes have the schema's names in snake_case; the rest
are the functions below, by type and field.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from resources_graph_core.sandbox.connections import Connection, problem
from resources_graph_core.sandbox.identity import node_id
from resources_graph_core.sandbox.nodes import Actor, PullRequest, Repository
from resources_graph_core.sandbox.search import MOST_RESULTS, search

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graphql import GraphQLResolveInfo

    from resources_graph_core.sandbox.nodes import Authored, Item
    from resources_graph_core.sandbox.state import State


@dataclass(frozen=True, slots=True)
class Asked:
    """The context of one GraphQL request: what is asked, and what ``rateLimit`` answers."""

    state: State
    rate_limit: Thing


class Thing:
    """A small typed bag of values that answers like a node."""

    def __init__(self, typename: str = "", **values: Any) -> None:
        self.typename = typename
        self.__dict__.update(values)


@lru_cache(maxsize=1024)
def attribute_of(field: str) -> str:
    """The attribute behind a field: ``is_draft`` for ``isDraft``, ``title_html`` for titleHTML."""
    return re.sub(r"(?<=[a-z0-9])([A-Z]+)", r"_\1", field).lower()


def from_attribute(source: Any, info: GraphQLResolveInfo, **arguments: Any) -> Any:
    """A field that is an attribute, or a method that takes the field's arguments."""
    value = getattr(source, attribute_of(info.field_name))
    return value(info, **arguments) if callable(value) else value


def _page(items: Sequence[Any], info: GraphQLResolveInfo, arguments: dict[str, Any]) -> Connection:
    bounds = {name: arguments.get(name) for name in ("first", "last", "after", "before")}
    return Connection(items, info.field_name, **bounds)


def _listed(attribute: str) -> Callable[..., Connection]:
    """A connection over a list that is an attribute."""

    def resolve(source: Any, info: GraphQLResolveInfo, **arguments: Any) -> Connection:
        return _page(getattr(source, attribute), info, arguments)

    return resolve


def _may_see(repository: Repository) -> bool:
    return repository.access != "hidden"


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


def _search(_: Any, info: GraphQLResolveInfo, *, query: str, **arguments: Any) -> _Counted:
    if arguments["type"] != "ISSUE":
        raise problem("NOT_IMPLEMENTED", "The sandbox searches issues and pull requests only.")
    found = search(info.context.state, query)
    page = _page(found[:MOST_RESULTS], info, arguments)
    return _Counted(page, len(found))


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


def _issues(repository: Repository, info: GraphQLResolveInfo, **arguments: Any) -> Connection:
    found = [item for item in repository.items.values() if not isinstance(item, PullRequest)]
    chosen = arguments.get("filterBy") or {}
    states = chosen.get("states") or arguments.get("states")
    labels = chosen.get("labels") or arguments.get("labels")
    tests: list[Callable[[Item], bool]] = [*_common_tests(states, labels)]
    if "createdBy" in chosen:
        tests.append(lambda item: _login(item.author) == (chosen["createdBy"] or "").lower())
    if "assignee" in chosen:
        tests.append(_assigned(chosen["assignee"]))
    milestone = chosen.get("milestoneNumber", chosen.get("milestone", ""))
    if milestone != "":
        tests.append(_in_milestone(milestone))
    return _page(_ordered(found, tests, arguments), info, arguments)


def _pull_requests(
    repository: Repository, info: GraphQLResolveInfo, **arguments: Any
) -> Connection:
    found = [item for item in repository.items.values() if isinstance(item, PullRequest)]
    tests = [*_common_tests(arguments.get("states"), arguments.get("labels"))]
    for argument, attribute in (("baseRefName", "base_ref_name"), ("headRefName", "head_ref_name")):
        if arguments.get(argument):
            tests.append(_has(attribute, arguments[argument]))
    return _page(_ordered(found, tests, arguments), info, arguments)


def _has(attribute: str, value: str) -> Callable[[Item], bool]:
    return lambda item: bool(getattr(item, attribute) == value)


def _common_tests(
    states: Sequence[str] | None, labels: Sequence[str] | None
) -> Sequence[Callable[[Item], bool]]:
    tests: list[Callable[[Item], bool]] = []
    if states:
        tests.append(lambda item: item.state in states)
    if labels:
        # GitHub takes several labels here as any of them.
        wanted = {label.lower() for label in labels}
        tests.append(lambda item: any(label.name.lower() in wanted for label in item.labels))
    return tests


def _assigned(login: str | None) -> Callable[[Item], bool]:
    if login is None:
        return lambda item: not item.assignees
    if login == "*":
        return lambda item: bool(item.assignees)
    return lambda item: any(_login(one) == login.lower() for one in item.assignees)


def _in_milestone(number: str | None) -> Callable[[Item], bool]:
    if number is None:
        return lambda item: item.milestone is None
    if number == "*":
        return lambda item: item.milestone is not None
    return lambda item: item.milestone is not None and str(item.milestone.number) == number


def _ordered(
    found: Sequence[Any], tests: Sequence[Callable[[Any], bool]], arguments: dict[str, Any]
) -> list[Any]:
    kept = [item for item in found if all(test(item) for test in tests)]
    order = arguments.get("orderBy") or {"field": "CREATED_AT", "direction": "ASC"}
    key: Callable[[Any], Any] = {
        "CREATED_AT": lambda item: (item.created_at, item.number),
        "UPDATED_AT": lambda item: (item.updated_at, item.number),
        "COMMENTS": lambda item: (len(item.comments), item.number),
    }[order["field"]]
    return sorted(kept, key=key, reverse=order["direction"] == "DESC")


def _login(who: Actor | None) -> str:
    return who.login.lower() if who else "ghost"


def _timeline(item: Item, info: GraphQLResolveInfo, **arguments: Any) -> Connection:
    wanted = arguments.get("itemTypes")
    events: list[Any] = list(info.context.state.references.mentions.get(item.id, ()))
    if wanted is None or "ISSUE_COMMENT" in wanted:
        events = sorted([*events, *item.comments], key=lambda one: one.created_at)
    if wanted is not None and "CROSS_REFERENCED_EVENT" not in wanted:
        events = [one for one in events if one.typename == "IssueComment"]
    return _page(events, info, arguments)


def _closing(pull: PullRequest, info: GraphQLResolveInfo, **arguments: Any) -> Connection:
    return _page(info.context.state.references.closes.get(pull.id, []), info, arguments)


def _closed_by(issue: Item, info: GraphQLResolveInfo, **arguments: Any) -> Connection:
    return _page(info.context.state.references.closed_by.get(issue.id, []), info, arguments)


def _reactions(written: Authored, info: GraphQLResolveInfo, **arguments: Any) -> Connection:
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
    return _page(made, info, arguments)


def _reaction_groups(written: Authored, _: GraphQLResolveInfo) -> list[Thing]:
    return [
        Thing("ReactionGroup", content=content, created_at=None, count=count)
        for content, count in written.reaction_counts.items()
    ]


def _reactors(group: Any, info: GraphQLResolveInfo, **arguments: Any) -> Connection:
    return _page([None] * group.count, info, arguments)


def _participants(item: Item, info: GraphQLResolveInfo, **arguments: Any) -> Connection:
    people = {
        who.login: who
        for who in (item.author, *(comment.author for comment in item.comments))
        if who is not None and who.typename == "User"
    }
    return _page(list(people.values()), info, arguments)


def _reviews(pull: PullRequest, info: GraphQLResolveInfo, **arguments: Any) -> Connection:
    states, author = arguments.get("states"), arguments.get("author")
    found = [
        review
        for review in pull.reviews
        if (not states or review.state in states)
        and (not author or _login(review.author) == author.lower())
    ]
    return _page(found, info, arguments)


def _topics(repository: Repository, info: GraphQLResolveInfo, **arguments: Any) -> Connection:
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
    return _page(made, info, arguments)


def _milestones(repository: Repository, info: GraphQLResolveInfo, **arguments: Any) -> Connection:
    states = arguments.get("states")
    found = [one for one in repository.milestones if not states or one.state in states]
    return _page(found, info, arguments)


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
    "assignees": _listed("assignees"),
    "labels": _listed("labels"),
    "comments": _listed("comments"),
    "reactions": _reactions,
    "reactionGroups": _reaction_groups,
    "timelineItems": _timeline,
    "participants": _participants,
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
        "viewer": lambda _, __: Actor("octocat"),
    },
    "Repository": {
        "issue": _numbered("issue", "an Issue"),
        "pullRequest": _numbered("pull", "a PullRequest"),
        "issueOrPullRequest": _numbered("item", "an issue or pull request"),
        "issues": _issues,
        "pullRequests": _pull_requests,
        "labels": _listed("labels"),
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
        "files": _listed("files"),
        "reviews": _reviews,
        "reviewThreads": _listed("review_threads"),
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
        "comments": _listed("comments"),
        "commit": lambda review, _: _commit(review.pull_request, review.commit_oid),
    },
    "PullRequestReviewThread": {
        "comments": _listed("comments"),
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
