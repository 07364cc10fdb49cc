"""What Sweeps make of deletions, privacy, renames and transfers on GitHub."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.store import checks

if TYPE_CHECKING:
    from resources_graph_core.memory import Memory
    from resources_graph_core.sandbox import Sandbox
    from resources_graph_core.sweep.report import SweepReport

WIDGETS, GADGETS = "octo-org/widgets", "octo-org/gadgets"
LISTING = f"{WIDGETS}/issues?state=open"


@pytest.fixture(autouse=True)
def _stored(memory: Memory) -> None:
    """Everything is in memory."""
    everything = [f"{WIDGETS}#{number}" for number in (1, 2, 3, 4)]
    memory.touch_many([WIDGETS, GADGETS, *everything, f"{GADGETS}#1", LISTING])
    assert memory.sweep().left == 0


def sweep(memory: Memory, *addresses: str) -> SweepReport:
    memory.touch_many(addresses)
    report = memory.sweep()
    assert checks.miscounted_listings(memory.graph) == []
    assert checks.resolved_without_target(memory.graph) == []
    return report


def outcomes(memory: Memory, *addresses: str) -> list[str]:
    return [memory.read(address).outcome for address in addresses]


class TestWithdrawal:
    @pytest.mark.parametrize("how", ["deleted", "discussion"])
    def test_a_deleted_item(self, memory: Memory, sandbox: Sandbox, how: str) -> None:
        sandbox.state.delete_item(WIDGETS, 1, how)  # type: ignore[arg-type]  # one of its words
        report = sweep(memory, f"{WIDGETS}#1")
        assert (report.unresolved, report.withdrawn, report.left) == ({"not_found": 1}, 1, 0)
        answer = memory.read(f"{WIDGETS}#1")
        assert (answer.outcome, answer.comments) == ("miss", [])
        assert "no longer has it" in (answer.note or "")
        assert memory.status().comments == 0
        assert outcomes(memory, f"{WIDGETS}#2", LISTING) == ["hit", "miss"]

    def test_a_listing_drops_what_was_deleted(self, memory: Memory, sandbox: Sandbox) -> None:
        sandbox.state.delete_item(WIDGETS, 1)
        sweep(memory, f"{WIDGETS}#1", LISTING)
        answer = memory.read(LISTING)
        assert (answer.outcome, [one["number"] for one in answer.members]) == ("hit", [2])

    def test_a_private_repository_takes_everything_with_it(
        self, memory: Memory, sandbox: Sandbox
    ) -> None:
        sandbox.state.set_visibility(WIDGETS, "PRIVATE")
        report = sweep(memory, WIDGETS)
        assert (report.unresolved, report.withdrawn) == ({"not_public": 1}, 5)
        answer = memory.read(f"{WIDGETS}#2")
        assert "no longer public" in (answer.note or "")
        assert outcomes(memory, WIDGETS, f"{WIDGETS}#4", LISTING) == ["miss"] * 3
        assert outcomes(memory, GADGETS, f"{GADGETS}#1") == ["hit"] * 2
        texts = memory.graph.query(
            "MATCH (r:Resource) WHERE r.address STARTS WITH $beginning RETURN r",
            beginning=f"github:{WIDGETS}",
        )
        kept = {name for row in texts for name, value in row["r"].items() if value is not None}
        assert kept == {"node_id", "address", "withdrawn_at", "withdrawn_reason"}

    @pytest.mark.parametrize("asked", [f"{WIDGETS}#1", LISTING])
    def test_one_private_item_or_list_tells_of_its_repository(
        self, memory: Memory, sandbox: Sandbox, asked: str
    ) -> None:
        sandbox.state.set_visibility(WIDGETS, "PRIVATE")
        report = sweep(memory, asked)
        assert report.unresolved == {"not_public": 1}
        assert outcomes(memory, WIDGETS, f"{WIDGETS}#2") == ["miss"] * 2

    def test_what_becomes_public_again_is_back(self, memory: Memory, sandbox: Sandbox) -> None:
        sandbox.state.set_visibility(WIDGETS, "PRIVATE")
        sweep(memory, WIDGETS)
        sandbox.state.set_visibility(WIDGETS, "PUBLIC")
        report = sweep(memory, f"{WIDGETS}#1", f"{WIDGETS}#4")
        assert (report.resolved, report.left) == (2, 0)
        answer = memory.read(f"{WIDGETS}#1")
        assert (answer.outcome, len(answer.comments)) == ("hit", 3)
        assert "withdrawn_at" not in answer.resource
        edges = memory.graph.query("MATCH (:PullRequest)-[:CLOSES]->(:Issue) RETURN 1 AS one")
        assert edges == [{"one": 1}]

    def test_a_missing_number_withdraws_nothing(self, memory: Memory) -> None:
        report = sweep(memory, f"{WIDGETS}#99")
        assert (report.unresolved, report.withdrawn) == ({"not_found": 1}, 0)
        assert outcomes(memory, WIDGETS, f"{WIDGETS}#1") == ["hit"] * 2

    def test_a_member_that_is_not_public_does_not_sink_its_listing(
        self, memory: Memory, sandbox: Sandbox
    ) -> None:
        sandbox.state.edit_item(WIDGETS, 1, title="Changed")
        sandbox.state.delete_item(WIDGETS, 2)
        report = sweep(memory, LISTING)
        assert report.resolved == 1
        assert [one["title"] for one in memory.read(LISTING).members] == ["Changed"]


class TestMoves:
    def test_a_transferred_issue_is_found_at_both_addresses(
        self, memory: Memory, sandbox: Sandbox
    ) -> None:
        before = memory.read(f"{WIDGETS}#1")
        number = sandbox.state.transfer_item(WIDGETS, 1, GADGETS)
        report = sweep(memory, f"{WIDGETS}#1")
        assert (report.resolved, report.fetched) == (1, 1)
        for text in (f"{WIDGETS}#1", f"{GADGETS}#{number}"):
            answer = memory.read(text)
            assert (answer.outcome, answer.served_from) == ("hit", f"github:{GADGETS}#{number}")
            assert [one["body"] for one in answer.comments] == [
                one["body"] for one in before.comments
            ]
        (old,) = memory.graph.query(
            "MATCH (r:Resource {node_id: $id})-[:MOVED_TO]->() RETURN r",
            id=before.resource["node_id"],
        )
        assert old["r"]["title"] == before.resource["title"]
        assert old["r"].get("address") is None

    def test_a_chain_of_transfers_and_renames(self, memory: Memory, sandbox: Sandbox) -> None:
        number = sandbox.state.transfer_item(WIDGETS, 1, GADGETS)
        sweep(memory, f"{WIDGETS}#1")
        sandbox.state.rename_repository(GADGETS, "else/where")
        back = sandbox.state.transfer_item("else/where", number, WIDGETS)
        sweep(memory, f"{WIDGETS}#1", GADGETS)
        for text in (f"{WIDGETS}#1", f"{GADGETS}#{number}", f"{WIDGETS}#{back}"):
            assert memory.read(text).served_from == f"github:{WIDGETS}#{back}", text
        assert memory.read(f"{GADGETS}#1").served_from == "github:else/where#1"

    @pytest.mark.parametrize("asked", ["", "#1", "/issues?state=open"])
    def test_a_renamed_repository_takes_everything_along(
        self, memory: Memory, sandbox: Sandbox, asked: str
    ) -> None:
        sandbox.state.rename_repository(WIDGETS, "else/where")
        report = sweep(memory, WIDGETS + asked)
        assert (report.resolved, report.unresolved) == (1, {})
        for part in ("", "#1", "#2", "#4", "/issues?state=open"):
            for name in (WIDGETS, "else/where"):
                answer = memory.read(name + part)
                assert (answer.outcome, answer.served_from) == ("hit", f"github:else/where{part}")
        # Nobody is fetched in full again for having another name now.
        sandbox.requests.clear()
        report = sweep(memory, *(f"else/where#{number}" for number in (2, 3, 4)))
        assert (report.unchanged, sandbox.requests.total) == (3, 1)

    def test_another_repository_under_the_former_name(
        self, memory: Memory, sandbox: Sandbox
    ) -> None:
        sandbox.state.rename_repository(WIDGETS, "else/where")
        sandbox.state.rename_repository(GADGETS, WIDGETS)
        sweep(memory, WIDGETS, "else/where")
        assert memory.read(f"{WIDGETS}#1").resource["node_id"] == "N_other"
        assert memory.read(f"{WIDGETS}#2").outcome == "miss"
        assert memory.read("else/where#2").outcome == "hit"
        assert memory.read(f"{GADGETS}#1").served_from == f"github:{WIDGETS}#1"

    def test_the_lists_of_whoever_had_a_name_before_answer_there_no_more(
        self, memory: Memory, sandbox: Sandbox
    ) -> None:
        sandbox.state.rename_repository(WIDGETS, "else/where")
        sandbox.state.rename_repository(GADGETS, WIDGETS)
        sweep(memory, WIDGETS)
        assert memory.read(LISTING).outcome == "miss"
        sweep(memory, LISTING)
        assert [one["node_id"] for one in memory.read(LISTING).members] == ["N_other"]

    def test_an_empty_list_tells_that_another_repository_has_the_name(
        self, memory: Memory, sandbox: Sandbox
    ) -> None:
        sandbox.state.rename_repository(WIDGETS, "else/where")
        sandbox.state.rename_repository(GADGETS, WIDGETS)
        pulls = f"{WIDGETS}/pulls?state=open"
        sweep(memory, pulls)
        assert memory.read(pulls).members == []
        assert memory.read(f"{WIDGETS}#2").outcome == "miss"
        sweep(memory, "else/where")
        assert memory.read("else/where/pulls?state=open").outcome == "miss"

    def test_a_former_address_that_leads_nowhere_any_more(
        self, memory: Memory, sandbox: Sandbox
    ) -> None:
        sandbox.state.rename_repository(WIDGETS, "else/where")
        sweep(memory, WIDGETS)
        sandbox.state.set_visibility("else/where", "PRIVATE")
        report = sweep(memory, f"{WIDGETS}#1")
        assert sum(report.unresolved.values()) == 1
        assert outcomes(memory, f"{WIDGETS}#1", "else/where#1", "else/where#2") == ["miss"] * 3

    def test_a_transfer_to_a_private_place_withdraws(
        self, memory: Memory, sandbox: Sandbox
    ) -> None:
        sandbox.state.transfer_item(WIDGETS, 1, GADGETS)
        sandbox.state.set_visibility(GADGETS, "PRIVATE")
        report = sweep(memory, f"{WIDGETS}#1")
        assert report.unresolved == {"not_public": 1}
        assert outcomes(memory, f"{WIDGETS}#1", WIDGETS) == ["miss", "hit"]
