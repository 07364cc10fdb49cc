"""Every store statement on every engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core import Address, Filters
from resources_graph_core.errors import GraphQueryError
from resources_graph_core.store import counts, links, listings, resources, runs, touches, withdrawal
from resources_graph_core.touch import Touch, new_cache_read, new_touch
from tests.examples import comment, issue, pull_request, reference, repository

if TYPE_CHECKING:
    from resources_graph_core.graph import Graph

NOW = "2026-03-04T05:06:07Z"
LATER = "2026-03-04T06:00:00Z"
RUN = "cli:test"


@pytest.fixture(autouse=True)
def _run(graph: Graph) -> None:
    runs.start(graph, RUN, kind="cli", now=NOW)


def touch_of(key: str, discriminator: str = "call-1", session: str = "s1") -> Touch:
    return new_touch(
        Address.from_key(key), session=session, user="mona", discriminator=discriminator
    )


def store(graph: Graph, *contents: object) -> None:
    repositories = [one for one in contents if type(one).__name__ == "Repository"]
    items = [one for one in contents if type(one).__name__ != "Repository"]
    for one in repositories:
        resources.store_repositories(graph, [one], fetched_at=NOW, run_id=RUN)
    if items:
        assert resources.store_items(graph, items, fetched_at=NOW, run_id=RUN) == len(items)


def edges(graph: Graph, relationship: str) -> set[tuple[str, str]]:
    rows = graph.query(
        f"MATCH (a:Resource)-[:{relationship}]->(b:Resource) RETURN a.address AS a, b.address AS b"
    )
    return {(row["a"], row["b"]) for row in rows}


class TestTouches:
    def test_a_redelivered_touch_is_written_once(self, graph: Graph) -> None:
        touch = touch_of("github:o/r#1")
        assert touches.record(graph, [touch, touch]) == [touch.touch_id] * 2
        touches.record(graph, [touch])
        (row,) = touches.of_user(graph, "mona")
        assert row["address"] == "github:o/r#1"
        assert row["session_id"] == "s1"
        assert row["status"] == "pending"
        assert row["served_from_memory"] is False

    def test_a_redelivery_does_not_make_a_resolved_touch_pending(self, graph: Graph) -> None:
        touch = touch_of("github:octo-org/widgets")
        touches.record(graph, [touch])
        store(graph, repository())
        node = repository().node_id
        assert touches.resolve(graph, {touch.touch_id: node}, run_id=RUN) == 1
        touches.record(graph, [touch])
        assert touches.pending(graph, NOW) == []
        (row,) = graph.query(
            "MATCH (r:Resource)<-[:TOUCHED]-(t:Touch)-[:SWEPT_BY]->(s:SweepRun) "
            "RETURN r.node_id AS node_id, t.status AS status, s.run_id AS run_id"
        )
        assert row == {"node_id": node, "status": "resolved", "run_id": RUN}

    def test_touches_are_private_to_their_user(self, graph: Graph) -> None:
        touches.record(graph, [touch_of("github:o/r#1")])
        assert touches.of_user(graph, "somebody-else") == []
        assert touches.of_user(graph, "mona", session="another") == []
        assert len(touches.of_user(graph, "mona", session="s1")) == 1

    def test_pending_comes_oldest_first_with_its_limit(self, graph: Graph) -> None:
        address = Address.of_listing("o", "r", "issues", Filters(), limit=30)
        first = new_touch(address, session="s1", user="mona", discriminator="1")
        touches.record(graph, [first, touch_of("github:o/r#1", "2")])
        found = {touch.address: touch for touch in touches.pending(graph, NOW)}
        assert set(found) == {address.key, "github:o/r#1"}
        assert found[address.key].limit == 30
        assert found[address.key].attempts == 0

    def test_a_rate_limited_touch_comes_back_at_its_time_and_not_before(self, graph: Graph) -> None:
        touch = touch_of("github:o/r#1")
        touches.record(graph, [touch])
        aside = touches.SetAside(
            touch.touch_id, "unresolved", 0, "rate_limited", "wait", retry_at=LATER
        )
        touches.set_aside(graph, [aside], run_id=RUN)
        assert touches.pending(graph, NOW) == []
        assert [one.touch_id for one in touches.pending(graph, LATER)] == [touch.touch_id]

    def test_a_touch_that_is_tried_again_keeps_its_attempts_and_error(self, graph: Graph) -> None:
        touch = touch_of("github:o/r#1")
        touches.record(graph, [touch])
        aside = touches.SetAside(touch.touch_id, "pending", 2, error="502")
        touches.set_aside(graph, [aside], run_id=RUN)
        (again,) = touches.pending(graph, NOW)
        assert (again.attempts, again.error) == (2, "502")

    def test_what_one_sweep_resolved_no_other_sets_aside(self, graph: Graph) -> None:
        touch = touch_of("github:octo-org/widgets")
        touches.record(graph, [touch])
        store(graph, repository())
        touches.resolve(graph, {touch.touch_id: repository().node_id}, run_id=RUN)
        aside = touches.SetAside(touch.touch_id, "unresolved", 0, "rate_limited", "wait")
        touches.set_aside(graph, [aside], run_id=RUN)
        (row,) = touches.of_user(graph, "mona")
        assert (row["status"], row.get("reason")) == ("resolved", None)

    def test_a_cache_read_points_at_what_served_it_and_is_never_pending(self, graph: Graph) -> None:
        store(graph, repository())
        address = Address.from_key("github:octo-org/widgets")
        read = new_cache_read(
            address,
            "hit",
            session="s1",
            user="mona",
            discriminator="1",
            served_from=address.key,
        )
        touches.record(graph, [read])
        assert touches.pending(graph, LATER) == []
        rows = graph.query("MATCH (t:Touch)-[:TOUCHED]->(r:Resource) RETURN t.outcome AS outcome")
        assert rows == [{"outcome": "hit"}]

    def test_a_cache_read_of_two_listings_points_at_both(self, graph: Graph) -> None:
        store(graph, repository())
        whole = Address.from_key("github:octo-org/widgets/issues?state=all")
        halves = [whole.key.replace("all", state) for state in ("open", "closed")]
        for key in halves:
            listings.store(
                graph,
                Address.from_key(key),
                [],
                repository="github:octo-org/widgets",
                total_count=0,
                fetched_at=NOW,
            )
        read = new_cache_read(
            whole,
            "subsumed",
            session="s1",
            user="mona",
            discriminator="1",
            served_from="+".join(halves),
        )
        touches.record(graph, [read])
        rows = graph.query("MATCH (:Touch)-[:TOUCHED]->(list:Listing) RETURN list.key AS key")
        assert sorted(row["key"] for row in rows) == sorted(halves)

    def test_a_touch_is_not_resolved_with_what_was_withdrawn_meanwhile(self, graph: Graph) -> None:
        touch = touch_of("github:octo-org/widgets")
        touches.record(graph, [touch])
        store(graph, repository())
        node_id = repository().node_id
        withdrawal.withdraw(graph, [node_id], reason="not_public", now=LATER)
        assert touches.resolve(graph, {touch.touch_id: node_id}, run_id=RUN) == 0
        (row,) = touches.of_user(graph, "mona")
        assert row["status"] == "pending"

    def test_why_an_address_came_to_nothing_is_told_to_who_asked(self, graph: Graph) -> None:
        touch = touch_of("github:o/r#1")
        touches.record(graph, [touch])
        assert touches.unresolved_reason(graph, "mona", touch.address) is None
        gone = touches.SetAside(touch.touch_id, "unresolved", 1, reason="not_found")
        touches.set_aside(graph, [gone], run_id=RUN)
        assert touches.unresolved_reason(graph, "mona", touch.address) == "not_found"
        assert touches.unresolved_reason(graph, "hubot", touch.address) is None
        later = touch_of("github:o/r#1", "call-2").changed(at="2099-01-01T00:00:00Z")
        touches.record(graph, [later])
        assert touches.unresolved_reason(graph, "mona", touch.address) is None

    def test_forgetting_a_session_is_for_good_and_leaves_the_rest(self, graph: Graph) -> None:
        mine, other = touch_of("github:o/r#1"), touch_of("github:o/r#1", session="s2")
        touches.record(graph, [mine, other])
        assert touches.forget(graph, "s1", NOW) == 1
        assert touches.forget(graph, "s1", NOW) == 0
        assert touches.is_forgotten(graph, "s1")
        assert not touches.is_forgotten(graph, "s2")
        assert touches.record(graph, [touch_of("github:o/r#2", "late")]) != []
        assert [row["session_id"] for row in touches.of_user(graph, "mona")] == ["s2"]

    @pytest.mark.parametrize("name", ["", " ", " s", "s\n", "\x00", "a\x01b", "x" * 5000])
    def test_no_session_or_user_is_too_odd(self, graph: Graph, name: str) -> None:
        """FalkorDB dies of such unique keys when they reach it as they are."""
        address = Address.from_key("github:o/r#1")
        touch = new_touch(address, session=name, user=name, discriminator="1")
        touches.record(graph, [touch, touch])
        (row,) = touches.of_user(graph, name, session=name)
        assert row["touch_id"] == touch.touch_id
        assert touches.forget(graph, name, NOW) == 1
        assert touches.is_forgotten(graph, name)
        touches.record(graph, [touch])
        assert touches.of_user(graph, name) == []


class TestResources:
    @pytest.mark.parametrize("node_id", ["", " I_1", "x" * 5000])
    def test_an_id_that_would_end_the_engine_is_refused(self, graph: Graph, node_id: str) -> None:
        store(graph, repository())
        odd = issue(1).model_copy(update={"node_id": node_id})
        commented = issue(2, comments=(comment("1").model_copy(update={"node_id": node_id}),))
        for item in (odd, commented):
            with pytest.raises(GraphQueryError, match="cannot be a key"):
                store(graph, item)

    def test_an_item_comes_back_as_it_went_in(self, graph: Graph) -> None:
        body = "Quotes \" ' ` \\ and $names, `code`,\r\n\ttabs, ünïcödé, 🦊, <!-- hidden -->"
        item = issue(
            1,
            body=body,
            labels=("bug", "area: db,cache"),
            milestone="One",
            milestone_number=1,
            comments=(
                comment("C_3", "third", created_at=NOW),
                comment("C_2", body),
                comment("C_1", "2"),
            ),
        )
        store(graph, repository(), item)
        kind, row = resources.find(graph, item.address.key) or ("", {})
        assert kind == "Issue"
        assert row["body"] == body
        assert row["labels"] == ["bug", "area: db,cache"]
        assert row["assignees"] == []
        assert row["fetched_at"] == NOW
        assert row.get("closed_at") is None
        assert [one["body"] for one in resources.comments(graph, item.node_id)] == [
            body,
            "2",
            "third",
        ]
        assert graph.query(
            "MATCH (:Repository)-[:HAS_ISSUE]->(i:Issue)-[f:FETCHED_BY]->(r:SweepRun) "
            "RETURN i.number AS number, f.at AS at, r.run_id AS run_id"
        ) == [{"number": 1, "at": NOW, "run_id": RUN}]

    def test_a_refetch_replaces_content_and_comments(self, graph: Graph) -> None:
        first = issue(1, milestone="One", comments=(comment("C_1"), comment("C_2")))
        store(graph, repository(), first)
        store(graph, issue(1, title="New", comments=(comment("C_2", "edited"), comment("C_3"))))
        _, row = resources.find(graph, first.address.key) or ("", {})
        assert row["title"] == "New"
        assert row.get("milestone") is None
        found = resources.comments(graph, first.node_id)
        assert {one["node_id"]: one["body"] for one in found} == {"C_2": "edited", "C_3": ""}
        assert counts.labelled(graph, "Comment") == 2

    def test_an_item_without_its_repository_is_not_stored(self, graph: Graph) -> None:
        assert resources.store_items(graph, [issue(1)], fetched_at=NOW, run_id=RUN) == 0
        assert counts.resources(graph) == {}

    def test_an_item_of_a_repository_withdrawn_meanwhile_is_not_stored(self, graph: Graph) -> None:
        store(graph, repository())
        withdrawal.withdraw(graph, [repository().node_id], reason="not_public", now=LATER)
        assert resources.store_items(graph, [issue(1)], fetched_at=LATER, run_id=RUN) == 0
        assert resources.find(graph, "github:octo-org/widgets#1") is None

    def test_an_address_names_one_resource(self, graph: Graph) -> None:
        store(graph, repository(), issue(1))
        store(graph, issue(1, node_id="N_new"))
        key = issue(1).address.key
        assert resources.at_addresses(graph, [key]) == {key: "N_new"}
        assert set(resources.addresses_of(graph, [issue(1).node_id, "N_new", "N_never"])) == {
            issue(1).node_id,
            "N_new",
        }

    def test_an_item_given_twice_is_stored_once_as_it_came_last(self, graph: Graph) -> None:
        store(graph, repository(), repository(description="last"))
        resources.store_items(graph, [issue(1), issue(1, title="last")], fetched_at=NOW, run_id=RUN)
        assert counts.resources(graph) == {"Repository": 1, "Issue": 1}
        assert (resources.find(graph, issue(1).address.key) or ("", {}))[1]["title"] == "last"
        found = resources.find(graph, repository().address.key) or ("", {})
        assert found[1]["description"] == "last"

    def test_ids_of_another_host_are_kept_apart(self, graph: Graph) -> None:
        here, there = repository(), repository(host="ghe.corp.com")
        store(graph, here, there)
        assert resources.at_addresses(graph, [here.address.key, there.address.key]) == {
            "github:octo-org/widgets": here.node_id,
            "github:ghe.corp.com/octo-org/widgets": f"ghe.corp.com|{here.node_id}",
        }

    def test_many_at_once(self, graph: Graph) -> None:
        store(
            graph, repository(), *(issue(n, comments=(comment(f"C_{n}"),)) for n in range(1, 301))
        )
        assert counts.resources(graph) == {"Repository": 1, "Issue": 300}
        assert counts.labelled(graph, "Comment") == 300


class TestLinks:
    @pytest.mark.parametrize("order", ["source first", "target first", "together"])
    def test_edges_appear_whichever_end_came_first(self, graph: Graph, order: str) -> None:
        pull = pull_request(2, closes=(reference(issue(1)),))
        target = issue(1, referenced_by=(reference(pull),))
        batches = {
            "source first": [[pull], [target]],
            "target first": [[target], [pull]],
            "together": [[pull, target]],
        }[order]
        store(graph, repository())
        for batch in batches:
            store(graph, *batch)
            links.draw(graph, [item.node_id for item in batch])
        assert edges(graph, "CLOSES") == {(pull.address.key, target.address.key)}
        assert edges(graph, "REFERENCES") == {(pull.address.key, target.address.key)}
        assert counts.labelled(graph, "Mention") == 0

    def test_what_is_not_in_memory_stays_a_mention_and_a_url(self, graph: Graph) -> None:
        pull = pull_request(2, closes=(reference(issue(1)),))
        store(graph, repository(), pull)
        assert links.draw(graph, [pull.node_id]) == 0
        assert counts.labelled(graph, "Mention") == 1
        _, row = resources.find(graph, pull.address.key) or ("", {})
        assert row["closes_urls"] == [issue(1).url]
        assert counts.resources(graph) == {"Repository": 1, "PullRequest": 1}

    def test_a_reference_that_is_gone_takes_its_edge_along(self, graph: Graph) -> None:
        pull = pull_request(2, closes=(reference(issue(1)),))
        store(graph, repository(), pull, issue(1, referenced_by=(reference(pull),)))
        links.draw_waiting(graph)
        store(graph, pull_request(2), issue(1))
        assert edges(graph, "CLOSES") == set()
        assert edges(graph, "REFERENCES") == set()
        _, row = resources.find(graph, pull.address.key) or ("", {})
        assert row["closes_ids"] == []

    def test_what_a_crash_left_open_is_drawn_later(self, graph: Graph) -> None:
        pull = pull_request(2, closes=(reference(issue(1)),))
        store(graph, repository(), pull, issue(1))
        assert edges(graph, "CLOSES") == set()
        assert links.draw_waiting(graph) == 1
        assert edges(graph, "CLOSES") == {(pull.address.key, issue(1).address.key)}


class TestListings:
    ADDRESS = Address.of_listing("octo-org", "widgets", "issues", limit=30)

    def stored(self, graph: Graph, numbers: list[int], total: int) -> None:
        store(graph, repository(), *(issue(number) for number in numbers))
        listings.store(
            graph,
            self.ADDRESS,
            [issue(number).node_id for number in numbers],
            repository=self.ADDRESS.repository.key,
            total_count=total,
            fetched_at=NOW,
        )

    def test_members_keep_githubs_order(self, graph: Graph) -> None:
        self.stored(graph, [7, 3, 5], 9)
        listing = listings.find(graph, self.ADDRESS.key) or {}
        assert (listing["member_count"], listing["total_count"]) == (3, 9)
        assert listing["fully_expanded"] is False
        assert listing["scope"] == "github:octo-org/widgets/issues"
        found = listings.members(graph, self.ADDRESS.key, limit=2)
        assert [member["number"] for member in found] == [7, 3]

    def test_brief_members_have_what_an_index_shows_and_no_texts(self, graph: Graph) -> None:
        self.stored(graph, [7, 3, 5], 3)
        store(graph, *(issue(number, labels=("Bug", "old")) for number in (7, 3, 5)))
        narrower = Address.from_key(f"{self.ADDRESS.scope}?labels=bug&state=open")
        whole = [
            listings.whole(graph, self.ADDRESS.key, limit=None),
            listings.filtered(graph, [self.ADDRESS.key], narrower),
        ]
        brief = [
            listings.whole(graph, self.ADDRESS.key, limit=None, brief=True),
            listings.filtered(graph, [self.ADDRESS.key], narrower, brief=True),
        ]
        for found, short in zip(whole, brief, strict=True):
            assert found is not None
            assert short is not None
            assert short.facts == found.facts
            assert [one["number"] for one in short.members] == [7, 3, 5]
            for member, some in zip(found.members, short.members, strict=True):
                assert "body" in member
                assert "body" not in some
                told = {name: value for name, value in some.items() if value is not None}
                assert told.items() <= member.items()
                assert told.keys() >= {"title", "state", "labels", "updated_at", "comment_count"}
        self.stored(graph, [], 0)
        empty = listings.whole(graph, self.ADDRESS.key, limit=None, brief=True)
        assert empty is not None
        assert empty.members == []

    def test_a_refetch_replaces_the_members(self, graph: Graph) -> None:
        self.stored(graph, [7, 3, 5], 3)
        self.stored(graph, [8, 7], 2)
        found = listings.members(graph, self.ADDRESS.key, limit=30)
        assert [member["number"] for member in found] == [8, 7]
        self.stored(graph, [], 0)
        assert listings.members(graph, self.ADDRESS.key, limit=30) == []
        assert (listings.find(graph, self.ADDRESS.key) or {})["fully_expanded"] is True
        assert counts.resources(graph)["Issue"] == 4


class TestRuns:
    def test_a_run_adds_up_over_its_steps(self, graph: Graph) -> None:
        runs.end(graph, RUN, now=NOW, requests=3, points=2, error=None)
        runs.start(graph, RUN, kind="other", now=LATER)
        runs.end(graph, RUN, now=LATER, requests=4, points=1, error="it broke")
        (run,) = runs.latest(graph)
        assert (run["kind"], run["started_at"], run["ended_at"]) == ("cli", NOW, LATER)
        assert (run["requests"], run["points"], run["error"]) == (7, 3, "it broke")


def test_touches_are_counted_by_state(graph: Graph) -> None:
    first, second = touch_of("github:o/r#1"), touch_of("github:o/r#2")
    touches.record(graph, [first, second])
    aside = touches.SetAside(second.touch_id, "unresolved", 0, "not_found", "no such thing")
    touches.set_aside(graph, [aside], run_id=RUN)
    assert counts.touches(graph) == {"pending": 1, "unresolved: not_found": 1}
