"""``setup`` and ``status``: the graph made ready, and how things stand."""

from dataclasses import asdict

import typer

from resources_graph_core.cli import options, output


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
    if json:
        output.print_json(found)
    else:
        output.print_table(
            ("what", "value"),
            [{"what": name, "value": value} for name, value in asdict(found).items()],
        )


def add_to(application: typer.Typer) -> None:
    """Add these commands."""
    application.command()(setup)
    application.command()(status)
