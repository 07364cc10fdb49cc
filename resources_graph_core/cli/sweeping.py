"""``sweep``: fetch what was touched."""

from typing import TYPE_CHECKING, Annotated

import typer

from resources_graph_core.cli import options, output
from resources_graph_core.cli.program import DONE, DONE_IN_PART
from resources_graph_core.cli.sweep_progress import Told, telling
from resources_graph_core.errors import UsageError

if TYPE_CHECKING:
    from resources_graph_core.sweep import SweepReport
    from resources_graph_core.sweep.forecast import Forecast


def sweep(
    context: typer.Context,
    *,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many Addresses.")] = None,
    repository: Annotated[
        list[str] | None,
        typer.Option(
            "--repo", "--repository", metavar="OWNER/REPO", help="Only this one; may be repeated."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what it would do and cost; ask GitHub nothing.")
    ] = False,
    events: Annotated[
        bool,
        typer.Option("--events", help="Print a JSON object a line as things happen, then --json."),
    ] = False,
    json: options.Json = False,
) -> int:
    """Fetch what was touched from GitHub and store it. Status 3: some is left for later."""
    repositories = repository or ()
    if dry_run and events:
        raise UsageError("--dry-run does nothing, so it has no --events; leave one of them out")
    with options.writable_memory(context) as memory:
        if dry_run:
            _print_forecast(memory.forecast(limit=limit, repositories=repositories), json=json)
            return DONE
        with telling(quiet=json and not events, events=events) as told:
            try:
                report = memory.sweep(limit=limit, repositories=repositories, on_event=told.event)
            except KeyboardInterrupt:
                output.print_note(_interrupted(told))
                raise
    if events:
        output.print_event({"report": report.as_dict()})
    elif json:
        output.print_json(report.as_dict())
    else:
        _print(report)
    return DONE_IN_PART if report.left else DONE


def _interrupted(told: Told) -> str:
    return (
        f"Stopped. {told.addresses} Addresses are done and kept; the rest is pending: "
        "run resources-graph sweep again"
    )


def _print(report: "SweepReport") -> None:
    output.print_line(
        f"resolved {report.resolved}, fetched {report.fetched}, checked {report.checked}, "
        f"unchanged {report.unchanged} ({report.requests} requests, {report.points} points)"
    )
    for reason, number in sorted(report.unresolved.items()):
        output.print_line(f"unresolved: {number} {reason.replace('_', ' ')}")
    if report.withdrawn:
        output.print_line(f"withdrawn: {report.withdrawn}")
    if report.error:
        output.print_note(report.error)
    if report.left:
        when = f"after {report.retry_at}" if report.retry_at else "once that is mended"
        output.print_note(
            f"Touches left for later: {report.left}; run resources-graph sweep {when}"
        )


def _print_forecast(forecast: "Forecast", *, json: bool) -> None:
    if json:
        output.print_json(forecast.as_dict())
        return
    kinds = {
        "fetch": forecast.fetched,
        "check": forecast.checked,
        "in memory": forecast.in_memory,
        "list": forecast.listings,
    }
    for what, keys in kinds.items():
        for key in keys:
            output.print_line(f"{key.removeprefix('github:')} · {what}")
    output.print_line(
        f"{forecast.touches} Touches; at least {forecast.requests} requests and "
        f"{forecast.points} points with a token, and what lists and changes bring"
    )
    for limit in forecast.limits:
        output.print_line(
            f"{limit.touches} more wait for the limit of {limit.host} ({limit.account or 'anyone'})"
            f" until {limit.retry_at}; another account need not wait"
        )


def add_to(application: typer.Typer) -> None:
    """Add this command."""
    application.command()(sweep)
