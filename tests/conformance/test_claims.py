"""Claims on every engine: who works on which Touches, and for how long."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from resources_graph_core.address import Address
from resources_graph_core.store import claims, runs, touches
from resources_graph_core.store.claims import HostLimit, Scope
from resources_graph_core.touch import new_touch

if TYPE_CHECKING:
    from resources_graph_core.graph import Graph
    from tests.engines import Engine

NOW, SOON, LATER = "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z", "2026-01-01T01:00:00Z"
RUN = "cli:test"

ACCOUNT = "anonymous at https://api.github.com"


@pytest.fixture(autouse=True)
def _run(graph: Graph) -> None:
    runs.start(graph, RUN, kind="cli", now=NOW)


def touch(graph: Graph, key: str, discriminator: str = "1", *, at: str = NOW) -> str:
    address = Address.from_key(key)
    made = new_touch(address, session="s1", user="mona", discriminator=discriminator)
    touches.record(graph, [made.changed(at=at)])
    return made.touch_id


def claim(
    graph: Graph,
    claimant: str = "a",
    *,
    scope: Scope | None = None,
    now: str = NOW,
    before: str = LATER,
    addresses: int = 10,
) -> list[str]:
    claimed = claims.claim(
        graph,
        claimant,
        scope or Scope(),
        now=now,
        until=SOON if now == NOW else LATER,
        before=before,
        addresses=addresses,
    )
    return [one.touch_id for one in claimed]


def test_what_one_claimed_no_other_gets_until_the_lease_is_over(graph: Graph) -> None:
    wanted = touch(graph, "github:o/r#1")
    assert claim(graph, "a") == [wanted]
    assert claim(graph, "b") == []
    assert claim(graph, "a") == []
    assert touches.pending(graph, NOW) == []
    assert claim(graph, "b", now=LATER) == [wanted]


def test_an_address_is_claimed_with_all_its_touches(graph: Graph) -> None:
    first, second = touch(graph, "github:o/r#1", "1"), touch(graph, "github:o/r#1", "2")
    other = touch(graph, "github:o/r#2", at=SOON)
    assert set(claim(graph, "a", addresses=1)) == {first, second}
    touch(graph, "github:o/r#1", "3")
    assert claim(graph, "b") == [other]


def test_the_longest_waiting_addresses_come_first(graph: Graph) -> None:
    late = touch(graph, "github:o/r#1", at="2025-12-31T00:00:00Z")
    early = touch(graph, "github:o/r#2", at="2025-12-30T00:00:00Z")
    assert claim(graph, addresses=1) == [early]
    assert claim(graph, addresses=1) == [late]


def test_what_came_since_waits_unless_its_clock_is_ahead(graph: Graph) -> None:
    touch(graph, "github:o/r#1", at="2025-12-31T12:00:00Z")
    ahead = touch(graph, "github:o/r#2", at=LATER)
    assert claim(graph, before="2025-12-31T00:00:00Z") == [ahead]


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (Scope(repositories=("github:o/r",)), {0, 1, 2}),
        (Scope(repositories=("github:o/r", "github:o/rr")), {0, 1, 2, 3}),
        (Scope(kinds=("item",)), {1, 3, 4}),
        (Scope(kinds=("repo",)), {0}),
        (Scope(kinds=("listing",)), {2}),
        (Scope(kinds=("repo", "listing"), repositories=("github:o/r",)), {0, 2}),
        (Scope(closed_hosts=("github.com",)), {4}),
        (Scope(closed_hosts=("ghe.corp.com",)), {0, 1, 2, 3}),
    ],
)
def test_a_scope_narrows_it(graph: Graph, scope: Scope, expected: set[int]) -> None:
    keys = [
        "github:o/r",
        "github:o/r#1",
        "github:o/r/issues?labels=%23x&state=open",
        "github:o/rr#1",
        "github:ghe.corp.com/o/r#1",
    ]
    made = [touch(graph, key) for key in keys]
    left = claims.left(graph, "a", scope, now=NOW)
    assert left == len(expected)
    assert set(claim(graph, scope=scope)) == {made[position] for position in expected}


def test_a_claim_is_renewed_and_let_go(graph: Graph) -> None:
    wanted = touch(graph, "github:o/r#1")
    claim(graph)
    assert claims.claimants(graph) == ["a"]
    assert claims.renew(graph, "a", until=LATER) == 1
    assert claim(graph, "b", now=SOON) == []
    claims.release(graph, "a")
    assert claims.claimants(graph) == []
    assert claim(graph, "b") == [wanted]


def test_settled_touches_are_nobodys(graph: Graph) -> None:
    wanted = touch(graph, "github:o/r#1")
    claim(graph)
    touches.set_aside(graph, [touches.SetAside(wanted, "pending", 1, error="502")], run_id=RUN)
    assert claim(graph, "b") == [], "it is tried again by a later Sweep, not by this one"
    touches.set_aside(
        graph, [touches.SetAside(wanted, "unresolved", 1, "not_found", "gone")], run_id=RUN
    )
    (row,) = touches.of_user(graph, "mona")
    assert row.get("claimed_by") is None
    assert row.get("claimed_until") is None


def test_limits_close_hosts_for_an_account_until_their_time(graph: Graph) -> None:
    hosts = {"github.com": "github:o/r#1", "ghe.corp.com": "github:ghe.corp.com/o/r#1"}
    for host, key in hosts.items():
        aside = touches.SetAside(
            touch(graph, key),
            "unresolved",
            0,
            "rate_limited",
            "wait",
            retry_at=LATER,
            limited_account=ACCOUNT if host == "github.com" else None,
        )
        touches.set_aside(graph, [aside], run_id=RUN)
    found = sorted(claims.limits(graph, NOW), key=lambda limit: limit.host)
    assert found == [
        HostLimit("ghe.corp.com", LATER, account=None, touches=1),
        HostLimit("github.com", LATER, account=ACCOUNT, touches=1),
    ]
    assert claims.limits(graph, LATER) == []
    assert claims.left(graph, "a", Scope(), now=NOW) == 2
    claims.reopen(graph, ["ghe.corp.com"])
    assert len(claim(graph)) == 1


def test_claims_at_once_share_the_work(graph: Graph, engine: Engine) -> None:
    made = {touch(graph, f"github:o/r#{number}") for number in range(1, 61)}

    def take(claimant: str) -> list[str]:
        taken: list[str] = []
        with engine.open() as own:
            while some := claim(own, claimant, addresses=7):
                taken += some
        return taken

    with ThreadPoolExecutor(4) as pool:
        taken = [one for some in pool.map(take, "abcd") for one in some]
    assert sorted(taken) == sorted(made)
