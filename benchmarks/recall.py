"""What the memory graph costs on the embedded engine: writes, recalls, recalls as of, traces.

Prints JSON; times are in milliseconds. Exits with 1 when a bar is missed. ``--nodes 5000 --edges
25000`` is quicker than the default.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from resources_graph_core.graph import embedded, open_graph
from resources_graph_core.graph.schema import setup
from resources_graph_core.memory_graph import Access, MemoryGraph, statements
from resources_graph_core.memory_graph.model import Edge, Node
from resources_graph_core.memory_graph.records import DumpedGraph, DumpedNode
from resources_graph_core.memory_graph.requests import Link, Load, Put, Recall, Trace
from resources_graph_core.store.batches import batches

if TYPE_CHECKING:
    from collections.abc import Callable

SEED = 1
SINGLE_WRITES = 500
MOST_P50_MS = {10: 10, 100: 30, 1000: 200}
"""Milliseconds that half of the recalls may take at most, by how many nodes they reach."""
MOST_AS_OF_TO_LIVE = 2
RECALLS = 30
REACHED = (10, 100, 1000)
VERSIONS = 1000
LOADED = 5_000
"""So many nodes, and edges, go through load, to be timed; the rest are written without guards."""
AT_ONCE = 2_000
HALF_WAY = "2026-06-01T00:00:00.000000Z"


def moment(fraction: float) -> str:
    """A moment that far through a made-up year."""
    seconds = int(fraction * 364 * 86400)
    day = time.gmtime(1767225600 + seconds)  # from 2026-01-01
    return time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", day)


def node(number: int, total: int) -> Node:
    """A node of made-up content; the first half of them is recorded in the first half-year."""
    return Node(
        id=f"n{number}",
        kind=("task", "file", "run", "decision")[number % 4],
        label=f"Made-up thing number {number}",
        attrs={"number": number},
        origin=f"agent-{number % 7}",
        writer=f"agent-{number % 7}",
        provenance="claimed",
        recorded_at=moment(number / total / 10),
    )


def edge(number: int, total: int, nodes: int, generator: random.Random) -> Edge:
    """An edge between two random nodes, recorded after they were; one in 20 is retired."""
    recorded = 0.1 + 0.8 * number / total
    return Edge(
        id=f"e{number}",
        src=f"n{generator.randrange(nodes)}",
        dst=f"n{generator.randrange(nodes)}",
        rel=generator.choice(["needs", "touched", "blocked_by", "concluded"]),
        cost=generator.choice([0.5, 1.0, 1.0, 2.0]),
        directed=generator.random() < 0.8,
        origin=f"agent-{number % 7}",
        provenance="claimed",
        recorded_at=moment(recorded),
        superseded_at=moment(recorded + 0.1) if number % 20 == 0 else None,
    )


def timed(calls: list[Callable[[], object]]) -> dict[str, float]:
    """Run the calls and return the 50th and 99th percentile of their times."""
    times = []
    for call in calls:
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1000)
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    return {"p50_ms": round(cuts[49], 2), "p99_ms": round(cuts[98], 2)}


def load(memory: MemoryGraph, nodes: int, edges: int) -> dict[str, float]:
    """Fill the graph; returns how many records a second a load takes in."""
    generator = random.Random(SEED)  # noqa: S311 - the same graph each time
    made_nodes = [node(number, nodes) for number in range(nodes)]
    for batch in batches(made_nodes[LOADED:], AT_ONCE):
        statements.record_versions("bench", batch).run(memory.graph)
    start = time.perf_counter()
    versions = tuple(DumpedNode(versions=(one,)) for one in made_nodes[:LOADED])
    memory.load(Load(dump=DumpedGraph(graph_id="bench", nodes=versions)))
    between = time.perf_counter()
    loaded = tuple(edge(number, edges, nodes, generator) for number in range(min(LOADED, edges)))
    memory.load(Load(dump=DumpedGraph(graph_id="bench", edges=loaded)))
    end = time.perf_counter()
    for batch in batches(range(LOADED, edges), AT_ONCE):
        made = [edge(number, edges, nodes, generator) for number in batch]
        statements.record_edges("bench", made).run(memory.graph)
    return {
        "nodes_per_second": round(len(versions) / (between - start)),
        "edges_per_second": round(len(loaded) / (end - between)),
    }


def single_writes(memory: MemoryGraph, nodes: int) -> dict[str, object]:
    """Puts and links one by one, each on the disk before the next begins."""
    generator = random.Random(SEED + 1)  # noqa: S311 - as above

    def put(number: int) -> None:
        memory.put(Put(id=f"p{number}", kind="task", label=f"Put {number}", attrs={"n": number}))

    def link() -> None:
        src, dst = (f"n{generator.randrange(nodes)}" for _ in range(2))
        memory.link(Link(src=src, dst=dst, rel="needs"))

    puts = timed([lambda number=number: put(number) for number in range(SINGLE_WRITES)])
    links = timed([link] * SINGLE_WRITES)
    return {
        "put": puts | {"per_second": round(1000 / puts["p50_ms"])},
        "link": links | {"per_second": round(1000 / links["p50_ms"])},
    }


def recalls(memory: MemoryGraph, nodes: int) -> dict[str, Any]:
    """Recalls by how many nodes they reach: now, as of the middle of the year, and in short."""
    generator = random.Random(SEED + 2)  # noqa: S311 - as above
    measured: dict[str, Any] = {}
    for reached in REACHED:
        starts = [f"n{generator.randrange(nodes)}" for _ in range(RECALLS)]
        variants = {
            "live": {},
            "as_of": {"as_of": HALF_WAY},
            "summary": {"project": "summary"},
        }
        times = {}
        for name, asked in variants.items():
            requests = [
                Recall.model_validate(
                    {"ids": (start,), "max_cost": 20, "max_nodes": reached, **asked}
                )
                for start in starts
            ]
            memory.recall(requests[0])
            times[name] = timed([lambda one=one: memory.recall(one) for one in requests])
        times["as_of_to_live"] = round(times["as_of"]["p50_ms"] / times["live"]["p50_ms"], 2)
        measured[f"reaching_{reached}"] = times
    return measured


def traces(memory: MemoryGraph) -> dict[str, float]:
    """A trace of a node with many versions."""
    for number in range(VERSIONS):
        memory.put(Put(id="traced", kind="task", label=f"Version {number}"))
    return timed([lambda: memory.trace(Trace(id="traced"))] * 20)


def bars(measured: dict[str, Any]) -> dict[str, bool]:
    """Which bars are held."""
    held = {}
    for reached, most in MOST_P50_MS.items():
        times = measured[f"reaching_{reached}"]
        held[f"reaching {reached}: p50 in {most} ms"] = times["live"]["p50_ms"] <= most
        within = times["as_of_to_live"] <= MOST_AS_OF_TO_LIVE
        held[f"reaching {reached}: as of within {MOST_AS_OF_TO_LIVE} times live"] = within
    return held


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--edges", type=int, default=500_000)
    sizes = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve() / "graph"
        try:
            measured = report(folder, sizes.nodes, sizes.edges)
            print(json.dumps(measured, indent=2))
        finally:
            embedded.stop(folder)
    return 0 if all(measured["bars"].values()) else 1


def report(folder: Path, nodes: int, edges: int) -> dict[str, Any]:
    """The whole report, on an engine in this folder."""
    embedded.start(folder)
    access = Access(origin="bench", trusted=True, privileged=True)
    with open_graph(f"embedded://{folder}") as graph:
        setup(graph)
        with MemoryGraph(graph, graph_id="bench", access=access) as memory:
            measured: dict[str, Any] = {
                "engine": f"FalkorDB {embedded.status(folder).version}",
                "processors": os.cpu_count(),
                "nodes": nodes,
                "edges": edges,
                "load": load(memory, nodes, edges),
                "recall": recalls(memory, nodes),
                "write": single_writes(memory, nodes),
                f"trace_{VERSIONS}_versions": traces(memory),
            }
        status = embedded.status(folder)
        measured["bars"] = bars(measured["recall"])
        measured["memory_mb"] = round((status.memory_bytes or 0) / 1e6, 1)
    return measured


if __name__ == "__main__":
    sys.exit(main())
