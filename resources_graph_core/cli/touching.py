"""``touch``, ``touches`` and ``forget``: the Touches of a session."""

import sys
from typing import Annotated, Literal

import typer

from resources_graph_core.address import Address
from resources_graph_core.cli import options, output
from resources_graph_core.errors import UsageError

_COLUMNS = ("address", "status", "reason", "provenance", "outcome", "at")


def touch(
    context: typer.Context,
    addresses: Annotated[
        list[str],
        typer.Argument(
            metavar="ADDRESS...",
            help="owner/repo, owner/repo#123, a URL or a command; - reads one a line from stdin.",
        ),
    ],
    *,
    session: options.Session = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="How many members of a list are wanted.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Record that somebody reached for these Addresses; a later sweep fetches them."""
    wanted = [_limited(address, limit) for address in _addresses(context, addresses)]
    with options.writable_memory(context) as memory:
        touches = memory.touch_many(wanted, session=session)
    if json:
        output.print_json([made.properties() for made in touches])
    elif len(touches) == 1:
        output.print_line(f"touched {touches[0].address}; next: resources-graph sweep")
    else:
        output.print_line(f"touched {len(touches)} Addresses; next: resources-graph sweep")


def _addresses(context: typer.Context, given: list[str]) -> list[Address]:
    """Every Address given, all of them before any is recorded; UsageError names a bad one."""
    from resources_graph_core.surroundings import named  # noqa: PLC0415 - slow

    settings = options.settings(context)
    found: list[Address] = []
    for text in given:
        if text != "-":
            found += named(text, settings)
            continue
        for number, line in enumerate(sys.stdin, start=1):
            if not line.strip():
                continue
            try:
                found += named(line, settings)
            except UsageError as error:
                raise UsageError(f"line {number} of stdin: {error}; nothing was touched") from None
    if not found:
        raise UsageError("no Address was given; write owner/repo#123, for instance")
    return found


def _limited(address: Address, limit: int | None) -> Address:
    if limit is not None and address.kind != "listing":
        raise UsageError(f"{address} is no list, so it has no limit; nothing was touched")
    return address if limit is None else address.with_limit(limit)


def touches(
    context: typer.Context,
    *,
    session: options.Session = None,
    status: Annotated[
        Literal["pending", "resolved", "unresolved"] | None,
        typer.Option(help="Only those in this status."),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many.")] = None,
    json: options.Json = False,
) -> None:
    """List your own Touches, newest first."""
    with options.memory(context) as memory:
        rows = memory.touches(session=session, status=status, limit=limit)
    if json:
        output.print_json(rows)
    else:
        output.print_table(_COLUMNS, rows)


def forget(
    context: typer.Context,
    session: Annotated[str, typer.Argument(metavar="SESSION", help="The session's id.")],
    *,
    json: options.Json = False,
) -> None:
    """Remove a session's Touches, and record none of it from now on."""
    with options.memory(context) as memory:
        forgotten = memory.forget(session)
    if json:
        output.print_json({"session": session, "forgotten": forgotten})
    else:
        output.print_line(f"forgot {forgotten} Touches of {session}; no more will be recorded")


def add_to(application: typer.Typer) -> None:
    """Add these commands."""
    application.command()(touch)
    application.command()(touches)
    application.command()(forget)
