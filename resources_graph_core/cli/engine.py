"""``graph``: the embedded engine, and a statement for the graph in use."""

import json as json_text
import sys
from pathlib import Path
from typing import Annotated

import typer

from resources_graph_core.cli import options, output
from resources_graph_core.errors import UsageError


def start(context: typer.Context, *, json: options.Json = False) -> None:
    """Start the embedded engine; harmless when it runs."""
    from resources_graph_core.graph import embedded  # noqa: PLC0415 - slow

    folder = _folder(context)
    embedded.start(folder)
    _report(folder, json=json)


def stop(context: typer.Context, *, json: options.Json = False) -> None:
    """Stop the embedded engine; what it holds stays on disk."""
    from resources_graph_core.graph import embedded  # noqa: PLC0415 - slow

    folder = _folder(context)
    stopped = embedded.stop(folder)
    if json:
        output.print_json({"stopped": stopped, "folder": folder})
    else:
        output.print_line(f"stopped the engine of {folder}" if stopped else "no engine was running")


def status(context: typer.Context, *, json: options.Json = False) -> None:
    """Look at the embedded engine without starting it."""
    _report(_folder(context), json=json)


def repair(context: typer.Context, *, json: options.Json = False) -> None:
    """Cut off what the embedded engine cannot read of its files; copies of them are kept."""
    from resources_graph_core.graph.repair import repair as repair_files  # noqa: PLC0415 - slow

    done = repair_files(_folder(context))
    if json:
        output.print_json(done)
    elif not done.cut_bytes:
        output.print_line(f"nothing is wrong with the {done.kept_bytes:,} bytes in {done.folder}")
    else:
        output.print_line(
            f"kept {done.kept_bytes:,} bytes of statements and cut off {done.cut_bytes:,} that "
            "came after them; as it was: " + ", ".join(str(copy) for copy in done.copies)
        )


def query(
    context: typer.Context,
    statement: Annotated[str, typer.Argument(help="One Cypher statement; - reads it from stdin.")],
    *,
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            "--parameter", "-p", metavar="NAME=VALUE", help="JSON, or else text; may be repeated."
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Run one Cypher statement on the graph in use."""
    text = sys.stdin.read() if statement == "-" else statement
    parameters = dict(_parameter(given) for given in parameter or ())
    with options.graph(context) as graph:
        rows = graph.query(text, **parameters)
    if json:
        output.print_json(rows)
    elif rows:
        output.print_table(list(rows[0]), rows)


def _parameter(given: str) -> tuple[str, object]:
    name, equals, value = given.partition("=")
    if not equals or not name.isidentifier():
        raise UsageError(f"{given!r} is not a parameter; write name=value")
    try:
        return name, json_text.loads(value)
    except ValueError:
        return name, value


def _folder(context: typer.Context) -> Path:
    """The embedded engine's folder; UsageError when another graph is in use."""
    from resources_graph_core.graph.opening import embedded_folder  # noqa: PLC0415 - slow

    url = options.settings(context).graph_url
    if not url.startswith("embedded:"):
        raise UsageError(
            f"the graph in use is {url}, a server that this command does not run; "
            "--graph embedded: names the embedded engine"
        )
    return embedded_folder(url)


def _report(folder: Path, *, json: bool) -> None:
    from resources_graph_core.graph import embedded  # noqa: PLC0415 - slow

    found = embedded.status(folder)
    if json:
        output.print_json(found)
    elif not found.running:
        output.print_line(f"no engine runs for {folder}; the next command starts it")
    else:
        mebibytes = (found.memory_bytes or 0) // 2**20
        output.print_line(
            f"FalkorDB {found.version or ''} runs as process {found.pid} for {folder}: "
            f"{mebibytes} MiB, since {found.started_at}"
        )


def add_to(application: typer.Typer) -> None:
    """Add these commands, as ``graph …``."""
    group = typer.Typer(help="The embedded engine, and statements for the graph in use.")
    for command in (start, stop, status, repair, query):
        group.command()(command)
    application.add_typer(group, name="graph")
