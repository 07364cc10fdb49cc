"""What a person or a program sees while a Sweep runs."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from resources_graph_core.cli import output

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from resources_graph_core.sweep import SweepEvent


@dataclass(slots=True)
class Told:
    """Takes the events of a Sweep, counts their ``addresses`` and shows them."""

    show: Callable[[SweepEvent], None]
    addresses: int = field(default=0, init=False)

    def event(self, event: SweepEvent) -> None:
        """Take an event."""
        self.addresses += 1
        self.show(event)


@contextmanager
def telling(*, quiet: bool, events: bool) -> Iterator[Told]:
    """How to tell: not at all, a JSON object a line, counts on a terminal, or a plain line each."""
    if events:
        yield Told(lambda event: output.print_event(event.as_dict()))
    elif quiet:
        yield Told(lambda _: None)
    elif not sys.stderr.isatty():
        yield Told(lambda event: output.print_line(line_of(event)))
    else:
        with _counting() as told:
            yield told


@contextmanager
def _counting() -> Iterator[Told]:
    from rich.console import Console  # noqa: PLC0415 - slow; only for a terminal

    with Console(stderr=True).status("asking GitHub") as progress:

        def show(event: SweepEvent) -> None:
            points = "" if event.points_left is None else f" · {event.points_left:,} points left"
            progress.update(f"{told.addresses} Addresses · {event.requests} requests{points}")
            if is_notable(event):
                output.print_line(line_of(event))

        told = Told(show)
        yield told


def is_notable(event: SweepEvent) -> bool:
    """Whether a person wants to know more of it than that it is done. Pure."""
    return event.kind in {"unresolved", "waiting"} or (
        event.kind == "fetched" and bool(event.detail)
    )


def line_of(event: SweepEvent) -> str:
    """One event as a line of text. Pure."""
    reason = (event.reason or event.kind).replace("_", " ")
    touches = f" ({event.touches} Touches)" if event.touches > 1 else ""
    detail = f": {event.detail}" if event.detail else ""
    return f"{event.address} · {reason}{touches}{detail}"
