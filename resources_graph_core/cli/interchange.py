"""``export`` and ``import``: memory as a file, and back."""

import json as json_module
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from resources_graph_core.cli import options, output
from resources_graph_core.errors import ResourcesGraphError, UsageError

_ARCHIVE_SUFFIX = ".json"


def export(
    context: typer.Context,
    repository: Annotated[
        str | None,
        typer.Argument(
            metavar="[OWNER/REPO]", help="Write this repository as an archive; else everything."
        ),
    ] = None,
    *,
    output_file: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write to this file, not to stdout.")
    ] = None,
    private: Annotated[
        bool, typer.Option("--private", help="Write Touches, sessions and users too.")
    ] = False,
) -> None:
    """Write memory as JSON Lines, or one repository as an archive (JSON, the IETF's format)."""
    from resources_graph_core.interchange import archives, lines  # noqa: PLC0415 - slow
    from resources_graph_core.surroundings import named  # noqa: PLC0415 - the same

    if repository is not None and private:
        raise UsageError("an archive holds nothing private; leave out --private, or the repository")
    with ExitStack() as stack:
        memory = stack.enter_context(options.memory(context))
        if repository is None:
            written = lines.export(memory.graph, private=private)
        else:
            (where, *_) = named(repository, memory.settings)
            document = archives.export(memory.graph, where.repository)
            written = iter([json_module.dumps(document, ensure_ascii=False, indent=1)])
        try:
            file = (
                stack.enter_context(output_file.open("w", encoding="utf-8"))
                if output_file
                else sys.stdout
            )
            for line in written:
                file.write(f"{line}\n")
        except OSError as error:
            if output_file is None:
                raise
            raise _unusable(output_file, error) from error


def load(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What export wrote.")],
    *,
    json: options.Json = False,
) -> None:
    """Read JSON Lines into an empty memory, or an archive (.json) into any."""
    from resources_graph_core.interchange import archives, lines  # noqa: PLC0415 - slow

    with options.writable_memory(context) as memory:
        if file.suffix == _ARCHIVE_SUFFIX:
            stored = archives.load(memory.graph, file)
            told, document = f"stored {stored} Resources", {"resources": stored}
        else:
            try:
                with file.open(encoding="utf-8") as opened:
                    if opened.seekable():
                        lines.check(lines.bounded(opened))
                        opened.seek(0)
                    moved = lines.load(memory.graph, lines.bounded(opened))
            except (OSError, UnicodeDecodeError) as error:
                raise _unusable(file, error) from error
            told = f"stored {moved.nodes} nodes and {moved.edges} edges"
            document = {"nodes": moved.nodes, "edges": moved.edges}
    if json:
        output.print_json(document)
    else:
        output.print_line(told)


def _unusable(file: Path, error: OSError | UnicodeDecodeError) -> ResourcesGraphError:
    reason = getattr(error, "strerror", None) or error
    return ResourcesGraphError(f"{file} cannot be read or written: {reason}; name another file")


def add_to(application: typer.Typer) -> None:
    """Add these commands."""
    application.command()(export)
    application.command("import")(load)
