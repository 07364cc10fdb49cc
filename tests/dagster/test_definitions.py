"""The code location: what is in it, and that loading it needs nothing but Python."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import yaml
from dagster import AssetKey, DefaultSensorStatus

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
