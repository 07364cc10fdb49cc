"""The embedded engine: one FalkorDB process for each data folder, for all of a user's processes.

It belongs to none of them: started in a session of its own by whoever needs it first, it lives
until ``stop``. While it lives it holds an advisory lock (flock) on ``engine.lock`` that it
inherited from its starter, so that "does an engine run on this folder?" is answered by the
operating system and never by a process id that may meanwhile belong to something else.

Durability: every statement is appended to a file and synced to the disk before it is answered
(``appendfsync always``). Neither ``kill -9`` nor a power cut loses what was acknowledged, as far
as the disk keeps its own promises. (``everysec`` would be faster, but Redis answers before it
writes while a slow sync is under way, so that a killed engine could lose two seconds.)
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from resources_graph_core.errors import GraphUnavailable
from resources_graph_core.graph import binaries, failure, running
from resources_graph_core.graph.folders import private_folder, socket_path
from resources_graph_core.graph.resp import Connection, ServerError
from resources_graph_core.graph.running import GRAPH_NAME, STATE_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "GRAPH_NAME",
    "START_SECONDS",
    "STATEMENT_TIMEOUT_SECONDS",
    "EngineStatus",
    "find",
    "kept_from_starting",
    "start",
    "status",
    "stop",
]

STATEMENT_TIMEOUT_SECONDS: Final = 120
"""The engine gives up on a statement that runs longer, undoes it and says so."""

START_SECONDS: Final = 120.0
"""How long ``start`` waits for an engine that reads its data or that another process starts."""

_ANSWER_SECONDS = 2.0
_LONGEST_LOG_BYTES = 1_000_000

# What the module is told; see https://docs.falkordb.com/configuration.html. No limit on rows,
# memory or queued statements, so that no answer is cut short; no telemetry, which would keep the
# text of statements; two threads, as a small laptop has cores.
_MODULE_SETTINGS: Final = (
    *("THREAD_COUNT", "2"),
    *("OMP_THREAD_COUNT", "1"),
    *("CACHE_SIZE", "128"),
    *("RESULTSET_SIZE", "-1"),
    *("QUERY_MEM_CAPACITY", "0"),
    *("TIMEOUT_MAX", "0"),
    *("TIMEOUT_DEFAULT", str(STATEMENT_TIMEOUT_SECONDS * 1000)),
    *("CMD_INFO", "no"),
    # Append what a statement changed, not the statement: while the file is read back no index
    # works yet, and each MERGE of a statement would look through all nodes of its label.
    *("EFFECTS_THRESHOLD", "0"),
)

# The starter's environment may hold tokens; a process that lives for weeks gets only these.
_PASSED_ON: Final = (
    *("PATH", "HOME", "TMPDIR", "LANG", "LC_ALL"),
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"),
)

_started: list[subprocess.Popen[bytes]] = []
"""The engines that this process started, kept so that those that ended are reaped."""


@dataclass(frozen=True)
class EngineStatus:
    """What is known of the engine of one data folder; when it is down, only the folder."""

    running: bool
    folder: Path
    pid: int | None = None
    socket: Path | None = None
    memory_bytes: int | None = None
    """Resident memory."""
    version: str | None = None
    """FalkorDB's version, such as ``4.16.3``."""
    started_at: str | None = None
    """ISO-8601 UTC."""


@dataclass(frozen=True)
class _State:
    """What a starter leaves in ``engine.json`` for later processes."""

    socket: str
    started_at: str
    pid: int | None = None
    """For people; whether the process is the engine is never decided by it."""


def find(folder: Path) -> Path | None:
    """The socket of the engine that serves this data folder, or None when none answers.

    Never starts anything and takes about a millisecond, so hooks may call it.
    """
    connection = running.connect(str(folder), timeout=_ANSWER_SECONDS)
    if connection is None:
        return None
    connection.close()
    return Path(running.state(str(folder))["socket"])


def start(folder: Path, *, wait: float = START_SECONDS) -> Path:
    """Make sure that an engine serves this data folder, and return its socket.

    However many processes call this at the same moment, one engine starts. ``wait`` is in
    seconds. Raises GraphUnavailable, saying what to do, when it does not start in that time.
    """
    folder = private_folder(folder)
    found = find(folder)
    if found:
        return found
    deadline = time.monotonic() + wait
    patience = time.monotonic() + _ANSWER_SECONDS
    with _starting(folder, wait):
        while True:
            found = find(folder)
            if found:
                return found
            with _engine_lock(folder) as lock:
                if lock is not None:
                    return _launch(folder, lock, deadline)
            # An engine runs that does not answer yet: it reads its data, or is about to end. When
            # a cleaner of temporary files took its socket, it never will.
            if time.monotonic() > deadline:
                raise _unreachable(folder)
            if time.monotonic() > patience and _lost_its_socket(folder):
                _ask_to_end(folder)
                patience = deadline
            time.sleep(0.02)


def stop(folder: Path, *, wait: float = 60.0) -> bool:
    """End the engine of this data folder cleanly; False when none ran.

    Its file is written out first; a snapshot beside it would only cost time. Waits up to ``wait``
    seconds until the process is gone, and raises GraphUnavailable when it is still there.
    """
    folder = folder.resolve()
    if not (folder / "engine.lock").exists() or not _is_locked(folder):
        return False
    path = find(folder)
    if path is None:
        _ask_to_end(folder)
    else:
        with Connection(path, timeout=_ANSWER_SECONDS) as connection:
            connection.send("SHUTDOWN", "NOSAVE")
    deadline = time.monotonic() + wait
    while _is_locked(folder):
        if time.monotonic() > deadline:
            raise _unreachable(folder)
        time.sleep(0.02)
    (folder / STATE_NAME).unlink(missing_ok=True)
    return True


def status(folder: Path) -> EngineStatus:
    """Look at the engine of this data folder without starting it."""
    folder = folder.resolve()
    path = find(folder)
    state = _read_state(folder)
    if path is None or state is None:
        return EngineStatus(running=False, folder=folder)
    try:
        with Connection(path, timeout=_ANSWER_SECONDS) as connection:
            information = _fields(connection.call("INFO"))
            modules = connection.call("MODULE", "LIST")
    except (OSError, ServerError):
        return EngineStatus(running=False, folder=folder)
    return EngineStatus(
        running=True,
        folder=folder,
        pid=int(information["process_id"]),
        socket=path,
        memory_bytes=int(information["used_memory_rss"]),
        version=_module_version(modules),
        started_at=state.started_at,
    )


@contextmanager
def kept_from_starting(folder: Path) -> Iterator[bool]:
    """Keep every process from starting the engine meanwhile; False when it runs."""
    with _starting(folder, _ANSWER_SECONDS), _engine_lock(folder) as lock:
        yield lock is not None


def _read_state(folder: Path) -> _State | None:
    found = running.state(str(folder))
    return _State(found["socket"], found["started_at"]) if found else None


def _write_state(folder: Path, state: _State) -> None:
    draft = folder / f"{STATE_NAME}.new"
    with open(draft, "w", encoding="utf-8", opener=_private) as file:
        json.dump(asdict(state), file)
    draft.replace(folder / STATE_NAME)


@contextmanager
def _starting(folder: Path, wait: float) -> Iterator[None]:
    """Let one process at a time start the engine."""
    from filelock import FileLock, Timeout  # noqa: PLC0415 - slow, needed only to start

    try:
        with FileLock(folder / "start.lock", timeout=wait, mode=0o600):
            yield
    except Timeout as error:
        raise GraphUnavailable(
            f"Another process has been starting the graph engine of {folder} for {wait:g} "
            f"seconds; see {folder / 'engine.log'}."
        ) from error
    except OSError as error:
        raise failure.of_folder(folder, error) from error


@contextmanager
def _engine_lock(folder: Path) -> Iterator[int | None]:
    """The descriptor that keeps other engines off the folder; None while one runs."""
    descriptor = os.open(folder / "engine.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
        else:
            yield descriptor
    finally:
        os.close(descriptor)


def _is_locked(folder: Path) -> bool:
    with _engine_lock(folder) as lock:
        return lock is None


def _launch(folder: Path, lock: int, deadline: float) -> Path:
    """Start the engine, which inherits the lock, and wait until it answers."""
    files = binaries.locate()
    path = socket_path(folder)
    path.unlink(missing_ok=True)
    # Written before as well as after, so that the engine is found if this process ends between.
    state = _State(str(path), datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
    _write_state(folder, state)
    log = folder / "engine.log"
    if log.exists() and log.stat().st_size > _LONGEST_LOG_BYTES:
        log.replace(folder / "engine.log.old")
    with open(log, "ab", opener=_private) as output:
        start_of_log = output.tell()
        try:
            process = subprocess.Popen(
                _command(files, folder, path),
                cwd=folder,
                env={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=(lock,),
                start_new_session=True,
                umask=0o077,
            )
        except OSError as error:
            raise failure.of_program(files.server, error) from error
    _started[:] = [one for one in _started if one.poll() is None] + [process]
    _write_state(folder, replace(state, pid=process.pid))
    while find(folder) != path:
        if process.poll() is not None:
            raise failure.of_start(folder, _tail(log, start_of_log))
        if time.monotonic() > deadline:
            raise GraphUnavailable(
                f"The graph engine of {folder} is still starting (process {process.pid}). Try "
                f"again in a minute; what it does is in {log}."
            )
        time.sleep(0.01)
    return path


def _command(files: binaries.Binaries, folder: Path, path: Path) -> list[str]:
    """The engine's command line; see https://redis.io/docs/latest/operate/oss_and_stack/management/config/."""
    return [
        str(files.server),
        *("--port", "0"),
        *("--unixsocket", str(path)),
        *("--unixsocketperm", "700"),
        *("--dir", str(folder)),
        *("--pidfile", str(folder / "engine.pid")),
        *("--databases", "1"),
        *("--appendonly", "yes"),
        *("--appendfsync", "always"),
        *("--save", ""),
        *("--slowlog-log-slower-than", "-1"),
        *("--loadmodule", str(files.module), *_MODULE_SETTINGS),
    ]


def _lost_its_socket(folder: Path) -> bool:
    state = _read_state(folder)
    return state is None or not Path(state.socket).exists()


def _ask_to_end(folder: Path) -> None:
    """Ask an engine that cannot be talked to to end cleanly, which SIGTERM makes Redis do.

    Only called while the lock says that one runs, and only when the process whose id the engine
    left is at work in its folder. Raises GraphUnavailable when it is not.
    """
    try:
        pid = int((folder / "engine.pid").read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise _unreachable(folder) from error
    if not _is_engine(pid, folder):
        raise _unreachable(folder)
    os.kill(pid, signal.SIGTERM)


def _is_engine(pid: int, folder: Path) -> bool:
    """Whether a process is a Redis server of this folder, by what the system tells of it."""
    current = Path(f"/proc/{pid}/cwd")
    try:
        if current.exists():
            return current.samefile(folder)
        told = subprocess.run(
            ["ps", "-ww", "-o", "command=", "-p", str(pid)],  # noqa: S607 - where PATH has it
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return False
    return "redis-server" in told.stdout


def _unreachable(folder: Path) -> GraphUnavailable:
    return GraphUnavailable(
        f"The graph engine of {folder} runs but does not answer; see {folder / 'engine.log'}. "
        f"If it is stuck, end the process whose id is in {folder / 'engine.pid'}."
    )


def _private(path: str, flags: int) -> int:
    """Open a file that is made for its owner only."""
    return os.open(path, flags, 0o600)


def _tail(log: Path, position: int) -> str:
    with log.open("rb") as file:
        file.seek(position)
        return file.read(_LONGEST_LOG_BYTES).decode("utf-8", "replace")


def _fields(answer: object) -> dict[str, str]:
    """The ``name:value`` lines of INFO."""
    lines = (line.partition(":") for line in str(answer).splitlines())
    return {name: value for name, colon, value in lines if colon}


def _module_version(modules: object) -> str | None:
    """FalkorDB's version out of MODULE LIST, which writes 4.16.3 as 41603."""
    for module in modules if isinstance(modules, list) else []:
        fields = dict(zip(module[::2], module[1::2], strict=False))
        if fields.get("name") == "graph":
            number = int(fields["ver"])
            return f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    return None
