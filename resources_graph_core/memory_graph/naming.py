"""From what a caller writes, an id or an Address, to the id of a node that exists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources_graph_core.address import parse_address
from resources_graph_core.errors import AccessDenied, Refused, UnknownId, UsageError
from resources_graph_core.memory_graph import crossings, keys, reading
from resources_graph_core.memory_graph.guards import without_credentials
from resources_graph_core.memory_graph.model import MAIN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from resources_graph_core.address import Address
    from resources_graph_core.graph import Graph
    from resources_graph_core.memory_graph.model import Node


def resolve(graph: Graph, graph_id: str, written: Iterable[str]) -> dict[str, str]:
    """The id that each text names: an Address what memory holds there, moves followed.

    Only the graph ``main`` knows Addresses. What memory holds at one comes before a node that was
    put under the same text: else whoever puts it would answer for GitHub. Anything else stays as it
    is.
    """
    texts = list(dict.fromkeys(written))
    addresses = {
        text: address.key for text in texts if (address := _address(graph_id, text)) is not None
    }
    held = crossings.at_addresses(graph, addresses)
    return {text: held.get(text, text) for text in texts}


def check_own(graph_id: str, node_id: str) -> None:
    """Raise AccessDenied or Refused for an id that no handle may give to a node.

    It names what memory holds of GitHub, or is an Address other than a plain ``owner/name``, which
    may as well be a file.
    """
    shown = without_credentials(node_id)[:200]
    if keys.is_external(graph_id, node_id):
        raise AccessDenied(f"{shown!r} comes from GitHub; link to it instead of putting it.")
    address = _address(graph_id, node_id)
    if address is not None and (address.kind != "repo" or ":" in node_id):
        raise Refused(
            f"{shown!r} is an Address on GitHub: link to it instead of putting it, or choose an id "
            "with a prefix, such as 'note:'."
        )


def nodes(
    graph: Graph,
    graph_id: str,
    ids: Iterable[str],
    *,
    as_of: str | None = None,
    user: str | None = None,
) -> dict[str, Node]:
    """Nodes of any kind by id, as of ``as_of``; those that do not exist then are missing."""
    own: list[str] = []
    external: list[str] = []
    for one in dict.fromkeys(ids):
        (external if keys.is_external(graph_id, one) else own).append(one)
    found = reading.nodes(graph, graph_id, own, as_of=as_of)
    if external:
        found |= crossings.nodes(graph, external, as_of=as_of, user=user)
    return found


def existing(
    graph: Graph, graph_id: str, ids: Iterable[str], *, user: str | None
) -> dict[str, str]:
    """Since when nodes exist, by id. Raises UnknownId when one does not."""
    wanted = list(dict.fromkeys(ids))
    own = [one for one in wanted if not keys.is_external(graph_id, one)]
    rows = reading.rows_of(graph, graph_id, own)
    since = {one: reading.first_recorded(row) for one, row in rows.items()}
    external = [one for one in wanted if keys.is_external(graph_id, one)]
    if external:
        found = crossings.nodes(graph, external, as_of=None, user=user)
        since |= {one: node.recorded_at for one, node in found.items()}
    check_known(graph_id, wanted, since)
    return since


def check_known(graph_id: str, ids: Iterable[str], known: Iterable[str]) -> None:
    """Raise UnknownId for the first id that is not known."""
    there = set(known)
    for one in ids:
        if one in there:
            continue
        shown, hint = without_credentials(one), "put it first"
        if _address(graph_id, one) is not None:
            hint = f"if it is an Address: resources-graph touch {shown!r}, then sweep"
        raise UnknownId(f"There is no node {shown[:200]!r} in the graph {graph_id!r}; {hint}.")


def _address(graph_id: str, text: str) -> Address | None:
    """The Address that a text is, or None."""
    if graph_id != MAIN or "/" not in text or keys.is_external(graph_id, text):
        return None
    try:
        return parse_address(text)
    except UsageError:
        return None
