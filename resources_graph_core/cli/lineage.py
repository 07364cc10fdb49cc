"""``why``: what made something in memory what it is."""

from typing import TYPE_CHECKING, Annotated

import typer

from resources_graph_core.cli import options, output

if TYPE_CHECKING:
    from resources_graph_core.graph import Row
    from resources_graph_core.store.lineage import Lineage


def why(
    context: typer.Context,
    address: Annotated[
        str, typer.Argument(metavar="ADDRESS", help="owner/repo, owner/repo#123, a URL or a list.")
    ],
    *,
    json: options.Json = False,
) -> None:
    """Tell which Touches, sessions and runs made it what it is, and what they cost."""
    with options.memory(context) as memory:
        lineage = memory.why(address)
    if json:
        output.print_json(lineage.as_dict())
    else:
        for line in lines_of(lineage):
            output.print_line(line)


def lines_of(lineage: "Lineage") -> list[str]:
    """Lineage as text, the latest first. Pure."""
    if lineage.kind is None:
        lines = [f"{lineage.address} is not in memory"]
    else:
        by = f" by {lineage.run_id}" if lineage.run_id else ""
        updated = f", updated {lineage.updated_at}" if lineage.updated_at else ""
        lines = [
            f"{lineage.address} · {lineage.kind} · fetched {lineage.fetched_at}{by}{updated}",
        ]
    if lineage.runs:
        lines += ["", "Runs that fetched or checked it:", *map(_run, lineage.runs)]
    if lineage.touches or lineage.touches_of_others:
        lines += ["", "Touches:", *map(_touch, lineage.touches)]
    if lineage.touches_of_others:
        lines.append(f"  and {lineage.touches_of_others} of other users")
    return lines


def _run(run: "Row") -> str:
    parts = [
        f"  {run['at']}",
        f"{run['kind']} run {run['run_id']}",
        f"{run['requests'] or 0} requests, {run['points'] or 0} points in all",
        run["error"] and f"ended early: {run['error']}",
        run.get("url"),
    ]
    return " · ".join(part for part in parts if part)


def _touch(touch: "Row") -> str:
    parts = [
        f"  {touch['at']}",
        (touch["provenance"] or "").lower(),
        (touch["reason"] or touch["status"]).replace("_", " "),
        f"session {touch['session_id']}",
        touch["agent_name"],
        touch["error"],
        touch["runs"] and f"swept by {', '.join(touch['runs'])}",
    ]
    return " · ".join(part for part in parts if part)


def add_to(application: typer.Typer) -> None:
    """Add this command."""
    application.command()(why)
