"""``sandbox``: a small GitHub of one's own."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from resources_graph_core.cli import options, output
from resources_graph_core.errors import ConfigError


def sandbox(
    context: typer.Context,
    *,
    archive: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="An archive to serve; may be repeated."),
    ] = None,
    host: Annotated[str, typer.Option(help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 finds a free one.")] = 8462,
    schema: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="GitHub's own schema: refuse documents that it does not allow."
        ),
    ] = None,
    check_token: Annotated[
        bool,
        typer.Option("--check-token", help="Accept no token but the github.token in force now."),
    ] = False,
) -> None:
    """Serve a small GitHub from archives until Ctrl-C; without one, from the packaged archive."""
    from resources_graph_core.sandbox import serve  # noqa: PLC0415 - slow

    token = options.settings(context).github_token if check_token else None
    if check_token and token is None:
        raise ConfigError("--check-token needs a token: set GITHUB_TOKEN to one made up for it")
    serve(archive or (), host=host, port=port, token=token, schema=schema, announce=_announce)


def _announce(url: str) -> None:
    output.print_line(f"A small GitHub serves at {url}; use it with: export GITHUB_API_URL={url}")
    sys.stdout.flush()


def add_to(application: typer.Typer) -> None:
    """Add this command."""
    application.command()(sandbox)
