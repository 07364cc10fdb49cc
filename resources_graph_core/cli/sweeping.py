"""``sweep``: fetch what was touched."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from resources_graph_core.cli import options, output
from resources_graph_core.cli.program import DONE, DONE_IN_PART

if TYPE_CHECKING:
    from resources_graph_core.sweep import SweepReport


def sweep(
    context: typer.Context,
    *,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many Addresses.")] = None,
    repository: Annotated[
        list[str] | None,
        typer.Option(metavar="OWNER/REPO", help="Only this repository; may be repeated."),
    ] = None,
    json: options.Json = False,
) -> int:
    """Fetch what was touched from GitHub and store it. Status 3: some is left for later."""
    with options.memory(context) as memory:
        report = memory.sweep(limit=limit, repositories=tuple(repository or ()))
    if json:
        output.print_json(report)
    else:
        _print(report)
    return DONE_IN_PART if report.left else DONE


def _print(report: "SweepReport") -> None:
    output.print_line(
        f"resolved {report.resolved}, fetched {report.fetched}, checked {report.checked}, "
        f"unchanged {report.unchanged} ({report.requests} requests, {report.points} points)"
    )
    for reason, count in sorted(report.unresolved.items()):
        output.print_line(f"unresolved: {count} {reason.replace('_', ' ')}")
    if report.left:
        again = f" after {report.retry_at}" if report.retry_at else ""
        sys.stdout.flush()
        sys.stderr.write(f"{report.left} Touches are left: run resources-graph sweep{again}\n")


def add_to(application: typer.Typer) -> None:
    """Add this command."""
    application.command()(sweep)
