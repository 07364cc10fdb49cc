"""Asset checks: what must hold of the graph after every Sweep. A failing one shows examples."""

from collections.abc import Sequence

from dagster import AssetCheckResult, AssetCheckSeverity, MetadataValue, asset_check

from resources_graph_core.graph.base import Row
from resources_graph_core.store import checks
from resources_graph_dagster import failures, story
from resources_graph_dagster.assets import listings, resources
from resources_graph_dagster.resources import GraphResource


@asset_check(asset=resources, description="Every resolved Touch points at what was stored for it.")
def resolved_touches_have_a_target(graph: GraphResource) -> AssetCheckResult:
    """Fail for Touches that are said to be resolved and lead nowhere."""
    with failures.explained(), graph.open() as memory:
        return _result(checks.resolved_without_target(memory.graph), ("touch_id", "address"))


@asset_check(asset=listings, description="A Listing has as many members as it says.")
def listings_agree_with_their_members(graph: GraphResource) -> AssetCheckResult:
    """Fail for Listings whose counts differ from their edges, or that wrongly claim to be whole."""
    with failures.explained(), graph.open() as memory:
        return _result(
            checks.miscounted_listings(memory.graph),
            ("listing", "member_count", "members", "total_count"),
        )


def _result(broken: Sequence[Row], columns: tuple[str, ...]) -> AssetCheckResult:
    metadata: story.Metadata = {"found": MetadataValue.int(len(broken))}
    if broken:
        metadata["examples"] = story.table(
            columns, [tuple(story.cell(str(row[name])) for name in columns) for row in broken]
        )
    return AssetCheckResult(passed=not broken, severity=AssetCheckSeverity.ERROR, metadata=metadata)


SWEEP_CHECKS = (resolved_touches_have_a_target, listings_agree_with_their_members)
