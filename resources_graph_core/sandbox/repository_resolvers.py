"""How the GraphQL fields of a repository get their values, where the node does not have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from resources_graph_core.sandbox.connections import Connection, problem
from resources_graph_core.sandbox.identity import node_id
from resources_graph_core.sandbox.nodes import Actor, PullRequest, Repository
from resources_graph_core.sandbox.resolver_lists import issues_of, pull_requests_of
from resources_graph_core.sandbox.resolving import Thing, listed, page

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphql import GraphQLResolveInfo


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
    return known(repository.fork_parent, info)


def known(name: str, info: GraphQLResolveInfo) -> Repository | Thing:
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


REPOSITORY: dict[str, Callable[..., Any]] = {
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
}
"""The fields of a repository by name."""
