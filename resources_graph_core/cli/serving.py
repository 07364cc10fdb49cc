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
    origin: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Who writes to the memory graph. Default: mcp:USER."),
    ] = None,
    trusted: Annotated[
        bool, typer.Option("--trusted", help="What is written there was observed, not claimed.")
    ] = False,
    privileged: Annotated[
        bool, typer.Option("--privileged", help="Offer what dumps, loads and drops graphs too.")
    ] = False,
    memory_graph: Annotated[
        bool,
        typer.Option(help="Offer the memory graph's tools: their schemas cost some 5,400 tokens."),
    ] = True,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Offer no tool that writes anything.")
    ] = False,
) -> None:
    """Serve memory to a coding agent over MCP, on standard input and output."""
    from resources_graph_core.mcp_server import serve  # noqa: PLC0415 - slow

    def tools_of_graph(kept: "KeptMemory") -> "Iterable[OfferedTool]":
        from resources_graph_core.mcp_server import graph_tools  # noqa: PLC0415 - see below

        return graph_tools.offered(
            kept, origin=origin, trusted=trusted, privileged=privileged, read_only=read_only
        )

    tool_sets = [_store_tools, tools_of_graph] if memory_graph else [_store_tools]
    serve(lambda: options.settings(context), tool_sets, writing=not read_only)


def _store_tools(kept: "KeptMemory") -> "Iterable[OfferedTool]":
    """The tools of the stores on GitHub, imported when a client first asks for tools."""
    from resources_graph_core.mcp_server import store_tools  # noqa: PLC0415 - see above

    return store_tools.tools(kept)


def add_to(application: typer.Typer) -> None:
    """Add this command."""
    application.command()(mcp)
