"""The embedded engine started by a hook that found none, without waiting for it."""

from __future__ import annotations

import fcntl
import os
import sys
import time

LOCK_NAME = "engine-start.lock"
"""In the data folder; held by whoever starts the engine, until it answers."""

PAUSE = 5.0
"""Seconds between two attempts, so that an engine that cannot start costs little."""

_PROGRAM = "from resources_graph_core.hook.starting import main; main()"


def in_background(engine_folder: str, data_folder: str) -> bool:
    """Have the engine started by a process of its own; False when one was just now.

    Raises OSError when the lock or the process cannot be made.
    """
    path = os.path.join(data_folder, LOCK_NAME)  # noqa: PTH118 - pathlib costs a hook 8 ms
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        last = os.fstat(lock)
        if last.st_size and abs(time.time() - last.st_mtime) < PAUSE:
            return False
        os.pwrite(lock, b"tried\n", 0)
        if os.fork() == 0:
            _become_starter(lock, engine_folder, data_folder)
        return True
    finally:
        os.close(lock)


def _become_starter(lock: int, engine_folder: str, data_folder: str) -> None:
    """In the child: let go of the harness's streams and session, keep the lock, be the starter."""
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        os.set_inheritable(lock, True)  # noqa: FBT003 - positional only
        # -P: nothing is imported from the directory that the agent works in.
        os.execv(  # noqa: S606 - the same interpreter, a fixed program
            sys.executable, [sys.executable, "-P", "-c", _PROGRAM, engine_folder, data_folder]
        )
    finally:
        os._exit(1)


def main() -> None:
    """Start the engine of the folder that the arguments name, and make its graph ready."""
    from urllib.parse import quote  # noqa: PLC0415 - not while a hook runs

    from resources_graph_core import failures  # noqa: PLC0415 - the same
    from resources_graph_core.errors import ResourcesGraphError  # noqa: PLC0415 - the same
    from resources_graph_core.graph import open_graph  # noqa: PLC0415 - the same
    from resources_graph_core.graph.schema import setup  # noqa: PLC0415 - the same

    engine_folder, data_folder = sys.argv[1:]
    try:
        with open_graph(f"embedded://{quote(engine_folder)}") as graph:
            setup(graph)
    except (ResourcesGraphError, OSError) as error:
        failures.record(data_folder, "engine start", error)
