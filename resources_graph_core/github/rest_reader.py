"""Reading single items and repositories through REST, and where they moved to."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from resources_graph_core.address import DEFAULT_HOST, Address
from resources_graph_core.errors import NotFound, NotPublic
from resources_graph_core.github import rest_mapping
from resources_graph_core.github.outcomes import parsed
from resources_graph_core.github.rest_shapes import (
    RestComment,
    RestEvent,
    RestFile,
    RestIssue,
    RestPull,
    RestRepository,
    RestReview,
    RestReviewComment,
    RestShape,
)
from resources_graph_core.github.source import Version

if TYPE_CHECKING:
    from resources_graph_core.github.transport import Transport
    from resources_graph_core.model import Issue, PullRequest, Repository

ShapeT = TypeVar("ShapeT", bound=RestShape)


class RestReader:
    """Reads one thing at a time; every method raises the error that GitHub's answer means."""

    def __init__(self, transport: Transport, *, host: str = DEFAULT_HOST) -> None:
        self._transport = transport
        self._host = host
        self._repositories: dict[str, RestRepository] = {}

    def repository(self, address: Address) -> Repository:
        """A repository with its README, whatever that is called."""
        shape = self._repository_now(address.name_with_owner)
        readme = self.readme(self._located(shape))
        return rest_mapping.repository_of(shape, readme=readme, host=self._host)

    def repository_address(self, address: Address) -> Address:
        """Where a repository is now."""
        return self._located(self._repository_now(address.name_with_owner))

    def readme(self, repository: Address) -> str | None:
        """The README that GitHub shows for a repository; None when it has none."""
        try:
            return self._transport.get_text(
                f"/repos/{repository.name_with_owner}/readme", f"the README of {repository}"
            )
        except NotFound:
            return None

    def item_address(self, address: Address) -> Address:
        """Where an issue or pull request is now, through every transfer and rename."""
        shape = self._issue(address)
        owner, _, name = _repository_in(shape).partition("/")
        return Address.of_item(owner, name, shape.number, host=self._host)

    def version(self, address: Address) -> Version | None:
        """What tells whether something changed, in one request.

        None for a pull request: no single answer of REST's counts its reviews and their threads.
        """
        if address.kind == "repo":
            shape = self._repository_now(address.name_with_owner)
            return Version(
                shape.node_id,
                self._located(shape),
                shape.updated_at,
                stars=shape.stars,
                pushed_at=shape.pushed_at,
            )
        issue = self._issue(address)
        if issue.pull_request is not None:
            return None
        repository = self._repository(_repository_in(issue))
        owner, _, name = repository.full_name.partition("/")
        return Version(
            issue.node_id,
            Address.of_item(owner, name, issue.number, host=self._host),
            issue.updated_at,
            comment_count=issue.comments,
        )

    def item(self, address: Address) -> Issue | PullRequest:
        """An issue or pull request with everything that REST tells of it."""
        issue = self._issue(address)
        repository = self._repository(_repository_in(issue))
        # Under the old number of a transferred issue there is nothing but the way to the new one.
        base = f"/repos/{repository.full_name}"
        thread = f"{base}/issues/{issue.number}"
        what = f"{repository.full_name}#{issue.number}"
        comments = (
            self._list(RestComment, f"{thread}/comments", f"comments of {what}")
            if issue.comments
            else []
        )
        timeline = self._list(RestEvent, f"{thread}/timeline", f"timeline of {what}")
        if issue.pull_request is None:
            return rest_mapping.issue_of(
                issue, repository, comments=comments, timeline=timeline, host=self._host
            )
        parts = self._review_parts(f"{base}/pulls/{issue.number}", what)
        return rest_mapping.pull_request_of(
            issue, repository, parts, comments=comments, timeline=timeline, host=self._host
        )

    def _review_parts(self, path: str, what: str) -> rest_mapping.ReviewParts:
        pull = self._one(RestPull, path, what)
        comments = (
            self._list(RestReviewComment, f"{path}/comments", f"review comments of {what}")
            if pull.review_comments
            else []
        )
        files = (
            self._list(RestFile, f"{path}/files", f"files of {what}") if pull.changed_files else []
        )
        reviews = self._list(RestReview, f"{path}/reviews", f"reviews of {what}")
        return rest_mapping.ReviewParts(pull, reviews, comments, files)

    def _issue(self, address: Address) -> RestIssue:
        path = f"/repos/{address.name_with_owner}/issues/{address.number}"
        return self._one(RestIssue, path, str(address))

    def _repository(self, name_with_owner: str) -> RestRepository:
        """A repository, asked for once however many of its items are; NotPublic when it is not."""
        known = self._repositories.get(name_with_owner.lower())
        return known or self._repository_now(name_with_owner)

    def _repository_now(self, name_with_owner: str) -> RestRepository:
        shape = self._one(RestRepository, f"/repos/{name_with_owner}", name_with_owner)
        if not shape.public:
            raise NotPublic(f"{shape.full_name} is not public, so it is not stored")
        self._repositories[shape.full_name.lower()] = shape
        return shape

    def _located(self, shape: RestRepository) -> Address:
        owner, _, name = shape.full_name.partition("/")
        return Address.of_repository(owner, name, host=self._host)

    def _one(self, shape: type[ShapeT], path: str, what: str) -> ShapeT:
        return parsed(shape, self._transport.get(path, what).document, what)

    def _list(self, shape: type[ShapeT], path: str, what: str) -> list[ShapeT]:
        return [
            parsed(shape, one, what)
            for page in self._transport.get_pages(path, what)
            for one in page
        ]


def _repository_in(issue: RestIssue) -> str:
    """``owner/repo`` from the address of the repository that an issue is in."""
    segments = issue.repository_url.rstrip("/").split("/")
    return "/".join(segments[-2:])
