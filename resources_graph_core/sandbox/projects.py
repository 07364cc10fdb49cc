"""GitHub Projects in the sandbox: fields, items, and what may be changed of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from resources_graph_core.sandbox.connections import problem
from resources_graph_core.sandbox.identity import node_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from resources_graph_core.sandbox.nodes import Actor, Issue, PullRequest

LONGEST_TEXT = 1024
"""Bytes of UTF-8 that a text field holds."""

FoundT = TypeVar("FoundT")

READ_SCOPES = frozenset({"read:project", "project"})
WRITE_SCOPES = frozenset({"project"})


@dataclass(slots=True, eq=False)
class Option:
    """An option of a single-select field."""

    id: str
    name: str


@dataclass(slots=True, eq=False)
class ProjectField:
    """A field; only a single-select one has options."""

    id: str
    name: str
    data_type: str
    options: list[Option] = field(default_factory=list)

    @property
    def typename(self) -> str:
        """Its type in the schema."""
        return "ProjectV2SingleSelectField" if self.options else "ProjectV2Field"


@dataclass(slots=True, eq=False)
class ProjectItem:
    """An item: what it is about, who added it, and its values by the ids of their fields."""

    typename: ClassVar[str] = "ProjectV2Item"
    id: str
    project: Project
    content: Issue | PullRequest
    creator: Actor
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Project:
    """A project of ``owner``; with ``read_only`` nobody may change it."""

    typename: ClassVar[str] = "ProjectV2"
    id: str
    owner: Actor
    number: int
    title: str
    public: bool = True
    read_only: bool = False
    fields: list[ProjectField] = field(default_factory=list)
    items: list[ProjectItem] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Its page."""
        kind = "orgs" if self.owner.typename == "Organization" else "users"
        return f"https://github.com/{kind}/{self.owner.login}/projects/{self.number}"

    def add_field(self, name: str, data_type: str, options: list[str]) -> ProjectField:
        """Add a field, whose name no other has."""
        if any(one.name.lower() == name.lower() for one in self.fields):
            raise problem("UNPROCESSABLE", "Name has already been taken")
        made = [Option(f"{number:08x}", option) for number, option in enumerate(options)]
        identity = node_id("ProjectV2Field", self.id, name)
        self.fields.append(ProjectField(identity, name, data_type, made))
        return self.fields[-1]

    def add_item(self, content: Issue | PullRequest, creator: Actor) -> ProjectItem:
        """Add an item, or give the one that is there."""
        for item in self.items:
            if item.content is content:
                return item
        identity = node_id("ProjectV2Item", self.id, content.id, len(self.items))
        self.items.append(ProjectItem(identity, self, content, creator))
        return self.items[-1]

    def item(self, global_id: str) -> ProjectItem:
        """The item of this id."""
        return _the_one([one for one in self.items if one.id == global_id], global_id)

    def remove_item(self, global_id: str) -> None:
        """Take an item out."""
        self.items.remove(self.item(global_id))

    def set_value(
        self, item_id: str, field_id: str, value: Mapping[str, Any] | None
    ) -> ProjectItem:
        """Set or clear (None) the value of an item in a field."""
        item = self.item(item_id)
        found = _the_one([one for one in self.fields if one.id == field_id], field_id)
        if value is None:
            item.values.pop(found.id, None)
            return item
        kind = {"TEXT": "text", "NUMBER": "number", "SINGLE_SELECT": "singleSelectOptionId"}
        name = kind.get(found.data_type, "")
        if list(value) != [name]:
            raise problem("UNPROCESSABLE", f"Did not receive a {found.data_type} value to update")
        given = value[name]
        if name == "text" and len(given.encode()) > LONGEST_TEXT:
            raise problem("UNPROCESSABLE", "Text value is too long (maximum is 1024 bytes)")
        if name == "singleSelectOptionId" and given not in {one.id for one in found.options}:
            raise problem(
                "UNPROCESSABLE", "The single select option Id does not belong to the field"
            )
        item.values[found.id] = given
        return item


def _the_one(found: list[FoundT], global_id: str) -> FoundT:
    if not found:
        raise problem(
            "NOT_FOUND", f"Could not resolve to a node with the global id of '{global_id}'"
        )
    return found[0]
