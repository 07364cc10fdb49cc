"""``setup`` and ``status``: the graph made ready, and how things stand."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from resources_graph_core.cli import options, output
from resources_graph_core.clock import now
from resources_graph_core.render import freshness_lines

if TYPE_CHECKING:
    from resources_graph_core.freshness import Freshness
    from resources_graph_core.memory import Status

_GIVEN_UP_COLUMNS = ("address", "attempts", "error", "at")
_LIMIT_COLUMNS = ("host", "retry_at", "touches", "account")
_RUN_COLUMNS = ("run_id", "kind", "state", "started_at", "ended_at", "requests", "points", "error")


def setup(context: typer.Context, *, json: options.Json = False) -> None:
    """Make the graph's indexes and constraints; harmless when they are there."""
    with options.memory(context) as memory:
        made = memory.setup()
    if json:
        output.print_json({"made": made})
        return
    for statement in made:
        output.print_line(statement)
    output.print_line("the graph is ready")


def status(context: typer.Context, *, json: options.Json = False) -> None:
    """Show what memory holds and what waits for a sweep."""
    with options.memory(context) as memory:
        found = memory.status()
        freshness = memory.freshness()
    ages = {"ages": freshness.ages, "oldest": freshness.oldest, "newest": freshness.newest}
    if json:
        repositories = {"repositories": freshness.repositories}
        output.print_json({**asdict(found), "freshness": {**ages, **repositories}})
    else:
        _print(found, freshness)


def _print(found: "Status", freshness: "Freshness") -> None:
    """What memory holds in numbers, a picture of its freshness, then the latest runs."""
    numbers: list[tuple[str, object]] = [("graph", found.engine)]
    numbers += [(f"{kind} stored", count) for kind, count in sorted(found.resources.items())]
    numbers += [("Listings stored", found.listings), ("Comments stored", found.comments)]
    numbers += [(f"Touches {state}", count) for state, count in sorted(found.touches.items())]
    output.print_table(
        ("what", "value"), [{"what": name, "value": value} for name, value in numbers]
    )
    if found.limits:
        output.print_line("")
        output.print_line("Waiting for limits of GitHub's:")
        output.print_table(_LIMIT_COLUMNS, [asdict(limit) for limit in found.limits])
    if found.given_up:
        output.print_line("")
        output.print_line("Given up; touch one again to try it again:")
        output.print_table(_GIVEN_UP_COLUMNS, found.given_up)
    picture = list(freshness_lines(freshness.ages, freshness.oldest, freshness.newest, now()))
    if picture:
        output.print_line("")
        output.print_lines(picture)
    if found.runs:
        output.print_line("")
        output.print_table(_RUN_COLUMNS, found.runs)


def add_to(application: typer.Typer) -> None:
    """Add these commands."""
    application.command()(setup)
    application.command()(status)
