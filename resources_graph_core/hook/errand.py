"""What a hook does with the graph: write its Touches, look up the Nudges, drain a little.

In that order, within a deadline. What could not be written goes to the spool. Bolt clients cannot
be interrupted, so a server is spoken to in a child process, which is killed at the deadline.
"""

from __future__ import annotations

import time

from resources_graph_core import failures
from resources_graph_core.errors import ConfigError, GraphUnavailable, ResourcesGraphError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.address import Address
    from resources_graph_core.config import Settings
    from resources_graph_core.graph.quick import QuickGraph
    from resources_graph_core.touch import Touch

SECONDS = 1.2
"""For everything with the graph."""

LATEST = 1.6
"""Seconds after a hook's start by which it is done with the graph; the spool comes after that."""

DRAINED = 50
"""Lines of the spool that a hook hands to the graph at most, after its own Touches."""

MOST_NUDGES = 10
"""Lines a model is told before one call."""

RECORDED = "recorded"
"""The step after which the hook's own Touches are in the graph."""


def run(
    folder: str,
    settings: Settings | None,
    touches: list[Touch],
    wanted: list[Address],
    *,
    deadline: float,
) -> list[str]:
    """Record the Touches, in the graph or in the spool; the Nudges for what is ``wanted``.

    At ``deadline`` (``time.monotonic()``), and without ``settings`` (they cannot be read),
    everything goes to the spool.
    """
    deadline = min(deadline, time.monotonic() + SECONDS)
    said: list[str] = []
    try:
        if settings is not None and time.monotonic() < deadline:
            for step in _steps(folder, settings, touches, wanted, deadline):
                said.append(step)  # noqa: PERF402 - kept as they come: a later one may fail
    except (ResourcesGraphError, OSError) as error:
        failures.record(folder, "hook", error)
    finally:
        if touches and RECORDED not in said:
            from resources_graph_core.spool import Spool  # noqa: PLC0415 - not when all is well

            Spool(folder).append(touches)
    return [line for line in said if line != RECORDED]


def _steps(
    folder: str, settings: Settings, touches: list[Touch], wanted: list[Address], deadline: float
) -> Iterator[str]:
    url = settings.graph_url
    if url.partition(":")[0].lower() != "embedded":
        yield from _with_server(folder, settings, touches, wanted, deadline)
        return
    from resources_graph_core.graph import quick, running  # noqa: PLC0415 - not for a server

    engine = running.folder_of(url)
    if engine is None:
        raise ConfigError("graph.url names no folder; set it again.")
    try:
        graph = quick.QuickEngine(engine, deadline=deadline)
    except GraphUnavailable:  # nothing is wrong with that: it is started by those who need it
        from resources_graph_core.hook import starting  # noqa: PLC0415 - seldom

        starting.in_background(engine, folder)
        return
    yield from _errand(graph, folder, touches, wanted, deadline)


def _with_server(
    folder: str, settings: Settings, touches: list[Touch], wanted: list[Address], deadline: float
) -> Iterator[str]:
    from resources_graph_core.graph import quick  # noqa: PLC0415 - not for the embedded engine
    from resources_graph_core.hook import child, silence  # noqa: PLC0415 - the same

    if silence.lasts(folder):
        return

    def work() -> Iterator[str]:
        quick.knock(settings.graph_url)  # in here, since looking a host's name up may take long
        graph = quick.open_server(
            settings.graph_url, user=settings.graph_user, password=settings.graph_password
        )
        yield from _errand(graph, folder, touches, wanted, deadline)

    began = time.monotonic()
    recorded = not touches
    for step in child.steps(work, deadline, folder, late="The graph did not answer in time."):
        recorded = recorded or step == RECORDED
        yield step
    if not recorded and time.monotonic() - began > silence.COSTLY:
        silence.note(folder)


def _errand(
    graph: QuickGraph, folder: str, touches: list[Touch], wanted: list[Address], deadline: float
) -> Iterator[str]:
    """Each step by what it leaves to say, so that one that fails takes nothing back."""
    from resources_graph_core.store import recording  # noqa: PLC0415 - only for a graph that is up

    if touches:
        recording.record(graph, touches)
        yield RECORDED
    if wanted:
        from resources_graph_core.clock import now  # noqa: PLC0415 - only before a tool
        from resources_graph_core.store import holdings  # noqa: PLC0415 - the same

        yield from holdings.nudges(graph, wanted[:MOST_NUDGES], now())
    from resources_graph_core.spool import Spool  # noqa: PLC0415 - only for a graph that is up

    spool = Spool(folder)
    if spool.holds_anything():
        spool.drain(
            lambda waiting: recording.record_what_goes(graph, waiting),
            limit=DRAINED,
            deadline=deadline,
        )
