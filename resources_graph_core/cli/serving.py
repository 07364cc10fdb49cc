"""``mcp``: the MCP server, which coding agents start."""

from typing import TYPE_CHECKING, Annotated

import typer

from resources_graph_core.cli import options

if TYPE_CHECKING:
    from collections.abc import Iterable

    from resources_graph_core.mcp_server import KeptMemory, OfferedTool


def mcp(
    context: typer.Context,
    *,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Offer no tool that writes anything.")
    ] = False,
) -> None:
    """Serve memory to a coding agent over MCP, on standard input and output."""
    from resources_graph_core.mcp_server import serve  # noqa: PLC0415 - slow

    serve(lambda: options.settings(context), [_store_tools], writing=not read_only)


def _store_tools(kept: "KeptMemory") -> "Iterable[OfferedTool]":
    """The tools of the stores on GitHub, imported when a client first asks for tools."""
    from resources_graph_core.mcp_server import store_tools  # noqa: PLC0415 - see above

    return store_tools.tools(kept)


def add_to(application: typer.Typer) -> None:
    """Add this command."""
    application.command()(mcp)
