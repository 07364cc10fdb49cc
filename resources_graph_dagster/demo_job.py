"""What the demo plays: the main job once, end to end, against a small GitHub of its own.

It uses nothing of the user's: no settings, no token, no graph, and not GitHub.
"""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dagster import DagsterInstance

from resources_graph_core.config import HOME_VARIABLE, SETTINGS, load_settings
from resources_graph_core.errors import ResourcesGraphError
from resources_graph_core.graph import embedded
from resources_graph_core.graph.opening import embedded_folder
from resources_graph_core.memory import open_memory
from resources_graph_core.sandbox import Sandbox
from resources_graph_dagster.demo_session import SESSION

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from resources_graph_core.memory import Memory
    from resources_graph_core.read import CacheRead
    from resources_graph_dagster.demo_session import Reach

_VARIABLES = frozenset(
    {HOME_VARIABLE, "DAGSTER_HOME", *(name for one in SETTINGS for name in one.variables)}
)
_DEMO_TOKEN = "made-up-for-the-demo"  # noqa: S105 - the sandbox takes any


@dataclass(frozen=True, slots=True)
class Played:
    """What the demo did: each reach with the Touch it became, and what memory then holds."""

    reaches: list[Reach]
    touches: dict[str, dict[str, object]]
    reads: list[CacheRead]
    requests: int
    points: int
    seconds: float


def play(archives: Sequence[Path], reaches: list[Reach]) -> Played:
    """Touch, sweep with Dagster, and read, in a folder that is gone afterwards.

    Raises ArchiveError for a file that is no archive, GraphUnavailable when the embedded engine
    does not start, ResourcesGraphError when the run failed.
    """
    started = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="resources-graph-demo-") as folder,
        Sandbox(archives) as sandbox,
        _environment(
            {HOME_VARIABLE: folder, "GITHUB_API_URL": sandbox.url, "GITHUB_TOKEN": _DEMO_TOKEN}
        ),
        _engine(),
        open_memory(settings=load_settings()) as memory,
    ):
        memory.setup()
        touches = _touch(memory, reaches)
        _sweep()
        run = memory.status().runs[0]
        states = {str(row["touch_id"]): row for row in memory.touches(SESSION)}
        return Played(
            reaches,
            touches={how: states[touch_id] for how, touch_id in touches.items()},
            reads=[memory.read(reach.address) for reach in reaches if reach.shown],
            requests=int(run["requests"]),
            points=int(run["points"]),
            seconds=time.monotonic() - started,
        )


def _touch(memory: Memory, reaches: Sequence[Reach]) -> dict[str, str]:
    """Record the session; the id of each Touch by how the agent reached for it."""
    return {
        reach.how: memory.touch(
            reach.address,
            session=SESSION,
            provenance=reach.provenance,
            limit=reach.address.limit,
            tool_use_id=f"demo-{number}",
        ).touch_id
        for number, reach in enumerate(reaches)
    }


def _sweep() -> None:
    """Run the sweep job of the code location in this process, as the sensor would launch it."""
    from resources_graph_dagster.definitions import defs  # noqa: PLC0415 - slow, needed only now

    quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    with DagsterInstance.ephemeral() as instance:
        result = defs.resolve_job_def("sweep_pending").execute_in_process(
            run_config=quiet, instance=instance, raise_on_error=False
        )
    if not result.success:
        failed = [event for event in result.all_events if event.is_step_failure]
        data = failed[0].step_failure_data if failed else None
        reason = data.error.message.strip() if data and data.error else "no step says why"
        raise ResourcesGraphError(f"The demo's sweep failed: {reason}")


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """Only these settings for as long as the block lasts; the user's own come back afterwards."""
    before = {name: os.environ.pop(name) for name in _VARIABLES if name in os.environ}
    os.environ.update(values)
    try:
        yield
    finally:
        for name in _VARIABLES:
            os.environ.pop(name, None)
        os.environ.update(before)


@contextmanager
def _engine() -> Iterator[None]:
    """End the demo's own engine with the block."""
    folder = embedded_folder()
    try:
        yield
    finally:
        embedded.stop(folder)
