"""How the GraphQL fields of Projects get their values, and what their mutations do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphql import FieldNode, GraphQLError, Visitor, visit

from resources_graph_core.sandbox.connections import problem
from resources_graph_core.sandbox.nodes import Actor, Issue, PullRequest
from resources_graph_core.sandbox.projects import READ_SCOPES, WRITE_SCOPES
from resources_graph_core.sandbox.resolving import Thing, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from graphql import DocumentNode, GraphQLResolveInfo

    from resources_graph_core.sandbox.projects import Project, ProjectItem
    from resources_graph_core.sandbox.state import State

_WRITES = frozenset(
    [
        "addProjectV2ItemById",
        "clearProjectV2ItemFieldValue",
        "createProjectV2Field",
        "deleteProjectV2Item",
        "updateProjectV2ItemFieldValue",
    ]
)


class _Fields(Visitor):
    """Every field of a document that wants a scope."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[FieldNode] = []

    def enter_field(self, node: FieldNode, *_: Any) -> None:
        """Keep those of projects."""
        if node.name.value == "projectV2" or node.name.value in _WRITES:
            self.found.append(node)


def lacking_scopes(
    document: DocumentNode, scopes: Iterable[str] | None
) -> tuple[GraphQLError, ...]:
    """Why a classic token with these scopes may not ask this; empty for other tokens (None)."""
    if scopes is None:
        return ()
    fields = _Fields()
    visit(document, fields)
    granted = set(scopes)
    return tuple(
        _lacks(node, granted)
        for node in fields.found
        if not granted & (WRITE_SCOPES if node.name.value in _WRITES else READ_SCOPES)
    )


def _lacks(node: FieldNode, granted: set[str]) -> GraphQLError:
    name = node.name.value
    wanted = "project" if name in _WRITES else "read:project"
    return GraphQLError(
        "Your token has not been granted the required scopes to execute this query. The "
        f"'{name}' field requires one of the following scopes: ['{wanted}'], but your token has "
        f"only been granted the: {sorted(granted)} scopes. Please modify your token's scopes at: "
        "https://github.com/settings/tokens.",
        nodes=[node],
        extensions={"type": "INSUFFICIENT_SCOPES"},
    )


def _projects(info: GraphQLResolveInfo) -> list[Project]:
    state: State = info.context.state
    return state.projects


def _owner(kind: str) -> Callable[..., Actor]:
    def resolve(_: Any, info: GraphQLResolveInfo, *, login: str) -> Actor:
        for project in _projects(info):
            if project.owner.typename == kind and project.owner.login.lower() == login.lower():
                return project.owner
        article = "an" if kind == "Organization" else "a"
        raise problem(
            "NOT_FOUND", f"Could not resolve to {article} {kind} with the login of '{login}'."
        )

    return resolve


def _project(owner: Actor, info: GraphQLResolveInfo, *, number: int) -> Project:
    for project in _projects(info):
        if project.owner.login.lower() == owner.login.lower() and project.number == number:
            return project
    raise problem("NOT_FOUND", f"Could not resolve to a ProjectV2 with the number {number}.")


def _value(item: ProjectItem, _: GraphQLResolveInfo, *, name: str) -> Thing | None:
    fields = [one for one in item.project.fields if one.name == name]
    if not fields or fields[0].id not in item.values:
        return None
    field, value = fields[0], item.values[fields[0].id]
    match field.data_type:
        case "SINGLE_SELECT":
            option = next(one for one in field.options if one.id == value)
            return Thing(
                "ProjectV2ItemFieldSingleSelectValue", name=option.name, option_id=option.id
            )
        case "NUMBER":
            return Thing("ProjectV2ItemFieldNumberValue", number=value)
    return Thing("ProjectV2ItemFieldTextValue", text=value)


def _content(item: ProjectItem, _: GraphQLResolveInfo) -> Issue | PullRequest | None:
    return item.content if item.content.repository.access == "open" else None


def _changed(info: GraphQLResolveInfo, project_id: str) -> Project:
    """The project that a mutation changes."""
    for project in _projects(info):
        if project.id == project_id:
            if project.read_only:
                raise problem("FORBIDDEN", "Resource not accessible by personal access token")
            return project
    raise problem("NOT_FOUND", f"Could not resolve to a node with the global id of '{project_id}'")


def _add_item(_: Any, info: GraphQLResolveInfo, *, input: dict[str, Any]) -> Thing:  # noqa: A002 - GitHub's
    project = _changed(info, input["projectId"])
    content = info.context.state.node(input["contentId"])
    if not isinstance(content, Issue | PullRequest):
        raise problem("NOT_FOUND", "Could not resolve to a node with the global id of the content")
    return Thing(item=project.add_item(content, Actor(info.context.state.viewer)))


def _set_value(_: Any, info: GraphQLResolveInfo, *, input: dict[str, Any]) -> Thing:  # noqa: A002 - GitHub's
    project = _changed(info, input["projectId"])
    value = input.get("value")
    return Thing(project_v2_item=project.set_value(input["itemId"], input["fieldId"], value))


def _delete_item(_: Any, info: GraphQLResolveInfo, *, input: dict[str, Any]) -> Thing:  # noqa: A002 - GitHub's
    _changed(info, input["projectId"]).remove_item(input["itemId"])
    return Thing(deleted_item_id=input["itemId"])


def _add_field(_: Any, info: GraphQLResolveInfo, *, input: dict[str, Any]) -> Thing:  # noqa: A002 - GitHub's
    project = _changed(info, input["projectId"])
    options = [one["name"] for one in input.get("singleSelectOptions") or ()]
    return Thing(project_v2_field=project.add_field(input["name"], input["dataType"], options))


PROJECTS: dict[str, dict[str, Callable[..., Any]]] = {
    "Organization": {"projectV2": _project},
    "User": {"projectV2": _project},
    "ProjectV2": {"fields": listed("fields"), "items": listed("items")},
    "ProjectV2Item": {"fieldValueByName": _value, "content": _content},
    "UpdateProjectV2ItemFieldValuePayload": {"projectV2Item": lambda made, _: made.project_v2_item},
    "ClearProjectV2ItemFieldValuePayload": {"projectV2Item": lambda made, _: made.project_v2_item},
    "CreateProjectV2FieldPayload": {"projectV2Field": lambda made, _: made.project_v2_field},
    "Mutation": {
        "addProjectV2ItemById": _add_item,
        "clearProjectV2ItemFieldValue": _set_value,
        "createProjectV2Field": _add_field,
        "deleteProjectV2Item": _delete_item,
        "updateProjectV2ItemFieldValue": _set_value,
    },
}
"""The fields that are no plain attributes, by type."""

OWNERS: dict[str, Callable[..., Actor]] = {
    "organization": _owner("Organization"),
    "user": _owner("User"),
}
"""The query's fields that lead to them."""
