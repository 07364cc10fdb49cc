"""The programs that ``up`` runs, each in a process group of its own, watched and ended by it.

Dagster's programs take SIGTERM as they take SIGINT, and a shell starts what it puts in the
background with SIGINT ignored; so whoever starts them has to have a handler for SIGINT in place,
which a new program does not inherit.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from resources_graph_dagster import up_files

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from resources_graph_dagster.up_files import Files

END_SECONDS: Final = 10.0
"""How long a program may take to end before it is killed."""

PROC: Final = Path("/proc")

_LOOK_SECONDS: Final = 0.05

CODE, WEBSERVER, DAEMON = "code-server", "webserver", "daemon"
"""The names of the programs, as `up --status` and the logs have them."""


def code_server(files: Files) -> Program:
    """What loads the definitions, evaluates the sensors and starts the runs.

    One for both of the others, where each would otherwise start its own; on a unix socket in a
    private folder, since whoever reaches it can run code.
    """
    return Program(
        CODE,
        [
            *("-m", "dagster", "api", "grpc"),
            *("--socket", str(files.socket), "--module-name", up_files.MODULE),
            *("--location-name", up_files.LOCATION, "--empty-working-directory"),
            *("--use-python-environment-entry-point", "--log-level", "warning"),
        ],
    )


def webserver(files: Files, port: int) -> Program:
    """Dagster's pages, for this machine only."""
    return Program(
        WEBSERVER,
        [
            *("-m", "dagster_webserver", "--host", "127.0.0.1", "--port", str(port)),
            *("--workspace", str(files.workspace), "--dagster-log-level", "warning"),
        ],
    )


def daemon(files: Files) -> Program:
    """What ticks the sensors and launches the runs that wait."""
    return Program(
        DAEMON,
        [
            *("-m", "dagster._daemon", "run"),
            *("--workspace", str(files.workspace), "--log-level", "warning"),
        ],
    )


@dataclass(slots=True)
class Program:
    """A program of Dagster's and the process that runs it, if one does."""

    name: str
    arguments: Sequence[str]
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def pid(self) -> int | None:
        """The id of its process, which is its group's as well; None when it was not started."""
        return self._process.pid if self._process else None

    def start(self, files: Files, environment: Mapping[str, str], lock: int) -> None:
        """Start it. It inherits ``lock``, which it holds as long as it lives."""
        log = up_files.open_log(files.log(self.name))
        try:
            self._process = subprocess.Popen(
                # -P: nothing is imported from the folder it starts in.
                [sys.executable, "-P", *self.arguments],
                cwd=files.home,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(lock,),
                start_new_session=True,
                umask=0o077,
            )
        finally:
            os.close(log)

    def has_ended(self) -> bool:
        """Whether its process is gone.

        The process is left unreaped, so that its id and its group's cannot be anybody else's yet
        (but on macOS, whose ``waitid`` Python has only from 3.13 on).
        """
        if self._process is None:
            return True
        if not hasattr(os, "waitid"):
            return self._process.poll() is not None
        if self._process.returncode is not None:
            return True
        look = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self._process.pid, look) is not None

    def ask_to_end(self) -> None:
        """Send SIGTERM to its group: the program and, with the code server, its runs."""
        if self._process is not None:
            _signal_group(self._process.pid, signal.SIGTERM)

    def end(self, seconds: float = END_SECONDS) -> bool:
        """End its whole group; whether it went without being killed.

        Whatever is left of the group after ``seconds``, or once the program itself is gone, is
        killed: a run's process would wait for a server that is no more.
        """
        if self._process is None:
            return True
        self.ask_to_end()
        deadline = time.monotonic() + seconds
        while not self.has_ended() and time.monotonic() < deadline:
            time.sleep(_LOOK_SECONDS)
        went = self.has_ended()
        _signal_group(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._process = None
        return went


@dataclass(frozen=True, slots=True)
class Identity:
    """A process that is told from a later one with the same id by the moment it started."""

    pid: int
    started: str

    @property
    def is_alive(self) -> bool:
        """Whether this very process still runs."""
        return started_at(self.pid) == self.started


def identity_of(pid: int) -> Identity:
    """The identity of a process that runs now."""
    return Identity(pid, started_at(pid) or "")


def started_at(pid: int) -> str | None:
    """When a process started, in the system's own words; None when it does not run.

    On Linux the 22nd field of /proc/PID/stat (ticks since the machine started, see proc(5)), else
    what ``ps`` says. A process that only waits to be reaped does not run.
    """
    if (PROC / "self" / "stat").exists():
        try:
            fields = (PROC / str(pid) / "stat").read_text("utf-8").rpartition(")")[2].split()
        except (OSError, ValueError):
            return None
        return None if fields[0] in "ZX" else fields[19]
    told = subprocess.run(
        ["ps", "-o", "state=,lstart=", "-p", str(pid)],  # noqa: S607 - where PATH has it
        capture_output=True,
        text=True,
        check=False,
    )
    state, _, started = told.stdout.strip().partition(" ")
    return started.strip() if started and not state.startswith("Z") else None


def end_strays(processes: Sequence[Identity], seconds: float = END_SECONDS) -> None:
    """End programs, with their groups, whose supervisor is gone."""
    deadline = time.monotonic() + seconds
    for one in processes:
        if one.is_alive:
            _signal_group(one.pid, signal.SIGTERM)
    while any(one.is_alive for one in processes) and time.monotonic() < deadline:
        time.sleep(_LOOK_SECONDS)
    for one in processes:
        if one.is_alive:
            _signal_group(one.pid, signal.SIGKILL)


def _signal_group(group: int, number: signal.Signals) -> None:
    # Gone already, or (on macOS) all of it waits to be reaped.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
