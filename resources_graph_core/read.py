"""Cache Reads: what memory holds for an Address. Never calls GitHub, changes nothing."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from resources_graph_core.listing_answers import StoredListing
from resources_graph_core.store import listings, moves, resources, withdrawal
from resources_graph_core.store.holdings import listing_answers

if TYPE_CHECKING:
    from resources_graph_core.address import Address
    from resources_graph_core.graph import Graph, Row
    from resources_graph_core.listing_answers import ListingAnswer
    from resources_graph_core.touch import Outcome


@dataclass(frozen=True, slots=True)
class CacheRead:
    """The answer to one Cache Read.

    ``kind`` is Repository, Issue, PullRequest or Listing; ``resource`` its stored properties (for a
    Listing its own facts: ``fetched_at``, ``member_count``, ``total_count``, ``fully_expanded``).
    ``comments`` are an item's, oldest first; ``members`` a Listing's, in GitHub's order.
    ``served_from`` is the key of what answered; of two Listings that cover what is asked for, both
    keys with a plus sign between. ``recorded`` says whether a Touch was written.
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

_TRIES = 3
"""Times a Listing is looked for that is refetched while it is read."""

_WITHDRAWN = {
    "not_found": "GitHub no longer has it",
    "not_public": "it is no longer public",
}


def read(graph: Graph, address: Address, *, brief: bool = False) -> CacheRead:
    """What memory holds for ``address``: a hit with the content, or a miss.

    A list is also answered from a wider one, or from two that cover it: then it is subsumed.
    What was renamed or transferred is found under its former Addresses: ``served_from`` and the
    note say where it is now. What was withdrawn is a miss, and the note says why. With ``brief``
    the members of a Listing come without their texts, as for an index.
    """
    if address.kind == "listing":
        return _read_listing(graph, address, brief=brief)
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


def _read_listing(graph: Graph, address: Address, *, brief: bool) -> CacheRead:
    for _ in range(_TRIES):
        where, note = address, None
        answer = listing_answers(graph, [where])[0]
        if answer is None:
            where = moves.present_listing(graph, address)
            answer = listing_answers(graph, [where])[0] if where != address else None
            note = f"The repository is {where.repository} now."
        if answer is None:
            break
        found = _found(graph, answer, where, brief=brief)
        if found is not None:
            return CacheRead(
                address.key,
                answer.outcome,
                "Listing",
                answer.served_from,
                found.facts,
                members=found.members,
                note=note,
            )
    return _miss(graph, address)


def _found(
    graph: Graph, answer: ListingAnswer, address: Address, *, brief: bool
) -> listings.Found | None:
    """What the answer holds; None when a refetch since then left too little for it."""
    if answer.outcome == "subsumed":
        return listings.filtered(graph, answer.keys, address, brief=brief)
    found = listings.whole(graph, address.key, limit=address.limit, brief=brief)
    if found is None or not StoredListing.of(found.facts).serves(address.limit):
        return None
    return found


def _miss(graph: Graph, address: Address) -> CacheRead:
    """A miss, which says so when what was here, or its repository, was withdrawn."""
    tombstone = withdrawal.tombstone(graph, [address.key, address.repository.key])
    if tombstone is None:
        return CacheRead(address.key, "miss", note=_MISS)
    reason = _WITHDRAWN.get(tombstone["withdrawn_reason"], tombstone["withdrawn_reason"])
    note = f"Withdrawn from memory at {tombstone['withdrawn_at']}: {reason}."
    return CacheRead(address.key, "miss", note=note)
