"""Sweeps at the same time share the work, whichever of them dies."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from benchmarks.kill import sweep
from resources_graph_core.address import Address
from resources_graph_core.config import Settings
from resources_graph_core.memory import Memory
from resources_graph_core.sandbox import Sandbox
from resources_graph_core.store import claims
from resources_graph_core.sweep.lease import LEASE_SECONDS, Lease
from tests.archives import archived, write_archive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.context import ForkServerProcess
    from pathlib import Path

    from resources_graph_core.graph import Graph

ITEMS = 2000


@pytest.fixture
def busy(embedded_graph: Graph, engine_folder: Path, tmp_path: Path) -> Iterator[Memory]:
    """A memory in which two thousand items were touched, in the engine that is shared."""
    issues = [archived(number) for number in range(1, ITEMS + 1)]
    with Sandbox([write_archive(tmp_path, issues=issues)], token="made-up") as sandbox:
        settings = Settings(
            graph_url=f"embedded://{engine_folder}",
            user="mona",
            github_api_url=sandbox.url,
            github_token="made-up",
        )
        memory = Memory(embedded_graph, settings)
        memory.touch_many(
            [Address.of_item("octo-org", "widgets", number) for number in range(1, ITEMS + 1)]
        )
        yield memory


@pytest.fixture
def start(busy: Memory) -> Callable[[Path], ForkServerProcess]:
    """Starts a Sweep in a process of its own, which writes down what it fetches."""
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["benchmarks.kill"])

    def begin(log: Path) -> ForkServerProcess:
        log.write_text("")
        ours, theirs = processes.Pipe()
        process = processes.Process(target=sweep, args=(busy.settings, log, theirs))
        process.start()
        theirs.close()
        ours.recv()
        return process

    return begin


def items_in(log: Path) -> list[str]:
    return [key for key in log.read_text().split() if "#" in key]


def resolved(memory: Memory) -> set[str]:
    return {row["address"] for row in memory.touches(status="resolved")}


def test_two_share_the_work_and_nothing_is_fetched_twice(
    busy: Memory, start: Callable[[Path], ForkServerProcess], tmp_path: Path
) -> None:
    logs = [tmp_path / "first", tmp_path / "second"]
    for process in [start(log) for log in logs]:
        process.join()
        assert process.exitcode == 0
    fetched = [items_in(log) for log in logs]
    assert all(fetched), "both took a part"
    assert Counter(fetched[0] + fetched[1]).most_common(1)[0][1] == 1
    assert len(fetched[0] + fetched[1]) == len(resolved(busy)) == ITEMS


def test_one_dies_midway_and_the_other_does_its_work(
    busy: Memory, start: Callable[[Path], ForkServerProcess], tmp_path: Path
) -> None:
    logs = [tmp_path / "first", tmp_path / "second"]
    dying, other = (start(log) for log in logs)
    while not items_in(logs[0]):
        time.sleep(0.01)
    dying.kill()
    dying.join()
    stored = resolved(busy) & set(items_in(logs[0]))
    other.join()
    assert other.exitcode == 0
    asked = Counter(items_in(logs[0]) + items_in(logs[1]))
    assert set(asked) == resolved(busy)
    assert len(asked) == ITEMS
    assert asked.most_common(1)[0][1] <= 2
    assert all(asked[address] == 1 for address in stored), "what was stored is not fetched again"


class TestTheDead:
    def test_a_dead_process_of_this_machine_holds_nothing(self, busy: Memory) -> None:
        ended = multiprocessing.get_context("spawn").Process()
        ended.start()
        ended.join()
        lease = Lease(busy.graph, "cli:first")
        lease.claimant = lease.claimant.replace(f"#{os.getpid()}#", f"#{ended.pid}#")
        assert lease.claim(busy.scope(), addresses=ITEMS)
        with Lease(busy.graph, "cli:second") as second:
            assert second.claim(busy.scope(), addresses=5)

    def test_a_machine_of_the_same_name_holds_its_own(
        self, busy: Memory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        ended = multiprocessing.get_context("spawn").Process()
        ended.start()
        ended.join()
        theirs = tmp_path / "boot_id"
        theirs.write_text("3f0c9d3e-5a0b-4b1c-9c53-2f0d1f2a7b11\n", "ascii")
        with monkeypatch.context() as elsewhere:
            elsewhere.setattr("resources_graph_core.sweep.lease._BOOT", theirs)
            lease = Lease(busy.graph, "cli:first")
        lease.claimant = lease.claimant.replace(f"#{os.getpid()}#", f"#{ended.pid}#")
        assert lease.claim(busy.scope(), addresses=ITEMS)
        with Lease(busy.graph, "cli:second") as second:
            assert second.claim(busy.scope(), addresses=5) == []

    @pytest.mark.parametrize(
        "claimant",
        ["cli:x#another.1#99999999#aa", "somebody", "cli:x#{machine}#none#aa", "#{machine}#0#"],
    )
    def test_others_hold_theirs_until_their_lease_is_over(
        self, busy: Memory, claimant: str
    ) -> None:
        first = Lease(busy.graph, "cli:first")
        machine = first.claimant.split("#")[1]
        first.claimant = claimant.format(machine=machine)
        assert first.claim(busy.scope(), addresses=ITEMS)
        with Lease(busy.graph, "cli:second") as second:
            assert second.claim(busy.scope(), addresses=5) == []
        assert claims.claimants(busy.graph) == [first.claimant]

    def test_a_lease_is_short(self) -> None:
        assert LEASE_SECONDS <= 120
