"""What the sandbox's GitHub knows: linked, whole and mutable, named as in GitHub's schema.

Attribute names are the schema's field names in snake_case, so that GraphQL answers come straight
from them; ``typename`` is the GraphQL type. Times are ISO-8601 UTC strings. URLs lack their host
(``/owner/name/issues/1``): GitHub's is put before them by ``url``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from resources_graph_core.sandbox.identity import commit_oid, database_id, node_id

if TYPE_CHECKING:
    from resources_graph_core.sandbox.reviews import Review, Thread

WEB = "https://github.com"
"""Where items say they are: the same whatever address the sandbox listens on."""

Access = Literal["open", "hidden", "saml"]
"""Who may see a repository: whoever its visibility allows, nobody, or only those without a token
(its organisation wants a SAML session of every token)."""


class Numbered:
    """A thing with a global id, from which its other numbers follow."""

    __slots__ = ()
    id: str

    @property
    def database_id(self) -> int:
        """The number REST calls ``id``."""
        return database_id(self.id)

    @property
    def full_database_id(self) -> str:
        """The same, as GraphQL's BigInt."""
        return str(database_id(self.id))


class Located(Numbered):
    """A thing with a page of its own."""

    __slots__ = ()
    resource_path: str

    @property
    def url(self) -> str:
        """The page's address."""
        return WEB + self.resource_path


@dataclass(slots=True, eq=False)
class Actor(Located):
    """A user, an organisation or a bot; ``typename`` says which."""

    login: str
    typename: Literal["User", "Organization", "Bot"] = "User"
    id: str = ""
    name: str | None = None

    def __post_init__(self) -> None:
        """Give it its id."""
        self.id = self.id or node_id(self.typename, self.login.lower())

    @property
    def resource_path(self) -> str:  # type: ignore[override]  # follows from the login
        """The profile page; a bot's is its app's."""
        return f"/apps/{self.login}" if self.typename == "Bot" else f"/{self.login}"

    def avatar_url(self, _info: object = None, *, size: int | None = None) -> str:
        """A picture's address."""
        suffix = f"&s={size}" if size else ""
        return f"https://avatars.githubusercontent.com/u/{self.database_id}?v=4{suffix}"


@dataclass(slots=True, eq=False)
class Label(Located):
    """A label of a repository."""

    typename: ClassVar[str] = "Label"
    id: str
    name: str
    color: str
    description: str | None
    repository: Repository
    is_default: bool = False

    @property
    def resource_path(self) -> str:  # type: ignore[override]  # follows from the repository
        """The list of what carries it."""
        return f"{self.repository.resource_path}/labels/{self.name}"


@dataclass(slots=True, eq=False)
class Milestone(Located):
    """A milestone of a repository."""

    typename: ClassVar[str] = "Milestone"
    id: str
    number: int
    title: str
    description: str | None
    state: str
    creator: Actor | None
    created_at: str
    updated_at: str
    closed_at: str | None
    due_on: str | None
    repository: Repository

    @property
    def closed(self) -> bool:
        """Whether it is closed."""
        return self.state == "CLOSED"

    @property
    def resource_path(self) -> str:  # type: ignore[override]  # follows from the repository
        """Its page."""
        return f"{self.repository.resource_path}/milestone/{self.number}"


@dataclass(slots=True, eq=False, kw_only=True)
class Authored(Located):
    """Something somebody wrote. ``author`` is None when the account is gone."""

    id: str
    author: Actor | None
    author_association: str
    body: str
    created_at: str
    updated_at: str
    reaction_counts: dict[str, int] = field(default_factory=dict)
    is_minimized: bool = False
    minimized_reason: str | None = None

    @property
    def body_text(self) -> str:
        """The body; the sandbox renders no Markdown."""
        return self.body

    @property
    def published_at(self) -> str:
        """When it was first seen."""
        return self.created_at

    @property
    def last_edited_at(self) -> None:
        """Archives do not keep when a body was edited."""

    @property
    def includes_created_edit(self) -> bool:
        """Nor whether."""
        return False


@dataclass(slots=True, eq=False)
class ContentEdit:
    """An entry in the history of a text; ``diff`` is the whole text after it."""

    typename: ClassVar[str] = "UserContentEdit"
    id: str
    diff: str | None
    edited_at: str
    editor: Actor | None

    @property
    def created_at(self) -> str:
        """The same as when it was made."""
        return self.edited_at

    @property
    def updated_at(self) -> str:
        """The same."""
        return self.edited_at

    @property
    def deleted_at(self) -> None:
        """Nobody deletes revisions here."""


@dataclass(slots=True, eq=False, kw_only=True)
class Item(Authored):
    """What issues and pull requests have in common."""

    typename: ClassVar[str]
    path_segment: ClassVar[str]
    repository: Repository
    number: int
    title: str
    state: str
    labels: list[Label]
    assignees: list[Actor]
    milestone: Milestone | None
    locked: bool
    active_lock_reason: str | None
    closed_at: str | None
    comments: list[IssueComment] = field(default_factory=list)
    stated_references: list[tuple[str, str | None, str | None]] = field(default_factory=list)
    """References that the archive states: source, time, who; others follow from texts."""
    edits: list[ContentEdit] = field(default_factory=list)
    """The history of the text, oldest first."""

    @property
    def last_edited_at(self) -> str | None:  # type: ignore[override]  # an item keeps its history
        """When the text was last edited here."""
        return self.edits[-1].edited_at if self.edits else None

    @property
    def includes_created_edit(self) -> bool:
        """Whether the history begins with the text as it was written."""
        return bool(self.edits)

    @property
    def closed(self) -> bool:
        """Whether it is closed (a merged pull request is)."""
        return self.state != "OPEN"

    @property
    def resource_path(self) -> str:  # type: ignore[override]  # follows from the repository
        """Its page."""
        return f"{self.repository.resource_path}/{self.path_segment}/{self.number}"

    @property
    def title_html(self) -> str:
        """The title; the sandbox renders no Markdown."""
        return self.title

    @property
    def reference(self) -> str:
        """``owner/name#number``."""
        return f"{self.repository.name_with_owner}#{self.number}"


@dataclass(slots=True, eq=False, kw_only=True)
class Issue(Item):
    """An issue."""

    typename: ClassVar[str] = "Issue"
    path_segment: ClassVar[str] = "issues"
    state_reason: str | None
    issue_type: str | None
    sub_issues_total: int
    sub_issues_completed: int


@dataclass(slots=True, eq=False, kw_only=True)
class PullRequest(Item):
    """A pull request."""

    typename: ClassVar[str] = "PullRequest"
    path_segment: ClassVar[str] = "pull"
    is_draft: bool
    merged_at: str | None
    merged_by: Actor | None
    merge_commit_oid: str | None
    base_ref_name: str
    base_ref_oid: str
    head_repository_name: str | None
    head_ref_name: str
    head_ref_oid: str
    files: list[ChangedFile]
    stated_closes: list[str]
    reviews: list[Review] = field(default_factory=list)
    review_threads: list[Thread] = field(default_factory=list)

    @property
    def merged(self) -> bool:
        """Whether it was merged."""
        return self.state == "MERGED"


@dataclass(slots=True, eq=False, kw_only=True)
class IssueComment(Authored):
    """A comment of an issue's or pull request's conversation."""

    typename: ClassVar[str] = "IssueComment"
    item: Item
    state: ClassVar[str] = ""

    @property
    def repository(self) -> Repository:
        """Where it was written."""
        return self.item.repository

    @property
    def resource_path(self) -> str:  # type: ignore[override]  # follows from the item
        """Its place on the item's page."""
        return f"{self.item.resource_path}#issuecomment-{self.database_id}"


@dataclass(slots=True, eq=False)
class ChangedFile:
    """A changed file of a pull request."""

    typename: ClassVar[str] = "PullRequestChangedFile"
    path: str
    additions: int
    deletions: int
    change_type: str


@dataclass(slots=True, eq=False, kw_only=True)
class Repository(Located):
    """A repository with everything in it. ``items`` is in order of number."""

    typename: ClassVar[str] = "Repository"
    id: str
    owner: Actor
    name: str
    description: str | None
    homepage_url: str | None
    readme_path: str | None
    readme_text: str
    stargazer_count: int
    fork_count: int
    default_branch: str
    topics: list[str]
    is_archived: bool
    licence: str | None
    fork_parent: str | None
    visibility: str
    has_issues_enabled: bool
    created_at: str
    updated_at: str
    pushed_at: str | None
    access: Access = "open"
    labels: list[Label] = field(default_factory=list)
    milestones: list[Milestone] = field(default_factory=list)
    items: dict[int, Issue | PullRequest] = field(default_factory=dict)

    @property
    def name_with_owner(self) -> str:
        """``owner/name``."""
        return f"{self.owner.login}/{self.name}"

    @property
    def resource_path(self) -> str:  # type: ignore[override]  # follows from the name
        """Its page."""
        return f"/{self.name_with_owner}"

    @property
    def is_private(self) -> bool:
        """Whether strangers may not see it."""
        return self.visibility != "PUBLIC"

    @property
    def readme_oid(self) -> str:
        """The blob's hash."""
        return commit_oid("blob", self.readme_text)
