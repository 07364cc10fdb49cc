"""``read``: a Cache Read."""

from dataclasses import replace
from typing import Annotated

import typer

from resources_graph_core.cli import options, output
from resources_graph_core.clock import now
from resources_graph_core.render import read_lines


def read(
    context: typer.Context,
    address: Annotated[
        str,
        typer.Argument(metavar="ADDRESS", help="owner/repo, owner/repo#123, a URL or a command."),
    ],
    *,
    session: options.Session = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="How many members of a list are wanted.")
    ] = None,
    raw: Annotated[
        bool,
        typer.Option(
            "--raw", help="Show texts as they were written: not rendered, marked or masked."
        ),
    ] = False,
    pager: Annotated[
        bool, typer.Option("--pager/--no-pager", help="Page through it, on a terminal.")
    ] = True,
    json: options.Json = False,
) -> None:
    """Show what memory holds at an Address; GitHub is not asked. With --session it is recorded."""
    with options.memory(context) as memory:
        found = memory.read(address, session=session, limit=limit)
    if not raw:
        held = {"resource": found.resource, "comments": found.comments, "members": found.members}
        found = replace(found, **output.treated(held))
    if json:
        output.print_json(found.as_dict())
        return
    output.print_lines(
        read_lines(
            address=found.address.removeprefix("github:"),
            outcome=found.outcome,
            resource=found.resource,
            comments=found.comments,
            members=found.members,
            served_from=found.served_from,
            note=found.note,
            now=now(),
        ),
        raw=raw,
        pager=pager,
    )


def add_to(application: typer.Typer) -> None:
    """Add this command."""
    application.command()(read)
