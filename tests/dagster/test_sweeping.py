"""From a Touch to a materialised partition: the sensor, the runs it asks for, the assets alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from dagster import AssetSelection, Definitions, SkipReason, define_asset_job

from resources_graph_core.address import Address
from resources_graph_core.spool import Spool
from resources_graph_core.touch import new_touch
from resources_graph_dagster.assets import SWEEP_ASSETS
from resources_graph_dagster.checks import RULES, SWEEP_CHECKS
from resources_graph_dagster.definitions import defs

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Daemon

    from resources_graph_core.memory import Memory
    from resources_graph_core.sandbox import Sandbox

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
    assert {one.check_name for one in passed} == {rule.name for rule in RULES} | {
        "no_repository_failed"
    }
    assert all(one.passed for one in passed)
    memory.graph.query("MATCH (:Touch)-[edge:TOUCHED]->() DELETE edge")
    memory.graph.query("MATCH (:Listing)-[edge:HAS_MEMBER]->() DELETE edge")
    broken = daemon.execute("sweep", WIDGETS).get_asset_check_evaluations()
    assert {one.check_name for one in broken if not one.passed} == {
        "resolved_touches_have_a_target",
        "listings_agree_with_their_members",
    }


class TestWithoutItsEffectAnAssetFailsItsOwnCheck:
    """Each asset does the work: where it did not, its check says so, and doing it mends that."""

    def test_pending_touches(self, memory: Memory, daemon: Daemon, home: Path) -> None:
        address = Address.from_key(f"github:{TEN[0]}")
        home.mkdir()
        assert Spool(home).append(
            [new_touch(address, session="s1", user=memory.settings.user, discriminator="1")]
        )
        assert check(daemon, "the_spool_is_empty") is False
        daemon.instance.add_dynamic_partitions("repository", [WIDGETS])
        daemon.execute("sweep", WIDGETS, assets=["pending_touches"])
        assert check(daemon, "the_spool_is_empty") is True
        assert memory.pending().touch_count == 1

    @pytest.mark.parametrize(
        ("asset", "address", "name"),
        [
            ("resources", TEN[0], "planned_items_were_dealt_with"),
            ("listings", f"{WIDGETS}/issues?state=open", "planned_listings_were_dealt_with"),
        ],
    )
    def test_what_fetches(
        self, memory: Memory, daemon: Daemon, asset: str, address: str, name: str
    ) -> None:
        memory.touch(address)
        daemon.tick()
        daemon.execute("sweep", WIDGETS, assets=["pending_touches"])
        assert check(daemon, name) is False
        daemon.execute("sweep", WIDGETS, assets=[asset])
        assert check(daemon, name) is True

    def test_cross_links(self, memory: Memory, daemon: Daemon) -> None:
        memory.touch_many(TEN[:2])
        daemon.sweep()
        one, other = (f"I_{WIDGETS}_{number}" for number in (1, 2))
        memory.graph.query(
            "MATCH (item:Resource {node_id: $one}) "
            "SET item.referenced_by_ids = [$other], item.awaiting = 'links' "
            "MERGE (mention:Mention {key: $other}) "
            "MERGE (item)-[:MENTIONS {kind: 'REFERENCED_BY'}]->(mention)",
            one=one,
            other=other,
        )
        assert check(daemon, "links_agree_with_references") is False
        daemon.execute("sweep", WIDGETS, assets=["cross_links"])
        assert check(daemon, "links_agree_with_references") is True


def test_a_plan_is_kept_and_what_came_later_waits(memory: Memory, daemon: Daemon) -> None:
    memory.touch(TEN[0])
    daemon.tick()
    run = daemon.execute("sweep", WIDGETS, assets=["pending_touches"])
    (touch,) = memory.touches()
    assert touch["planned_by"] == run.run_id
    told = daemon.metadata("pending_touches", WIDGETS)
    assert told["sessions"] == 1
    assert memory.own_session in told["Touches by session"]


@pytest.mark.parametrize("job", ["sweep", "sweep_pending"])
def test_a_dry_run_tells_makes_nothing_and_asks_nothing(
    memory: Memory, daemon: Daemon, github: Sandbox, job: str
) -> None:
    memory.touch(TEN[0])
    daemon.tick()
    asked = github.requests.total
    config = {"resources": {"options": {"config": {"dry_run": True}}}}
    run = daemon.execute(job, WIDGETS if job == "sweep" else None, run_config=config)
    assert run.success
    (observed,) = [event for event in run.all_events if event.is_asset_observation]
    told = observed.asset_observation_data.asset_observation.metadata
    assert told["requests at least"].value == 3
    assert f"{TEN[0].replace('_', chr(92) + '_')}" in str(told["plan"].value)
    assert not any(daemon.materialised(asset) for asset in ASSETS)
    assert github.requests.total == asked
    assert memory.pending().touch_count == 1


def test_a_limit_of_addresses(memory: Memory, daemon: Daemon) -> None:
    memory.touch_many(TEN)
    daemon.tick()
    config = {"resources": {"options": {"config": {"limit": 3}}}}
    assert daemon.execute("sweep_pending", run_config=config).success
    assert memory.pending().touch_count == 7
    assert daemon.execute("sweep", WIDGETS, run_config=config).success
    assert memory.pending().touch_count == 4


def test_a_reserve_is_left_to_others(memory: Memory, daemon: Daemon) -> None:
    memory.touch(TEN[0])
    daemon.tick()
    config = {"resources": {"options": {"config": {"reserve": 10**9}}}}
    assert daemon.execute("sweep", WIDGETS, run_config=config).success
    assert daemon.metadata("resources", WIDGETS)["touches left"] == 1


def check(daemon: Daemon, name: str) -> bool:
    """What one check says now, on its own."""
    definition = next(one for one in SWEEP_CHECKS if name in str(one.check_keys))
    job = define_asset_job("one_check", AssetSelection.checks(definition))
    location = Definitions(
        assets=SWEEP_ASSETS,
        asset_checks=SWEEP_CHECKS,
        jobs=[job],
        resources=defs.resources,
    )
    result = location.resolve_job_def("one_check").execute_in_process(
        instance=daemon.instance,
        run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
    )
    (evaluation,) = result.get_asset_check_evaluations()
    return evaluation.passed
