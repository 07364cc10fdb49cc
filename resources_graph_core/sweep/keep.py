"""Storing what was fetched: repositories before their items, and one bad row stops no other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from resources_graph_core.clock import now
from resources_graph_core.errors import GitHubUnavailable, GraphQueryError, ResourcesGraphError
from resources_graph_core.model import Issue, PullRequest, Repository
from resources_graph_core.store import links, resources

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from resources_graph_core.address import Address
    from resources_graph_core.github.source import Source
    from resources_graph_core.graph import Graph
    from resources_graph_core.model import Content

Refusals = dict[str, ResourcesGraphError]
"""By stored node id, what could not be stored and why."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of contents: those that were refused, and how many references were drawn."""

    refusals: Refusals
    linked: int


def stored_id_of(content: Content) -> str:
    """The ``node_id`` under which a content is stored."""
    return resources.stored_id(content.host, content.node_id)


def keep(graph: Graph, source: Source, contents: Sequence[Content], *, run_id: str) -> Kept:
    """Store ``contents`` with the repositories they belong to, and draw their links.

    Fetches repositories that memory does not hold yet, or holds under another name. Raises what
    the source raises; what cannot be stored is among the refusals, and the others are stored all
    the same.
    """
    repositories = [content for content in contents if isinstance(content, Repository)]
    items = [content for content in contents if not isinstance(content, Repository)]
    refusals = _store_each(graph, repositories, run_id)
    refusals |= _keep_repositories_of(graph, source, items, run_id)
    storable = [item for item in items if stored_id_of(item) not in refusals]
    refusals |= _store_each(graph, storable, run_id)
    stored = [node_id for one in contents if (node_id := stored_id_of(one)) not in refusals]
    return Kept(refusals, links.draw(graph, stored))


def keep_repositories(
    graph: Graph, source: Source, addresses: Iterable[Address], *, run_id: str
) -> None:
    """Fetch and store those repositories that memory does not hold yet.

    For use before their items are fetched: a limit of GitHub's that is used up on the way then
    leaves no item that cannot be stored. One that cannot be had is passed over, since each of its
    items will tell why. Raises what the source raises.
    """
    wanted = {address.key: address for address in addresses}
    held = resources.at_addresses(graph, list(wanted))
    missing = [address for key, address in wanted.items() if key not in held]
    if missing:
        found = [fetched.content for fetched in source.fetch(missing)]
        keep(graph, source, [content for content in found if content is not None], run_id=run_id)


def _keep_repositories_of(
    graph: Graph, source: Source, items: Sequence[Issue | PullRequest], run_id: str
) -> Refusals:
    by_id = {resources.stored_id(item.host, item.repository_id): item for item in items}
    known = resources.addresses_of(graph, list(by_id))
    missing = {
        node_id: item.address.repository
        for node_id, item in by_id.items()
        if known.get(node_id) != item.address.repository.key
    }
    refusals: Refusals = {}
    if not missing:
        return refusals
    reasons: dict[str, ResourcesGraphError] = {}
    found: list[Repository] = []
    for fetched in source.fetch(sorted(missing.values(), key=lambda address: address.key)):
        if isinstance(fetched.content, Repository):
            found.append(fetched.content)
        elif fetched.error is not None:
            reasons[fetched.address.key] = fetched.error
    refused = _store_each(graph, found, run_id)
    arrived = {stored_id_of(one) for one in found} - refused.keys()
    for item in items:
        node_id = resources.stored_id(item.host, item.repository_id)
        if node_id in missing and node_id not in arrived:
            address = missing[node_id]
            refusals[stored_id_of(item)] = (
                refused.get(node_id)
                or reasons.get(address.key)
                or GitHubUnavailable(
                    f"{address} could not be fetched, so {item.address} was not stored; sweep again"
                )
            )
    return refusals


def _store_each(graph: Graph, contents: Sequence[Content], run_id: str) -> Refusals:
    """Store contents together; where one is refused, the others without it."""
    try:
        _store(graph, contents, run_id)
    except GraphQueryError as error:
        if len(contents) == 1:
            return {stored_id_of(contents[0]): error}
        middle = len(contents) // 2
        return _store_each(graph, contents[:middle], run_id) | _store_each(
            graph, contents[middle:], run_id
        )
    return {}


def _store(graph: Graph, contents: Sequence[Content], run_id: str) -> None:
    repositories = [content for content in contents if isinstance(content, Repository)]
    items = [content for content in contents if not isinstance(content, Repository)]
    if repositories:
        resources.store_repositories(graph, repositories, fetched_at=now(), run_id=run_id)
    if items:
        resources.store_items(graph, items, fetched_at=now(), run_id=run_id)
