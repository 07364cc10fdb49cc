"""The shapes of GraphQL answers, which are also what the documents ask for.

A document asks for exactly the fields that a shape has, so the two cannot drift apart. An answer
that does not fit its shape is refused as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Generic,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from resources_graph_core.github.documents import PAGE_LIMIT, Ask, Enum, Fragment, On, Spread

if TYPE_CHECKING:
    from collections.abc import Mapping

    from resources_graph_core.github.documents import Argument, Selection


@dataclass(frozen=True)
class Asked:
    """How a field is asked for, put on it with ``Annotated``: arguments, and GitHub's name for it.

    The name is only needed where the field is answered under an alias.
    """

    arguments: Mapping[str, Argument] = field(default_factory=dict)
    name: str | None = None


def first(count: int = PAGE_LIMIT, **arguments: Argument) -> Asked:
    """The first page of a connection: ``count`` nodes, chosen by other arguments."""
    return Asked({"first": count, **arguments})


class Shape(BaseModel):
    """A part of an answer. ``on`` names the types it applies to where a field has several."""

    model_config = ConfigDict(extra="ignore", alias_generator=to_camel)

    on: ClassVar[tuple[str, ...]] = ()


class PageInfo(Shape):
    """Whether a connection goes on, and after which cursor."""

    has_next_page: bool
    end_cursor: str | None = None


NodeT = TypeVar("NodeT")


class Connection(Shape, Generic[NodeT]):
    """A page of nodes, to which the pages after it are added as they come."""

    total_count: int
    page_info: PageInfo
    nodes: list[NodeT]


class Count(Shape):
    """How many nodes a connection has. Asked without ``first``, so that it costs no points."""

    total_count: int


class Actor(Shape):
    """Who did something: a user, an app, or another kind of account."""

    typename: str = Field(alias="__typename")
    login: str


class User(Shape):
    """A user's login."""

    login: str


class Named(Shape):
    """Something with a name."""

    name: str


class RepositoryRef(Shape):
    """A repository: which, where it is now, and who may see it."""

    id: str
    name_with_owner: str
    visibility: str


class Milestone(Shape):
    """A milestone's title and number."""

    title: str
    number: int


class Subject(Shape):
    """The other end of a reference; only kept when its repository is public."""

    on = ("Issue", "PullRequest")

    id: str
    url: str
    repository: RepositoryRef


class CrossReference(Shape):
    """Where an item was mentioned."""

    on = ("CrossReferencedEvent",)

    source: Subject


class ClosedIssue(Shape):
    """An issue that merging a pull request closes."""

    id: str
    url: str
    repository: RepositoryRef


class WrittenShape(Shape):
    """What everything that somebody wrote has in common."""

    id: str
    url: str
    body: str
    author: Actor | None
    author_association: str
    created_at: str
    updated_at: str


class MinimizableShape(WrittenShape):
    """What can be hidden, and why it was."""

    is_minimized: bool
    minimized_reason: str | None


class IssueComment(MinimizableShape):
    """A comment in the conversation."""


class Review(MinimizableShape):
    """A review with its verdict; its comments come with their threads."""

    state: str


class Identified(Shape):
    """Something of which only the id matters."""

    id: str


class ReviewComment(MinimizableShape):
    """A comment on a line of a pull request."""

    path: str
    line: int | None
    original_line: int | None
    outdated: bool
    state: str
    reply_to: Identified | None
    pull_request_review: Identified | None


class ReviewThread(Shape):
    """A thread of review comments and what became of it."""

    on = ("PullRequestReviewThread",)

    id: str
    is_resolved: bool
    is_outdated: bool
    comments: Annotated[Connection[ReviewComment], first(20)]


class ChangedFile(Shape):
    """A file that a pull request changes."""

    path: str


_CROSS_REFERENCES = first(itemTypes=[Enum("CROSS_REFERENCED_EVENT")])
# A pending review is seen by its author alone, so it is not public.
SUBMITTED = [Enum("APPROVED"), Enum("CHANGES_REQUESTED"), Enum("COMMENTED"), Enum("DISMISSED")]


class ItemShape(WrittenShape):
    """An issue or pull request at full depth."""

    number: int
    title: str
    locked: bool
    closed_at: str | None
    milestone: Milestone | None
    repository: RepositoryRef
    reactions: Count
    labels: Annotated[Connection[Named], first()]
    assignees: Annotated[Connection[User], first(20)]
    comments: Annotated[Connection[IssueComment], first()]
    timeline_items: Annotated[Connection[CrossReference | None], _CROSS_REFERENCES]


class SubIssues(Shape):
    """How many sub-issues there are and how many are done."""

    total: int
    completed: int


class IssueShape(ItemShape):
    """An issue at full depth."""

    on = ("Issue",)

    typename: Literal["Issue"] = Field(alias="__typename")
    state: str
    state_reason: Annotated[str | None, Asked({"enableDuplicate": True})]
    sub_issues_summary: SubIssues | None = None


class PullRequestShape(ItemShape):
    """A pull request at full depth."""

    on = ("PullRequest",)

    typename: Literal["PullRequest"] = Field(alias="__typename")
    # GraphQL lets no two types of one answer give a field of one name two types.
    state: Annotated[str, Asked(name="state")] = Field(alias="pullRequestState")
    merged: bool
    merged_at: str | None
    merged_by: Actor | None
    is_draft: bool
    base_ref_name: str
    head_ref_name: str
    files: Annotated[Connection[ChangedFile], first()]
    reviews: Annotated[Connection[Review], first(states=SUBMITTED)]
    review_threads: Annotated[Connection[ReviewThread], first(50)]
    closing_issues_references: Annotated[Connection[ClosedIssue | None], first(50)]


AnyItem = Annotated[IssueShape | PullRequestShape, Field(discriminator="typename")]
"""An issue or a pull request, told apart by ``__typename``."""


class LocatedItem(RepositoryRef):
    """A repository and one item of it."""

    item: AnyItem = Field(alias="issueOrPullRequest")


class Topic(Shape):
    """A topic of a repository."""

    topic: Named


class Licence(Shape):
    """A licence, by its SPDX id where it has one."""

    spdx_id: str | None


class RepositoryShape(RepositoryRef):
    """A repository, but for its README, whose name varies."""

    on = ("Repository",)

    url: str
    description: str | None
    stargazer_count: int
    default_branch_ref: Named | None
    is_archived: bool
    created_at: str
    updated_at: str
    pushed_at: str | None
    licence: Licence | None = Field(alias="licenseInfo")
    parent: RepositoryRef | None
    topics: Annotated[Connection[Topic], first()] = Field(alias="repositoryTopics")


DISPENSABLE = frozenset({"subIssuesSummary", "stateReason.enableDuplicate"})
"""Young fields, and arguments as ``field.argument``, that an Enterprise Server may not have yet."""


@cache
def selection_of(shape: type[Shape]) -> Selection:
    """What to ask for to be answered in this shape."""
    return tuple(asked_for(shape, name) for name in shape.model_fields)


def asked_for(shape: type[Shape], name: str, **arguments: Argument) -> Ask:
    """The field called ``name`` of ``shape``, with ``arguments`` over its own."""
    info = shape.model_fields[name]
    own = next((mark for mark in info.metadata if isinstance(mark, Asked)), Asked())
    answered_as = info.alias or name
    return Ask(
        own.name or answered_as,
        {**own.arguments, **arguments},
        spread(info.annotation),
        alias=answered_as if own.name else None,
    )


def spread(annotation: Any) -> Selection:  # noqa: ANN401 - any annotation a field may have
    """What to ask for of a field with this annotation; nothing for a plain value.

    A shape that applies to some types only is asked for on each of these; a choice between shapes
    is told apart by ``__typename``, each asked for through a named fragment.
    """
    shapes = list(_shapes(annotation))
    if len(shapes) > 1:
        return tuple(Spread(fragment_of(shape)) for shape in shapes)
    if not shapes:
        return ()
    (shape,) = shapes
    parts = selection_of(shape)
    return tuple(On(kind, parts) for kind in shape.on) if shape.on else parts


@cache
def fragment_of(shape: type[Shape]) -> Fragment:
    """The named fragment that asks for a shape of one type."""
    (on,) = shape.on
    return Fragment(shape.__name__, on, selection_of(shape))


def _shapes(annotation: Any) -> list[type[Shape]]:  # noqa: ANN401 - any annotation
    if isinstance(annotation, type) and issubclass(annotation, Shape):
        return [annotation]
    if get_origin(annotation) in (Union, UnionType, list, Annotated):
        return [shape for inner in get_args(annotation) for shape in _shapes(inner)]
    return []
