"""The checks of a graph, on every engine: nothing to say of a healthy one, and each fault found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.address import Address, Filters
from resources_graph_core.model import Reference
from resources_graph_core.store import (
    checks,
    claims,
    lineage,
    links,
    listings,
    resources,
    runs,
    touches,
)
from resources_graph_core.touch import new_touch
from tests.examples import comment, issue, pull_request, repository

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.graph import Graph
    from resources_graph_core.graph.base import Row

NOW, LATER = "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"
RUN = "cli:test"
LIST = Address.of_listing("octo-org", "widgets", "issues", Filters())

Check = "Callable[[Graph], list[Row]]"
CHECKS: dict[str, Callable[[Graph], list[Row]]] = {
    "not_public": checks.not_public,
    "without_target": checks.resolved_without_target,
    "miscounted": checks.miscounted_listings,
    "dangling": checks.dangling_comments,
    "late": lambda graph: checks.pending_since(graph, NOW),
    "expired": lambda graph: checks.expired_claims(graph, LATER),
    "resources": lambda graph: checks.not_dealt_with(graph, RUN, "resource"),
    "listings": lambda graph: checks.not_dealt_with(graph, RUN, "listing"),
    "unplanned": lambda graph: checks.unplanned(graph, LATER),
    "asymmetric": checks.asymmetric_links,
}


@pytest.fixture(autouse=True)
def _healthy(graph: Graph) -> None:
    """Two items that refer to each other, a Listing, and Touches that were resolved with them."""
    runs.start(graph, RUN, kind="cli", now=NOW)
    first = issue(1, comments=(comment("C_1"),))
    closing = pull_request(2, closes=(Reference(node_id=first.node_id, url=first.url),))
    first = first.model_copy(
        update={"referenced_by": (Reference(node_id=closing.node_id, url=closing.url),)}
    )
    stored = {"fetched_at": NOW, "run_id": RUN}
    resources.store_repositories(graph, [repository()], **stored)
    resources.store_items(graph, [first, closing], **stored)
    links.draw(graph, [first.node_id, closing.node_id])
    listings.store(
        graph,
        LIST,
        [first.node_id],
        repository=LIST.repository.key,
        total_count=1,
        fetched_at=NOW,
    )
    of_item, of_list = touch(graph, first.address), touch(graph, LIST)
    claims.plan(graph, [of_item, of_list], run_id=RUN)
    touches.resolve(graph, {of_item: first.node_id}, run_id=RUN)
    touches.resolve(graph, {of_list: LIST.key}, run_id=RUN, listings=True)


def touch(graph: Graph, address: Address, *, at: str = NOW) -> str:
    made = new_touch(address, session="s1", user="mona", discriminator=at).changed(at=at)
    touches.record(graph, [made])
    return made.touch_id


def found(graph: Graph) -> set[str]:
    return {name for name, check in CHECKS.items() if check(graph)}


def test_a_healthy_graph_has_nothing_to_show(graph: Graph) -> None:
    assert found(graph) == set()


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        ("MATCH (r:Repository) SET r.visibility = 'PRIVATE'", {"not_public"}),
        ("MATCH (r:Repository) SET r.fetched_at = null", {"not_public"}),
        ("MATCH (:Touch)-[edge:TOUCHED]->(:Listing) DELETE edge", {"without_target"}),
        ("MATCH (:Listing)-[edge:HAS_MEMBER]->() DELETE edge", {"miscounted"}),
        ("MATCH ()-[edge:HAS_COMMENT]->() DELETE edge", {"dangling"}),
        ("MATCH ()-[edge:REFERENCES]->() DELETE edge", {"asymmetric"}),
        ("MATCH ()-[edge:CLOSES]->() DELETE edge", {"asymmetric"}),
        ("MATCH (a:Issue), (b:PullRequest) CREATE (a)-[:REFERENCES]->(b)", {"asymmetric"}),
        ("MATCH (p:PullRequest) SET p.closes_ids = []", {"asymmetric"}),
    ],
)
def test_each_fault_of_what_is_stored_is_found(
    graph: Graph, damage: str, expected: set[str]
) -> None:
    graph.query(damage)
    assert found(graph) == expected


@pytest.mark.parametrize(
    ("address", "kind"), [(Address.of_item("o", "r", 1), "resources"), (LIST, "listings")]
)
def test_what_was_planned_and_not_done_is_found(graph: Graph, address: Address, kind: str) -> None:
    waiting = touch(graph, address, at="2026-01-01T00:00:00Z")
    assert found(graph) == {"late", "unplanned"}
    claims.plan(graph, [waiting], run_id=RUN)
    assert found(graph) == {"late", kind}
    touches.set_aside(graph, [touches.SetAside(waiting, "pending", 1, error="502")], run_id=RUN)
    assert found(graph) == {"late"}


def test_a_claim_of_the_dead_is_found(graph: Graph) -> None:
    touch(graph, Address.of_item("o", "r", 1))
    claims.claim(graph, "cli:dead", claims.Scope(), now=NOW, until=NOW, before=NOW, addresses=1)
    assert found(graph) == {"expired"}


class TestLineage:
    def test_of_an_item(self, graph: Graph) -> None:
        key = issue(1).address.key
        told = lineage.of_address(graph, key, key, user="mona")
        assert (told.kind, told.node_id, told.run_id) == ("Issue", issue(1).node_id, RUN)
        assert [(run["run_id"], run["at"]) for run in told.runs] == [(RUN, NOW)]
        assert [(one["session_id"], one["runs"]) for one in told.touches] == [("s1", [RUN])]
        assert told.touches_of_others == 0

    def test_of_a_listing(self, graph: Graph) -> None:
        told = lineage.of_address(graph, LIST.key, LIST.key, user="mona")
        assert told.kind == "Listing"
        assert [run["run_id"] for run in told.runs] == [RUN]

    def test_the_touches_of_others_are_only_counted(self, graph: Graph) -> None:
        key = issue(1).address.key
        told = lineage.of_address(graph, key, key, user="hubot")
        assert (told.touches, told.touches_of_others) == ([], 1)

    def test_of_what_is_not_in_memory(self, graph: Graph) -> None:
        told = lineage.of_address(graph, "github:o/r#9", "github:o/r#9", user="mona")
        assert (told.kind, told.runs, told.touches) == (None, [], [])
