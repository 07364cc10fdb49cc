"""What the sandbox's GitHub shows at a moment: the other side of the stateful test's model.

Plain readings of the sandbox's own nodes, so that nothing of the product is used to check it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from resources_graph_core.address import Address
from resources_graph_core.sandbox.nodes import Issue, PullRequest, Repository

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.sandbox.nodes import Authored
    from resources_graph_core.sandbox.state import State

Node = Repository | Issue | PullRequest
Why = Literal["not_found", "not_public"]
Values = dict[str, object]

REVIEW_PARTS = ("minimized_reason", "resolved")
"""What REST does not tell of a comment."""


@dataclass(frozen=True)
class Snapshot:
    """All that memory is to keep of one thing, as GitHub had it at one moment.

    ``values`` are properties by name and ``comments`` those of its Comments, in order. ``sources``
    mention it and ``closes`` are closed by it, by node id. ``version`` is what a revalidation sees.
    """

    node_id: str
    kind: str
    where: str
    repository_id: str
    values: Values
    comments: tuple[Values, ...] = ()
    sources: frozenset[str] = frozenset()
    closes: frozenset[str] = frozenset()
    version: tuple[object, ...] = field(default=())


class World:
    """Looks at a sandbox, with a token or as a stranger (``anonymous``) does."""

    def __init__(self, state: State, *, anonymous: bool = False) -> None:
        self._state = state
        self._anonymous = anonymous

    def at(self, address: Address) -> Node | Why:
        """What GitHub has at an Address of a repository or an item, through every move."""
        repository = self._state.repository(address.name_with_owner)
        if repository is None or (self._anonymous and repository.is_private):
            return "not_found"
        if address.kind != "item":
            return "not_public" if repository.is_private else repository
        item = repository.items.get(address.number or 0)
        if item is not None:
            return "not_public" if repository.is_private else item
        gone = self._state.whereabouts(address.name_with_owner, address.number or 0)
        if gone is None or gone.moved_to is None:
            return "not_found"
        name, number = gone.moved_to
        owner, _, name = name.partition("/")
        return self.at(Address.of_item(owner, name, number))

    def public(self, node_id: str) -> Node | None:
        """What everybody may see by a node id."""
        node = self._state.node(node_id)
        if not isinstance(node, Node):
            return None
        where = node if isinstance(node, Repository) else node.repository
        return None if where.is_private else node

    def snapshot(self, node: Node) -> Snapshot:
        """What a fetch of this would bring now."""
        if isinstance(node, Repository):
            return _repository(node)
        return self._item(node)

    def listed(self, address: Address) -> list[Issue | PullRequest]:
        """The members of a list of a repository that is there, newest first, all of them."""
        repository = self._state.repository(address.name_with_owner)
        assert repository is not None
        wanted = PullRequest if address.list_kind == "pulls" else Issue
        found = [one for one in repository.items.values() if isinstance(one, wanted)]
        matching = [one for one in found if matches(address, self._item(one).values)]
        return sorted(matching, key=lambda one: (one.created_at, one.number), reverse=True)

    def _item(self, item: Issue | PullRequest) -> Snapshot:
        repository = item.repository
        values: Values = {
            "number": item.number,
            "repository": repository.name_with_owner,
            "title": item.title,
            "body": item.body,
            "state": item.state,
            "author": item.author.login if item.author else "ghost",
            "labels": [label.name for label in item.labels],
            "assignees": [who.login for who in item.assignees],
            "milestone": item.milestone.title if item.milestone else None,
            "locked": item.locked,
            "created_at": item.created_at,
            "updated_at": item.updated_at,
            "closed_at": item.closed_at,
            "comment_count": len(item.comments),
        }
        version: tuple[object, ...] = (item.updated_at, len(item.comments))
        closes: frozenset[str] = frozenset()
        if isinstance(item, PullRequest):
            values |= {
                "merged": item.merged,
                "draft": item.is_draft,
                "base_ref": item.base_ref_name,
                "head_ref": item.head_ref_name,
                "changed_files": [file.path for file in item.files],
                "review_count": len(item.reviews),
                "review_thread_count": len(item.review_threads),
            }
            version += (len(item.reviews), len(item.review_threads))
            if not self._anonymous:
                found = self._state.references.closes.get(item.id, ())
                closes = frozenset(one.id for one in found if not one.repository.is_private)
        else:
            values["state_reason"] = item.state_reason
        mentions = self._state.references.mentions.get(item.id, ())
        return Snapshot(
            item.id,
            item.typename,
            Address.of_item(repository.owner.login, repository.name, item.number).key,
            repository.id,
            values,
            tuple(sorted(self._comments(item), key=lambda one: str(one["created_at"]))),
            frozenset(one.source.id for one in mentions if not one.source.repository.is_private),
            closes,
            version,
        )

    def _comments(self, item: Issue | PullRequest) -> Iterator[Values]:
        for comment in item.comments:
            yield self._comment("comment", comment)
        if not isinstance(item, PullRequest):
            return
        for review in item.reviews:
            yield self._comment("review", review, review_state=review.state)
        for thread in item.review_threads:
            for one in thread.comments:
                yield self._comment(
                    "review_comment", one, path=one.path, resolved=thread.is_resolved
                )

    def _comment(self, kind: str, written: Authored, **more: object) -> Values:
        reason = (written.minimized_reason or "hidden") if written.is_minimized else None
        values: Values = {
            "node_id": written.id,
            "kind": kind,
            "body": written.body,
            "author": written.author.login if written.author else "ghost",
            "created_at": written.created_at,
            "minimized_reason": reason,
            **more,
        }
        if self._anonymous:
            return {key: value for key, value in values.items() if key not in REVIEW_PARTS}
        return values


def _repository(repository: Repository) -> Snapshot:
    return Snapshot(
        repository.id,
        "Repository",
        Address.of_repository(repository.owner.login, repository.name).key,
        repository.id,
        {
            "name_with_owner": repository.name_with_owner,
            "description": repository.description,
            "readme": repository.readme_text,
            "stars": repository.stargazer_count,
            "archived": repository.is_archived,
            "updated_at": repository.updated_at,
        },
        version=(repository.updated_at,),
    )


def matches(address: Address, item: Values) -> bool:
    """Whether an item with these values belongs to the list at ``address``, limits aside."""
    filters = address.filters
    assert filters is not None
    states = {
        "open": {"OPEN"},
        "closed": {"CLOSED", "MERGED"},
        "merged": {"MERGED"},
        "all": {"OPEN", "CLOSED", "MERGED"},
    }
    labels = {str(label).lower() for label in _texts(item["labels"])}
    assignees = {str(who).lower() for who in _texts(item["assignees"])}
    return (
        item["state"] in states[filters.state]
        and set(filters.labels) <= labels
        and filters.author in {None, str(item["author"]).lower()}
        and _chosen(filters.assignee, assignees)
    )


def _chosen(wanted: str | None, present: set[str]) -> bool:
    if wanted in {None, "*", "none"}:
        return wanted is None or bool(present) == (wanted == "*")
    return wanted in present


def _texts(value: object) -> list[object]:
    assert isinstance(value, list)
    return value
