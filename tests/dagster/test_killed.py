"""``kill -9`` at random moments under load: nothing is lost, and nothing is there twice."""

from __future__ import annotations

import os
import random
import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import psutil
import pytest

from resources_graph_core.graph import embedded
from tests.dagster.running import eventually

if TYPE_CHECKING:
    from tests.dagster.running import Running

SESSION = "killed"


def run_workers(running: Running) -> list[int]:
    """The processes that execute runs: what the code server started, but for Python's own."""
    found = []
    for one in psutil.Process(running.pid("code-server")).children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # it ended meanwhile
            if "spawn_main" in " ".join(one.cmdline()):
                found.append(one.pid)
    return found


def kill(running: Running, victim: str) -> None:
    """End a process without a warning."""
    if victim == "graph":
        pids = [embedded.status(running.home / "graph").pid]
    elif victim == "run worker":
        pids = list(run_workers(running))
    else:
        pids = [running.pid(victim)]
    for pid in pids:
        if pid is not None:
            with suppress(ProcessLookupError):  # the same
                os.kill(pid, signal.SIGKILL)


@pytest.mark.system
@pytest.mark.timeout(900)
def test_whatever_is_killed_everything_pending_is_swept_once(running: Running) -> None:
    seed = int.from_bytes(os.urandom(4))
    print(f"seed {seed}")  # noqa: T201 - to play a failure again
    moments = random.Random(seed)  # noqa: S311 - no secret
    running.sandbox.faults.clear()
    running.sandbox.faults.slow_down(0.5)
    wanted = [f"octo-org/widgets#{number}" for number in range(1, 11)]
    wanted += [f"octo-org/gadgets#{number}" for number in range(1, 4)]
    wanted += ["octo-org/widgets", "octo-org/gadgets", "octo-org/widgets/pulls?state=all"]
    with running.memory() as memory:
        memory.touch_many(wanted, session=SESSION)
    running.set_sensor(on=True)
    eventually("a run under way", lambda: run_workers(running))
    victims = ["run worker", "daemon", "graph"]
    moments.shuffle(victims)
    for victim in victims:
        time.sleep(moments.uniform(0, 2))
        kill(running, victim)
    running.sandbox.faults.slow_down(0)

    def unresolved() -> int:
        with running.memory() as memory:
            return sum(touch["status"] != "resolved" for touch in memory.touches(SESSION))

    eventually("everything to be swept", lambda: not unresolved(), seconds=600)
    with running.memory() as memory:
        touches = memory.graph.query(
            "MATCH (t:Touch)-[:IN_SESSION]->(:Session {session_id: $session}) "
            "OPTIONAL MATCH (t)-[to:TOUCHED]->() "
            "WITH t, count(to) AS targets OPTIONAL MATCH (t)-[by:SWEPT_BY]->() "
            "RETURN t.address AS address, targets, count(by) AS sweeps",
            session=SESSION,
        )
        assert len(touches) == len(wanted)
        assert [row for row in touches if (row["targets"], row["sweeps"]) != (1, 1)] == []
        twice = memory.graph.query(
            "MATCH (r:Resource) WITH r.address AS address, count(r) AS stored "
            "WHERE stored > 1 RETURN address"
        )
        assert twice == []
        members = memory.graph.query(
            "MATCH (l:Listing)-[m:HAS_MEMBER]->() "
            "RETURN l.key AS key, l.member_count AS told, count(m) AS members"
        )
        assert [row for row in members if row["told"] != row["members"]] == []
    running.set_sensor(on=False)
    # A run whose process was killed does not count as running until its longest time is over.
    ended = {"SUCCESS", "FAILURE", "CANCELED"}
    eventually("every run's end", lambda: {run["status"] for run in running.runs()} <= ended)
