"""What a Sweep will do: pending Touches grouped so that each Address is asked for once. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from resources_graph_core.address import Address
from resources_graph_core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from resources_graph_core.address import AddressKind
    from resources_graph_core.store.touches import PendingTouch


@dataclass(frozen=True, slots=True)
class Entry:
    """One Address and the Touches that wait for it.

    A Listing's Address carries the limit asked for: each limit is an entry of its own.
    """

    address: Address
    touches: tuple[PendingTouch, ...]

    @property
    def touch_ids(self) -> list[str]:
        """The ids of the Touches."""
        return [touch.touch_id for touch in self.touches]

    @property
    def only_prompted(self) -> bool:
        """Whether nobody fetched it: then what is stored is good enough."""
        return all(touch.provenance == "PROMPTED" for touch in self.touches)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a Sweep will do.

    ``unreadable`` are Touches whose Address says nothing any more; ``left_out`` is how many Touches
    a limit left for a later Sweep.
    """

    entries: tuple[Entry, ...] = ()
    unreadable: tuple[tuple[PendingTouch, UsageError], ...] = ()
    left_out: int = 0

    @property
    def touch_count(self) -> int:
        """How many Touches it deals with."""
        return sum(len(entry.touches) for entry in self.entries) + len(self.unreadable)

    @property
    def repositories(self) -> dict[str, int]:
        """How many Touches wait in each repository (the key of its Address)."""
        counts: dict[str, int] = {}
        for entry in self.entries:
            key = entry.address.repository.key
            counts[key] = counts.get(key, 0) + len(entry.touches)
        return counts

    @property
    def by_host(self) -> dict[str, Plan]:
        """The entries of each host, as a plan of its own."""
        entries: dict[str, list[Entry]] = {}
        for entry in self.entries:
            entries.setdefault(entry.address.host, []).append(entry)
        return {host: Plan(tuple(of_host)) for host, of_host in entries.items()}

    def of(self, *kinds: AddressKind) -> tuple[Entry, ...]:
        """The entries whose Address is of one of these kinds."""
        return tuple(entry for entry in self.entries if entry.address.kind in kinds)


def plan_touches(
    touches: Sequence[PendingTouch],
    *,
    repositories: Collection[str] = (),
    kinds: Collection[AddressKind] = (),
    limit: int | None = None,
) -> Plan:
    """Group ``touches`` by what they ask for, in the order they came.

    ``repositories`` (Address keys) and ``kinds`` narrow the plan where given; ``limit`` is how many
    Addresses it holds at most.
    """
    entries: dict[tuple[str, int | None], tuple[Address, list[PendingTouch]]] = {}
    unreadable = []
    for touch in touches:
        try:
            address = Address.from_key(touch.address, limit=touch.limit)
        except UsageError as error:
            unreadable.append((touch, error))
            continue
        if repositories and address.repository.key not in repositories:
            continue
        if kinds and address.kind not in kinds:
            continue
        entries.setdefault((address.key, address.limit), (address, []))[1].append(touch)
    made = [Entry(address, tuple(waiting)) for address, waiting in entries.values()]
    taken = made if limit is None else made[:limit]
    left_out = sum(len(entry.touches) for entry in made[len(taken) :])
    return Plan(tuple(taken), tuple(unreadable), left_out)
