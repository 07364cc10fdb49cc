"""What is stored is checked cheaply, and fetched again only when it changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.address import Address
from resources_graph_core.errors import GitHubUnavailable
from resources_graph_core.github import open_source
from resources_graph_core.github.graphql_source import GraphQLSource
from resources_graph_core.github.source import Fetched, Version
from resources_graph_core.store import checks
from resources_graph_core.store.freshness import Stored
from resources_graph_core.sweep.items import is_unchanged

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from resources_graph_core.graph import Row
    from resources_graph_core.memory import Memory
    from resources_graph_core.sandbox import Sandbox
    from resources_graph_core.sweep import SweepEvent, SweepReport

REPOSITORY = "octo-org/widgets"
LISTING = f"{REPOSITORY}/issues?state=open"
WHERE = Address.of_item("octo-org", "widgets", 4)
UPDATED = "2026-01-04T00:00:00Z"


def swept(memory: Memory, sandbox: Sandbox, *addresses: str) -> SweepReport:
    """Touch these again and sweep, counting requests from here."""
    sandbox.requests.clear()
    memory.touch_many(addresses)
    report = memory.sweep()
    assert report.left == 0
    return report


def issue_row(memory: Memory, number: int) -> Row:
    return memory.read(f"{REPOSITORY}#{number}").resource


def age(memory: Memory) -> None:
    """Make everything look as if it was fetched long ago."""
    memory.graph.query("MATCH (r:Resource) SET r.fetched_at = '2026-01-31T00:00:00Z'")


def pull(updated_at: str = UPDATED, *counts: int | None) -> Stored:
    names = ("comment_count", "review_count", "review_thread_count")
    return Stored(WHERE.key, {"updated_at": updated_at, **dict(zip(names, counts, strict=False))})


def repository(stars: int | None, pushed_at: str | None) -> Stored:
    return Stored(WHERE.key, {"updated_at": UPDATED, "stars": stars, "pushed_at": pushed_at})


@pytest.mark.parametrize(
    ("stored", "version"),
    [
        (pull(UPDATED, 1, 2, 3), Version("N", WHERE, UPDATED, 1, 2, 3)),
        (pull(UPDATED, 1), Version("N", WHERE, UPDATED, 1)),
        (repository(5, "now"), Version("N", WHERE, UPDATED, stars=5, pushed_at="now")),
        (repository(0, None), Version("N", WHERE, UPDATED)),
    ],
)
def test_the_same_time_place_and_counts_mean_unchanged(stored: Stored, version: Version) -> None:
    assert is_unchanged(stored, version)


@pytest.mark.parametrize(
    ("stored", "version"),
    [
        (pull(UPDATED, 1, 2, 3), Version("N", WHERE, "later", 1, 2, 3)),
        (pull(UPDATED, 1, 2, 3), Version("N", WHERE, UPDATED, 0, 2, 3)),
        (pull(UPDATED, 1, 2, 3), Version("N", WHERE, UPDATED, 1, 1, 3)),
        (pull(UPDATED, 1, 2, 3), Version("N", WHERE, UPDATED, 1, 2, 4)),
        (pull(UPDATED, 1, None, None), Version("N", WHERE, UPDATED, 1)),
        (pull(UPDATED, None), Version("N", WHERE, UPDATED)),
        (repository(5, "now"), Version("N", WHERE, UPDATED, stars=6, pushed_at="now")),
        (repository(5, "now"), Version("N", WHERE, UPDATED, stars=5, pushed_at="later")),
        (repository(None, None), Version("N", WHERE, UPDATED)),
        (Stored("github:o/r#1", {"updated_at": UPDATED}), Version("N", WHERE, UPDATED, 1)),
        (Stored(None, {"updated_at": UPDATED}), Version("N", WHERE, UPDATED, 1)),
        (pull(UPDATED, 1), None),
    ],
)
def test_any_difference_means_changed(stored: Stored, version: Version | None) -> None:
    assert not is_unchanged(stored, version)


def test_unchanged_items_cost_one_request_together(memory: Memory, sandbox: Sandbox) -> None:
    addresses = [REPOSITORY, *(f"{REPOSITORY}#{number}" for number in (1, 2, 3, 4))]
    swept(memory, sandbox, *addresses)
    age(memory)
    before = [issue_row(memory, number) for number in (1, 2, 3, 4)]
    report = swept(memory, sandbox, *addresses)
    assert (report.checked, report.unchanged, report.fetched, report.resolved) == (5, 5, 0, 5)
    assert sandbox.requests.total == report.requests == 1
    for number, row in zip((1, 2, 3, 4), before, strict=True):
        now = issue_row(memory, number)
        assert now["fetched_at"] > row["fetched_at"]
        assert {**now, "fetched_at": None} == {**row, "fetched_at": None}
    lineage = memory.graph.query(
        "MATCH (:Issue {number: 1})-[f:FETCHED_BY]->(r:SweepRun {run_id: $id}) RETURN f.at AS at",
        id=report.run_id,
    )
    assert lineage == [{"at": issue_row(memory, 1)["fetched_at"]}]


def test_only_what_changed_is_fetched_again(memory: Memory, sandbox: Sandbox) -> None:
    addresses = [f"{REPOSITORY}#{number}" for number in (1, 2, 3, 4)]
    swept(memory, sandbox, *addresses)
    sandbox.state.edit_item(REPOSITORY, 2, title="Changed")
    # Deleting a comment does not move GitHub's updatedAt: the count tells.
    first = memory.read(f"{REPOSITORY}#1").comments[0]
    sandbox.state.delete_comment(REPOSITORY, 1, first["node_id"])
    report = swept(memory, sandbox, *addresses)
    assert (report.checked, report.unchanged, report.fetched) == (4, 2, 2)
    assert issue_row(memory, 2)["title"] == "Changed"
    assert len(memory.read(f"{REPOSITORY}#1").comments) == 2


def test_content_without_counts_is_fetched_again(memory: Memory, sandbox: Sandbox) -> None:
    swept(memory, sandbox, f"{REPOSITORY}#4")
    memory.graph.query("MATCH (p:PullRequest) SET p.review_count = null")
    report = swept(memory, sandbox, f"{REPOSITORY}#4")
    assert (report.unchanged, report.fetched) == (0, 1)
    assert swept(memory, sandbox, f"{REPOSITORY}#4").unchanged == 1


def test_each_address_is_told_once_whatever_became_of_it(memory: Memory, sandbox: Sandbox) -> None:
    swept(memory, sandbox, f"{REPOSITORY}#1", f"{REPOSITORY}#2")
    sandbox.state.edit_item(REPOSITORY, 2, title="Changed")
    told: list[SweepEvent] = []
    memory.touch_many([f"{REPOSITORY}#1", f"{REPOSITORY}#1", f"{REPOSITORY}#2"])
    memory.sweep(on_event=told.append)
    assert [(event.kind, str(event.address), event.touches) for event in told] == [
        ("in_memory", f"{REPOSITORY}#1", 2),
        ("fetched", f"{REPOSITORY}#2", 1),
    ]


def test_a_limit_during_the_check_keeps_what_is_stored(memory: Memory, sandbox: Sandbox) -> None:
    swept(memory, sandbox, f"{REPOSITORY}#1", f"{REPOSITORY}#2")
    sandbox.faults.points_left(0, api="graphql")
    memory.touch_many([f"{REPOSITORY}#1", f"{REPOSITORY}#2"])
    report = memory.sweep()
    assert (report.resolved, report.unresolved, report.left) == (0, {"rate_limited": 1}, 2)
    assert memory.read(f"{REPOSITORY}#1").outcome == "hit"


class TestListings:
    def test_unchanged_members_are_not_fetched_again(
        self, memory: Memory, sandbox: Sandbox
    ) -> None:
        assert swept(memory, sandbox, LISTING).fetched == 3  # two members, their repository
        age(memory)
        report = swept(memory, sandbox, LISTING)
        assert (report.checked, report.unchanged, report.fetched) == (2, 2, 0)
        assert sandbox.requests.total == 1
        members = memory.read(LISTING).members
        assert [one["number"] for one in members] == [2, 1]
        assert all(one["fetched_at"] > "2026-01-31T00:00:00Z" for one in members)

    def test_new_and_changed_members_are(self, memory: Memory, sandbox: Sandbox) -> None:
        swept(memory, sandbox, LISTING)
        sandbox.state.edit_item(REPOSITORY, 3, state="OPEN")
        sandbox.state.edit_item(REPOSITORY, 1, title="Changed")
        sandbox.state.close_item(REPOSITORY, 2)
        report = swept(memory, sandbox, LISTING)
        assert (report.checked, report.unchanged, report.fetched) == (1, 0, 2)
        members = memory.read(LISTING).members
        assert [(one["number"], one["title"]) for one in members] == [
            (3, "Number 3"),
            (1, "Changed"),
        ]
        # What left the Listing stays as it was seen.
        assert memory.read(f"{REPOSITORY}#2").outcome == "hit"

    def test_the_widest_of_several_limits_answers_all(
        self, memory: Memory, sandbox: Sandbox
    ) -> None:
        for limit in (1, 30, 2):
            memory.touch(LISTING, limit=limit)
        sandbox.requests.clear()
        report = memory.sweep()
        assert (report.resolved, sandbox.requests.by_name["ListIndex"]) == (3, 1)
        assert memory.read(LISTING).outcome == "hit"

    def test_whoever_asks_for_a_few_does_not_make_the_others_forgotten(
        self, memory: Memory, sandbox: Sandbox
    ) -> None:
        everything = f"{REPOSITORY}/issues?state=all"
        swept(memory, sandbox, everything)
        sandbox.state.edit_item(REPOSITORY, 1, title="Changed")
        memory.touch(everything, limit=1)
        assert memory.sweep().resolved == 1
        found = memory.read(everything)
        assert found.outcome == "hit"
        assert "Changed" in {one["title"] for one in found.members}
        narrow = f"{REPOSITORY}/issues?state=open"
        for limit in (2, 1):
            memory.touch(narrow, limit=limit)
            memory.sweep()
        assert memory.read(narrow, limit=2).outcome == "hit"

    def test_what_was_only_mentioned_is_answered_from_memory(
        self, memory: Memory, sandbox: Sandbox
    ) -> None:
        swept(memory, sandbox, LISTING)
        sandbox.requests.clear()
        memory.touch(LISTING, provenance="PROMPTED")
        assert memory.sweep().resolved == 1
        assert sandbox.requests.total == 0

    @pytest.mark.parametrize(
        ("stored", "mentioned"),
        [
            (["issues?state=open"], "issues?labels=bug&state=open"),
            (["issues?state=open", "issues?state=closed"], "issues?state=all"),
        ],
    )
    def test_what_was_only_mentioned_is_answered_by_wider_lists(
        self, memory: Memory, sandbox: Sandbox, stored: list[str], mentioned: str
    ) -> None:
        swept(memory, sandbox, *(f"{REPOSITORY}/{text}" for text in stored))
        sandbox.requests.clear()
        memory.touch(f"{REPOSITORY}/{mentioned}", provenance="PROMPTED")
        events: list[SweepEvent] = []
        assert memory.sweep(on_event=events.append).resolved == 1
        assert sandbox.requests.total == 0
        keys = "+".join(f"github:{REPOSITORY}/{text}" for text in stored)
        assert [event.detail for event in events] == [f"part of {keys}"]
        assert memory.read(f"{REPOSITORY}/{mentioned}").outcome == "subsumed"

    def test_what_was_only_mentioned_comes_after_what_was_fetched(
        self, memory: Memory, sandbox: Sandbox
    ) -> None:
        memory.touch(f"{REPOSITORY}/issues?labels=bug&state=open", provenance="PROMPTED")
        memory.touch(LISTING, limit=30)
        sandbox.requests.clear()
        assert memory.sweep().resolved == 2
        assert sandbox.requests.by_name["ListIndex"] == 1

    def test_what_was_fetched_is_fetched_whatever_wider_lists_say(
        self, memory: Memory, sandbox: Sandbox
    ) -> None:
        swept(memory, sandbox, LISTING)
        swept(memory, sandbox, f"{REPOSITORY}/issues?labels=bug&state=open")
        assert sandbox.requests.by_name["ListIndex"] == 1

    def test_a_member_that_cannot_be_had_leaves_a_gap(
        self, memory: Memory, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fetch = GraphQLSource.fetch

        def all_but_the_second(
            source: GraphQLSource, addresses: Sequence[Address]
        ) -> Iterator[Fetched]:
            for fetched in fetch(source, addresses):
                if fetched.address.number == 2:
                    error = GitHubUnavailable("GitHub cannot give it")
                    yield Fetched(fetched.address, reason="failed", error=error)
                else:
                    yield fetched

        monkeypatch.setattr(GraphQLSource, "fetch", all_but_the_second)
        everything = f"{REPOSITORY}/issues?state=all"
        report = swept(memory, sandbox, everything)
        assert (report.resolved, report.unresolved) == (1, {})
        answers = {limit: memory.read(everything, limit=limit) for limit in (1, 2, 3)}
        assert {limit: one.outcome for limit, one in answers.items()} == {
            1: "hit",
            2: "miss",
            3: "miss",
        }
        listing = answers[1].resource
        counts = (listing["member_count"], listing["total_count"], listing["fully_expanded"])
        assert counts == (2, 3, False)
        assert checks.miscounted_listings(memory.graph) == []
        monkeypatch.undo()
        assert swept(memory, sandbox, everything).fetched == 1
        assert len(memory.read(everything).members) == 3


def test_without_a_token_issues_are_checked_too(memory: Memory, sandbox: Sandbox) -> None:
    for expected in ((0, 0), (2, 1)):  # what REST cannot tell of pull requests is fetched
        memory.touch_many([f"{REPOSITORY}#1", f"{REPOSITORY}#4"])
        with open_source(sandbox.url) as source, memory.sweeper(source) as sweep:
            report = sweep.run()
        assert report.left == 0
        assert (report.checked, report.unchanged) == expected
