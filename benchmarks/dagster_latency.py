"""From a Touch to the stored Resource with Dagster's sensor and daemon running.

For 1 and for 100 repositories touched at once: the time until each Touch is resolved (p50, max),
the runs that were launched, and the memory of all processes while it went on. `resources-graph up`
runs in a folder of its own, against a sandbox. Prints JSON; exits with 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import psutil
from dagster import DagsterInstance

from resources_graph_core import open_memory
from resources_graph_core.config import load_settings
from resources_graph_core.graph import embedded
from resources_graph_core.graph.opening import embedded_folder
from resources_graph_core.sandbox import Sandbox
from resources_graph_dagster import up_detached, up_files, up_state

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from resources_graph_core.memory import Memory
    from resources_graph_dagster.up_files import Files

PATIENCE_SECONDS = 600
MOST_RUNS = 5
"""Runs that one hundred touched repositories may take: a handful."""


@dataclass
class Footprint:
    """Samples, in a thread, the resident memory of the processes of ``up`` and of the graph."""

    files: Files
    peak_mb: dict[str, float] = field(default_factory=dict)
    _done: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        """Begin to sample."""
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop sampling."""
        self._done.set()
        self._thread.join()

    def _sample(self) -> None:
        engine = embedded.status(embedded_folder()).pid
        while not self._done.wait(0.5):
            found = up_state.status(self.files)
            now = {one.name: _megabytes(one.pid) for one in found.programs}
            now["supervisor"] = _megabytes(found.pid)
            now["graph"] = _megabytes(engine)
            now["runs"] = sum(
                _megabytes(child)
                for one in found.programs
                if one.name == "code-server"
                for child in _children(one.pid)
            )
            now["all"] = sum(now.values())
            for name, value in now.items():
                self.peak_mb[name] = round(max(value, self.peak_mb.get(name, 0.0)), 1)


def _megabytes(pid: int | None) -> float:
    try:
        return psutil.Process(pid).memory_info().rss / 1e6 if pid else 0.0
    except psutil.NoSuchProcess:
        return 0.0


def _children(pid: int) -> list[int]:
    try:
        return [one.pid for one in psutil.Process(pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


@dataclass(frozen=True, slots=True)
class Measured:
    """What one round took."""

    repositories: int
    p50_seconds: float
    max_seconds: float
    runs: int
    requests: int
    peak_mb: dict[str, float]


def archive(repository: str) -> dict[str, Any]:
    """A repository with one issue."""
    moment = "2026-01-02T03:04:05Z"
    issue = {
        "number": 1,
        "id": f"I_{repository}",
        "title": "A title",
        "author": "octocat",
        "body": "Text",
        "state": "OPEN",
        "labels": [],
        "assignees": [],
        "comments": [],
        "createdAt": moment,
        "updatedAt": moment,
    }
    return {"repo": repository, "labels": [], "issues": [issue], "pulls": []}


def measure(
    memory: Memory, sandbox: Sandbox, files: Files, repositories: Sequence[str]
) -> Measured:
    """Touch an issue of each repository at once, and wait until all are resolved."""
    session = f"measured-{len(repositories)}"
    asked = len(sandbox.requests.all)
    with DagsterInstance.from_config(str(files.home)) as instance, Footprint(files) as footprint:
        runs = instance.get_runs_count()
        start = time.monotonic()
        memory.touch_many([f"{one}#1" for one in repositories], session=session)
        resolved: dict[str, float] = {}
        while len(resolved) < len(repositories):
            time.sleep(0.1)
            for touch in memory.touches(session):
                if touch["status"] == "resolved":
                    resolved.setdefault(str(touch["touch_id"]), time.monotonic() - start)
            if time.monotonic() - start > PATIENCE_SECONDS:
                raise SystemExit(f"only {len(resolved)} of {len(repositories)} were resolved")
        runs = instance.get_runs_count() - runs
    return Measured(
        repositories=len(repositories),
        p50_seconds=round(statistics.median(resolved.values()), 2),
        max_seconds=round(max(resolved.values()), 2),
        runs=runs,
        requests=len(sandbox.requests.all) - asked,
        peak_mb=footprint.peak_mb,
    )


@contextmanager
def dagster(sizes: Sequence[int]) -> Iterator[tuple[Sandbox, Files, list[list[str]]]]:
    """Dagster over an empty graph and a sandbox; the repositories of each round."""
    rounds = [[f"octo-org/round{size}-{number}" for number in range(size)] for size in sizes]
    with tempfile.TemporaryDirectory(prefix="rg-latency-") as folder:
        paths = []
        for repository in (one for each in rounds for one in each):
            paths.append(Path(folder) / f"{repository.replace('/', '-')}.json")
            paths[-1].write_text(json.dumps(archive(repository)), "utf-8")
        with Sandbox(paths) as sandbox:
            os.environ |= {
                "RESOURCES_GRAPH_HOME": str(Path(folder) / "home"),
                "RESOURCES_GRAPH_URL": "embedded:",
                "GITHUB_API_URL": sandbox.url,
                "GITHUB_TOKEN": "made-up",
            }
            files = up_files.locate()
            try:
                up_detached.start(files, 0)
                yield sandbox, files, rounds
            finally:
                up_detached.stop(files)
                embedded.stop(embedded_folder())


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1, 100])
    chosen = parser.parse_args()
    with (
        dagster(chosen.sizes) as (sandbox, files, rounds),
        open_memory(settings=load_settings()) as memory,
    ):
        memory.setup()
        measured = [measure(memory, sandbox, files, repositories) for repositories in rounds]
    bars = {f"{one.repositories}: a handful of runs": one.runs <= MOST_RUNS for one in measured}
    report = {
        "processors": os.cpu_count(),
        "load_before": round(os.getloadavg()[2], 1),
        "rounds": [asdict(one) for one in measured],
        "bars": bars,
    }
    print(json.dumps(report, indent=2))
    return 0 if all(bars.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
