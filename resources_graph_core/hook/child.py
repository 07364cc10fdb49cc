"""Work in a child process that can be given up, whatever it waits for."""

from __future__ import annotations

import os
import select
import signal
import time

from resources_graph_core import failures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CHUNK_BYTES = 65536


def steps(
    work: Callable[[], Iterator[str]], deadline: float, folder: str, *, late: str
) -> Iterator[str]:
    """What ``work`` yields in a copy of this process, as it comes; no line may hold a line break.

    At ``deadline`` (``time.monotonic()``) the copy is killed and that is all there is. Then
    ``late`` is a line in the failure log of ``folder``, and so is what ``work`` raises.
    """
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        _work(work, writing, folder)
    os.close(writing)
    try:
        yield from _lines(reading, deadline, folder, late)
    finally:
        os.close(reading)
        os.kill(pid, signal.SIGKILL)  # it has not been waited for, so the id is still its own
        os.waitpid(pid, 0)


def _work(work: Callable[[], Iterator[str]], writing: int, folder: str) -> None:
    """The child's whole life; it leaves no other trace and never returns."""
    try:
        for line in work():
            os.write(writing, line.encode("utf-8", "replace") + b"\n")
    except Exception as error:  # noqa: BLE001 - nobody else hears of it
        failures.record(folder, "hook", error)
    finally:
        os._exit(0)


def _lines(reading: int, deadline: float, folder: str, late: str) -> Iterator[str]:
    waiting = b""
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([reading], [], [], left)[0]:
            failures.record(folder, "hook", late)
            return
        chunk = os.read(reading, _CHUNK_BYTES)
        if not chunk:
            return
        *whole, waiting = (waiting + chunk).split(b"\n")
        for line in whole:
            yield line.decode("utf-8")
