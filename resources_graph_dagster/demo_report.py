"""What the demo prints: what became of each reach, what memory serves now, what to do next."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from resources_graph_core.render import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.read import CacheRead
    from resources_graph_dagster.demo_job import Played

_NEXT = (
    ("resources-graph touch owner/repo#12", "remember it, as a hook does"),
    ("resources-graph sweep", "fetch it; or let resources-graph up do it"),
    ("resources-graph read owner/repo#12", "read it back, without GitHub"),
)


def print_report(played: Played) -> None:
    """Print two short tables and the next steps; plain text where the output is no terminal."""
    console = Console(highlight=False)
    console.print(Text("What the agent reached for", style="bold"))
    console.print(_reached(played))
    console.print(Text("\nWhat memory serves now, without GitHub", style="bold"))
    console.print(_served(played.reads))
    console.print(Text(f"\n{_summary(played)}"))
    console.print(Text("\nNext", style="bold"))
    console.print(_table(("", ""), [(command, what) for command, what in _NEXT], header=False))


def _reached(played: Played) -> Table:
    return _table(
        ("How", "Address", "What became of it"),
        [
            (reach.how, str(reach.address), _became(played.touches[reach.how]))
            for reach in played.reaches
        ],
    )


def _served(reads: Sequence[CacheRead]) -> Table:
    return _table(
        ("Address", "Outcome", "Kind", "Holds", "Size"),
        [
            (
                read.address.removeprefix("github:"),
                read.outcome,
                read.kind or "",
                _holds(read),
                _size(read),
            )
            for read in reads
        ],
    )


def _summary(played: Played) -> str:
    states = Counter(str(touch["status"]) for touch in played.touches.values())
    told = ", ".join(f"{count} {status}" for status, count in sorted(states.items()))
    return (
        f"{len(played.touches)} Touches in {played.seconds:.1f} s: {told}. "
        f"{played.requests} requests, {played.points} points."
    )


def _became(touch: dict[str, object]) -> str:
    reason = str(touch.get("reason") or "").replace("_", " ")
    return ": ".join(part for part in (str(touch["status"]), reason) if part)


def _holds(read: CacheRead) -> str:
    if read.kind == "Listing":
        return f"{len(read.members)} of {read.resource['total_count']} members"
    return f"{len(read.comments)} comments" if read.outcome == "hit" else ""


def _size(read: CacheRead) -> str:
    return f"{len(json.dumps(read.as_dict(), ensure_ascii=False).encode()) / 1000:.1f} kB"


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, header: bool = True) -> Table:
    table = Table(box=None, show_header=header, header_style="dim", pad_edge=False)
    for column in columns:
        table.add_column(Text(column), overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible(value, line_breaks=False)) for value in row))
    return table
