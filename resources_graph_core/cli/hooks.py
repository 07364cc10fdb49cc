"""``install``, ``uninstall`` and ``hook``: what connects a coding agent to memory."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from resources_graph_core.cli import options, output
from resources_graph_core.errors import UsageError
from resources_graph_core.harness import HARNESSES

if TYPE_CHECKING:
    from resources_graph_core.harness.install import Change
    from resources_graph_core.harness.targets import Scope

Harness = Annotated[str, typer.Argument(metavar="HARNESS", help=f"One of {', '.join(HARNESSES)}.")]
Project = Annotated[
    bool, typer.Option("--project/--user", help="For this project, or (the default) for yourself.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would change, change nothing.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def install(
    harness: Harness,
    *,
    project: Project = False,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: options.Json = False,
) -> None:
    """Put our hooks and MCP server into a coding agent's configuration; the rest of it stays."""
    from resources_graph_core.harness import install as installing  # noqa: PLC0415 - slow

    scope: Scope = "project" if project else "user"
    program = installing.find_hook_program()
    changes = installing.plan_install(harness, scope, Path.cwd(), Path.home(), program)
    _carry_out(changes, "installed", dry_run=dry_run, yes=yes, json=json)


def uninstall(
    harness: Harness,
    *,
    project: Project = False,
    dry_run: DryRun = False,
    yes: Yes = False,
    json: options.Json = False,
) -> None:
    """Take exactly that out again."""
    from resources_graph_core.harness import install as installing  # noqa: PLC0415 - slow

    scope: Scope = "project" if project else "user"
    changes = installing.plan_uninstall(harness, scope, Path.cwd(), Path.home())
    _carry_out(changes, "uninstalled", dry_run=dry_run, yes=yes, json=json)


def _carry_out(changes: "list[Change]", done: str, *, dry_run: bool, yes: bool, json: bool) -> None:
    """Show the changes, ask on a terminal, make them."""
    from resources_graph_core.harness.install import apply  # noqa: PLC0415 - slow

    if not json:
        for change in changes:
            for line in change.diff().splitlines():
                output.print_line(line)
    if changes and not dry_run:
        if not yes:
            _ask(json=json)
        apply(changes)
    if json:
        files = [{"path": change.path, "diff": change.diff()} for change in changes]
        output.print_json({"changed": bool(changes) and not dry_run, "files": files})
    elif not changes:
        output.print_line(f"nothing to do: it is {done} already")
    else:
        output.print_line("nothing was changed" if dry_run else done)


def _ask(*, json: bool) -> None:
    if json or not sys.stdin.isatty():
        raise UsageError("nobody can be asked here; repeat it with --yes, or look with --dry-run")
    typer.confirm("Write this?", abort=True)


def hook(
    harness: Harness,
    event: Annotated[
        str | None, typer.Argument(metavar="[EVENT]", help="Where the payload does not say.")
    ] = None,
) -> None:
    """What a coding agent calls, its payload on stdin; resources-graph-hook starts quicker."""
    from resources_graph_core import hook as program  # noqa: PLC0415 - not for other commands

    arguments = [harness] if event is None else [harness, event]
    program.main(arguments, sys.stdin.buffer, sys.stdout.buffer, seconds=program.SECONDS)


def add_to(application: typer.Typer) -> None:
    """Add these commands."""
    application.command()(hook)
    application.command()(install)
    application.command()(uninstall)
