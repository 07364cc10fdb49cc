"""Two hundred hooks at once while the engine dies under them: no Touch is lost, none is doubled."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from typing import TYPE_CHECKING

from resources_graph_core import open_memory
from resources_graph_core.graph import embedded
from resources_graph_core.hook import starting
from resources_graph_core.lockfile import LockFile
from tests.hook.conftest import bash

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.hook.conftest import StartHook

HOOKS = 200
KILLED_AFTER = 40
"""Hooks that have ended when the engine is killed."""

GIVEN_UP_AFTER = 120


def test_every_touch_is_in_the_graph_once(
    home: Path, monkeypatch: pytest.MonkeyPatch, start_hook: StartHook
) -> None:
    monkeypatch.setenv("RESOURCES_GRAPH_USER", "mona")
    with open_memory() as memory:
        memory.setup()
    engine = home / "graph"
    # Each call is told twice, as harnesses that run one another's hooks do.
    running = [
        start_hook(bash(f"gh issue view {n // 2 + 1} -R octo-org/widgets", call=f"call-{n // 2}"))
        for n in range(HOOKS)
    ]
    deadline = time.monotonic() + GIVEN_UP_AFTER
    while sum(process.poll() is not None for process in running) < KILLED_AFTER:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    pid = embedded.status(engine).pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    for process in running:
        assert process.communicate(timeout=GIVEN_UP_AFTER) == (b"", b"")
        assert process.returncode == 0
    with LockFile(str(home / starting.LOCK_NAME), seconds=60) as lock:  # a hook's starter is done
        assert lock.held
    with open_memory() as memory:
        report = memory.drain_spool()
        rows = memory.graph.query("MATCH (touch:Touch) RETURN touch.address AS address")
        edges = memory.graph.query(
            "MATCH (:Touch)-[edge:IN_SESSION]->(:Session) RETURN count(edge) AS n"
        )
    assert report.left == 0
    assert Counter(row["address"] for row in rows) == {
        f"github:octo-org/widgets#{number}": 1 for number in range(1, HOOKS // 2 + 1)
    }
    assert edges == [{"n": HOOKS // 2}]
