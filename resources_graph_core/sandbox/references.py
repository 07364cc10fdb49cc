"""Cross-references between items, as GitHub draws them from texts.

``#123``, ``owner/name#123`` and links mention an item; a closing keyword before one in a pull
request's body links it as closing
(https://docs.github.com/issues/tracking-your-work-with-issues/using-issues/linking-a-pull-request-to-an-issue).
What stands in code is no mention.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from resources_graph_core.sandbox.identity import node_id
from resources_graph_core.sandbox.nodes import Actor, Issue, Item, Located, PullRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from resources_graph_core.sandbox.nodes import Authored, Repository

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_REFERENCE = (
    r"(?:https?://github\.com/(?P<url_repository>[\w-]+/[\w.-]+)/(?:issues|pull)/(?P<url_number>\d+)"
    r"|(?<![\w/#&.])(?P<repository>[\w-]+/[\w.-]+)?(?:\#|(?<!\w)GH-)(?P<number>\d+))(?!\w)"
)
_MENTION = re.compile(_REFERENCE, re.IGNORECASE)
_CLOSING = re.compile(
    rf"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+{_REFERENCE}", re.IGNORECASE
)


@dataclass(slots=True, eq=False)
class CrossReference(Located):
    """The event on ``target``'s timeline: ``source`` mentioned it."""

    typename: ClassVar[str] = "CrossReferencedEvent"
    id: str
    actor: Actor | None
    created_at: str
    source: Item
    target: Item
    will_close_target: bool

    @property
    def referenced_at(self) -> str:
        """When it was mentioned."""
        return self.created_at

    @property
    def is_cross_repository(self) -> bool:
        """Whether the mention came from another repository."""
        return self.source.repository is not self.target.repository

    @property
    def resource_path(self) -> str:  # type: ignore[override]  # follows from the target
        """Its place on the target's page."""
        return f"{self.target.resource_path}#ref-{self.source.typename.lower()}-{self.database_id}"


@dataclass(frozen=True, slots=True)
class References:
    """Who mentions whom: by the target's id, and what pull requests close, both ways."""

    mentions: dict[str, list[CrossReference]]
    closes: dict[str, list[Issue]]
    closed_by: dict[str, list[PullRequest]]


def find_references(
    repositories: Iterable[Repository], find: Callable[[str, int], Item | None]
) -> References:
    """Read every text. ``find`` gives the item of a repository name (or of a moved one)."""
    references = References({}, {}, {})
    items = [item for repository in repositories for item in repository.items.values()]
    for source in items:
        closing = _closing(source, find)
        if isinstance(source, PullRequest) and closing:
            references.closes[source.id] = closing
            for issue in closing:
                references.closed_by.setdefault(issue.id, []).append(source)
        for target, created_at, actor in _mentions(source, find):
            _add(references, source, target, created_at, actor, will_close=target in closing)
    for target in items:
        _add_stated(references, target, find)
    for events in references.mentions.values():
        events.sort(key=lambda event: event.created_at)
    return references


def _add_stated(
    references: References, target: Item, find: Callable[[str, int], Item | None]
) -> None:
    for reference, created_at, login in target.stated_references:
        source = _resolve(reference, find)
        if source is not None:
            when = created_at or source.created_at
            who = Actor(login) if login else source.author
            _add(references, source, target, when, who, will_close=False)


def _add(
    references: References,
    source: Item,
    target: Item,
    created_at: str,
    actor: Actor | None,
    *,
    will_close: bool,
) -> None:
    events = references.mentions.setdefault(target.id, [])
    if source is target or any(event.source is source for event in events):
        return
    global_id = node_id("CrossReferencedEvent", source.id, target.id)
    events.append(CrossReference(global_id, actor, created_at, source, target, will_close))


def _texts(item: Item) -> Iterator[Authored]:
    yield item
    yield from item.comments
    if isinstance(item, PullRequest):
        for review in item.reviews:
            yield review
            yield from review.comments


def _mentions(
    source: Item, find: Callable[[str, int], Item | None]
) -> Iterator[tuple[Item, str, Actor | None]]:
    for written in _texts(source):
        if "#" not in written.body and "/" not in written.body and "GH-" not in written.body:
            continue
        for match in _MENTION.finditer(_CODE.sub(" ", written.body)):
            target = _matched(match, source, find)
            if target is not None:
                yield target, written.created_at, written.author


def _closing(source: Item, find: Callable[[str, int], Item | None]) -> list[Issue]:
    if not isinstance(source, PullRequest):
        return []
    found = [_resolve(reference, find) for reference in source.stated_closes]
    body = _CODE.sub(" ", source.body)
    found += [_matched(match, source, find) for match in _CLOSING.finditer(body)]
    return [item for item in dict.fromkeys(found) if isinstance(item, Issue)]


def _matched(
    match: re.Match[str], source: Item, find: Callable[[str, int], Item | None]
) -> Item | None:
    repository = match["url_repository"] or match["repository"]
    number = int((match["url_number"] or match["number"])[:10])
    return find(repository or source.repository.name_with_owner, number)


def _resolve(reference: str, find: Callable[[str, int], Item | None]) -> Item | None:
    repository, _, number = reference.partition("#")
    return find(repository, int(number)) if number.isdecimal() else None
