"""``sweep``: fetch what was touched."""

import sys
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Annotated

import typer

from resources_graph_core.cli import options, output
from resources_graph_core.cli.program import DONE, DONE_IN_PART

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from resources_graph_core.sweep import SweepEvent, SweepReport


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
    with options.writable_memory(context) as memory, _telling(quiet=json) as tell:
        report = memory.sweep(limit=limit, repositories=repository or (), on_event=tell)
    if json:
        output.print_json(report.as_dict())
    else:
        _print(report)
    return DONE_IN_PART if report.left else DONE


@contextmanager
def _telling(*, quiet: bool) -> "Iterator[Callable[[SweepEvent], None] | None]":
    """What to do with each event: on a terminal a count goes up; nothing when ``quiet``."""
    if quiet:
        yield None
    elif not sys.stderr.isatty():
        yield _tell
    else:
        from rich.console import Console  # noqa: PLC0415 - slow; only for a terminal

        done = count(1)
        with Console(stderr=True).status("asking GitHub") as progress:

            def tell(event: "SweepEvent") -> None:
                progress.update(f"{next(done)} Addresses done")
                _tell(event)

            yield tell


def _tell(event: "SweepEvent") -> None:
    """Say which Address could not be had whole; those that could are only counted."""
    if event.detail or event.kind in {"unresolved", "waiting"}:
        reason = (event.reason or event.kind).replace("_", " ")
        detail = f": {event.detail}" if event.detail else ""
        output.print_line(f"{event.address} · {reason}{detail}")


def _print(report: "SweepReport") -> None:
    output.print_line(
        f"resolved {report.resolved}, fetched {report.fetched}, checked {report.checked}, "
        f"unchanged {report.unchanged} ({report.requests} requests, {report.points} points)"
    )
    for reason, number in sorted(report.unresolved.items()):
        output.print_line(f"unresolved: {number} {reason.replace('_', ' ')}")
    if report.error:
        output.print_note(report.error)
    if report.left:
        when = f"after {report.retry_at}" if report.retry_at else "again"
        output.print_note(
            f"Touches left for later: {report.left}; run resources-graph sweep {when}"
        )


def add_to(application: typer.Typer) -> None:
    """Add this command."""
    application.command()(sweep)
