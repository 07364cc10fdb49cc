"""``doctor``: whether everything works, and what to do where it does not."""

from pathlib import Path

import typer

from resources_graph_core.cli import options, output
from resources_graph_core.cli.program import DONE, FAILED


def doctor(context: typer.Context, *, json: options.Json = False) -> int:
    """Look at settings, graph, GitHub, spool, failures and coding agents. Status 1: one failed."""
    from stamina import set_testing  # noqa: PLC0415 - slow

    from resources_graph_core.checkup import examine  # noqa: PLC0415 - the same

    given = context.find_object(options.Options) or options.Options()
    with set_testing(True, attempts=1):  # nobody waits for retries
        findings = list(examine(given.graph_url, Path.cwd(), Path.home()))
    failed = any(finding.state == "failed" for finding in findings)
    if json:
        output.print_json({"ok": not failed, "findings": findings})
    else:
        columns = ("name", "state", "detail")
        rows = [{name: getattr(finding, name) for name in columns} for finding in findings]
        output.print_table(columns, rows)
    return FAILED if failed else DONE


def add_to(application: typer.Typer) -> None:
    """Add this command."""
    application.command()(doctor)
