"""The code location: loads without a graph, GitHub or network."""

from dagster import Definitions

from resources_graph_dagster.assets import SWEEP_ASSETS
from resources_graph_dagster.checks import SWEEP_CHECKS
from resources_graph_dagster.github_memory import store_assets
from resources_graph_dagster.jobs import sweep_job, sweep_pending
from resources_graph_dagster.resources import GitHubResource, GraphResource
from resources_graph_dagster.sensors import new_touches

defs = Definitions(
    assets=[*SWEEP_ASSETS, *store_assets()],
    asset_checks=SWEEP_CHECKS,
    jobs=[sweep_job, sweep_pending],
    sensors=[new_touches],
    resources={"graph": GraphResource(), "github": GitHubResource()},
)
