"""What a Sweep costs: requests, points, time and memory, against the sandbox 150 ms away.

(a) 600 items that memory never saw; (b) the same 600, unchanged; (c) the archive of 2020 stored,
then that of 2025 served, and all its items touched. Beside (a), what one request per item takes,
one after the other. Prints JSON, and exits with 1 when a bar is missed. The sandbox runs in a
process of its own; the archives are those in ``../shared/github`` unless told otherwise.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from resources_graph_core import config, open_memory
from resources_graph_core.address import Address, Filters
from resources_graph_core.config import load_settings
from resources_graph_core.github import open_source
from resources_graph_core.graph import embedded
from resources_graph_core.sandbox import Sandbox
from resources_graph_core.sandbox.archive import load_archive

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from multiprocessing.connection import Connection

    from resources_graph_core.github import Version
    from resources_graph_core.memory import Memory

ITEMS = 600
LATENCY_SECONDS = 0.15
TOKEN = "made-up"  # noqa: S105 - the sandbox takes any
ARCHIVES = Path(__file__).parents[2] / "shared" / "github"


@dataclass(frozen=True, slots=True)
class Served:
    """What the sandbox was asked since it last told."""

    requests: int
    points: int
    most_in_flight: int
    by_name: dict[str, int]


@dataclass(frozen=True, slots=True)
class Measured:
    """What something cost. Memory is the most that this process held, without the engine's."""

    seconds: float
    peak_memory_mb: float | None
    served: Served
    touches_resolved: int = 0
    items_fetched: int = 0


def serve(archive: Path, commands: Connection) -> None:
    """Serve an archive until told to stop: a path is an archive to load, ``count`` tells."""
    with Sandbox([archive]) as sandbox:
        sandbox.faults.latency_seconds = LATENCY_SECONDS
        commands.send(sandbox.url)
        while (command := commands.recv()) != "stop":
            asked = sandbox.requests
            if command != "count":
                sandbox.state.load(load_archive(Path(command)))
            served = Served(asked.total, asked.points, asked.most_in_flight, dict(asked.by_name))
            asked.clear()
            commands.send(served)


class FarAway:
    """A sandbox in a process of its own."""

    def __init__(self, archive: Path) -> None:
        spawning = multiprocessing.get_context("spawn")
        self._commands, theirs = spawning.Pipe()
        self._process = spawning.Process(target=serve, args=(archive, theirs), daemon=True)

    def __enter__(self) -> Self:
        """Start it."""
        self._process.start()
        self.url: str = self._commands.recv()
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self._commands.send("stop")
        self._process.join()

    def count(self) -> Served:
        """What it was asked since the last time."""
        return self._tell("count")

    def load(self, archive: Path) -> None:
        """Serve this archive, as what became of the one before."""
        self._tell(str(archive))

    def _tell(self, command: str) -> Served:
        self._commands.send(command)
        served: Served = self._commands.recv()
        return served


def reset_peak_memory() -> None:
    """Measure the peak from here on, where the system can tell."""
    reset = Path("/proc/self/clear_refs")
    if reset.exists():
        reset.write_text("5")


def peak_memory_mb() -> float | None:
    """The most memory that this process held since the last reset, in MB."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    lines = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
    return round(int(lines["VmHWM"].split()[0]) / 1000, 1)


@contextmanager
def new_memory(url: str) -> Iterator[Memory]:
    """An empty memory on an engine of its own, which sweeps from the sandbox at ``url``."""
    with tempfile.TemporaryDirectory(prefix="rg-") as folder:
        os.environ[config.HOME_VARIABLE] = folder
        settings = load_settings(github_api_url=url, github_token=TOKEN)
        try:
            with open_memory("embedded:", settings=settings) as memory:
                memory.setup()
                yield memory
        finally:
            embedded.stop(Path(folder) / "graph")


def sweep(memory: Memory, sandbox: FarAway, addresses: Sequence[Address]) -> Measured:
    """Touch these and sweep; what the Sweep cost."""
    for address in addresses:
        memory.touch(address)
    sandbox.count()
    reset_peak_memory()
    began = time.perf_counter()
    report = memory.sweep()
    seconds = time.perf_counter() - began
    return Measured(
        round(seconds, 2), peak_memory_mb(), sandbox.count(), report.resolved, report.fetched
    )


def one_by_one(sandbox: FarAway, addresses: Sequence[Address]) -> Measured:
    """Ask for one item after the other, each in a request of its own; nothing is stored."""
    sandbox.count()
    reset_peak_memory()
    began = time.perf_counter()
    with open_source(sandbox.url, TOKEN) as source:
        for address in addresses:
            list(source.fetch([address]))
    seconds = time.perf_counter() - began
    return Measured(
        round(seconds, 2), peak_memory_mb(), sandbox.count(), items_fetched=len(addresses)
    )


def items_of(archive: Path) -> list[Address]:
    """The Addresses of all items of an archive."""
    loaded = load_archive(archive)
    owner, _, name = loaded.repo.partition("/")
    return [Address.of_item(owner, name, item.number) for item in (*loaded.issues, *loaded.pulls)]


def versions(sandbox: FarAway, address: Address) -> set[Version]:
    """What tells whether an item changed, of all items of a repository."""
    found: set[Version] = set()
    with open_source(sandbox.url, TOKEN) as source:
        for kind in ("issues", "pulls"):
            listing = Address.of_listing(address.owner, address.name, kind, Filters(state="all"))
            found.update(source.index(listing).entries)
    return found


def report(older: Path, newer: Path) -> dict[str, object]:
    """All measurements, and whether they meet their bars."""
    wanted = items_of(newer)[:ITEMS]
    with FarAway(newer) as sandbox, new_memory(sandbox.url) as memory:
        never_seen = sweep(memory, sandbox, wanted)
        unchanged = sweep(memory, sandbox, wanted)
        serial = one_by_one(sandbox, wanted)
    with FarAway(older) as sandbox, new_memory(sandbox.url) as memory:
        known = items_of(older)
        stored = sweep(memory, sandbox, known)
        before = versions(sandbox, known[0])
        sandbox.load(newer)
        to_fetch = len(versions(sandbox, known[0]) - before)
        later = sweep(memory, sandbox, items_of(newer))
    faster = round(serial.seconds / never_seen.seconds, 1)
    all_measured = (never_seen, unchanged, stored, later)
    most_in_flight = max(one.served.most_in_flight for one in all_measured)
    return {
        "latency_ms": LATENCY_SECONDS * 1000,
        "processors": os.cpu_count(),
        "a_never_seen": asdict(never_seen),
        "a_one_by_one": asdict(serial),
        "a_times_faster": faster,
        "b_unchanged": asdict(unchanged),
        "c_stored_before": asdict(stored),
        "c_five_years_later": asdict(later),
        "c_changed_or_new": to_fetch,
        "bars": {
            "a: all resolved": never_seen.touches_resolved == len(wanted),
            "a: at most 60 requests": never_seen.served.requests <= 60,
            "a: at least 10 times faster": faster >= 10,
            "b: all resolved": unchanged.touches_resolved == len(wanted),
            "b: at most 12 requests": unchanged.served.requests <= 12,
            "c: only what changed or is new": later.items_fetched == to_fetch,
            "at most 4 in flight": most_in_flight <= 4,
        },
    }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--older", type=Path, default=ARCHIVES / "tls-esni-2020.json")
    parser.add_argument("--newer", type=Path, default=ARCHIVES / "tls-esni-2025.json")
    chosen = parser.parse_args()
    for archive in (chosen.older, chosen.newer):
        if not archive.exists():
            print(f"There is no archive {archive}: give --older and --newer", file=sys.stderr)
            return 2
    measured = report(chosen.older, chosen.newer)
    print(json.dumps(measured, indent=2))
    bars = measured["bars"]
    return 0 if isinstance(bars, dict) and all(bars.values()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
