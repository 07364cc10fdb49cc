"""Cache Reads: what memory holds for an Address. Never calls GitHub, changes nothing."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from resources_graph_core.store import listings, moves, resources, withdrawal
from resources_graph_core.store.holdings import serves

if TYPE_CHECKING:
    from resources_graph_core.address import Address
    from resources_graph_core.graph import Graph, Row
    from resources_graph_core.touch import Outcome


@dataclass(frozen=True, slots=True)
class CacheRead:
    """The answer to one Cache Read.

    ``kind`` is Repository, Issue, PullRequest or Listing; ``resource`` its stored properties (for a
    Listing its own facts: ``fetched_at``, ``member_count``, ``total_count``, ``fully_expanded``).
    ``comments`` are an item's, oldest first; ``members`` a Listing's, in GitHub's order.
    ``served_from`` is the key of what answered. ``recorded`` says whether a Touch was written.
    """

    address: str
    outcome: Outcome
    kind: str | None = None
    served_from: str | None = None
    resource: Row = field(default_factory=dict)
    comments: list[Row] = field(default_factory=list)
    members: list[Row] = field(default_factory=list)
    recorded: bool = False
    note: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """For JSON: ``members`` for a Listing, ``comments`` for the rest."""
        values = asdict(self)
        del values["comments" if self.kind == "Listing" else "members"]
        return values


_MISS = "Not in memory. Fetch it from GitHub; once touched, a sweep remembers it."

_WITHDRAWN = {
    "not_found": "GitHub no longer has it",
    "not_public": "it is no longer public",
}


def read(graph: Graph, address: Address) -> CacheRead:
    """What memory holds for ``address``: a hit with the content, or a miss.

    What was renamed or transferred is found under its former Addresses: ``served_from`` and the
    note say where it is now. What was withdrawn is a miss, and the note says why.
    """
    if address.kind == "listing":
        return _read_listing(graph, address)
    found, where, note = resources.find(graph, address.key), address, None
    if found is None:
        moved = moves.held(graph, [address]).get(address.key)
        if moved is None:
            return _miss(graph, address)
        where, note = moved.address, f"It is at {moved.address} now."
        found = resources.find(graph, where.key)
    if found is None:
        return _miss(graph, address)
    kind, resource = found
    comments = [] if kind == "Repository" else resources.comments(graph, resource["node_id"])
    return CacheRead(address.key, "hit", kind, where.key, resource, comments, note=note)


_WHY_UNRESOLVED = {
    "not_found": "Not in memory: when it was last touched, GitHub knew nothing at this address.",
    "not_public": "Not in memory: it is not public, and only what is public is ever stored.",
}
"""What is said of a miss by the reason of the Touch; other reasons pass with the next sweep."""


def told_why(missed: CacheRead, reason: str | None) -> CacheRead:
    """A miss that says what its latest Touch came to; ``reason`` is that Touch's.

    What was withdrawn tells its own story.
    """
    if missed.note != _MISS:
        return missed
    return replace(missed, note=_WHY_UNRESOLVED.get(reason or "", missed.note))


def _read_listing(graph: Graph, address: Address) -> CacheRead:
    where, note = address, None
    listing = listings.find(graph, address.key)
    if listing is None:
        where = moves.present_listing(graph, address)
        listing = listings.find(graph, where.key) if where != address else None
        note = f"The repository is {where.repository} now."
    if listing is None or not serves(listing, address):
        return _miss(graph, address)
    limit = address.limit or listing["member_count"]
    members = listings.members(graph, where.key, limit=limit)
    return CacheRead(address.key, "hit", "Listing", where.key, listing, members=members, note=note)


def _miss(graph: Graph, address: Address) -> CacheRead:
    """A miss, which says so when what was here, or its repository, was withdrawn."""
    tombstone = withdrawal.tombstone(graph, [address.key, address.repository.key])
    if tombstone is None:
        return CacheRead(address.key, "miss", note=_MISS)
    reason = _WITHDRAWN.get(tombstone["withdrawn_reason"], tombstone["withdrawn_reason"])
    note = f"Withdrawn from memory at {tombstone['withdrawn_at']}: {reason}."
    return CacheRead(address.key, "miss", note=note)
