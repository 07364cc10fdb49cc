"""The process that starts Dagster's programs, watches them, starts them again and ends them."""

from __future__ import annotations

import fcntl
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from resources_graph_core import config
from resources_graph_core.clock import now
from resources_graph_core.errors import ResourcesGraphError
from resources_graph_core.lockfile import LockFile
from resources_graph_dagster import up_files, up_programs, up_state
from resources_graph_dagster.up_programs import CODE, DAEMON, Program, identity_of
from resources_graph_dagster.up_state import ProgramState, State

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

    from resources_graph_dagster.up_files import Files

    _Handler = Callable[[int, FrameType | None], Any] | int | signal.Handlers | None

READY_SECONDS: Final = 180.0
"""How long the pages may take to answer; a busy machine with two cores needs about twenty."""

MOST_RESTARTS: Final = 5
RESTART_WINDOW_SECONDS: Final = 600.0
"""A program that ends more often than this within this time has something wrong with it."""

_RUNS_MODULE: Final = "resources_graph_dagster.up_runs"
_LOOK_SECONDS: Final = 0.2
_LOCK_SECONDS: Final = 2.0
# Longer than anybody holds it who only looks whether it is held.


class AlreadyRuns(ResourcesGraphError):  # noqa: N818 - says how things stand, as its siblings do
    """Another ``up`` of the same folder runs."""


def check_port(port: int) -> int:
    """A port that nobody listens on: ``port``, or any where it is 0.

    Raises ResourcesGraphError, with what to do, where it is taken.
    """
    with socket.socket() as listener:
        # As the web server will: a port that was closed a moment ago is no port that is taken.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
            listener.listen()
        except OSError as error:
            raise ResourcesGraphError(
                f"Dagster cannot listen on port {port}: {error.strerror}. Choose another with "
                "--port; --port 0 takes any that is free."
            ) from error
        free: int = listener.getsockname()[1]
        return free


@dataclass(slots=True)
class Supervisor:
    """Dagster's three programs over one folder, from their start to their end.

    :meth:`run` blocks until :meth:`stop`, SIGINT or SIGTERM, and returns when all of them are gone.
    """

    files: Files
    port: int
    on_ready: Callable[[State], None]
    on_note: Callable[[str], None] = lambda _line: None
    _stop: threading.Event = field(default_factory=threading.Event)
    _restarts: dict[str, deque[float]] = field(default_factory=dict)
    _counts: dict[str, int] = field(default_factory=dict)
    _started_at: str = ""

    def stop(self) -> None:
        """Let ``run`` end everything and return; may be called by a signal's handler."""
        self._stop.set()

    def run(self) -> None:
        """Start everything, watch it, and end it.

        Raises AlreadyRuns when another ``up`` does, ResourcesGraphError when a program does not
        start or keeps ending.
        """
        lock = LockFile(str(self.files.supervisor_lock), seconds=_LOCK_SECONDS)
        with lock:
            if not lock.held:
                raise already_runs(self.files)
            before = _take_signals(self.stop)
            try:
                self._run()
            finally:
                for number, handler in before.items():
                    signal.signal(number, handler)

    def _run(self) -> None:
        self._end_what_was_left()
        self.port = check_port(self.port)
        up_files.prepare(self.files)
        self._report("lost")
        self.files.socket.unlink(missing_ok=True)
        self._started_at = now()
        programs = [
            up_programs.code_server(self.files),
            up_programs.webserver(self.files, self.port),
            up_programs.daemon(self.files),
        ]
        lock = os.open(self.files.programs_lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            _share(lock)
            code, *others = programs
            self._start(code, lock)
            self._write(programs)
            # Pages that come up before the definitions would begin with an error.
            if not self._await(self.files.socket.exists, code):
                return
            for program in others:
                self._start(program, lock)
            self._write(programs)
            if self._await(lambda: _answers(self.port), *others, code):
                self.on_ready(self._write(programs, ready=True))
                self._watch(programs, lock)
        finally:
            os.close(lock)
            self._end(programs)
            self.files.state.unlink(missing_ok=True)

    def _start(self, program: Program, lock: int) -> None:
        environment = {
            **os.environ,
            "DAGSTER_HOME": str(self.files.home),
            "DAGSTER_DISABLE_TELEMETRY": "1",
            "PYTHONUNBUFFERED": "1",
        }
        if config.HOME_VARIABLE in environment:  # its programs start in another folder
            environment[config.HOME_VARIABLE] = str(config.data_folder().resolve())
        if config.load_settings().dagster_url is None:
            environment["RESOURCES_GRAPH_DAGSTER_URL"] = up_state.url_of(self.port)
        program.start(self.files, environment, lock)

    def _await(self, is_so: Callable[[], bool], *programs: Program) -> bool:
        """Wait for something of the first of ``programs``; False when asked to stop meanwhile.

        Raises ResourcesGraphError when one of them ends, or it takes too long.
        """
        deadline = time.monotonic() + READY_SECONDS
        while not is_so():
            if self._stop.wait(_LOOK_SECONDS):
                return False
            for program in programs:
                if program.has_ended():
                    raise self._failed(program, "did not start")
            if time.monotonic() > deadline:
                raise self._failed(programs[0], f"did not answer for {READY_SECONDS:g} seconds")
        return True

    def _watch(self, programs: list[Program], lock: int) -> None:
        while not self._stop.wait(_LOOK_SECONDS):
            for program in programs:
                if program.has_ended():
                    self._start_again(program, lock)
                    self._write(programs, ready=True)

    def _start_again(self, program: Program, lock: int) -> None:
        """Start a program that ended by itself; with the code server its runs are gone."""
        ends = self._restarts.setdefault(program.name, deque())
        moment = time.monotonic()
        ends.append(moment)
        while ends[0] < moment - RESTART_WINDOW_SECONDS:
            ends.popleft()
        if len(ends) > MOST_RESTARTS:
            raise self._failed(program, f"ended {len(ends)} times within ten minutes")
        program.end(seconds=0)
        if program.name == CODE:
            self._report("lost")
            self.files.socket.unlink(missing_ok=True)
        self._counts[program.name] = self._counts.get(program.name, 0) + 1
        self.on_note(f"the {program.name} ended unexpectedly and is started again")
        if not self._stop.wait(float(len(ends) - 1)):
            self._start(program, lock)

    def _end(self, programs: list[Program]) -> None:
        """End the daemon first, so that it starts nothing more, and the code server last."""
        code, pages, daemon = programs
        daemon.ask_to_end()
        self._end_one(pages)
        self._end_one(daemon)
        if code.pid is not None:
            under_way = self._report("stopping")
            self._end_one(code)
            if under_way:
                self._report("stopped")
        self.files.socket.unlink(missing_ok=True)

    def _report(self, event: str) -> bool:
        """Report something of the runs under way; whether there were any (see ``up_runs``).

        Not being able to is told, and stops nothing: the runs then end after their longest time.
        """
        if not self.files.log(DAEMON).exists():
            return False  # Dagster has never run here
        log = self.files.log("supervisor")
        descriptor = up_files.open_log(log)
        try:
            done = subprocess.run(
                [sys.executable, "-P", "-m", _RUNS_MODULE, event, str(self.files.home)],
                cwd=self.files.home,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=descriptor,
                start_new_session=True,  # Ctrl-C is for the supervisor alone
                check=False,
            )
        finally:
            os.close(descriptor)
        if done.returncode != 0:
            self.on_note(f"the runs under way could not be reported as {event}; see {log}")
            return False
        return done.stdout != b"0"

    def _end_one(self, program: Program) -> None:
        if not program.end():
            self.on_note(f"the {program.name} did not end by itself and was killed")

    def _end_what_was_left(self) -> None:
        """End the programs of a supervisor that was killed, and only those."""
        state = up_state.read(self.files)
        if state is not None and up_state.is_held(self.files.programs_lock):
            up_programs.end_strays([one.identity for one in state.programs])

    def _write(self, programs: list[Program], *, ready: bool = False) -> State:
        state = State(
            supervisor=self._described("supervisor", os.getpid()),
            port=self.port,
            started_at=self._started_at,
            ready=ready,
            programs=tuple(
                self._described(one.name, one.pid) for one in programs if one.pid is not None
            ),
        )
        up_state.write(self.files, state)
        return state

    def _described(self, name: str, pid: int) -> ProgramState:
        started = identity_of(pid).started
        return ProgramState(name=name, pid=pid, started=started, restarts=self._counts.get(name, 0))

    def _failed(self, program: Program, how: str) -> ResourcesGraphError:
        log = self.files.log(program.name)
        said = up_files.last_line(log)
        return ResourcesGraphError(
            f"Dagster's {program.name} {how}{f': {said}' if said else ''}. What it printed is in "
            f"{log}."
        )


def already_runs(files: Files) -> AlreadyRuns:
    """The error that says where it runs and how to end it."""
    state = up_state.read(files)
    where = f"at {state.url} (process {state.supervisor.pid})" if state else f"for {files.home}"
    return AlreadyRuns(f"Dagster already runs {where}. `resources-graph up --stop` ends it.")


def _take_signals(stop: Callable[[], None]) -> dict[signal.Signals, _Handler]:
    """Have SIGINT and SIGTERM stop it; what they did before, by signal."""

    def handle(_number: int, _frame: FrameType | None) -> None:
        stop()

    return {
        number: signal.signal(number, handle)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }


def _share(lock: int) -> None:
    """Take the lock that the programs inherit; only who looks at it can be in the way, briefly."""
    fcntl.flock(lock, fcntl.LOCK_SH)


def _answers(port: int) -> bool:
    """Whether Dagster's pages answer on a port, and not something else."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/server_info")
        return "dagster_webserver_version" in json.load(connection.getresponse())
    except (OSError, ValueError, http.client.HTTPException):
        return False
    finally:
        connection.close()
