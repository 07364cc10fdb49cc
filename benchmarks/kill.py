"""Kill a Sweep at random moments, run it again each time, and compare how it ends.

An older state of a repository is stored, a newer one is served, and everything in it is touched.
The end must be that of a Sweep that nobody disturbed, and nothing whose Touch was resolved may be
fetched a second time. Prints JSON; exits with 1 when either does not hold. The archives are those
in ``../shared/github`` unless told otherwise.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from resources_graph_core import config
from resources_graph_core.address import Address
from resources_graph_core.config import Settings
from resources_graph_core.github import open_source
from resources_graph_core.graph import embedded, open_graph
from resources_graph_core.graph.schema import setup
from resources_graph_core.memory import Memory
from resources_graph_core.sandbox import Sandbox
from resources_graph_core.sandbox.archive import load_archive

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from multiprocessing.connection import Connection

    from resources_graph_core.github.source import (
        Fetched,
        ListingIndex,
        OpenSource,
        Usage,
        Version,
    )

TOKEN = "made-up"  # noqa: S105 - the sandbox takes any
ARCHIVES = Path(__file__).parents[2] / "shared" / "github"
KILLS = 50
SHARE = 8
"""A Sweep is killed after this part of the time an undisturbed one takes, on average."""

OF_A_RUN = {"fetched_at", "first_fetched_at", "at", "touch_id", "attempts", "run_id"}
"""Properties that differ from run to run."""

NODES = ("Resource", "Comment", "Listing", "Mention", "FormerAddress", "Touch")
EDGES = (
    "HAS_ISSUE",
    "HAS_PULL_REQUEST",
    "HAS_COMMENT",
    "HAS_MEMBER",
    "LISTS_FROM",
    "REFERENCES",
    "CLOSES",
    "MENTIONS",
    "MOVED_TO",
    "LEADS_TO",
    "TOUCHED",
)


class Recorded:
    """A source that writes down, for another process to read, what it is asked to fetch."""

    def __init__(self, source: OpenSource, log: Path) -> None:
        self._source = source
        self._log = log

    @property
    def usage(self) -> Usage:
        """The source's own."""
        return self._source.usage

    def account(self, host: str) -> str:
        """The source's own."""
        return self._source.account(host)

    def fetch(self, addresses: Sequence[Address]) -> Iterator[Fetched]:
        """Write down what is fetched, then fetch it."""
        with self._log.open("a") as log:
            log.writelines(f"{address.key}\n" for address in addresses)
        return self._source.fetch(addresses)

    def index(self, address: Address) -> ListingIndex:
        """The source's own."""
        return self._source.index(address)

    def versions(self, stored: Mapping[str, Address]) -> Iterator[tuple[str, Version | None]]:
        """The source's own."""
        return self._source.versions(stored)


def sweep(settings: Settings, log: Path, begun: Connection) -> None:
    """Sweep everything that is pending; says when it begins. Runs in a process of its own."""
    with (
        Memory(open_graph(settings.graph_url), settings) as memory,
        open_source(settings.github_api_url, TOKEN) as source,
        memory.sweeper(Recorded(source, log)) as sweeper,  # type: ignore[arg-type]  # opened above
    ):
        begun.send("begun")
        sweeper.run()


@dataclass(slots=True)
class Killed:
    """What came of it: ``again`` are Addresses fetched though they were done."""

    kills: int = 0
    runs: int = 0
    seconds_undisturbed: float = 0.0
    different: list[str] = field(default_factory=list)
    again: list[str] = field(default_factory=list)


class Trials:
    """Sweeps of ``newer`` after ``older`` into the graph at ``graph_url``, which is emptied."""

    def __init__(self, graph_url: str, older: Path, newer: Path, folder: Path) -> None:
        self._older, self._newer = load_archive(older), load_archive(newer)
        self._sandbox = Sandbox([older])
        self._graph_url = graph_url
        self._log = folder / "fetched"
        # Forked from a process that has loaded everything and does nothing: quick, and safe.
        self._processes = multiprocessing.get_context("forkserver")
        self._processes.set_forkserver_preload([__name__])

    def run(self, kills: int, seed: int) -> Killed:
        """Kill so many times, as often as it takes from the start, and compare each end."""
        chance = random.Random(seed)  # noqa: S311 - moments, not secrets
        killed = Killed()
        with self._sandbox:
            self._begin()
            began = time.perf_counter()
            self._sweep(None)
            killed.seconds_undisturbed = round(time.perf_counter() - began, 2)
            undisturbed = self._dump()
            usual = killed.seconds_undisturbed / SHARE
            while killed.kills < kills:
                self._begin()
                done: set[str] = set()
                ended = False
                while not ended:
                    last = killed.kills >= kills
                    ended = self._sweep(None if last else chance.expovariate(1 / usual))
                    killed.kills += not ended
                    killed.runs += 1
                    killed.again += sorted(done & self._fetched())
                    done = self._done()
                killed.different += differences(undisturbed, self._dump())
        return killed

    def _begin(self) -> None:
        """The older archive stored, the newer one served, everything in it touched."""
        with self._memory() as memory:
            memory.graph.query("MATCH (n) DETACH DELETE n")
            self._sandbox.state.load(self._older)
            memory.touch_many(_everything(self._older))
            memory.sweep()
            memory.graph.query("MATCH (t:Touch) DETACH DELETE t")
            self._sandbox.state.load(self._newer)
            memory.touch_many(_everything(self._newer))

    def _sweep(self, kill_after: float | None) -> bool:
        """Sweep in a process, killed after so many seconds; whether it came to its end."""
        self._log.write_text("")
        ours, theirs = self._processes.Pipe()
        process = self._processes.Process(target=sweep, args=(self._settings, self._log, theirs))
        process.start()
        theirs.close()
        ours.recv()
        process.join(kill_after)
        if process.exitcode is None:
            process.kill()
            process.join()
            return False
        if process.exitcode != 0:
            raise SystemExit(f"a Sweep failed with {process.exitcode}")
        return True

    @property
    def _settings(self) -> Settings:
        return Settings(
            graph_url=self._graph_url,
            user="mona",
            github_api_url=self._sandbox.url,
            github_token=TOKEN,
        )

    def _memory(self) -> Memory:
        return Memory(open_graph(self._graph_url), self._settings)

    def _fetched(self) -> set[str]:
        """What the last run asked for in full."""
        return set(self._log.read_text().split())

    def _done(self) -> set[str]:
        with self._memory() as memory:
            rows = memory.graph.query(
                "MATCH (t:Touch {status: 'resolved'}) RETURN DISTINCT t.address AS address"
            )
        return {row["address"] for row in rows}

    def _dump(self) -> dict[str, str]:
        """Everything in memory that does not differ from run to run, by what it is."""
        with self._memory() as memory:
            found: dict[str, str] = {}
            for label in NODES:
                for row in memory.graph.query(f"MATCH (n:{label}) RETURN n"):
                    values = {
                        name: value
                        for name, value in row["n"].items()
                        if name not in OF_A_RUN and value is not None
                    }
                    found[f"{label} {_name(row['n'])}"] = json.dumps(values, sort_keys=True)
            for kind in EDGES:
                statement = f"MATCH (a)-[e:{kind}]->(b) RETURN a, b, e.position AS position"
                for row in memory.graph.query(statement):
                    found[f"{kind} {_name(row['a'])} {_name(row['b'])}"] = str(row["position"])
        return found


def _name(node: Mapping[str, object]) -> str:
    names = ("node_id", "key", "address")
    return next(str(node[name]) for name in names if node.get(name) is not None)


def _everything(archive: object) -> list[Address | str]:
    """Its repository, its items and a list of its issues."""
    repo, items = archive.repo, (*archive.issues, *archive.pulls)  # type: ignore[attr-defined]  # an Archive
    owner, _, name = repo.partition("/")
    addresses: list[Address | str] = [Address.of_item(owner, name, item.number) for item in items]
    return [*addresses, f"{repo}/issues?state=all", repo]


def differences(expected: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """The names of what is there in one only, or otherwise."""
    return sorted(
        name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name)
    )


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--older", type=Path, default=ARCHIVES / "tls-esni-2020.json")
    parser.add_argument("--newer", type=Path, default=ARCHIVES / "tls-esni-2025.json")
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--seed", type=int, default=None, help="To repeat a run.")
    chosen = parser.parse_args()
    for archive in (chosen.older, chosen.newer):
        if not archive.exists():
            print(f"There is no archive {archive}: give --older and --newer", file=sys.stderr)
            return 2
    seed = random.randrange(2**32) if chosen.seed is None else chosen.seed  # noqa: S311 - no secret
    with tempfile.TemporaryDirectory(prefix="rg-") as folder:
        os.environ[config.HOME_VARIABLE] = folder
        engine = Path(folder) / "graph"
        url = f"embedded://{engine}"
        try:
            with open_graph(url) as graph:
                setup(graph)
            trials = Trials(url, chosen.older, chosen.newer, Path(folder))
            killed = trials.run(chosen.kills, seed)
        finally:
            embedded.stop(engine)
    print(json.dumps({"seed": seed, **asdict(killed)}, indent=2))
    return 1 if killed.different or killed.again else 0


if __name__ == "__main__":
    raise SystemExit(main())
