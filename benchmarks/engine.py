"""What the embedded engine costs: start, memory, and reads and writes as the graph grows.

Prints JSON; times are in milliseconds. ``--sizes 0 10000`` is quicker than the default.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from resources_graph_core.graph import embedded, open_graph
from resources_graph_core.graph.schema import setup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from resources_graph_core.graph import Graph, Row

SIZES = (0, 10_000, 100_000)
READS = 2000
UPSERTS = 30
BATCH = 500
WORDS = [
    "the",
    "handshake",
    "fails",
    "when",
    "a",
    "client",
    "sends",
    "an",
    "empty",
    "extension",
    "and",
    "the",
    "server",
    "answers",
    "with",
    "an",
    "alert",
    "instead",
    "of",
    "a",
    "retry",
    "see",
    "also",
    "the",
    "draft",
    "section",
    "about",
    "padding",
    "and",
    "key",
    "shares",
]

UPSERT = "UNWIND $rows AS row MERGE (r:Resource {node_id: row.node_id}) SET r:Issue SET r += row"
READ = "MATCH (r:Resource {address: $address}) RETURN r"


def issue(number: int, generator: random.Random) -> Row:
    """One issue with a body of about a kilobyte."""
    return {
        "node_id": f"I_kwDO{number:012d}",
        "address": f"github:octo-org/widgets#{number}",
        "url": f"https://github.com/octo-org/widgets/issues/{number}",
        "number": number,
        "title": " ".join(generator.choices(WORDS, k=8)),
        "body": " ".join(generator.choices(WORDS, k=180)),
        "state": generator.choice(["open", "closed"]),
        "author": f"user-{number % 97}",
        "labels": generator.sample(["bug", "docs", "question", "editorial"], k=2),
        "created_at": "2026-11-30T22:25:00Z",
        "updated_at": "2026-11-30T22:25:00Z",
        "fetched_at": "2026-12-01T00:00:00Z",
        "comment_count": number % 13,
        "locked": False,
    }


def batches(first: int, last: int, generator: random.Random) -> Iterator[list[Row]]:
    """Issues numbered from first up to last, BATCH at a time."""
    for start in range(first, last, BATCH):
        yield [issue(number, generator) for number in range(start, min(start + BATCH, last))]


def timed(calls: list[Callable[[], object]]) -> dict[str, float]:
    """Run the calls and return the 50th and 99th percentile of their times."""
    times = []
    for call in calls:
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1000)
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    return {"p50_ms": round(cuts[49], 3), "p99_ms": round(cuts[98], 3)}


def measure(graph: Graph, size: int, folder: Path) -> dict[str, object]:
    """Reads, upserts of what is stored and of what is new, with ``size`` issues stored.

    The issues that the measurement adds are removed again.
    """
    generator = random.Random(size)  # noqa: S311 - the same figures each time
    known = [generator.randrange(size) for _ in range(READS)] if size else [0] * READS
    memory = embedded.status(folder).memory_bytes or 0
    reads = timed(
        [
            lambda number=number: graph.query(READ, address=f"github:octo-org/widgets#{number}")
            for number in known
        ]
    )
    added = list(batches(10**9, 10**9 + UPSERTS * BATCH, generator))
    new = timed([lambda rows=rows: graph.query(UPSERT, rows=rows) for rows in added])
    again = timed([lambda rows=rows: graph.query(UPSERT, rows=rows) for rows in added])
    for rows in added:
        graph.query(
            "UNWIND $ids AS id MATCH (r:Resource {node_id: id}) DELETE r",
            ids=[row["node_id"] for row in rows],
        )
    return {
        "resources": size,
        "memory_mb": round(memory / 1e6, 1),
        "read_by_address": reads,
        f"upsert_{BATCH}_new": new,
        f"upsert_{BATCH}_stored": again,
    }


def start_times(folder: Path, times: int) -> dict[str, float]:
    """How long a stopped engine takes until it answers."""
    embedded.stop(folder)
    measured = []
    for _ in range(times):
        start = time.perf_counter()
        embedded.start(folder)
        measured.append((time.perf_counter() - start) * 1000)
        embedded.stop(folder)
    return {"median_ms": round(statistics.median(measured), 1), "max_ms": round(max(measured), 1)}


def ratios(first: dict[str, object], last: dict[str, object]) -> dict[str, float]:
    """How many times longer the median takes at the last size than at the first."""
    found = {}
    for name, value in first.items():
        other = last[name]
        if isinstance(value, dict) and isinstance(other, dict):
            found[name] = round(other["p50_ms"] / value["p50_ms"], 2)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="stored Resources")
    sizes = sorted(parser.parse_args().sizes)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve() / "graph"
        try:
            print(json.dumps(report(folder, sizes), indent=2))
        finally:
            embedded.stop(folder)


def report(folder: Path, sizes: list[int]) -> dict[str, object]:
    """The whole report, on an engine in this folder."""
    embedded.start(folder)
    start_when_empty = start_times(folder, 5)
    generator = random.Random(1)  # noqa: S311 - the same figures each time
    measured = []
    with open_graph(f"embedded://{folder}") as graph:
        setup(graph)
        stored = 0
        for size in sizes:
            for rows in batches(stored, size, generator):
                graph.query(UPSERT, rows=rows)
            stored = size
            measured.append(measure(graph, size, folder))
        version = embedded.status(folder).version
    disk = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    return {
        "engine": f"FalkorDB {version}",
        "processors": os.cpu_count(),
        "start_when_empty": start_when_empty,
        "start_when_full": start_times(folder, 1),
        "disk_mb": round(disk / 1e6, 1),
        "sizes": measured,
        f"ratio_{sizes[-1]}_to_{sizes[0]}": ratios(measured[0], measured[-1]),
    }


if __name__ == "__main__":
    main()
