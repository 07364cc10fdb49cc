"""What must hold of a memory after every step, whatever happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis.stateful import (
    invariant,
)

from resources_graph_core.store import checks
from tests.sweep import looking
from tests.sweep.events import Happening

if TYPE_CHECKING:
    from resources_graph_core.address import Address


class Checked(Happening):
    """What is looked at after each step."""

    @invariant()
    def all_is_as_the_model_says(self) -> None:
        """Looked at after each step that may have written to memory."""
        self.time.move(2)
        if self.unchecked:
            self.memory_answers_as_the_model_says()
            self.touches_stand_where_the_model_says()
            self.the_graph_is_whole()
            self.nothing_secret_is_stored()
            self.nothing_stays_claimed()
            self.unchecked = False

    def memory_answers_as_the_model_says(self) -> None:
        for address in self.asked.values():
            if address.kind == "listing":
                self._check_list(address)
            else:
                self._check_thing(address)

    def _check_thing(self, address: Address) -> None:
        answer = self.memory.read(address)
        node_id = self.model.find(address)
        if node_id is None:
            assert answer.outcome == "miss", f"{address} should be a miss"
            self._check_note(address, answer.note or "")
            return
        kept = self.model.kept[node_id]
        assert kept.snapshot is not None
        assert answer.outcome == "hit", f"{address} should be {node_id}, not a miss: {answer.note}"
        told = (answer.resource["node_id"], answer.kind, answer.served_from)
        assert told == (node_id, kept.kind, kept.where), f"for {address}"
        wrong = looking.differences(answer.resource, answer.comments, kept.snapshot)
        assert not wrong, f"{address} is stored otherwise than it was: {wrong}"

    def _check_note(self, address: Address, note: str) -> None:
        places = (address.key, address.repository.key)
        if any(self.model.tombstone_at(place) for place in places):
            assert note.startswith("Withdrawn from memory"), f"{address}: {note}"
            return
        touches = [one for one in self.model.touches.values() if one.address.key == address.key]
        if not touches:
            return
        latest = max(one.at for one in touches)
        reasons = {one.reason for one in touches if one.at == latest}
        if reasons == {"not_found"}:
            assert "knew nothing" in note, f"{address}: {note}"
        elif reasons == {"not_public"}:
            assert "not public" in note, f"{address}: {note}"
        elif len(reasons) == 1:
            assert note.startswith("Not in memory. Fetch it"), f"{address}: {note}"

    def _check_list(self, address: Address) -> None:
        answer = self.memory.read(address)
        keys = {address.key, self.model.find_listing(address)}
        exact = [key for key in keys if self.model.serves(key, address.limit)]
        if answer.outcome == "miss":
            assert not exact, f"{address} should be served by {exact}"
            return
        members = [one["node_id"] for one in answer.members]
        if answer.outcome == "hit":
            assert answer.served_from in exact, f"{address} by {answer.served_from}: {exact}"
            expected = self.model.listings[answer.served_from].members[: address.limit]
        else:
            served_by = (answer.served_from or "").split("+")
            assert all(self.model.listings[key].full for key in served_by)
            expected = self.model.filtered(served_by, address)
        assert members == expected, f"{address} (limit {address.limit}) by {answer.served_from}"
        for member in answer.members:
            snapshot = self.model.kept[member["node_id"]].snapshot
            assert snapshot is not None, f"{member['node_id']} was withdrawn"
            stored = {name: member.get(name) for name in snapshot.values}
            assert stored == snapshot.values

    def touches_stand_where_the_model_says(self) -> None:
        rows = self.memory.touches()
        stored = {
            row["touch_id"]: (row["status"], row.get("reason"), row.get("attempts") or 0)
            for row in rows
        }
        expected = {
            one.touch_id: (one.status, one.reason, one.attempts)
            for one in self.model.touches.values()
        }
        wrong = {
            self.model.touches[key].address.key: (stored.get(key), state)
            for key, state in expected.items()
            if stored.get(key) != state
        }
        assert not wrong, f"Touches as they are and should be: {wrong}"
        assert stored.keys() == expected.keys()

    def the_graph_is_whole(self) -> None:
        assert looking.broken(self.graph) == {}
        assert checks.miscounted_listings(self.graph) == []
        assert checks.resolved_without_target(self.graph) == []
        assert looking.edges(self.graph) == self.model.edges()

    def nothing_secret_is_stored(self) -> None:
        secret = set().union(*self.secrets.values())
        assert not secret & looking.texts(self.graph)

    def nothing_stays_claimed(self) -> None:
        """But what somebody held who was killed, until the next Sweep."""
        rows = self.graph.query(
            "MATCH (touch:Touch) WHERE touch.claimed_by IS NOT NULL RETURN touch"
        )
        assert not rows or self.somebody_died
