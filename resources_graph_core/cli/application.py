"""All commands put together. Those that need an extra are found by their entry points."""

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from resources_graph_core.cli import (
    configuring,
    doctor,
    engine,
    finding,
    github_memory,
    hooks,
    interchange,
    lineage,
    memory_graph,
    reading,
    sandboxing,
    serving,
    state,
    sweeping,
    touching,
)
from resources_graph_core.cli.options import Options

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

DISTRIBUTION = "resources-graph-dagster"
_GROUPS = (
    state,
    touching,
    sweeping,
    reading,
    finding,
    lineage,
    github_memory,
    interchange,
    memory_graph,
    sandboxing,
    hooks,
    serving,
    doctor,
    engine,
    configuring,
)
ENTRY_POINTS = "resources_graph.commands"
"""The entry point group: each value is a function that Typer can make a command of."""


class Commands(TyperGroup):
    """The commands of the core, and those that extras bring."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401 - Typer keeps its type private
        """Every command's name, the core's own first."""
        return [*super().list_commands(ctx), *sorted(_entry_points())]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401 - as above
        """The command called ``cmd_name``; one that an extra brings is imported only now."""
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        found = _entry_points().get(cmd_name)
        return _command_from(found) if found else None


def _entry_points() -> "dict[str, EntryPoint]":
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow; only for such commands

    return {found.name: found for found in entry_points(group=ENTRY_POINTS)}


def _command_from(entry: "EntryPoint") -> Any:  # noqa: ANN401 - Typer keeps its type private
    """The command behind an entry point, which says itself which extra is missing."""
    single = typer.Typer(add_completion=False)
    single.command(entry.name)(entry.load())
    return typer.main.get_command(single)


def _show_version(wanted: bool) -> None:  # noqa: FBT001 - Typer calls it with the flag
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415 - slow; only for this

        typer.echo(f"resources-graph {version(DISTRIBUTION)}")
        raise typer.Exit


def _start(
    context: typer.Context,
    *,
    graph: Annotated[
        str | None,
        typer.Option("--graph", metavar="URL", help="The graph, over RESOURCES_GRAPH_URL."),
    ] = None,
    version: Annotated[  # noqa: ARG001 - its callback answers
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
    debug: Annotated[  # noqa: ARG001 - the program looks for it before commands are known
        bool, typer.Option("--debug", help="Show the traceback of an unexpected error.")
    ] = False,
) -> None:
    """A shared memory of the public GitHub pages that coding agents explore."""
    context.obj = Options(graph_url=graph)
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@cache
def command() -> Any:  # noqa: ANN401 - Typer keeps its type private
    """The whole command line, built once for each process."""
    application = typer.Typer(cls=Commands, add_completion=False, no_args_is_help=False)
    application.callback(invoke_without_command=True)(_start)
    for register in _GROUPS:
        register.add_to(application)
    return typer.main.get_command(application)
