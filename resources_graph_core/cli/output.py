"""What commands print: JSON documents, lines and tables; colours only on a terminal."""

from __future__ import annotations

import json
import os
import sys
from contextlib import nullcontext
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from resources_graph_core.render import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rich.console import Console

    from resources_graph_core.render import Line

_STYLES = {
    "title": "bold",
    "fact": "cyan",
    "heading": "bold green",
    "body": "",
    "prose": "",
    "faint": "dim",
}


def print_json(document: object) -> None:
    """Print one JSON document; everything but ASCII is escaped, so that it is safe to look at.

    Indented on a terminal only: elsewhere a program reads it, or a model, which pays for blanks.
    """
    indent = 2 if sys.stdout.isatty() else None
    sys.stdout.write(f"{json.dumps(document, default=_plain, indent=indent)}\n")


def print_event(event: object) -> None:
    """Print one JSON object in one line, at once, for a program that reads along."""
    sys.stdout.write(f"{json.dumps(event, default=_plain)}\n")
    sys.stdout.flush()


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def print_line(text: str) -> None:
    """Print one line of the program's own; text from elsewhere in it is made visible."""
    sys.stdout.write(f"{visible(text)}\n")


def print_note(text: str) -> None:
    """Print one line beside the answer, on stderr."""
    sys.stdout.flush()
    sys.stderr.write(f"{visible(text, line_breaks=False)}\n")


def treated(value: Any) -> Any:  # noqa: ANN401 - JSON
    """What strangers wrote, in a JSON value, made fit for models, which read commands' output too.

    See :mod:`resources_graph_core.untrusted`; a note tells of credentials that were masked.
    """
    from resources_graph_core.untrusted import Treatment  # noqa: PLC0415 - slow

    treatment = Treatment()
    made = treatment.treat_all(value)
    if treatment.masked:
        kinds = ", ".join(f"{count} {kind}" for kind, count in treatment.masked.items())
        print_note(f"credentials masked: {kinds}")
    return made


def print_lines(lines: Iterable[Line], *, raw: bool = True, pager: bool = False) -> None:
    """Print lines that are already safe to show; on a terminal in colours.

    There, unless ``raw``, prose is shown as the Markdown it is, and with ``pager`` through the
    user's pager (``PAGER``). Elsewhere, unless ``raw``, each line of prose begins with ``|``, which
    tells a model that somebody else wrote it.
    """
    if not sys.stdout.isatty():
        for line in lines:
            mark = "| " if line.style == "prose" and not raw else ""
            for one in line.text.split("\n"):
                sys.stdout.write(f"{mark}{one}".rstrip(" " if mark else "") + "\n")
        return
    from rich.console import Console  # noqa: PLC0415 - slow; only for a terminal

    console = Console(highlight=False)
    os.environ.setdefault("LESS", "FRX")  # as git does: colours, and no pager for what fits
    with console.pager(styles=True) if pager else nullcontext():
        show_lines(console, lines, raw=raw)


def show_lines(console: Console, lines: Iterable[Line], *, raw: bool) -> None:
    """Print lines to a console of Rich's; see :func:`print_lines`."""
    from rich.markdown import Markdown  # noqa: PLC0415 - slow; only for a terminal
    from rich.text import Text  # noqa: PLC0415 - the same

    for line in lines:
        if line.style != "prose" or raw or not line.text:
            console.print(Text(line.text, style=_STYLES[line.style]))
            continue
        # Web addresses are written out: a link's words may say anything.
        console.print(Markdown(line.text, hyperlinks=False))
        if "<" in line.text:
            console.print(Text("(HTML is not shown; --raw shows it)", style=_STYLES["faint"]))


def print_table(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Print rows under their columns: a table on a terminal, tab-separated values when piped."""
    cells = [[_cell(row.get(column)) for column in columns] for row in rows]
    if not sys.stdout.isatty():
        for line in [list(columns), *cells]:
            sys.stdout.write("\t".join(line) + "\n")
        return
    from rich.console import Console  # noqa: PLC0415 - slow; only for a terminal
    from rich.table import Table  # noqa: PLC0415 - the same
    from rich.text import Text  # noqa: PLC0415 - the same

    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        table.add_column(Text(column), overflow="fold")
    for line in cells:
        table.add_row(*map(Text, line))
    Console(highlight=False).print(table)


def _cell(value: object) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, default=_plain)
    return visible(text, line_breaks=False).replace("\t", " ")
