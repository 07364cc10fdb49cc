"""The shapes of light answers: what tells whether something changed, and what a list holds."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from resources_graph_core.github.shapes import (
    SUBMITTED,
    Asked,
    Connection,
    Count,
    Milestone,
    PageInfo,
    RepositoryRef,
    Shape,
)


class VersionShape(Shape):
    """What tells whether something changed, and where it is now."""

    id: str
    updated_at: str


class IssueVersion(VersionShape):
    """What tells whether an issue changed."""

    on = ("Issue",)

    typename: Literal["Issue"] = Field(alias="__typename")
    number: int
    repository: RepositoryRef
    comments: Count


class PullRequestVersion(VersionShape):
    """What tells whether a pull request changed; reviews are counted as they are fetched."""

    on = ("PullRequest",)

    typename: Literal["PullRequest"] = Field(alias="__typename")
    number: int
    repository: RepositoryRef
    comments: Count
    reviews: Annotated[Count, Asked({"states": SUBMITTED})]
    review_threads: Count


class RepositoryVersion(VersionShape):
    """What tells whether a repository changed."""

    on = ("Repository",)

    typename: Literal["Repository"] = Field(alias="__typename")
    name_with_owner: str
    visibility: str
    stargazer_count: int
    pushed_at: str | None


AnyVersion = Annotated[
    IssueVersion | PullRequestVersion | RepositoryVersion, Field(discriminator="typename")
]
"""What tells whether something changed, told apart by ``__typename``."""


class IssuePage(RepositoryRef):
    """A repository and a page of which issues its list holds."""

    issues: Connection[IssueVersion]


class PullRequestPage(RepositoryRef):
    """A repository and a page of which pull requests its list holds."""

    pull_requests: Connection[PullRequestVersion]


class MilestoneScope(RepositoryRef):
    """A repository, and a milestone of it where one was asked for."""

    milestone: Milestone | None = None


class FoundIssue(IssueVersion):
    """An issue that a search found, and when it was made."""

    created_at: str


class FoundPullRequest(PullRequestVersion):
    """A pull request that a search found, and when it was made."""

    created_at: str


AnyFound = Annotated[FoundIssue | FoundPullRequest, Field(discriminator="typename")]
"""What a search found, told apart by ``__typename``."""


class SearchPage(Shape):
    """A page of what a search found; ``issue_count`` is how much it found in all.

    A node is null when what was found is no longer there.
    """

    issue_count: int
    page_info: PageInfo
    nodes: list[AnyFound | None]
