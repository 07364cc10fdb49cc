"""What Cache Reads over MCP cost: the server's start, hits, lists, misses and searches.

Prints JSON; times are in milliseconds, from the client's side of the server's pipes.
``--sizes 1000`` is quicker than the default.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from resources_graph_core.address import Address
from resources_graph_core.graph import embedded, open_graph
from resources_graph_core.graph.schema import setup
from resources_graph_core.model import Comment, Issue, Repository
from resources_graph_core.store import listings, resources, runs

if TYPE_CHECKING:
    from types import TracebackType

    from resources_graph_core.graph import Graph

SIZES = (1_000, 100_000)
CALLS = 200
SEARCHES = 30
STARTS = 3
BATCH = 500
AT = "2026-11-30T22:25:00Z"
REPOSITORY = "octo-org/widgets"
LISTED = 500
TALKATIVE = 50
"""One issue in so many has ten comments."""
WORDS = [
    f"{word}{number}"
    for word in ("handshake", "client", "server", "alert", "retry", "draft", "padding", "cipher")
    for number in range(500)
]
WIDE = f"{REPOSITORY}/issues?state=open"
NARROW = f"{REPOSITORY}/issues?labels=bug&state=open"
START = "import sys; from resources_graph_core.cli import main; sys.exit(main(['mcp']))"
IMPORTED = (
    "import sys; from resources_graph_core.config import load_settings;"
    "from resources_graph_core.mcp_server import build; build(load_settings);"
    "print(*sorted(name for name in sys.modules if name.startswith('resources_graph')))"
)


class Server:
    """The server as a process, spoken to in JSON-RPC over its pipes; a ``with`` block ends it."""

    def __init__(self, url: str) -> None:
        started = time.perf_counter()
        self._process = subprocess.Popen(
            [sys.executable, "-c", START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "RESOURCES_GRAPH_URL": url},
        )
        self._number = 0
        self.ask(
            "initialize",
            protocolVersion="2025-06-18",
            capabilities={},
            clientInfo={"name": "benchmark", "version": "1"},
        )
        self.start_ms = (time.perf_counter() - started) * 1000
        self._say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, **parameters: object) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        self._number += 1
        self._say({"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters})
        while True:
            assert self._process.stdout is not None  # noqa: S101 - it is a pipe
            answer: dict[str, Any] = json.loads(self._process.stdout.readline())
            if answer.get("id") == self._number:
                return answer

    def call(self, tool: str, **arguments: object) -> str:
        """Call a tool; its text."""
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        text: str = result["content"][0]["text"]
        if result.get("isError"):
            raise RuntimeError(text)
        return text

    def __enter__(self) -> Self:
        """Use it in a ``with`` block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close its input, which ends it."""
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        self._process.stdin.close()
        self._process.wait(timeout=30)

    def _say(self, message: dict[str, object]) -> None:
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        self._process.stdin.write(f"{json.dumps(message)}\n".encode())
        self._process.stdin.flush()


def issue(number: int, generator: random.Random) -> Issue:
    """One issue with a body of about a kilobyte, and some with ten comments."""
    talk = tuple(
        Comment(
            node_id=f"C_{number}_{place}",
            body=" ".join(generator.choices(WORDS, k=40)),
            author=f"user-{place}",
            created_at=AT,
            updated_at=AT,
        )
        for place in range(10 if number % TALKATIVE == 0 else 0)
    )
    return Issue(
        node_id=f"I_{number:09}",
        repository=REPOSITORY,
        repository_id="R_1",
        number=number,
        url=f"https://github.com/{REPOSITORY}/issues/{number}",
        title=" ".join(generator.choices(WORDS, k=8)),
        body=" ".join(generator.choices(WORDS, k=120)) + f" unique{number}",
        state="OPEN",
        author=f"user-{number % 97}",
        labels=("bug",) if number % 3 else ("docs",),
        created_at=AT,
        updated_at=AT,
        comments=talk,
    )


def fill(graph: Graph, first: int, last: int) -> None:
    """Store the issues from number ``first`` up to ``last``, both included."""
    generator = random.Random(first)  # noqa: S311 - the same figures each time
    home = Repository(
        node_id="R_1",
        name_with_owner=REPOSITORY,
        url=f"https://github.com/{REPOSITORY}",
        updated_at=AT,
    )
    runs.start(graph, "benchmark", kind="cli", now=AT)
    resources.store_repositories(graph, [home], fetched_at=AT, run_id="benchmark")
    for start in range(first, last + 1, BATCH):
        rows = [issue(number, generator) for number in range(start, min(start + BATCH, last + 1))]
        resources.store_items(graph, rows, fetched_at=AT, run_id="benchmark")
    listings.store(
        graph,
        Address.from_key(f"github:{WIDE}"),
        [f"I_{number:09}" for number in range(1, LISTED + 1)],
        repository=f"github:{REPOSITORY}",
        total_count=LISTED,
        fetched_at=AT,
    )


def timed(
    server: Server, tool: str, asked: list[dict[str, object]], outcome: str = ""
) -> dict[str, object]:
    """Call a tool with each of the arguments; percentiles, and how the first answer begins.

    RuntimeError for an answer that does not begin with ``outcome``, which would measure another
    thing.
    """
    times, first = [], ""
    for arguments in asked:
        started = time.perf_counter()
        said = server.call(tool, **arguments)
        times.append((time.perf_counter() - started) * 1000)
        if not said.startswith(outcome):
            raise RuntimeError(f"{arguments} is no {outcome}: {said[:200]}")
        first = first or said.split("\n", 1)[0][:90]
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    return {"p50_ms": round(cuts[49], 2), "p99_ms": round(cuts[98], 2), "answer": first}


def measure(url: str, size: int) -> dict[str, object]:
    """Everything that depends on how much is stored."""
    generator = random.Random(size)  # noqa: S311 - the same figures each time
    numbers = [generator.randint(1, size) for _ in range(CALLS)]
    with Server(url) as server:
        started = time.perf_counter()
        server.ask("tools/list")
        listed = (time.perf_counter() - started) * 1000
        started = time.perf_counter()
        server.call("resource", address=f"{REPOSITORY}#1")
        opened = (time.perf_counter() - started) * 1000
        items = [{"address": f"{REPOSITORY}#{number}"} for number in numbers]
        misses = [{"address": f"{REPOSITORY}#{size + number}"} for number in numbers]
        words = [{"query": " ".join(generator.choices(WORDS, k=2))} for _ in range(SEARCHES)]
        rare = [{"query": f"unique{number}"} for number in numbers[:SEARCHES]]
        return {
            "resources": size,
            "tools_list_first_ms": round(listed, 1),
            "hit_first_ms": round(opened, 1),
            "hit": timed(server, "resource", items, "hit "),
            "list": timed(server, "resource", [{"address": WIDE}] * SEARCHES, "hit "),
            "subsumed": timed(server, "resource", [{"address": NARROW}] * SEARCHES, "subsumed "),
            "miss": timed(server, "resource", misses, "miss "),
            "find_common_words": timed(server, "find", words),
            "find_rare_word": timed(server, "find", rare),
            "inflight": timed(server, "inflight", [{"issue": f"{REPOSITORY}#1"}] * SEARCHES),
            "status": timed(server, "status", [{}] * 3),
        }


def importing() -> dict[str, object]:
    """How long ``mcp`` takes to import, and what of ours is loaded when a server is made."""
    times = []
    for _ in range(STARTS):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import mcp.server.mcpserver"], check=True)
        times.append((time.perf_counter() - started) * 1000)
    ours = subprocess.run(
        [sys.executable, "-c", IMPORTED], check=True, capture_output=True, text=True
    ).stdout.split()
    return {"python_and_mcp_ms": round(min(times), 1), "ours_before_initialize": ours}


def start(url: str) -> dict[str, object]:
    """How long a server takes until it has answered ``initialize``."""
    times = []
    for _ in range(STARTS):
        with Server(url) as server:
            times.append(server.start_ms)
    return {"initialize_ms": round(min(times), 1)}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="stored Resources")
    sizes = sorted(parser.parse_args().sizes)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve() / "graph"
        os.environ["RESOURCES_GRAPH_HOME"] = temporary
        url = f"embedded://{folder}"
        try:
            measured = []
            with open_graph(url) as graph:
                setup(graph)
                stored = 0
                for size in sizes:
                    fill(graph, stored + 1, size)
                    stored = size
                    measured.append(measure(url, size))
            report = {"processors": os.cpu_count(), **importing(), **start(url), "sizes": measured}
            print(json.dumps(report, indent=2))
        finally:
            embedded.stop(folder)


if __name__ == "__main__":
    main()
