"""What storing and reading cost as memory grows to 100,000 items with comments and references.

Stores items as a Sweep does, batch by batch with their links, on an embedded engine of its own or
on the empty graph at ``--url``; the rates are those of the batches after the first 1,000 items,
the first 10,000 and all of them, in one run. Then Cache Reads, Nudges, and the claim of pending
Touches behind as many resolved ones. Prints JSON, and exits with 1 when a bar is missed.
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
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from resources_graph_core import config, open_memory
from resources_graph_core.address import Address
from resources_graph_core.clock import after, now
from resources_graph_core.config import load_settings
from resources_graph_core.graph import embedded
from resources_graph_core.model import Comment, Issue, PullRequest, Reference, Repository
from resources_graph_core.store import claims, links, resources, runs, touches
from resources_graph_core.sweep.items import PAGE, STORE_BATCH
from resources_graph_core.sweep.lease import LEASE_SECONDS
from resources_graph_core.touch import new_touch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from resources_graph_core.graph import Graph
    from resources_graph_core.memory import Memory

ITEMS = 100_000
MARKS = (1_000, 10_000)
"""How many items are stored when the rate is measured, besides all of them."""
WINDOW = 80
"""Batches that a rate is measured over."""
REPOSITORIES = 21
READS = 2_000
PENDING = 100
CLAIMS = 50
RUN = "cli:scale"
CREATED = "2026-01-02T03:04:05Z"
SENTENCE = "The handshake fails when a client sends an empty extension and the server answers. "


@dataclass(frozen=True, slots=True)
class Timed:
    """How long calls took, in milliseconds."""

    p50_ms: float
    p99_ms: float


def repository_of(number: int) -> str:
    """Half of the items are in one large repository, the others in twenty."""
    return f"octo-org/widgets-{0 if number % 2 else 1 + number // 2 % (REPOSITORIES - 1)}"


def repository(name: str) -> Repository:
    """A repository whose id is made of its name."""
    return Repository(
        node_id=f"R_{name}",
        name_with_owner=name,
        url=f"https://github.com/{name}",
        updated_at=CREATED,
    )


def reference(number: int) -> Reference:
    """The other end of a reference."""
    return Reference(
        node_id=f"N_{number:012d}",
        url=f"https://github.com/{repository_of(number)}/issues/{number}",
    )


def item(number: int) -> Issue | PullRequest:
    """An item of about a kilobyte with three comments; every third is a pull request.

    It is referenced by one just before it, one just after it and any one before it, so that either
    end of a reference comes first, and each batch has as many to draw; a pull request closes one.
    """
    anywhere = random.Random(number)  # noqa: S311 - the same graph each time
    name = repository_of(number)
    is_pull = number % 3 == 0
    values = {
        "node_id": f"N_{number:012d}",
        "repository": name,
        "repository_id": f"R_{name}",
        "number": number,
        "url": f"https://github.com/{name}/{'pull' if is_pull else 'issues'}/{number}",
        "title": f"Number {number} fails",
        "body": SENTENCE * 12,
        "state": "OPEN",
        "author": f"user-{number % 97}",
        "labels": ("bug", "editorial"),
        "created_at": CREATED,
        "updated_at": CREATED,
        "comment_count": 3,
        "referenced_by": tuple(
            reference(other)
            for other in {max(1, number - 7), number + 3, anywhere.randint(1, number)} - {number}
        ),
        "comments": tuple(
            Comment(
                node_id=f"C_{number:012d}_{position}",
                body=SENTENCE * 4,
                author=f"user-{(number + position) % 97}",
                created_at=CREATED,
                updated_at=CREATED,
            )
            for position in range(3)
        ),
    }
    if is_pull:
        closes = anywhere.randint(1, number - 1)
        return PullRequest.model_validate(values | {"closes": (reference(closes),)})
    return Issue.model_validate(values)


def timed(calls: Sequence[Callable[[], object]]) -> Timed:
    """Make the calls; the 50th and 99th percentile of their times."""
    times = []
    for call in calls:
        began = time.perf_counter()
        call()
        times.append((time.perf_counter() - began) * 1000)
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    return Timed(round(cuts[49], 3), round(cuts[98], 3))


@dataclass(frozen=True, slots=True)
class Rate:
    """How fast items were stored by the clock, and what each cost the engine's processor.

    ``items_per_second`` is the quickest tenth of the batches', since other processes want the
    processor too; ``median`` is the median batch's, and shows how much they did.
    """

    items_per_second: float
    median: float
    engine_ms_per_item: float | None


def processor_seconds(engine: psutil.Process | None) -> float:
    """What the engine has used of a processor so far."""
    if engine is None:
        return 0.0
    used = engine.cpu_times()
    return float(used.user + used.system)


def store_all(graph: Graph, items: int, engine: psutil.Process | None) -> dict[int, Rate]:
    """Store all items with their links; how fast, from each mark on."""
    runs.start(graph, RUN, kind="cli", now=now())
    names = sorted({repository_of(number) for number in range(2 * REPOSITORIES)})
    resources.store_repositories(
        graph, [repository(name) for name in names], fetched_at=now(), run_id=RUN
    )
    seconds: list[float] = []
    used = [processor_seconds(engine)]
    total = items + WINDOW * STORE_BATCH
    for first in range(1, total + 1, STORE_BATCH):
        batch = [item(number) for number in range(first, first + STORE_BATCH)]
        began = time.perf_counter()
        resources.store_items(graph, batch, fetched_at=now(), run_id=RUN)
        links.draw(graph, [one.node_id for one in batch])
        seconds.append(time.perf_counter() - began)
        used.append(processor_seconds(engine))
    return {mark: rate(mark // STORE_BATCH, seconds, used) for mark in (*MARKS, items)}


def rate(first: int, seconds: Sequence[float], used: Sequence[float]) -> Rate:
    """The rate of the window that begins with batch ``first``."""
    window = seconds[first : first + WINDOW]
    quick = statistics.quantiles(window, n=10)[0]
    cost = (used[first + WINDOW] - used[first]) / (WINDOW * STORE_BATCH) * 1000
    return Rate(
        round(STORE_BATCH / quick),
        round(STORE_BATCH / statistics.median(window)),
        round(cost, 2) if cost else None,
    )


def touch_all(graph: Graph, items: int) -> None:
    """Record a Touch of each item and resolve it; then a few that stay pending."""
    made = [
        new_touch(address_of(number), session=f"s{number // 50}", user="mona", discriminator="c")
        for number in range(1, items + PENDING + 1)
    ]
    touches.record(graph, made)
    touches.resolve(
        graph,
        {touch.touch_id: f"N_{number:012d}" for number, touch in enumerate(made[:items], start=1)},
        run_id=RUN,
    )


def claim(graph: Graph) -> int:
    """Claim what waits, as a Sweep does for its first page, and let go of it; how many Touches."""
    claimed = claims.claim(
        graph,
        RUN,
        claims.Scope(),
        now=now(),
        until=after(LEASE_SECONDS),
        before=now(),
        addresses=PAGE,
    )
    claims.release(graph, RUN)
    return len(claimed)


def address_of(number: int) -> Address:
    """Where an item is."""
    owner, _, name = repository_of(number).partition("/")
    return Address.of_item(owner, name, number)


@contextmanager
def empty_memory(url: str | None) -> Iterator[Memory]:
    """A memory on an engine of its own, or at ``url``, which must be empty and is emptied after."""
    if url is not None:
        with open_memory(settings=load_settings(graph_url=url)) as memory:
            if memory.graph.query("MATCH (n) RETURN 1 AS one LIMIT 1"):
                sys.exit("The graph at --url is not empty, so nothing was stored. Name another.")
            memory.setup()
            yield memory
            while memory.graph.query("MATCH (n) WITH n LIMIT 20000 DETACH DELETE n RETURN 1 AS o"):
                pass
        return
    with tempfile.TemporaryDirectory(prefix="rg-") as folder:
        os.environ[config.HOME_VARIABLE] = folder
        try:
            with open_memory("embedded:", settings=load_settings()) as memory:
                memory.setup()
                yield memory
        finally:
            embedded.stop(Path(folder) / "graph")


def own_engine() -> psutil.Process:
    """The process of the embedded engine."""
    return psutil.Process(embedded.status(config.data_folder() / "graph").pid)


def report(url: str | None, items: int) -> dict[str, object]:
    """All measurements, and whether they meet their bars."""
    with empty_memory(url) as memory:
        engine = None if url else own_engine()
        before = engine.memory_info().rss if engine else 0
        rates = store_all(memory.graph, items, engine)
        stored = items + WINDOW * STORE_BATCH
        held = (engine.memory_info().rss - before) // stored if engine else None
        chosen = random.Random(items)  # noqa: S311 - the same figures each time
        wanted = [address_of(chosen.randint(1, items)) for _ in range(READS)]
        reads = timed([lambda one=one: memory.read(one) for one in wanted])
        nudges = timed([lambda one=one: memory.nudge(str(one)) for one in wanted])
        waiting = timed([lambda: links.draw_waiting(memory.graph)] * CLAIMS)
        touch_all(memory.graph, items)
        claiming = timed([lambda: claim(memory.graph)] * CLAIMS)
        pending = claim(memory.graph)
    kept = round(rates[items].items_per_second / rates[MARKS[0]].items_per_second, 2)
    return {
        "engine": memory.graph.dialect,
        "processors": os.cpu_count(),
        "items": items,
        "storing": {mark: asdict(measured) for mark, measured in rates.items()},
        "rate_kept": kept,
        "bytes_per_resource": held,
        "cache_read": asdict(reads),
        "nudge": asdict(nudges),
        "links_at_the_end": asdict(waiting),
        "claim": asdict(claiming),
        "bars": {
            "at the end at least 0.8 times as fast as at first": kept >= 0.8,
            "half of all Cache Reads within 5 ms": reads.p50_ms <= 5,
            "half of all Nudges within 5 ms": nudges.p50_ms <= 5,
            "all pending Touches found": pending == PENDING,
        },
    }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="an empty graph, such as bolt://localhost:7687")
    parser.add_argument("--items", type=int, default=ITEMS)
    chosen = parser.parse_args()
    measured = report(chosen.url, chosen.items)
    print(json.dumps(measured, indent=2))
    bars = measured["bars"]
    return 0 if isinstance(bars, dict) and all(bars.values()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
