"""Asset checks: what must hold of the graph after every Sweep. A failing one shows examples.

What would serve wrong answers, or should never have been stored, is an error; what only waits, or
heals by itself, is a warning.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dagster import (
    AssetCheckExecutionContext,
    AssetCheckResult,
    AssetChecksDefinition,
    AssetCheckSeverity,
    AssetKey,
    AssetsDefinition,
    MetadataValue,
    asset_check,
)

from resources_graph_core.clock import after, now
from resources_graph_core.graph import Graph
from resources_graph_core.graph.base import Row
from resources_graph_core.memory import Memory
from resources_graph_core.store import checks
from resources_graph_dagster import failures, story
from resources_graph_dagster.assets import cross_links, listings, pending_touches, resources
from resources_graph_dagster.resources import GraphResource

LONGEST_PENDING_SECONDS = 24 * 3600
"""A Touch that waits for longer than a day is worth a look."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A check: what it is of, what it says, how bad a fault is, and how to find faults."""

    asset: AssetsDefinition
    name: str
    description: str
    severity: AssetCheckSeverity
    columns: tuple[str, ...]
    find: Callable[[Memory, AssetCheckExecutionContext], Sequence[Row]]


def _of_graph(
    find: Callable[[Graph], Sequence[Row]],
) -> Callable[[Memory, AssetCheckExecutionContext], Sequence[Row]]:
    return lambda memory, _: find(memory.graph)


def _spooled(memory: Memory, _: AssetCheckExecutionContext) -> Sequence[Row]:
    return [{"address": touch.address, "at": touch.at} for touch in memory.spooled()]


def _late(memory: Memory, _: AssetCheckExecutionContext) -> Sequence[Row]:
    return checks.pending_since(memory.graph, after(-LONGEST_PENDING_SECONDS))


def _left_of_the_plan(
    kind: checks.PlannedKind,
) -> Callable[[Memory, AssetCheckExecutionContext], Sequence[Row]]:
    """What the latest plan holds that nobody has tried; while a limit lasts, nobody has to."""

    def find(memory: Memory, context: AssetCheckExecutionContext) -> Sequence[Row]:
        planned = context.instance.get_latest_materialization_event(pending_touches.key)
        if planned is None or memory.limited_hosts():
            return []
        return checks.not_dealt_with(memory.graph, planned.run_id, kind)

    return find


RULES = (
    Rule(
        pending_touches,
        "the_spool_is_empty",
        "What hooks of this machine could not write is in the graph by now.",
        AssetCheckSeverity.WARN,
        ("address", "at"),
        _spooled,
    ),
    Rule(
        pending_touches,
        "no_touch_waits_too_long",
        "No Touch has been pending for more than a day.",
        AssetCheckSeverity.WARN,
        ("address", "at", "error"),
        _late,
    ),
    Rule(
        resources,
        "planned_items_were_dealt_with",
        "Each repository and item of the latest plan was fetched, or is tried again and says why.",
        AssetCheckSeverity.ERROR,
        ("touch_id", "address", "at"),
        _left_of_the_plan("resource"),
    ),
    Rule(
        resources,
        "nothing_but_public_is_stored",
        "Everything stored is of a repository that was public when it was fetched.",
        AssetCheckSeverity.ERROR,
        ("node_id", "address", "visibility"),
        _of_graph(checks.not_public),
    ),
    Rule(
        resources,
        "resolved_touches_have_a_target",
        "Every resolved Touch points at what was stored for it.",
        AssetCheckSeverity.ERROR,
        ("touch_id", "address"),
        _of_graph(checks.resolved_without_target),
    ),
    Rule(
        resources,
        "no_comment_dangles",
        "Every Comment belongs to one stored item.",
        AssetCheckSeverity.ERROR,
        ("node_id", "url", "owners"),
        _of_graph(checks.dangling_comments),
    ),
    Rule(
        resources,
        "no_claim_outlives_its_lease",
        "No Touch is claimed by a process that has died; the next Sweep takes such claims over.",
        AssetCheckSeverity.WARN,
        ("address", "claimed_by", "claimed_until"),
        _of_graph(lambda graph: checks.expired_claims(graph, now())),
    ),
    Rule(
        listings,
        "planned_listings_were_dealt_with",
        "Each list of the latest plan was fetched, or is tried again and says why.",
        AssetCheckSeverity.ERROR,
        ("touch_id", "address", "at"),
        _left_of_the_plan("listing"),
    ),
    Rule(
        listings,
        "listings_agree_with_their_members",
        "A Listing has as many members as it says.",
        AssetCheckSeverity.ERROR,
        ("listing", "member_count", "members", "total_count"),
        _of_graph(checks.miscounted_listings),
    ),
    Rule(
        cross_links,
        "links_agree_with_references",
        "What is known of a reference is drawn when both ends are stored, and nothing else is.",
        AssetCheckSeverity.ERROR,
        ("kind", "address", "other", "edges"),
        _of_graph(checks.asymmetric_links),
    ),
)


def _check_of(rule: Rule) -> AssetChecksDefinition:
    key: AssetKey = rule.asset.key

    @asset_check(asset=key, name=rule.name, description=rule.description)
    def check(context: AssetCheckExecutionContext, graph: GraphResource) -> AssetCheckResult:
        with failures.explained(), graph.open() as memory:
            broken = rule.find(memory, context)
        metadata: story.Metadata = {"found": MetadataValue.int(len(broken))}
        if broken:
            metadata["examples"] = story.table(
                rule.columns,
                [tuple(story.cell(str(row[name])) for name in rule.columns) for row in broken],
            )
        return AssetCheckResult(passed=not broken, severity=rule.severity, metadata=metadata)

    return check


SWEEP_CHECKS = tuple(_check_of(rule) for rule in RULES)
