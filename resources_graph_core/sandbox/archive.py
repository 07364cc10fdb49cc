"""Archives: the JSON that IETF working groups publish of a repository, and what we add to it.

The published format has ``repo``, ``labels``, ``issues`` and ``pulls`` with their comments and
reviews (https://github.com/martinthomson/i-d-template keeps such archives). Everything else here
is optional and our own: repository facts, milestones, review threads, files, references and so on.
Names and values are GitHub's GraphQL ones. An ``author`` that is null or missing is a deleted
account; one that ends in ``[bot]`` is a bot.
"""

from __future__ import annotations

import re
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from resources_graph_core.errors import ArchiveError

_FORMAT = (
    "an archive is a JSON object with repo (owner/name), labels, issues and pulls, "
    "as IETF working groups publish them"
)

Timestamp = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]
"""ISO-8601 UTC to the second, as GitHub writes it."""

NodeId = Annotated[str, Field(pattern=r"^[!-~]{1,200}$")]
"""An id as GitHub writes them: ASCII without white space."""

RepositoryName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]+/[A-Za-z0-9._-]+$")]
"""``owner/name``."""

Association = Literal[
    "COLLABORATOR",
    "CONTRIBUTOR",
    "FIRST_TIMER",
    "FIRST_TIME_CONTRIBUTOR",
    "MANNEQUIN",
    "MEMBER",
    "NONE",
    "OWNER",
]
ReactionContent = Literal[
    "THUMBS_UP", "THUMBS_DOWN", "LAUGH", "HOORAY", "CONFUSED", "HEART", "ROCKET", "EYES"
]


class Record(BaseModel):
    """A part of an archive: camelCase in the file; what we do not know is left alone."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore")


class ArchivedLabel(Record):
    """A label of the repository."""

    name: str
    color: str = "ededed"
    description: str | None = None


class ArchivedMilestone(Record):
    """A milestone of the repository; items name it by its title."""

    number: int
    title: str
    description: str | None = None
    state: Literal["OPEN", "CLOSED"] = "OPEN"
    creator: str | None = None
    created_at: Timestamp
    updated_at: Timestamp | None = None
    closed_at: Timestamp | None = None
    due_on: Timestamp | None = None


class ArchivedReadme(Record):
    """The README: its path as GitHub resolves it, such as ``docs/readme.rst``, and its text."""

    name: str = "README.md"
    text: str = ""


class ArchivedRepository(Record):
    """What GitHub says of the repository itself."""

    id: NodeId | None = None
    description: str | None = None
    homepage_url: str | None = None
    readme: ArchivedReadme | None = None
    stars: int = 0
    forks: int = 0
    default_branch: str = "main"
    topics: list[str] = []
    archived: bool = False
    licence: str | None = None
    fork_parent: RepositoryName | None = None
    visibility: Literal["PUBLIC", "PRIVATE", "INTERNAL"] = "PUBLIC"
    has_issues: bool = True
    created_at: Timestamp | None = None
    updated_at: Timestamp | None = None
    pushed_at: Timestamp | None = None


class Written(Record):
    """What somebody wrote: a body with its author and times."""

    author: str | None = None
    author_association: Association = "NONE"
    body: str = ""
    created_at: Timestamp
    updated_at: Timestamp
    reactions: dict[ReactionContent, Annotated[int, Field(ge=0, le=10_000)]] = {}


class ArchivedComment(Written):
    """A comment of a conversation."""

    id: NodeId | None = None
    url: str | None = None
    is_minimized: bool = False
    minimized_reason: str | None = None


class ArchivedCommit(Record):
    """The commit that a review looked at."""

    abbreviated_oid: str


class ArchivedReviewComment(ArchivedComment):
    """A comment on a line; without an author of its own it is the review's.

    ``thread`` is the id of one of the pull request's ``reviewThreads``. Without it, comments at
    the same path and position are one thread.
    """

    original_position: int = 1
    path: str | None = None
    line: int | None = None
    thread: str | None = None


class ArchivedReview(ArchivedComment):
    """A review: a verdict, perhaps with a body, and its comments on lines."""

    id: NodeId
    commit: ArchivedCommit | None = None
    state: Literal["APPROVED", "CHANGES_REQUESTED", "COMMENTED", "DISMISSED", "PENDING"]
    comments: list[ArchivedReviewComment] = []


class ArchivedThread(Record):
    """A conversation about a line of a pull request."""

    id: NodeId
    path: str
    line: int | None = None
    is_resolved: bool = False
    is_outdated: bool = False
    resolved_by: str | None = None


class ArchivedFile(Record):
    """A changed file of a pull request."""

    path: str
    additions: int = 0
    deletions: int = 0
    change_type: Literal["ADDED", "CHANGED", "COPIED", "DELETED", "MODIFIED", "RENAMED"] = (
        "MODIFIED"
    )


class ArchivedReference(Record):
    """Where an item was mentioned from: ``owner/name#number``."""

    source: str
    created_at: Timestamp | None = None
    actor: str | None = None


class ArchivedItem(Written):
    """What issues and pull requests have in common. Labels and the milestone are given by name."""

    id: NodeId
    number: Annotated[int, Field(ge=1, lt=2**31)]
    title: str
    url: str | None = None
    labels: list[str] = []
    assignees: list[str] = []
    milestone: str | None = None
    locked: bool = False
    active_lock_reason: Literal["OFF_TOPIC", "RESOLVED", "SPAM", "TOO_HEATED"] | None = None
    closed_at: Timestamp | None = None
    comments: list[ArchivedComment] = []
    cross_references: list[ArchivedReference] = []


class ArchivedIssue(ArchivedItem):
    """An issue."""

    state: Literal["OPEN", "CLOSED"]
    state_reason: Literal["COMPLETED", "DUPLICATE", "NOT_PLANNED", "REOPENED"] | None = None
    issue_type: str | None = None
    sub_issues_total: int = 0
    sub_issues_completed: int = 0


class ArchivedPullRequest(ArchivedItem):
    """A pull request. ``closingIssuesReferences`` holds numbers, or ``owner/name#number``."""

    state: Literal["OPEN", "CLOSED", "MERGED"]
    draft: bool = False
    merged_at: Timestamp | None = None
    merged_by: str | None = None
    merge_commit: dict[str, str] | None = None
    base_ref_name: str = "main"
    base_ref_oid: str | None = None
    head_repository: RepositoryName | None = None
    head_ref_name: str = "change"
    head_ref_oid: str | None = None
    reviews: list[ArchivedReview] = []
    review_threads: list[ArchivedThread] = []
    files: list[ArchivedFile] | None = None
    closing_issues_references: list[int | str] = []


class Archive(Record):
    """One repository with everything in it, at the moment it was archived."""

    repo: RepositoryName
    timestamp: str | None = None
    repository: ArchivedRepository = ArchivedRepository()
    labels: list[ArchivedLabel]
    milestones: list[ArchivedMilestone] = []
    issues: list[ArchivedIssue]
    pulls: list[ArchivedPullRequest]


def load_archive(path: Path) -> Archive:
    """Read an archive file.

    Raises ArchiveError, in one line that says what is wrong and what an archive is.
    """
    try:
        if path.is_char_device() or path.is_block_device():  # they may never end
            raise ArchiveError(f"{path} is a device; name a file that holds an archive")
        text = path.read_bytes()
    except OSError as error:
        raise ArchiveError(f"{path} cannot be read: {error.strerror or error}") from None
    try:
        archive = Archive.model_validate_json(text)
    except ValidationError as error:
        raise ArchiveError(f"{path} is not an archive: {_reason(error)}; {_FORMAT}") from None
    numbers = [item.number for item in (*archive.issues, *archive.pulls)]
    if twice := sorted({number for number in numbers if numbers.count(number) > 1}):
        raise ArchiveError(f"{path} is not an archive: it has #{twice[0]} twice; {_FORMAT}")
    ids = Counter(item.id for item in (*archive.issues, *archive.pulls))
    if same := next((one for one, count in ids.items() if count > 1), None):
        raise ArchiveError(f"{path} is not an archive: it has the id {same} twice; {_FORMAT}")
    return archive


def packaged_archives() -> tuple[Path, ...]:
    """The archives that ship with the package: a small invented project and its neighbour."""
    folder = Path(str(files("resources_graph_core.sandbox"))) / "data"
    return tuple(sorted(folder.glob("*.json")))


def _reason(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    if first["type"] == "json_invalid":
        return "it is not JSON"
    if not first["loc"]:
        return "it is not a JSON object"
    place = ".".join(str(part) for part in first["loc"])
    place = re.sub(r"\.(\d+)", r"[\1]", place)
    if first["type"] == "missing":
        return f"{place} is missing"
    message = first["msg"]
    return f"{place} is wrong ({message[0].lower()}{message[1:]})"
