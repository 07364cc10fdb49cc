"""``up``: Dagster on this machine, over the graph in use, in one command."""

import os
from typing import Annotated

import typer

from resources_graph_core.cli import options, output
from resources_graph_core.errors import UsageError
from resources_graph_dagster import installed, up_detached, up_files, up_state
from resources_graph_dagster.up_state import State, Status
from resources_graph_dagster.up_supervisor import Supervisor

DEFAULT_PORT = 3000
"""Where Dagster's pages are unless told otherwise, as with `dagster dev`."""

GRAPH_STAYS = "The graph stays up; `resources-graph graph stop` ends the embedded one."


def up(
    context: typer.Context,
    *,
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help=f"Where the pages are; 0 takes any port that is free.  [default: {DEFAULT_PORT}]",
        ),
    ] = None,
    detach: Annotated[bool, typer.Option("--detach", help="Go on in the background.")] = False,
    status: Annotated[bool, typer.Option("--status", help="Only tell whether it runs.")] = False,
    stop: Annotated[bool, typer.Option("--stop", help="End what runs in the background.")] = False,
    json: options.Json = False,
) -> None:
    """Start Dagster for this machine alone: pages, daemon, and the graph beneath."""
    installed.check("up", "dagster_webserver")
    if detach + status + stop > 1:
        raise UsageError("choose one of --detach, --status and --stop")
    files = up_files.locate()
    if status:
        _report(up_state.status(files), json=json)
        return
    if stop:
        stopped = up_detached.stop(files)
        if json:
            output.print_json({"stopped": stopped, "dagster_home": str(files.home)})
        else:
            output.print_line(f"Dagster has ended. {GRAPH_STAYS}" if stopped else _NOT_RUNNING)
        return
    if port is not None:
        check_port(up_state.status(files), port)
    wanted = DEFAULT_PORT if port is None else port
    _set_graph(context)
    with options.writable_memory(context):
        pass  # the graph runs, and has its indexes
    if detach:
        state = up_detached.start(files, wanted)
        if json:
            _report(up_state.status(files), json=True)
        else:
            _tell(state, "`resources-graph up --stop` ends it.")
        return
    Supervisor(
        files,
        wanted,
        on_ready=lambda state: (
            output.print_json(up_state.status(files).model_dump())
            if json
            else _tell(state, "Ctrl-C ends it.")
        ),
        on_note=output.print_note,
    ).run()
    if not json:
        output.print_line(f"Dagster has ended. {GRAPH_STAYS}")


_NOT_RUNNING = "Dagster does not run; `resources-graph up` starts it."


def check_port(found: Status, port: int) -> None:
    """Raise UsageError for another port than that of what runs already."""
    if found.running and port not in {0, found.port}:
        raise UsageError(
            f"Dagster runs already, at {found.url}; `resources-graph up --stop` ends it, then "
            f"--port {port} takes effect"
        )


def _set_graph(context: typer.Context) -> None:
    """Have Dagster's programs use the graph that this command was told of."""
    given = context.find_object(options.Options)
    if given is not None and given.graph_url is not None:
        os.environ["RESOURCES_GRAPH_URL"] = given.graph_url


def _tell(state: State, how_to_end: str) -> None:
    output.print_line(f"Dagster runs at {state.url} (for this machine only). {how_to_end}")


def _report(found: Status, *, json: bool) -> None:
    if json:
        output.print_json(found.model_dump())
        return
    if found.running and found.ready:
        output.print_line(
            f"Dagster runs at {found.url} since {found.started_at}, as process {found.pid}."
        )
    elif found.running:
        output.print_line("Dagster is starting.")
    elif found.programs:
        output.print_line(
            "Dagster was killed and left programs behind; `resources-graph up --stop` ends them."
        )
    else:
        output.print_line(_NOT_RUNNING)
    for program in found.programs:
        restarts = f", started again {program.restarts} times" if program.restarts else ""
        running = "runs" if program.running else "has ended"
        output.print_line(f"  {program.name}: process {program.pid} {running}{restarts}")
