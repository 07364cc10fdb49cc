"""What memory should hold and answer, in plain dicts: the model of the stateful test.

It says what follows from what GitHub showed and when it was asked; nothing of how that is stored.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from resources_graph_core.address import Address
from tests.sweep.world import Snapshot, World, matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.sweep.world import Node, Why

MOST_MOVES = 16


@dataclass
class Kept:
    """A thing that memory knows: as it was when last fetched, and where it is as far as is known.

    ``snapshot`` is None for what was withdrawn. ``where`` is None once something else is there.
    """

    snapshot: Snapshot | None
    kind: str
    repository_id: str
    number: int | None
    where: str | None


@dataclass
class KeptListing:
    """A list as it was when last fetched, without the members withdrawn since.

    ``unbroken`` members stand before the first that could not be had.
    """

    members: list[str]
    full: bool
    repository_id: str
    unbroken: int


@dataclass
class Touched:
    """A Touch and what it came to. ``entry`` is what is asked for: Address and limit."""

    touch_id: str
    session: str
    address: Address
    prompted: bool
    at: str
    status: str = "pending"
    reason: str | None = None
    attempts: int = 0

    @property
    def entry(self) -> tuple[str, int | None]:
        """Touches of the same are dealt with together."""
        return self.address.key, self.address.limit


@dataclass
class Model:
    """All that memory knows. ``former`` leads from Addresses, ``onward`` from node ids."""

    kept: dict[str, Kept] = field(default_factory=dict)
    former: dict[str, str] = field(default_factory=dict)
    onward: dict[str, str] = field(default_factory=dict)
    listings: dict[str, KeptListing] = field(default_factory=dict)
    touches: dict[str, Touched] = field(default_factory=dict)

    # What memory answers.

    def stored_at(self, key: str) -> str | None:
        """The node id of what is at an Address."""
        for node_id, kept in self.kept.items():
            if kept.where == key and kept.snapshot is not None:
                return node_id
        return None

    def tombstone_at(self, key: str) -> bool:
        """Whether something was withdrawn at an Address."""
        return any(one.where == key and one.snapshot is None for one in self.kept.values())

    def find(self, address: Address) -> str | None:
        """The node id of what an Address leads to, through every move that memory knows of."""
        where: Address | None = address
        for _ in range(MOST_MOVES):
            if where is None:
                return None
            found = self.stored_at(where.key)
            if found is not None:
                return found
            where = self._onward(where)
        return None

    def _onward(self, address: Address) -> Address | None:
        node_id = self.former.get(address.key)
        for _ in range(MOST_MOVES):
            if node_id is None:
                break
            place = self.kept[node_id].where
            if place is not None:
                return Address.from_key(place)
            node_id = self.onward.get(node_id)
        repository = self.former.get(address.repository.key)
        place = None if repository is None else self.kept[repository].where
        return None if place is None else within(Address.from_key(place), address)

    def find_listing(self, address: Address) -> str:
        """The key of a list under the name that its repository has now, as far as is known."""
        node_id = self.find(address.repository)
        place = None if node_id is None else self.kept[node_id].where
        return address.key if place is None else within(Address.from_key(place), address).key

    def serves(self, key: str, limit: int | None) -> bool:
        """Whether a stored list has as many members as are asked for, of a repository in memory."""
        listing = self.listings.get(key)
        if listing is None or self.kept[listing.repository_id].snapshot is None:
            return False
        return listing.full or (limit is not None and listing.unbroken >= limit)

    def filtered(self, keys: Sequence[str], address: Address) -> list[str]:
        """The members of full lists that belong to another one, newest first."""
        found = {
            node_id: snapshot
            for key in keys
            for node_id in self.listings[key].members
            if (snapshot := self.kept[node_id].snapshot) is not None
            and matches(address, snapshot.values)
        }
        order = sorted(
            found,
            key=lambda one: (str(found[one].values["created_at"]), self.kept[one].number or 0),
            reverse=True,
        )
        return order[: address.limit]

    def edges(self) -> set[tuple[str, str, str]]:
        """Every edge between two stored things: its kind, whence and whither."""
        stored = {key: one.snapshot for key, one in self.kept.items() if one.snapshot}
        drawn = set()
        for node_id, snapshot in stored.items():
            drawn |= {("REFERENCES", one, node_id) for one in snapshot.sources if one in stored}
            drawn |= {("CLOSES", node_id, one) for one in snapshot.closes if one in stored}
        return drawn

    # What a Sweep does.

    def sweep(self, world: World, pending: Sequence[Touched], *, anonymous: bool = False) -> None:
        """Resolve these Touches as a Sweep does that nothing disturbs."""
        entries: dict[tuple[str, int | None], list[Touched]] = {}
        for touch in sorted(pending, key=lambda one: (one.at, one.touch_id)):
            entries.setdefault(touch.entry, []).append(touch)
        single = [group for group in entries.values() if group[0].address.kind != "listing"]
        lists = [group for group in entries.values() if group[0].address.kind == "listing"]
        self._sweep_things(world, single, anonymous=anonymous)
        self._sweep_lists(world, lists, anonymous=anonymous)

    def _sweep_things(
        self, world: World, groups: Iterable[list[Touched]], *, anonymous: bool
    ) -> None:
        waiting: dict[Address, list[Touched]] = {}
        for group in groups:
            address = group[0].address
            if all(one.prompted for one in group) and self.find(address) is not None:
                settle(group)
            else:
                waiting[address] = group
        for address in list(waiting):
            if self._is_unchanged(world, address, anonymous=anonymous):
                settle(waiting.pop(address))
        self._fetch(world, {one: it for one, it in waiting.items() if one.kind == "repo"})
        items = {one: it for one, it in waiting.items() if one.kind == "item"}
        for address in items:
            if self.stored_at(address.repository.key) is None:
                self._fetch_repository(world, address.repository)
        self._fetch(world, items)

    def _is_unchanged(self, world: World, address: Address, *, anonymous: bool) -> bool:
        node_id = self.stored_at(address.key)
        if node_id is None:
            return False
        if anonymous:
            there = world.at(address)
            node = there if not isinstance(there, str) and there.id == node_id else None
            if node is not None and node.typename == "PullRequest":
                return False
        else:
            node = world.public(node_id)
        return node is not None and self._same(world, node)

    def _same(self, world: World, node: Node) -> bool:
        kept, now = self.kept.get(node.id), world.snapshot(node)
        return (
            kept is not None
            and kept.snapshot is not None
            and kept.where == now.where
            and kept.snapshot.version == now.version
        )

    def _fetch(self, world: World, waiting: dict[Address, list[Touched]]) -> None:
        seen = {address: world.at(address) for address in waiting}
        found = {where: node for where, node in seen.items() if not isinstance(node, str)}
        self._keep(world, found.values())
        for address, node in found.items():
            self._record_move(address, node.id)
            settle(waiting[address])
        gone: dict[Address, Why] = {
            where: why for where, why in seen.items() if isinstance(why, str)
        }
        self._withdraw_at(world, gone)
        for address, why in gone.items():
            settle(waiting[address], why)

    def _keep(self, world: World, nodes: Iterable[Node]) -> None:
        items = []
        for node in nodes:
            if node.typename == "Repository":
                self._store(world.snapshot(node))
            else:
                items.append(world.snapshot(node))
        for item in items:
            parent = self.kept.get(item.repository_id)
            here = Address.from_key(item.where).repository
            if parent is None or parent.snapshot is None or parent.where != here.key:
                self._fetch_repository(world, here)
        for item in items:
            self._store(item)

    def _fetch_repository(self, world: World, address: Address) -> None:
        there = world.at(address)
        if not isinstance(there, str):
            self._store(world.snapshot(there))

    def _store(self, now: Snapshot) -> None:
        holder = next(
            (one for one, kept in self.kept.items() if kept.where == now.where), now.node_id
        )
        if holder != now.node_id:
            self._let_go(holder, now.node_id)
        self.former.pop(now.where, None)
        self.onward.pop(now.node_id, None)
        kept = self.kept.get(now.node_id)
        if now.kind == "Repository" and kept is not None and kept.where != now.where:
            self._rename(now, kept.where)
        number = now.values.get("number")
        assert number is None or isinstance(number, int)
        self.kept[now.node_id] = Kept(now, now.kind, now.repository_id, number, now.where)

    def _let_go(self, holder: str, taken_by: str) -> None:
        """Another thing is where this one was: it has moved on, to nobody knows where."""
        self.kept[holder].where = None
        if self.kept[holder].kind == "Repository":
            for item in self._items_of(holder):
                item.where = None
            for key in [one for one, it in self.listings.items() if it.repository_id == holder]:
                del self.listings[key]
        else:
            self.onward[holder] = taken_by

    def _items_of(self, repository_id: str) -> list[Kept]:
        return [
            one
            for one in self.kept.values()
            if one.repository_id == repository_id and one.kind != "Repository"
        ]

    def _rename(self, now: Snapshot, before: str | None) -> None:
        if before is not None:
            self.former[before] = now.node_id
        for node_id, item in self.kept.items():
            if item.repository_id != now.node_id or item.kind == "Repository":
                continue
            place = f"{now.where}#{item.number}"
            if node_id in self.onward:
                self.former[place] = node_id
                continue
            item.where = place
            if item.snapshot is not None:
                values = item.snapshot.values | {"repository": now.values["name_with_owner"]}
                item.snapshot = replace(item.snapshot, values=values)
        for key, listing in list(self.listings.items()):
            if listing.repository_id == now.node_id and before is not None:
                place = within(Address.from_key(now.where), Address.from_key(key)).key
                self.listings.setdefault(place, listing)
                del self.listings[key]

    def _record_move(self, asked: Address, node_id: str) -> None:
        """What was asked for turned out to be this."""
        place = self.kept[node_id].where
        known = self.find(asked)
        if place == asked.key or known == node_id:
            return
        self.former[asked.key] = node_id
        if known is not None:
            before = self.kept[known].where
            self._let_go(known, node_id)
            if before is not None:
                self.former[before] = node_id

    # What goes.

    def _withdraw_at(self, world: World, gone: dict[Address, Why]) -> None:
        """GitHub has nothing (public) at these any more."""
        held = {address: self.find(address) for address in gone}
        elsewhere = {}
        for address, node_id in held.items():
            place = None if node_id is None else self.kept[node_id].where
            if node_id is not None and place == address.key:
                self._withdraw(node_id)
            elif place is not None:
                elsewhere[address] = Address.from_key(place)
        parents = [
            address.repository
            for address in (*gone, *elsewhere.values())
            if address.kind != "repo" and self._is_lost(world, address.repository)
        ]
        doubtful = dict.fromkeys([*elsewhere.values(), *parents])
        seen = {address: world.at(address) for address in doubtful}
        self._keep(world, [node for node in seen.values() if not isinstance(node, str)])
        for address, there in seen.items():
            node_id = self.stored_at(address.key)
            if isinstance(there, str) and node_id is not None:
                self._withdraw(node_id)
        for address, now_at in elsewhere.items():
            if not isinstance(seen[now_at], str):
                self.former.pop(address.key, None)
                self.former.pop(address.repository.key, None)

    def _is_lost(self, world: World, repository: Address) -> bool:
        """Whether what memory has there is no longer public, wherever it is."""
        node_id = self.stored_at(repository.key)
        return node_id is not None and world.public(node_id) is None

    def _withdraw(self, node_id: str) -> None:
        gone = {node_id}
        if self.kept[node_id].kind == "Repository":
            gone |= {one for one, kept in self.kept.items() if kept.repository_id == node_id}
        while more := {one for one, to in self.onward.items() if to in gone} - gone:
            gone |= more
        for one in gone:
            self.kept[one].snapshot = None
        for listing in self.listings.values():
            left = [one for one in listing.members if one not in gone]
            listing.full = listing.full and len(left) == len(listing.members)
            listing.unbroken -= len(listing.members) - len(left)
            listing.members = left

    # Lists.

    def _sweep_lists(
        self, world: World, groups: Iterable[list[Touched]], *, anonymous: bool
    ) -> None:
        fresh: dict[str, str] = {}
        for group in sorted(groups, key=lambda one: -(one[0].address.limit or float("inf"))):
            address = group[0].address
            served_by = fresh.get(address.key)
            if served_by is None and all(one.prompted for one in group):
                served_by = self.find_listing(address)
            if served_by is not None and self.serves(served_by, address.limit):
                settle(group)
                continue
            if anonymous:
                continue  # it waits for a login
            repository = world.at(address.repository)
            if isinstance(repository, str):
                self._empty(world, address)
                settle(group, repository)
                continue
            fresh[address.key] = self._list(world, address, repository)
            settle(group)

    def _list(self, world: World, address: Address, repository: Node) -> str:
        place = world.snapshot(repository).where
        if self.stored_at(place) != repository.id:
            self._store(world.snapshot(repository))
        members = world.listed(address)
        held = self.listings.get(self.find_listing(address))
        width = address.limit
        if held is not None and width is not None:  # what is kept of it stays as wide
            width = None if held.full else max(width, len(held.members))
        listed = members[:width]
        self._keep(world, [one for one in listed if not self._same(world, one)])
        key = within(Address.from_key(place), address).key
        self.listings[key] = KeptListing(
            [one.id for one in listed], len(listed) >= len(members), repository.id, len(listed)
        )
        return key

    def _empty(self, world: World, address: Address) -> None:
        """GitHub no longer gives a list; its repository may be gone too."""
        listing = self.listings.get(self.find_listing(address))
        if listing is not None:
            listing.members, listing.full, listing.unbroken = [], False, 0
        if self.find(address.repository) is not None:
            there = world.at(address.repository)
            assert isinstance(there, str)
            self._withdraw_at(world, {address.repository: there})


def settle(touches: Iterable[Touched], why: str | None = None) -> None:
    """Resolve Touches, or say why they cannot be."""
    for touch in touches:
        touch.status, touch.reason = ("unresolved", why) if why else ("resolved", None)


def within(repository: Address, address: Address) -> Address:
    """The same, in another repository."""
    return address.changed(owner=repository.owner, name=repository.name)
