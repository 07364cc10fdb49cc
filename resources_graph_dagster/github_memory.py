"""What agents keep on GitHub as assets: one for each store that the settings name.

Materialising one reads the store, records it on the graph and touches its issue. Which stores there
are is known when the code location is loaded.
"""

import logging
import re
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from dagster import (
    AssetCheckEvaluation,
    AssetCheckResult,
    AssetCheckSeverity,
    AssetCheckSpec,
    AssetKey,
    AssetsDefinition,
    MaterializeResult,
    MetadataValue,
    asset,
)

from resources_graph_core.config import load_settings
from resources_graph_core.errors import BlockError, ConfigError
from resources_graph_core.github_memory.configured import StorePlace, stores_in
from resources_graph_core.github_memory.projects import ProjectAddress
from resources_graph_core.github_memory.slugs import unique
from resources_graph_dagster import failures, story
from resources_graph_dagster.resources import GitHubResource, GraphResource

GROUP = "github_memory"
BLOCK_PARSES = "block_parses"
"""The check that fails where a block was edited into something that cannot be read."""
ONLY_TRUSTED = "only_trusted_decide"
"""The check that warns of comments that look like decisions of people who may not make any."""

_COLUMNS = {
    "roadmap": ("id", "title", "state"),
    "triage": ("order", "ref", "verdict", "rationale"),
    "decisions": ("created_at", "summary", "url"),
}
if TYPE_CHECKING:
    from resources_graph_core.github_memory.access import StoreAccess

_log = logging.getLogger(__name__)

Events = AssetCheckEvaluation | MaterializeResult[None]


def store_assets() -> list[AssetsDefinition]:
    """An asset for each store in the settings; none, and a warning, while these are malformed."""
    try:
        places = stores_in(load_settings())
    except ConfigError as error:
        _log.warning("the stores of github_memory are left out: %s", error)
        return []
    names: set[str] = set()
    found = []
    for place in places:
        where = str(place.where).removeprefix("https://github.com/")
        name = unique(re.sub(r"\W+", "_", f"{place.kind}_{where}", flags=re.ASCII), names)
        names.add(name)
        found.append(_asset_of(place, name.replace("-", "_")))
    return found


def _asset_of(place: StorePlace, name: str) -> AssetsDefinition:
    key = AssetKey([GROUP, name])
    check = (
        AssetCheckSpec(
            ONLY_TRUSTED,
            asset=key,
            description="Every comment that looks like a decision is of somebody who may decide.",
        )
        if place.kind == "decisions"
        else AssetCheckSpec(
            BLOCK_PARSES, asset=key, description="The block in the issue's text can be read."
        )
    )

    @asset(
        key=key,
        group_name=GROUP,
        kinds={"github", "graph"},
        check_specs=[check],
        description=f"The {place.kind} kept in {place.where}, as it is on GitHub now.",
    )
    def kept(graph: GraphResource, github: GitHubResource) -> Iterator[Events]:
        with failures.explained(), graph.open() as memory:
            from resources_graph_core.github_memory.access import (  # noqa: PLC0415 - loads httpx
                StoreAccess,
            )

            settings = load_settings(github_api_url=github.api_url)
            try:
                result, rows = _read(StoreAccess(settings, memory), place)
            except BlockError as error:
                # A step that fails tells its checks' results before it does.
                yield AssetCheckEvaluation(
                    asset_key=key,
                    check_name=BLOCK_PARSES,
                    passed=False,
                    metadata={"found": MetadataValue.text(str(error))},
                )
                raise
        yield MaterializeResult(
            metadata={
                "issue": MetadataValue.url(place.url),
                "entries": MetadataValue.int(len(rows)),
                place.kind: story.table(_COLUMNS[place.kind], rows),
            },
            check_results=[result],
        )

    return kept


def _read(
    access: "StoreAccess", place: StorePlace
) -> tuple[AssetCheckResult, list[tuple[str, ...]]]:
    """What a store holds as rows of a table, and the result of its check."""
    good = _result(BLOCK_PARSES, passed=True, found="")
    where = place.where
    if isinstance(where, ProjectAddress) or place.kind == "triage":
        with access.triage(where) as backlog:
            held = [asdict(one) for one in backlog.hydrate()]
    elif place.kind == "decisions":
        with access.decisions(where) as log:
            counted, flagged = log.read()
        told = "; ".join(f"{one.decision.url}: {one.reason}" for one in flagged)
        good = _result(ONLY_TRUSTED, passed=not flagged, found=told)
        held = [asdict(one) for one in counted]
    else:
        with access.roadmap(where) as roadmap:
            held = [asdict(one) for one in roadmap.hydrate()]
    columns = _COLUMNS[place.kind]
    return good, [tuple(story.cell(str(one[name])) for name in columns) for one in held]


def _result(check: str, *, passed: bool, found: str) -> AssetCheckResult:
    severity = AssetCheckSeverity.WARN if check == ONLY_TRUSTED else AssetCheckSeverity.ERROR
    metadata = {"found": MetadataValue.text(found)} if found else {}
    return AssetCheckResult(check_name=check, passed=passed, severity=severity, metadata=metadata)
