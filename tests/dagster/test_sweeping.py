"""From a Touch to a materialised partition: the sensor, the runs it asks for, the assets alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from dagster import SkipReason

if TYPE_CHECKING:
    from conftest import Daemon

    from resources_graph_core.memory import Memory

pytestmark = pytest.mark.usefixtures("github")

ASSETS = ("pending_touches", "resources", "listings", "cross_links")
WIDGETS = "octo-org/widgets"
TEN = [f"{WIDGETS}#{number}" for number in range(1, 11)]


def test_ten_touches_are_swept_in_one_run_that_tells_what_it_did(
    memory: Memory, daemon: Daemon
) -> None:
    memory.touch_many(TEN)
    (run,) = daemon.sweep()
    assert run.success
    assert memory.pending().touch_count == 0
    assert memory.read(TEN[0]).outcome == "hit"
    for asset in ASSETS:
        assert daemon.materialised(asset) == {WIDGETS}
    assert daemon.metadata("pending_touches", WIDGETS)["touches"] == 10
    told = daemon.metadata("resources", WIDGETS)
    assert (told["touches"], told["resolved"]) == (10, 10)
    assert told["requests"] >= 1
    assert f"[{WIDGETS}#1](https://github.com/{WIDGETS}/issues/1)" in told["what became of them"]
    assert memory.status().runs[0]["run_id"] == run.run_id
    assert memory.status().runs[0]["kind"] == "dagster"


def test_nothing_new_launches_nothing_and_new_touches_do(memory: Memory, daemon: Daemon) -> None:
    memory.touch(TEN[0])
    daemon.sweep()
    idle = daemon.tick()
    assert not idle.run_requests
    assert isinstance(idle.skip_reason, SkipReason)
    assert idle.skip_reason.skip_message == "nothing is pending"
    memory.touch(TEN[1])
    (run,) = daemon.sweep()
    assert run.success
    assert memory.read(TEN[1]).outcome == "hit"


def test_many_repositories_are_one_run(memory: Memory, daemon: Daemon) -> None:
    memory.touch_many([TEN[0], "octo-org/gadgets#1", "octo-org/nothing#1"])
    (run,) = daemon.sweep()
    assert run.success
    assert daemon.materialised("resources") == {WIDGETS, "octo-org/gadgets", "octo-org/nothing"}
    assert daemon.metadata("resources", "octo-org/nothing")["touches not found"] == 1


def test_a_listing_is_materialised_with_its_members(memory: Memory, daemon: Daemon) -> None:
    memory.touch(f"{WIDGETS}/issues?state=open", limit=5)
    (run,) = daemon.sweep()
    assert run.success
    assert daemon.metadata("listings", WIDGETS)["resolved"] == 1
    assert len(memory.read(f"{WIDGETS}/issues?state=open", limit=5).members) == 5


@pytest.mark.parametrize("asset", ASSETS)
def test_each_asset_can_be_materialised_alone(memory: Memory, daemon: Daemon, asset: str) -> None:
    memory.touch_many([TEN[0], f"{WIDGETS}/issues?state=open"])
    daemon.tick()
    run = daemon.execute("sweep", WIDGETS, assets=[asset])
    assert run.success
    assert {one for one in ASSETS if daemon.materialised(one)} == {asset}
    left = {"resources": 1, "listings": 1}.get(asset, 2)
    assert memory.pending().touch_count == left


def test_the_checks_pass_after_a_sweep_and_fail_on_a_broken_graph(
    memory: Memory, daemon: Daemon
) -> None:
    memory.touch_many([TEN[0], f"{WIDGETS}/issues?state=open"])
    daemon.tick()
    passed = daemon.execute("sweep", WIDGETS).get_asset_check_evaluations()
    assert {one.check_name: one.passed for one in passed} == {
        "no_repository_failed": True,
        "resolved_touches_have_a_target": True,
        "listings_agree_with_their_members": True,
    }
    memory.graph.query("MATCH (:Touch)-[edge:TOUCHED]->() DELETE edge")
    memory.graph.query("MATCH (:Listing)-[edge:HAS_MEMBER]->() DELETE edge")
    broken = daemon.execute("sweep", WIDGETS).get_asset_check_evaluations()
    assert {one.check_name for one in broken if not one.passed} == {
        "resolved_touches_have_a_target",
        "listings_agree_with_their_members",
    }
