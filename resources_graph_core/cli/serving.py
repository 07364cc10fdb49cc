"""``mcp``: the MCP server, which coding agents start."""

import typer

from resources_graph_core.cli import options


def mcp(context: typer.Context) -> None:
    """Serve memory to a coding agent over MCP, on standard input and output."""
    from resources_graph_core.mcp_server import serve  # noqa: PLC0415 - slow

    serve(lambda: options.settings(context))


def add_to(application: typer.Typer) -> None:
    """Add this command."""
    application.command()(mcp)
