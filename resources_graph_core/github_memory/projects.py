"""GitHub Projects as a triage backlog needs them: their addresses, what is asked of them, answers.

https://docs.github.com/en/issues/planning-and-tracking-with-projects/automating-your-project/using-the-api-to-manage-projects
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from resources_graph_core.address import DEFAULT_HOST
from resources_graph_core.errors import UsageError
from resources_graph_core.github.documents import Ask, On, Operation, Selection, Variable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from resources_graph_core.address import Address

VERDICT: Final = "Triage verdict"
ORDER: Final = "Triage order"
RATIONALE: Final = "Triage rationale"
METADATA: Final = "Triage metadata"
"""The names of the project's fields that hold an entry, told from those that people make."""

_PAGE = 100
"""Items on a page, the most that GitHub gives; a project has 50 fields at most."""
_URL = re.compile(
    r"(?:https?://)?(?P<host>[A-Za-z0-9.-]+)/(?P<kind>orgs|users)/(?P<owner>[A-Za-z0-9_.-]+)"
    r"/projects/(?P<number>\d{1,9})(?:/views/\d+)?/?(?:\?[^\s#]*)?"
)


@dataclass(frozen=True, slots=True)
class ProjectAddress:
    """Where a project is: of an organisation (``orgs``) or of somebody (``users``)."""

    owner: str
    number: int
    kind: Literal["orgs", "users"] = "orgs"
    host: str = DEFAULT_HOST

    @property
    def key(self) -> str:
        """The project's URL without its scheme, in small letters."""
        return f"{self.host}/{self.kind}/{self.owner}/projects/{self.number}".lower()

    def __str__(self) -> str:
        """The project's URL."""
        return f"https://{self.host}/{self.kind}/{self.owner}/projects/{self.number}"


def parse_project(text: str) -> ProjectAddress | None:
    """The project that a URL names, of whichever of its views; None for what names none."""
    found = _URL.fullmatch(text.strip())
    if found is None:
        return None
    host = found["host"].lower().removeprefix("www.")
    kind: Literal["orgs", "users"] = "orgs" if found["kind"] == "orgs" else "users"
    return ProjectAddress(found["owner"], int(found["number"]), kind, host)


def project_named(text: str) -> ProjectAddress:
    """The project that a URL names. UsageError for what names none."""
    found = parse_project(text)
    if found is None:
        raise UsageError(
            f"{text[:200]!r} names no project; write https://github.com/orgs/OWNER/projects/N"
        )
    return found


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)


def _some(value: object) -> object:
    """A list without what GitHub kept back, which it leaves null."""
    return [one for one in value if one] if isinstance(value, list) else value


class OptionShape(_Shape):
    """An option of a single-select field."""

    id: str
    name: str


class FieldShape(_Shape):
    """A field; ``options`` are those of a single-select one."""

    id: str
    name: str
    data_type: str = Field(alias="dataType")
    options: tuple[OptionShape, ...] = ()


class _RepositoryShape(_Shape):
    name_with_owner: str = Field(alias="nameWithOwner")
    is_private: bool = Field(alias="isPrivate")


class ContentShape(_Shape):
    """The issue or pull request of an item; a draft has none of these."""

    number: int | None = None
    repository: _RepositoryShape | None = None


class _Value(_Shape):
    name: str | None = None
    number: float | None = None
    text: str | None = None


class ItemShape(_Shape):
    """An item, with its values in our fields."""

    id: str
    content: ContentShape | None = None
    verdict: _Value | None = None
    order: _Value | None = None
    rationale: _Value | None = None
    metadata: _Value | None = None

    @property
    def ref(self) -> str | None:
        """``owner/repo#N``; None for a draft, and for what the token may not see."""
        content = self.content
        if content is None or content.repository is None:
            return None
        return f"{content.repository.name_with_owner}#{content.number}"

    @property
    def is_public(self) -> bool:
        """Whether anyone may read what it is about."""
        repository = self.content.repository if self.content else None
        return repository is not None and not repository.is_private


class _PageInfo(_Shape):
    has_next_page: bool = Field(alias="hasNextPage")
    end_cursor: str | None = Field(alias="endCursor")


class _Fields(_Shape):
    nodes: Annotated[tuple[FieldShape, ...], BeforeValidator(_some)] = ()


class _Items(_Shape):
    page_info: _PageInfo = Field(alias="pageInfo")
    nodes: Annotated[tuple[ItemShape, ...], BeforeValidator(_some)] = ()


class ProjectShape(_Shape):
    """A page of a project."""

    id: str
    url: str
    public: bool
    fields: _Fields
    items: _Items


class _Owner(_Shape):
    project: ProjectShape | None = None


class PageShape(_Shape):
    """The answer to :func:`read_page`."""

    owner: _Owner | None = None


_FIELD_PARTS = (Ask("id"), Ask("name"), Ask("dataType"))
_FIELDS = Ask(
    "fields",
    {"first": _PAGE},
    (
        Ask(
            "nodes",
            parts=(
                On("ProjectV2Field", _FIELD_PARTS),
                On("ProjectV2IterationField", _FIELD_PARTS),
                On(
                    "ProjectV2SingleSelectField",
                    (*_FIELD_PARTS, Ask("options", parts=(Ask("id"), Ask("name")))),
                ),
            ),
        ),
    ),
)
_CONTENT = (
    Ask("number"),
    Ask("repository", parts=(Ask("nameWithOwner"), Ask("isPrivate"))),
)


def _value(alias: str, name: str, kind: str, part: str) -> Ask:
    on = On(f"ProjectV2ItemField{kind}Value", (Ask(part),))
    return Ask("fieldValueByName", {"name": name}, (on,), alias)


_ITEM = (
    Ask("id"),
    Ask("content", parts=(On("Issue", _CONTENT), On("PullRequest", _CONTENT))),
    _value("verdict", VERDICT, "SingleSelect", "name"),
    _value("order", ORDER, "Number", "number"),
    _value("rationale", RATIONALE, "Text", "text"),
    _value("metadata", METADATA, "Text", "text"),
)


def read_page(where: ProjectAddress, after: str | None) -> Operation:
    """The question for a project's fields and a page of its items, and for the token's account."""
    items = Ask(
        "items",
        {"first": _PAGE, "after": Variable("after", "String", after)},
        (
            Ask("pageInfo", parts=(Ask("hasNextPage"), Ask("endCursor"))),
            Ask("nodes", parts=_ITEM),
        ),
    )
    number = Variable("number", "Int!", where.number)
    parts = (Ask("id"), Ask("url"), Ask("public"), _FIELDS, items)
    project = Ask("projectV2", {"number": number}, parts, "project")
    owner = Ask(
        "organization" if where.kind == "orgs" else "user",
        {"login": Variable("login", "String!", where.owner)},
        (project,),
        "owner",
    )
    return Operation("TriageProject", (owner,))


def find_items(addresses: Sequence[Address]) -> Operation:
    """The question for the node ids of issues and pull requests, numbered as ``i_n0``."""
    identity = (Ask("id"),)
    parts = []
    for position, address in enumerate(addresses):
        item = Ask(
            "issueOrPullRequest",
            {"number": Variable(f"number_n{position}", "Int!", address.number)},
            (On("Issue", identity), On("PullRequest", identity)),
            "item",
        )
        asked = {
            "owner": Variable(f"owner_n{position}", "String!", address.owner),
            "name": Variable(f"name_n{position}", "String!", address.name),
        }
        parts.append(Ask("repository", asked, (item,), f"i_n{position}"))
    return Operation("TriageItems", tuple(parts))


_IDENTITY: Selection = (Ask("id"),)
_PAYLOADS: Final[Mapping[str, Selection]] = {
    "deletedItemId": (),
    "item": _IDENTITY,
    "projectV2Item": _IDENTITY,
    "projectV2Field": (
        On("ProjectV2Field", _IDENTITY),
        On("ProjectV2SingleSelectField", _IDENTITY),
    ),
}
"""What is asked of each part of a payload."""


@dataclass(frozen=True, slots=True)
class Change:
    """A mutation of a project: its name, its input, and the payload's part that is asked for."""

    name: str
    input: Mapping[str, Any]
    part: str


def change_project(changes: Sequence[Change]) -> Operation:
    """The document that makes changes one after the other, numbered as ``m_n0``."""
    parts = []
    for position, change in enumerate(changes):
        kind = f"{change.name[0].upper()}{change.name[1:]}Input!"
        given = Variable(f"input_n{position}", kind, change.input)
        part = Ask(change.part, parts=_PAYLOADS[change.part])
        parts.append(Ask(change.name, {"input": given}, (part,), f"m_n{position}"))
    return Operation("TriageChange", tuple(parts), "mutation")
