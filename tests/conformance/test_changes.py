"""The store's statements about change, on every engine: checks, moves, renames, withdrawal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core import Address
from resources_graph_core.read import read
from resources_graph_core.store import (
    checks,
    counts,
    freshness,
    holdings,
    links,
    listings,
    moves,
    resources,
    runs,
    withdrawal,
)
from tests.examples import comment, issue, pull_request, reference, repository

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.graph import Graph, Row
    from resources_graph_core.model import Content

NOW = "2026-03-04T05:06:07Z"
LATER = "2026-03-04T06:00:00Z"
RUN = "cli:test"
OLD, NEW = "octo-org/widgets", "octo-org/gizmos"


@pytest.fixture(autouse=True)
def _run(graph: Graph) -> None:
    runs.start(graph, RUN, kind="cli", now=NOW)


def store(graph: Graph, *contents: Content) -> None:
    """Repositories first, as a Sweep stores them, then items with their links."""
    for one in contents:
        if one.model_dump().get("kind") is None:
            resources.store_repositories(graph, [one], fetched_at=NOW, run_id=RUN)  # type: ignore[list-item]  # a repository has no kind
    items = [one for one in contents if one.model_dump().get("kind")]
    if items:
        stored = resources.store_items(graph, items, fetched_at=NOW, run_id=RUN)  # type: ignore[arg-type]  # items have one
        assert stored == len(items)
        links.draw(graph, [item.node_id for item in items])


def list_issues(graph: Graph, node_ids: Sequence[str | None], name: str = OLD) -> Address:
    owner, _, repo = name.partition("/")
    address = Address.of_listing(owner, repo, "issues", limit=30)
    listings.store(
        graph,
        address,
        node_ids,
        repository=address.repository.key,
        total_count=len(node_ids),
        fetched_at=NOW,
    )
    return address


def at(text: str) -> Address:
    return Address.from_key(f"github:{text}")


def properties(graph: Graph, node_id: str) -> Row:
    (row,) = graph.query("MATCH (r:Resource {node_id: $id}) RETURN r", id=node_id)
    found: Row = row["r"]
    return {name: value for name, value in found.items() if value is not None}


def edges(graph: Graph, relationship: str) -> set[tuple[str, str]]:
    rows = graph.query(
        f"MATCH (a:Resource)-[:{relationship}]->(b:Resource) RETURN a.node_id AS a, b.node_id AS b"
    )
    return {(row["a"], row["b"]) for row in rows}


class TestFreshness:
    def test_what_tells_of_changes_is_kept_as_far_as_a_kind_has_it(self, graph: Graph) -> None:
        pull = pull_request(2, comment_count=3, review_count=2, review_thread_count=1)
        store(graph, repository(), issue(1, comment_count=4), pull)
        found = freshness.stored(
            graph, [repository().node_id, issue(1).node_id, pull.node_id, "N_never"]
        )
        updated = {"updated_at": pull.updated_at}
        assert {node_id: one.marks for node_id, one in found.items()} == {
            repository().node_id: {**updated, "pushed_at": None, "stars": 0},
            issue(1).node_id: {**updated, "comment_count": 4},
            pull.node_id: {
                **updated,
                "comment_count": 3,
                "review_count": 2,
                "review_thread_count": 1,
            },
        }
        assert found[pull.node_id].address == pull.address.key

    def test_content_of_another_tool_lacks_the_counts(self, graph: Graph) -> None:
        store(graph, repository(), pull_request(2))
        graph.query("MATCH (p:PullRequest) SET p.review_count = null, p.review_thread_count = null")
        (found,) = freshness.stored(graph, [pull_request(2).node_id]).values()
        assert found.marks["review_count"] is None
        assert found.marks["review_thread_count"] is None

    def test_renewing_moves_only_when_it_was_fetched(self, graph: Graph) -> None:
        store(graph, repository(), issue(1), issue(2))
        before = properties(graph, issue(1).node_id)
        runs.start(graph, "cli:later", kind="cli", now=LATER)
        ids = [issue(1).node_id, "N_never"]
        assert freshness.renew(graph, ids, now=LATER, run_id="cli:later") == 1
        assert properties(graph, issue(1).node_id) == {**before, "fetched_at": LATER}
        assert properties(graph, issue(2).node_id)["fetched_at"] == NOW
        rows = graph.query(
            "MATCH (:Issue {number: 1})-[f:FETCHED_BY]->(r:SweepRun) "
            "RETURN r.run_id AS run_id, f.at AS at ORDER BY at"
        )
        assert [tuple(row.values()) for row in rows] == [(RUN, NOW), ("cli:later", LATER)]


class TestMoves:
    def test_another_id_at_an_address_takes_it_over(self, graph: Graph) -> None:
        old = issue(1, comments=(comment("C_1", "kept"),))
        store(graph, repository(), old)
        store(graph, issue(1, node_id="N_new"))
        assert properties(graph, "N_new")["address"] == old.address.key
        assert "address" not in properties(graph, old.node_id)
        assert properties(graph, old.node_id)["title"] == old.title
        assert [one["body"] for one in resources.comments(graph, old.node_id)] == ["kept"]
        assert edges(graph, "MOVED_TO") == {(old.node_id, "N_new")}

    def test_what_comes_back_has_not_moved(self, graph: Graph) -> None:
        store(graph, repository(), issue(1))
        store(graph, issue(1, node_id="N_new"))
        store(graph, issue(1))
        assert edges(graph, "MOVED_TO") == {("N_new", issue(1).node_id)}
        assert moves.held(graph, [issue(1).address])[issue(1).address.key].node_id == (
            issue(1).node_id
        )

    def test_a_chain_of_transfers_resolves_from_every_former_address(self, graph: Graph) -> None:
        first, second, third = (issue(n, name) for n, name in ((1, OLD), (5, NEW), (9, "o/third")))
        store(graph, *(repository(name) for name in (OLD, NEW, "o/third")), first)
        store(graph, second)
        moves.record(graph, {first.address.key: second.node_id})
        store(graph, third)
        moves.record(graph, {second.address.key: third.node_id})
        assert edges(graph, "MOVED_TO") == {
            (first.node_id, second.node_id),
            (second.node_id, third.node_id),
        }
        wanted = [first.address, second.address, third.address, at("o/never#1")]
        assert {key: one.node_id for key, one in moves.held(graph, wanted).items()} == {
            address.key: third.node_id for address in wanted[:3]
        }
        answer = read(graph, first.address)
        assert (answer.outcome, answer.served_from) == ("hit", third.address.key)
        assert "o/third#9" in (answer.note or "")

    def test_an_address_that_memory_never_held_leads_on_too(self, graph: Graph) -> None:
        store(graph, repository(NEW), issue(5, NEW))
        moves.record(graph, {"github:octo-org/widgets#1": issue(5, NEW).node_id})
        moves.record(graph, {"github:octo-org/widgets#1": issue(5, NEW).node_id})
        assert read(graph, at("octo-org/widgets#1")).outcome == "hit"
        moves.forget(graph, ["github:octo-org/widgets#1"])
        assert read(graph, at("octo-org/widgets#1")).outcome == "miss"

    def test_a_new_thing_at_a_former_address_ends_the_way(self, graph: Graph) -> None:
        store(graph, repository(), repository(NEW), issue(5, NEW))
        moves.record(graph, {"github:octo-org/widgets#1": issue(5, NEW).node_id})
        store(graph, issue(1))
        assert read(graph, at("octo-org/widgets#1")).resource["node_id"] == issue(1).node_id
        assert counts.labelled(graph, "FormerAddress") == 0


class TestRenames:
    def renamed(self, name: str) -> Content:
        return repository(name, node_id=f"R_{OLD}")

    def test_items_and_listings_follow_and_former_names_lead_on(self, graph: Graph) -> None:
        store(graph, repository(), issue(1), pull_request(2))
        listing = list_issues(graph, [issue(1).node_id])
        store(graph, self.renamed(NEW))
        store(graph, self.renamed("octo-org/third"))
        for text in (OLD, NEW, "octo-org/third"):
            for part in ("", "#1", "#2", "/issues?state=open"):
                answer = read(graph, at(text + part))
                served_from = f"github:octo-org/third{part}"
                assert (answer.outcome, answer.served_from) == ("hit", served_from), text + part
        assert properties(graph, issue(1).node_id)["repository"] == "octo-org/third"
        assert listings.find(graph, listing.key) is None
        assert edges(graph, "MOVED_TO") == set()

    def test_storing_it_again_under_its_name_changes_nothing(self, graph: Graph) -> None:
        store(graph, repository(), issue(1))
        list_issues(graph, [issue(1).node_id])
        before = graph.query("MATCH (n) RETURN count(n) AS n")
        store(graph, repository())
        assert graph.query("MATCH (n) RETURN count(n) AS n") == before
        assert read(graph, issue(1).address).outcome == "hit"

    def test_a_listing_of_who_had_the_new_name_before_makes_way(self, graph: Graph) -> None:
        store(graph, repository(), issue(1), repository(NEW), issue(7, NEW))
        list_issues(graph, [issue(1).node_id])
        list_issues(graph, [issue(7, NEW).node_id], NEW)
        store(graph, self.renamed(NEW))
        answer = read(graph, at(f"{OLD}/issues?state=open"))
        assert [one["number"] for one in answer.members] == [1]

    def test_a_listing_answers_only_for_the_repository_that_it_lists_from(
        self, graph: Graph
    ) -> None:
        store(graph, repository(), issue(1))
        listing = list_issues(graph, [issue(1).node_id])
        store(graph, repository(node_id="R_successor"))
        assert read(graph, listing).outcome == "miss"
        bugs = at(f"{OLD}/issues?labels=bug&state=open")
        assert read(graph, bugs).outcome == "miss"
        assert holdings.nudges(graph, [listing, bugs], NOW) == []
        list_issues(graph, [])
        assert read(graph, listing).members == []
        rows = graph.query(
            "MATCH (list:Listing)-[:LISTS_FROM]->(r:Resource) WHERE list.key IS NOT NULL "
            "RETURN r.node_id AS id"
        )
        assert [row["id"] for row in rows] == ["R_successor"]

    def test_two_that_swap_names_swap_their_items(self, graph: Graph) -> None:
        store(graph, repository(), issue(1), repository(NEW), issue(1, NEW), issue(2, NEW))
        store(graph, repository(NEW, node_id=f"R_{OLD}"))
        assert read(graph, at(f"{NEW}#1")).resource["node_id"] == issue(1).node_id
        assert read(graph, at(f"{NEW}#2")).outcome == "miss"
        store(graph, repository(OLD, node_id=f"R_{NEW}"))
        found = {
            text: read(graph, at(text)).resource.get("node_id")
            for text in (OLD, NEW, f"{OLD}#1", f"{OLD}#2", f"{NEW}#1")
        }
        assert found == {
            OLD: f"R_{NEW}",
            NEW: f"R_{OLD}",
            f"{OLD}#1": issue(1, NEW).node_id,
            f"{OLD}#2": issue(2, NEW).node_id,
            f"{NEW}#1": issue(1).node_id,
        }

    def test_the_lists_of_whoever_had_the_name_go_with_it(self, graph: Graph) -> None:
        store(graph, repository(), issue(1))
        first = list_issues(graph, [issue(1).node_id])
        store(graph, repository(OLD, node_id="R_other"))
        assert listings.find(graph, first.key) is None
        assert checks.miscounted_listings(graph) == []
        second = list_issues(graph, [])
        store(graph, repository(OLD, node_id="R_third"))
        assert listings.find(graph, second.key) is None

    def test_what_was_transferred_away_is_found_under_the_new_name(self, graph: Graph) -> None:
        store(graph, repository(), issue(1), repository("o/third"), issue(9, "o/third"))
        moves.record(graph, {issue(1).address.key: issue(9, "o/third").node_id})
        store(graph, self.renamed(NEW))
        for text in (f"{OLD}#1", f"{NEW}#1"):
            assert read(graph, at(text)).served_from == "github:o/third#9", text


class TestWithdrawal:
    def world(self, graph: Graph) -> None:
        """Issue 1 with everything an item can have, and two pull requests around it."""
        closing = pull_request(2, closes=(reference(issue(1)),))
        central = issue(
            1,
            body="secret",
            comments=(comment("C_1", "secret"),),
            referenced_by=(reference(closing), reference(pull_request(99))),
        )
        other = pull_request(3, referenced_by=(reference(issue(1)),), comments=(comment("C_3"),))
        store(graph, repository(), closing, central, other)
        list_issues(graph, [issue(1).node_id, other.node_id])

    def test_only_the_tombstone_stays(self, graph: Graph) -> None:
        self.world(graph)
        node_id = issue(1).node_id
        gone = withdrawal.withdraw(graph, [node_id, "N_never"], reason="not_found", now=LATER)
        assert gone == 1
        assert properties(graph, node_id) == {
            "node_id": node_id,
            "address": issue(1).address.key,
            "withdrawn_at": LATER,
            "withdrawn_reason": "not_found",
        }
        assert counts.labelled(graph, "Comment") == 1
        assert edges(graph, "CLOSES") == edges(graph, "REFERENCES") == set()
        assert links.draw_waiting(graph) == 0
        assert counts.resources(graph) == {"Repository": 1, "PullRequest": 2}

    def test_a_listing_is_recounted(self, graph: Graph) -> None:
        self.world(graph)
        withdrawal.withdraw(graph, [issue(1).node_id], reason="not_public", now=LATER)
        listing = listings.find(graph, f"github:{OLD}/issues?state=open") or {}
        assert (listing["member_count"], listing["unbroken_count"]) == (1, 1)
        assert listing["fully_expanded"] is False
        assert checks.miscounted_listings(graph) == []
        answer = read(graph, at(f"{OLD}/issues?state=open").with_limit(1))
        assert [one["number"] for one in answer.members] == [3]

    def test_reads_say_when_and_why(self, graph: Graph) -> None:
        self.world(graph)
        withdrawal.withdraw(graph, [issue(1).node_id], reason="not_public", now=LATER)
        answer = read(graph, issue(1).address)
        assert (answer.outcome, answer.resource) == ("miss", {})
        assert LATER in (answer.note or "")
        assert "no longer public" in (answer.note or "")

    def test_what_comes_back_is_whole_with_its_links(self, graph: Graph) -> None:
        self.world(graph)
        drawn = edges(graph, "CLOSES"), edges(graph, "REFERENCES")
        withdrawal.withdraw(graph, [issue(1).node_id], reason="not_found", now=LATER)
        closing = pull_request(2, closes=(reference(issue(1)),))
        store(graph, issue(1, referenced_by=(reference(closing),)))
        assert (edges(graph, "CLOSES"), edges(graph, "REFERENCES")) == drawn
        assert "withdrawn_at" not in properties(graph, issue(1).node_id)
        assert read(graph, issue(1).address).outcome == "hit"

    def test_a_repository_takes_its_items_along(self, graph: Graph) -> None:
        self.world(graph)
        store(graph, repository("o/third"), issue(9, "o/third"))
        node_id = repository().node_id
        assert withdrawal.withdraw(graph, [node_id], reason="not_public", now=LATER) == 4
        assert withdrawal.withdraw(graph, [node_id], reason="not_found", now=NOW) == 0
        assert counts.resources(graph) == {"Repository": 1, "Issue": 1}
        assert counts.labelled(graph, "Comment") == 0
        answer = read(graph, at(f"{OLD}/issues?state=open"))
        assert answer.outcome == "miss"
        assert "no longer public" in (answer.note or "")
        store(graph, repository(), issue(1))
        assert read(graph, issue(1).address).outcome == "hit"

    def test_what_was_withdrawn_keeps_up_with_a_rename(self, graph: Graph) -> None:
        store(graph, repository(), issue(1))
        withdrawal.withdraw(graph, [issue(1).node_id], reason="not_found", now=LATER)
        store(graph, repository(NEW, node_id=f"R_{OLD}"))
        assert properties(graph, issue(1).node_id) == {
            "node_id": issue(1).node_id,
            "address": f"github:{NEW}#1",
            "withdrawn_at": LATER,
            "withdrawn_reason": "not_found",
        }

    def test_it_takes_along_what_the_item_was_before_its_transfer(self, graph: Graph) -> None:
        store(graph, repository(), issue(1), repository(NEW), issue(5, NEW))
        moves.record(graph, {issue(1).address.key: issue(5, NEW).node_id})
        gone = withdrawal.withdraw(graph, [issue(5, NEW).node_id], reason="not_found", now=LATER)
        assert gone == 2
        assert "body" not in properties(graph, issue(1).node_id)
        assert read(graph, issue(1).address).outcome == "miss"

    def test_nothing_to_withdraw(self, graph: Graph) -> None:
        assert withdrawal.withdraw(graph, [], reason="not_found", now=NOW) == 0
        assert withdrawal.withdraw(graph, ["N_never"], reason="not_found", now=NOW) == 0

    def test_an_emptied_listing_answers_nothing(self, graph: Graph) -> None:
        self.world(graph)
        address = at(f"{OLD}/issues?state=open")
        withdrawal.empty_listing(graph, address.key)
        assert read(graph, address.with_limit(1)).outcome == "miss"
        assert checks.miscounted_listings(graph) == []


class TestBrokenListings:
    def test_a_gap_bounds_what_a_listing_answers(self, graph: Graph) -> None:
        store(graph, repository(), issue(1), issue(2), issue(3))
        ids = [issue(1).node_id, issue(2).node_id, None, issue(3).node_id]
        address = list_issues(graph, ids)
        listing = listings.find(graph, address.key) or {}
        assert (listing["member_count"], listing["unbroken_count"]) == (3, 2)
        assert listing["fully_expanded"] is False
        assert checks.miscounted_listings(graph) == []
        outcomes = [read(graph, address.with_limit(limit)).outcome for limit in (1, 2, 3, None)]
        assert outcomes == ["hit", "hit", "miss", "miss"]
