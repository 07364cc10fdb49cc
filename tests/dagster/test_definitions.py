"""The code location: what is in it, and that loading it needs nothing but Python."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

import yaml
from dagster import AssetKey, DefaultScheduleStatus, DefaultSensorStatus, in_process_executor

from resources_graph_dagster import up_files
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


def test_loading_needs_no_graph_no_github_and_no_network(home: Path) -> None:
    """Loaded where no socket can be made, and where no setting names anything that exists."""
    code = (
        "import socket, sys\n"
        "def refuse(*_, **__): raise AssertionError('the network was used')\n"
        "socket.socket.connect = socket.socket.bind = socket.getaddrinfo = refuse\n"
        "from resources_graph_dagster.definitions import defs\n"
        "defs.resolve_job_def('sweep'); defs.resolve_job_def('sweep_pending')\n"
        "print([name for name in ('httpx', 'neo4j', 'falkordb') if name in sys.modules])"
    )
    loaded = subprocess.run(
        [sys.executable, "-W", "error::dagster.BetaWarning", "-c", code],
        env={
            **os.environ,
            "RESOURCES_GRAPH_URL": "bolt://127.0.0.1:1",
            "GITHUB_API_URL": "http://127.0.0.1:1",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert loaded.stdout == "[]\n"
    assert not home.exists()


def test_the_workspace_names_this_code_location() -> None:
    root = Path(__file__).parents[2]
    workspace = yaml.safe_load((root / "workspace.yaml").read_text("utf-8"))
    assert workspace["load_from"] == [
        {"python_module": {"module_name": up_files.MODULE, "location_name": up_files.LOCATION}}
    ]
    dagster = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["dagster"]
    assert dagster == {"module_name": up_files.MODULE, "code_location_name": up_files.LOCATION}


def test_a_click_runs_its_steps_in_one_process() -> None:
    assert defs.resolve_job_def("__ASSET_JOB").executor_def is in_process_executor
