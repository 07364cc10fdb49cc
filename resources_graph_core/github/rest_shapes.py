"""The shapes of REST answers, as far as they are used.

https://docs.github.com/en/rest describes them.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class RestShape(BaseModel):
    """A part of an answer."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class RestUser(RestShape):
    """An account; an app's login ends in ``[bot]`` here, and only here."""

    login: str
    type: str = "User"


class RestNamed(RestShape):
    """Something with a name."""

    name: str


class RestMilestone(RestShape):
    """A milestone's title and number."""

    title: str
    number: int


class RestReactions(RestShape):
    """How many reactions there are."""

    total_count: int


class RestSubIssues(RestShape):
    """How many sub-issues there are and how many are done."""

    total: int
    completed: int


class RestWritten(RestShape):
    """What everything that somebody wrote has in common."""

    id: int | None = None
    node_id: str
    html_url: str
    body: str | None = None
    user: RestUser | None = None
    author_association: str | None = None


class RestIssue(RestWritten):
    """An issue, or the part of a pull request that it shares with issues."""

    number: int
    title: str
    state: str
    state_reason: str | None = None
    labels: tuple[RestNamed, ...] = ()
    assignees: tuple[RestUser, ...] = ()
    milestone: RestMilestone | None = None
    locked: bool = False
    created_at: str
    updated_at: str
    closed_at: str | None = None
    comments: int
    reactions: RestReactions | None = None
    repository_url: str
    pull_request: dict[str, object] | None = None
    type: RestNamed | None = None
    sub_issues_summary: RestSubIssues | None = None


class RestBranch(RestShape):
    """One side of a pull request."""

    ref: str


class RestPull(RestShape):
    """What only pull requests have."""

    merged: bool
    merged_at: str | None = None
    merged_by: RestUser | None = None
    draft: bool = False
    base: RestBranch
    head: RestBranch
    changed_files: int
    review_comments: int


class RestComment(RestWritten):
    """A comment in the conversation."""

    created_at: str
    updated_at: str


class RestReview(RestWritten):
    """A review; it has but one time, that of its submission."""

    state: str
    submitted_at: str


class RestReviewComment(RestComment):
    """A comment on a line; ``line`` is null once the line is outdated."""

    path: str
    line: int | None = None
    original_line: int | None = None
    in_reply_to_id: int | None = None
    pull_request_review_id: int | None = None
    subject_type: str = "line"


class RestFile(RestShape):
    """A file that a pull request changes."""

    filename: str


class RestOwnRepository(RestShape):
    """A repository as far as its privacy goes."""

    private: bool


class RestReferringIssue(RestShape):
    """An issue or pull request that mentions another."""

    node_id: str
    html_url: str
    repository: RestOwnRepository


class RestEventSource(RestShape):
    """Where an event comes from."""

    issue: RestReferringIssue | None = None


class RestEvent(RestShape):
    """An event of the timeline; only cross-references have a source."""

    event: str
    source: RestEventSource | None = None


class RestLicence(RestShape):
    """A licence, by its SPDX id where it has one."""

    spdx_id: str | None = None


class RestParent(RestShape):
    """The repository that one was forked from."""

    full_name: str
    private: bool


class RestRepository(RestShape):
    """A repository, but for its README."""

    node_id: str
    full_name: str
    html_url: str
    private: bool
    visibility: str | None = None
    description: str | None = None
    stars: int = Field(alias="stargazers_count")
    default_branch: str | None = None
    topics: tuple[str, ...] = ()
    archived: bool = False
    parent: RestParent | None = None
    licence: RestLicence | None = Field(default=None, alias="license")
    created_at: str | None = None
    updated_at: str
    pushed_at: str | None = None

    @property
    def public(self) -> bool:
        """Whether everybody may see it; an internal one is not private, but not public either."""
        return not self.private and self.visibility in (None, "public")
