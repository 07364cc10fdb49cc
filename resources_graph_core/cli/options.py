"""What every command shares: the global options, common option types, and opening things late."""

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from resources_graph_core.config import Settings, load_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.graph import Graph
    from resources_graph_core.memory import Memory

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Session = Annotated[
    str | None, typer.Option("--session", metavar="ID", help="The session it belongs to.")
]


@dataclass(frozen=True, slots=True)
class Options:
    """The options that stand before the command."""

    graph_url: str | None = None


def settings(context: typer.Context) -> Settings:
    """The settings in force, with the global options over them."""
    options = context.find_object(Options) or Options()
    return load_settings(graph_url=options.graph_url)


def memory(context: typer.Context) -> "Memory":
    """Open the memory, to be used in a ``with`` block."""
    from stamina.instrumentation import set_on_retry_hooks  # noqa: PLC0415 - slow

    from resources_graph_core.memory import open_memory  # noqa: PLC0415 - slow

    set_on_retry_hooks(())  # by default each retry is a line on stdout where structlog is installed
    return open_memory(settings=settings(context))


@contextmanager
def writable_memory(context: typer.Context) -> "Iterator[Memory]":
    """The memory with its indexes and unique constraints in place, even at its very first use."""
    with memory(context) as opened:
        opened.setup()
        yield opened


def graph(context: typer.Context) -> "Graph":
    """Open the graph alone, to be used in a ``with`` block."""
    from resources_graph_core.graph import open_graph  # noqa: PLC0415 - slow

    chosen = settings(context)
    return open_graph(chosen.graph_url, user=chosen.graph_user, password=chosen.graph_password)
