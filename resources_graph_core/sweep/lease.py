"""The lease of a Sweep: what it claims is its own for as long as it lives."""

from __future__ import annotations

import logging
import os
import socket
import threading
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Self

from resources_graph_core.clock import after, now
from resources_graph_core.errors import ResourcesGraphError
from resources_graph_core.store import claims

if TYPE_CHECKING:
    from resources_graph_core.graph import Graph
    from resources_graph_core.store.claims import Scope
    from resources_graph_core.store.touches import PendingTouch

LEASE_SECONDS = 90.0
"""How long what a dead process claimed stays claimed, at most."""

_BEAT_SECONDS = LEASE_SECONDS / 3

_BOOT = Path("/proc/sys/kernel/random/boot_id")
"""On Linux, what tells a running machine from every other, whatever they call themselves."""

_PROCESSES = Path("/proc/self/ns/pid")
"""On Linux, whatever has the same of these, on one machine, counts its processes together."""

_log = logging.getLogger(__name__)


class Lease:
    """Claims Touches for a run, and renews the claims in a thread of its own until its end.

    Use it in a ``with`` block. What a process of this machine held that has died is free at once;
    what one of another machine held, when its lease is over.
    """

    def __init__(self, graph: Graph, run_id: str) -> None:
        self.claimant = f"{run_id}#{_machine()}#{os.getpid()}#{token_hex(4)}"
        self._graph = graph
        self._began = now()
        self._ended = threading.Event()
        self._beating: threading.Thread | None = None

    def __enter__(self) -> Self:
        """Nothing is claimed yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: object
    ) -> None:
        """Let go of everything; a graph that has gone away lets go by itself."""
        self._ended.set()
        if self._beating is not None:
            self._beating.join()
        try:
            claims.release(self._graph, self.claimant)
        except ResourcesGraphError:
            if error is None:
                raise
            _log.info("the claims of %s end by themselves", self.claimant)

    def claim(self, scope: Scope, *, addresses: int) -> list[PendingTouch]:
        """Claim the Touches of so many Addresses at most that were there when the run began."""
        claimed = self._claim(scope, addresses)
        if not claimed and self._free_the_dead():
            claimed = self._claim(scope, addresses)
        if claimed and self._beating is None:
            self._beating = threading.Thread(target=self._renew, name="lease", daemon=True)
            self._beating.start()
        return claimed

    def _claim(self, scope: Scope, addresses: int) -> list[PendingTouch]:
        return claims.claim(
            self._graph,
            self.claimant,
            scope,
            now=now(),
            until=after(LEASE_SECONDS),
            before=self._began,
            addresses=addresses,
        )

    def _free_the_dead(self) -> bool:
        """Let go of what dead processes of this machine held; whether there were any."""
        dead = [one for one in claims.claimants(self._graph) if _is_dead(one)]
        for claimant in dead:
            claims.release(self._graph, claimant)
        return bool(dead)

    def _renew(self) -> None:
        while not self._ended.wait(_BEAT_SECONDS):
            try:
                claims.renew(self._graph, self.claimant, until=after(LEASE_SECONDS))
            except ResourcesGraphError as error:
                # The Sweep will meet the same error; until then the next beat may do better.
                _log.warning("the claims of %s could not be renewed: %s", self.claimant, error)


def is_running(graph: Graph, run_id: str, started_at: str) -> bool:
    """Whether a run that has not ended is alive: it began just now, or holds claims.

    A process that was killed says nothing; its claims tell, and on this machine its absence.
    """
    if started_at > after(-LEASE_SECONDS):
        return True
    alive = [one for one in claims.holders(graph, now()) if not _is_dead(one)]
    return run_id in {one.rsplit("#", 3)[0] for one in alive}


def _machine() -> str:
    """What tells this machine, or this container, from others."""
    boot = _BOOT.read_text("ascii").strip() if _BOOT.exists() else socket.gethostname()
    processes = _PROCESSES.stat().st_ino if _PROCESSES.exists() else 0
    return f"{boot}.{processes}"


def _is_dead(claimant: str) -> bool:
    """Whether a claimant was a process of this machine that is no longer there."""
    _, machine, process, _ = ["", "", "", *claimant.rsplit("#", 3)][-4:]
    if machine != _machine() or not process.isdecimal():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        return False  # somebody else's process; or no process at all, whose lease ends by itself
    return False
