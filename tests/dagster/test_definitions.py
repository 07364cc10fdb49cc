"""The code location: what is in it, and that loading it needs nothing but Python."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import yaml
from dagster import AssetKey, DefaultScheduleStatus, DefaultSensorStatus

from resources_graph_dagster.assets import RETRIES, SWEEP_ASSETS
from resources_graph_dagster.definitions import defs
from resources_graph_dagster.partitions import repository_partitions
from resources_graph_dagster.resources import GitHubResource, GraphResource
from resources_graph_dagster.sensors import new_touches

ASSETS = ("pending_touches", "resources", "listings", "cross_links")


def test_the_assets_follow_one_another_and_are_partitioned_by_repository() -> None:
    graph = defs.resolve_asset_graph()
    assert {key.to_user_string() for key in graph.get_all_asset_keys()} == set(ASSETS)
    for before, after in pairwise(ASSETS):
        assert graph.get(AssetKey(after)).parent_keys == {AssetKey(before)}
    for name in ASSETS:
        asset = graph.get(AssetKey(name))
        assert asset.partitions_def == repository_partitions
        assert asset.group_name == "sweep"
        assert asset.description


def test_all_there_is_by_name() -> None:
    """A change here is one that people who run it will notice."""
    repository = defs.get_repository_def()
    assert {job.name for job in repository.get_all_jobs()} == {
        "__ASSET_JOB",
        "sweep",
        "sweep_pending",
    }
    assert {sensor.name for sensor in repository.sensor_defs} == {"new_touches", "failed_sweeps"}
    assert {(one.name, one.default_status) for one in repository.schedule_defs} == {
        ("sweep_what_is_left", DefaultScheduleStatus.STOPPED)
    }
    assert {check.name for check in defs.resolve_asset_graph().asset_check_keys} == {
        "links_agree_with_references",
        "listings_agree_with_their_members",
        "no_claim_outlives_its_lease",
        "no_comment_dangles",
        "no_repository_failed",
        "no_touch_waits_too_long",
        "nothing_but_public_is_stored",
        "planned_items_were_dealt_with",
        "planned_listings_were_dealt_with",
        "resolved_touches_have_a_target",
        "the_spool_is_empty",
    }


def test_what_asks_github_shares_a_pool_and_is_tried_again() -> None:
    graph = defs.resolve_asset_graph()
    pools = {key.to_user_string(): graph.get(key).pools for key in graph.get_all_asset_keys()}
    assert {name for name, found in pools.items() if found} == {"resources", "listings"}
    for asset in SWEEP_ASSETS:
        assert asset.op.retry_policy == RETRIES


def test_the_sensor_is_on_unless_somebody_stops_it() -> None:
    assert new_touches.default_status == DefaultSensorStatus.RUNNING
    assert {job.name for job in new_touches.jobs} == {"sweep", "sweep_pending"}


def test_no_resource_has_a_field_for_a_secret() -> None:
    """What is in a resource's configuration is on Dagster's pages."""
    assert set(GraphResource.model_fields) == {"url"}
    assert set(GitHubResource.model_fields) == {"api_url"}


def test_loading_touches_no_graph_and_no_github() -> None:
    code = (
        "import sys; from resources_graph_dagster.definitions import defs; "
        "defs.resolve_job_def('sweep'); "
        "print([name for name in ('httpx', 'neo4j', 'falkordb') if name in sys.modules])"
    )
    loaded = subprocess.run(
        [sys.executable, "-W", "error::dagster.BetaWarning", "-c", code],
        capture_output=True,
        text=True,
        check=True,
    )
    assert loaded.stdout == "[]\n"


def test_the_workspace_names_this_code_location() -> None:
    root = Path(__file__).parents[2]
    workspace = yaml.safe_load((root / "workspace.yaml").read_text("utf-8"))
    assert workspace["load_from"] == [{"python_module": "resources_graph_dagster.definitions"}]
