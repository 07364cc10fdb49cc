"""The code location: loads without a graph, GitHub or network."""

from dagster import Definitions, in_process_executor

from resources_graph_dagster.assets import SWEEP_ASSETS
from resources_graph_dagster.checks import SWEEP_CHECKS
from resources_graph_dagster.github_memory import store_assets
from resources_graph_dagster.jobs import retry_schedule, sweep_job, sweep_pending
from resources_graph_dagster.options import SweepOptions
from resources_graph_dagster.resources import GitHubResource, GraphResource
from resources_graph_dagster.sensors import failed_sweeps, new_touches

defs = Definitions(
    assets=[*SWEEP_ASSETS, *store_assets()],
    asset_checks=SWEEP_CHECKS,
    jobs=[sweep_job, sweep_pending],
    sensors=[new_touches, failed_sweeps],
    schedules=[retry_schedule],
    resources={"graph": GraphResource(), "github": GitHubResource(), "options": SweepOptions()},
    # A click on assets runs outside the jobs above; a process for each of its steps costs seconds.
    executor=in_process_executor,
)
