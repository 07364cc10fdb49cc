"""The state of the sandbox's GitHub: its repositories, and what can happen to them.

Everything here may be called from any thread; one lock guards it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from resources_graph_core.errors import UsageError
from resources_graph_core.sandbox.build import actor, add_label, build_repository
from resources_graph_core.sandbox.editing import keep_edit
from resources_graph_core.sandbox.identity import node_id
from resources_graph_core.sandbox.nodes import Actor, IssueComment, PullRequest
from resources_graph_core.sandbox.projects import Project
from resources_graph_core.sandbox.references import References, find_references
from resources_graph_core.sandbox.reviews import Thread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from resources_graph_core.sandbox.archive import Archive
    from resources_graph_core.sandbox.nodes import Access, Issue, Repository

Gone = Literal["deleted", "discussion"]
"""How an item can be no more: deleted, or turned into a discussion."""

Permission = Literal["admin", "write", "read", "none"]
"""What an account may do in a repository."""

_FIXED = frozenset(["comments", "edits", "id", "number", "repository", "review_threads", "reviews"])
"""Fields that link things to each other, so no edit may set them."""


def utc_now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


def timestamp(moment: datetime) -> str:
    """ISO-8601 UTC to the second, as GitHub writes it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """What became of an item that is not where it was asked for."""

    moved_to: tuple[str, int] | None = None
    gone: Gone | None = None

    def after_rename(self, old: str, to: str) -> Whereabouts:
        """The same once the repository of this (lower-case) name is called ``to``."""
        if self.moved_to is None or not self.leads_to(old):
            return self
        return Whereabouts(moved_to=(to, self.moved_to[1]))

    def leads_to(self, name: str) -> bool:
        """Whether it is in the repository of this (lower-case) name now."""
        return self.moved_to is not None and self.moved_to[0].lower() == name


class State:
    """The repositories that the sandbox serves, by name, and what happened to them.

    Repositories are named ``owner/name``, in any case. Raises UsageError for what does not exist.
    ``viewer`` is the login behind every token, and ``scopes`` are those of a classic one (None: a
    token of another kind, whose answers name no scopes).
    """

    def __init__(
        self, archives: Iterable[Archive] = (), *, clock: Callable[[], datetime] = utc_now
    ) -> None:
        self.lock = threading.RLock()
        self.clock = clock
        self._repositories: dict[str, Repository] = {}
        self.viewer = "octocat"
        self.scopes: tuple[str, ...] | None = ("repo",)
        self._permissions: dict[tuple[str, str], Permission] = {}
        self._edits_of_others: list[tuple[str, int, dict[str, object]]] = []
        self.projects: list[Project] = []
        self._renamed: dict[str, str] = {}
        self._whereabouts: dict[tuple[str, int], Whereabouts] = {}
        self._nodes: dict[str, Any] | None = None
        self._references: References | None = None
        for archive in archives:
            self.load(archive)

    @property
    def now(self) -> str:
        """The time by the sandbox's clock."""
        return timestamp(self.clock())

    @property
    def repositories(self) -> list[Repository]:
        """All repositories."""
        return list(self._repositories.values())

    def load(self, archive: Archive) -> Repository:
        """Put a repository in, in place of an older state of the same one."""
        with self.lock:
            repository = build_repository(archive)
            key = repository.name_with_owner.lower()
            self._repositories[key] = repository
            self._renamed.pop(key, None)
            self._changed()
            return repository

    def repository(self, name: str, *, follow_renames: bool = True) -> Repository | None:
        """The repository of this name, or of the name it has now."""
        key = name.lower()
        return self._repositories.get(self._renamed.get(key, key) if follow_renames else key)

    def item(self, name: str, number: int) -> Issue | PullRequest | None:
        """The item of this number, where it is still there."""
        repository = self.repository(name)
        return repository.items.get(number) if repository else None

    def whereabouts(self, name: str, number: int) -> Whereabouts | None:
        """What became of an item that is no longer there; None when it never was, or still is."""
        repository = self.repository(name)
        key = repository.name_with_owner.lower() if repository else name.lower()
        return self._whereabouts.get((key, number))

    def node(self, global_id: str) -> object | None:
        """The repository, item, comment or review of this id."""
        with self.lock:
            if self._nodes is None:
                self._nodes = dict(_nodes(self._repositories.values()))
            return self._nodes.get(global_id)

    @property
    def references(self) -> References:
        """Who mentions and closes whom, among all repositories."""
        with self.lock:
            if self._references is None:
                self._references = find_references(self._repositories.values(), self.item)
            return self._references

    def edit_item(self, name: str, number: int, **changes: object) -> None:
        """Change fields of an item, as the nodes name them; labels and assignees go by name."""
        with self.lock:
            item = self._item(name, number)
            if "body" in changes:
                keep_edit(item, str(changes["body"]), self.now, actor(self.viewer))
            for field, value in changes.items():
                if field not in {one.name for one in fields(item)} - _FIXED:
                    raise UsageError(f"an item has no {field!r} that can be edited")
                setattr(item, field, self._linked(item.repository, field, value))
            item.updated_at = self.now
            self._changed()

    def close_item(self, name: str, number: int) -> None:
        """Close an issue or pull request."""
        self.edit_item(name, number, state="CLOSED", closed_at=self.now)

    def add_comment(self, name: str, number: int, body: str, *, author: str = "octocat") -> str:
        """Add a comment to an item's conversation. Returns its id."""
        with self.lock:
            item = self._item(name, number)
            now = self.now
            comment = IssueComment(
                id=node_id("IssueComment", item.id, len(item.comments), now, body),
                author=actor(author),
                author_association="NONE",
                body=body,
                created_at=now,
                updated_at=now,
                item=item,
            )
            item.comments.append(comment)
            item.updated_at = now
            self._changed()
            return comment.id

    def delete_comment(self, name: str, number: int, comment_id: str) -> None:
        """Delete a comment. GitHub does not reliably move the item's ``updatedAt`` then."""
        with self.lock:
            item = self._item(name, number)
            item.comments = [one for one in item.comments if one.id != comment_id]
            self._changed()

    def minimize_comment(self, name: str, number: int, comment_id: str, reason: str) -> None:
        """Fold a comment away, without moving the item's ``updatedAt``."""
        with self.lock:
            for comment in self._item(name, number).comments:
                if comment.id == comment_id:
                    comment.is_minimized, comment.minimized_reason = True, reason

    def resolve_thread(self, thread_id: str, *, resolved: bool = True) -> None:
        """Resolve a review thread, or open it again, without moving the item's ``updatedAt``."""
        with self.lock:
            thread = self.node(thread_id)
            if not isinstance(thread, Thread):
                raise UsageError(f"the sandbox has no review thread {thread_id!r}")
            thread.is_resolved = resolved

    def delete_item(self, name: str, number: int, how: Gone = "deleted") -> None:
        """Delete an item, or turn it into a discussion."""
        with self.lock:
            item = self._item(name, number)
            self._take_out(item, Whereabouts(gone=how))

    def transfer_item(self, name: str, number: int, to: str) -> int:
        """Transfer an issue: it gets a new id and number there. Returns the number."""
        with self.lock:
            item, target = self._item(name, number), self._repository(to)
            new_number = max([0, *target.items]) + 1
            moved_to = (target.name_with_owner, new_number)
            self._take_out(item, Whereabouts(moved_to=moved_to))
            item.id = node_id(item.typename, target.id, new_number)
            item.repository, item.number, item.updated_at = target, new_number, self.now
            item.labels = [
                label
                for old in item.labels
                for label in target.labels
                if label.name.lower() == old.name.lower()
            ]
            item.milestone = None
            target.items[new_number] = item
            return new_number

    def rename_repository(self, name: str, to: str) -> None:
        """Rename a repository (``owner/name``); its id stays, and its old names lead to it."""
        with self.lock:
            repository = self._repository(name)
            old, new = repository.name_with_owner.lower(), to.lower()
            owner, _, repository.name = to.partition("/")
            if owner.lower() != repository.owner.login.lower():
                repository.owner = type(repository.owner)(owner, repository.owner.typename)
            del self._repositories[old]
            self._repositories[new] = repository
            # Whatever leads to it leads to it still, whoever takes its old name later.
            self._renamed = {
                former: new if now == old else now for former, now in self._renamed.items()
            }
            self._renamed[old] = new
            self._renamed.pop(new, None)
            self._whereabouts = {
                (new if key == old else key, number): found.after_rename(old, to)
                for (key, number), found in self._whereabouts.items()
                if key != new
            }
            self._changed()

    def delete_repository(self, name: str) -> None:
        """Delete a repository with all that is in it."""
        with self.lock:
            key = self._repository(name).name_with_owner.lower()
            del self._repositories[key]
            self._renamed = {former: now for former, now in self._renamed.items() if now != key}
            self._whereabouts = {
                (place, number): found
                for (place, number), found in self._whereabouts.items()
                if place != key and not found.leads_to(key)
            }
            self._changed()

    def set_visibility(
        self, name: str, visibility: Literal["PUBLIC", "PRIVATE", "INTERNAL"]
    ) -> None:
        """Make a repository public or private. A token still sees it when its access is open."""
        with self.lock:
            self._repository(name).visibility = visibility

    def set_access(self, name: str, access: Access) -> None:
        """Say who may see a repository besides what its visibility allows."""
        with self.lock:
            self._repository(name).access = access

    def set_permission(self, name: str, login: str, permission: Permission) -> None:
        """Say what an account may do in a repository."""
        with self.lock:
            self._permissions[self._repository(name).id, login.lower()] = permission

    def permission(self, repository: Repository, login: str) -> Permission:
        """What an account may do: as was said, else its owner all, the viewer write, others read.

        Others have nothing in a private repository.
        """
        said = self._permissions.get((repository.id, login.lower()))
        if said is not None:
            return said
        if login.lower() == repository.owner.login.lower():
            return "admin"
        if login == self.viewer:
            return "write"
        return "none" if repository.is_private else "read"

    def add_project(
        self, owner: str, title: str = "Triage", *, public: bool = True, organization: bool = True
    ) -> int:
        """Add a GitHub Project, with the fields every one begins with. Returns its number."""
        with self.lock:
            number = 1 + sum(one.owner.login.lower() == owner.lower() for one in self.projects)
            who = Actor(owner, "Organization" if organization else "User")
            project = Project(
                node_id("ProjectV2", owner.lower(), number), who, number, title, public
            )
            project.add_field("Title", "TITLE", [])
            project.add_field("Status", "SINGLE_SELECT", ["Todo", "In Progress", "Done"])
            self.projects.append(project)
            return number

    def edit_before_next_write(self, name: str, number: int, **changes: object) -> None:
        """Have somebody else edit an item at the last moment before the next edit over REST."""
        with self.lock:
            self._edits_of_others.append((name, number, changes))

    def let_others_write(self) -> None:
        """Do the next of those edits, if there is one."""
        with self.lock:
            if self._edits_of_others:
                name, number, changes = self._edits_of_others.pop(0)
                self.edit_item(name, number, **changes)

    def _repository(self, name: str) -> Repository:
        repository = self.repository(name)
        if repository is None:
            raise UsageError(f"the sandbox has no repository {name}")
        return repository

    def _item(self, name: str, number: int) -> Issue | PullRequest:
        item = self._repository(name).items.get(number)
        if item is None:
            raise UsageError(f"the sandbox has no {name}#{number}")
        return item

    def _linked(self, repository: Repository, field: str, value: Any) -> Any:  # noqa: ANN401 - JSON
        if field == "labels":
            known = {label.name.lower(): label for label in repository.labels}
            return [known.get(name.lower()) or add_label(repository, name) for name in value]
        if field == "assignees":
            return [actor(login) for login in value]
        if field in {"author", "merged_by"}:
            return actor(value)
        if field == "milestone":
            return next((one for one in repository.milestones if one.title == value), None)
        return value

    def _take_out(self, item: Issue | PullRequest, whereabouts: Whereabouts) -> None:
        key = item.repository.name_with_owner.lower()
        del item.repository.items[item.number]
        self._whereabouts[key, item.number] = whereabouts
        self._changed()

    def _changed(self) -> None:
        self._nodes = self._references = None


def _nodes(repositories: Iterable[Repository]) -> Iterable[tuple[str, Any]]:
    for repository in repositories:
        yield repository.id, repository
        for item in repository.items.values():
            yield item.id, item
            yield from ((comment.id, comment) for comment in item.comments)
            if isinstance(item, PullRequest):
                for review in item.reviews:
                    yield review.id, review
                    yield from ((comment.id, comment) for comment in review.comments)
                yield from ((thread.id, thread) for thread in item.review_threads)
