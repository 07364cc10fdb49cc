"""What other processes see of ``up``: whether it runs, where, and as which processes.

A lock that ends with its holder says whether it runs. The state file beside it only describes, so
that a stale one, or a process id that meanwhile belongs to something else, misleads nobody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from resources_graph_core.lockfile import LockFile
from resources_graph_dagster import up_files
from resources_graph_dagster.up_programs import Identity

if TYPE_CHECKING:
    from pathlib import Path

    from resources_graph_dagster.up_files import Files


class ProgramState(BaseModel):
    """One process of ``up``."""

    model_config = ConfigDict(frozen=True)

    name: str
    pid: int
    started: str
    restarts: int = 0

    @property
    def identity(self) -> Identity:
        """The process, told from a later one with its id."""
        return Identity(self.pid, self.started)


class State(BaseModel):
    """What the supervisor writes down. ``ready`` once the pages answer; times are ISO-8601 UTC."""

    model_config = ConfigDict(frozen=True)

    supervisor: ProgramState
    port: int
    started_at: str
    ready: bool = False
    programs: tuple[ProgramState, ...] = ()

    @property
    def url(self) -> str:
        """Where Dagster's pages are."""
        return url_of(self.port)


class ProgramStatus(BaseModel):
    """A program as ``up --status`` tells of it."""

    name: str
    pid: int
    running: bool
    restarts: int


class Status(BaseModel):
    """Whether Dagster runs, and all that is known of it.

    When it does not, ``programs`` are those that outlived a supervisor that was killed.
    """

    running: bool
    ready: bool = False
    url: str | None = None
    port: int | None = None
    pid: int | None = None
    """The process that watches the programs."""
    started_at: str | None = None
    dagster_home: str
    programs: list[ProgramStatus] = []


def url_of(port: int) -> str:
    """The address of the pages on this machine."""
    return f"http://127.0.0.1:{port}"


def is_held(lock: Path) -> bool:
    """Whether some process holds a lock; nothing is made where no lock was."""
    if not lock.exists():
        return False
    with LockFile(str(lock), seconds=0) as tried:
        return not tried.held


def read(files: Files) -> State | None:
    """What the last supervisor wrote, whether it runs or not; None when there is nothing whole."""
    try:
        return State.model_validate_json(files.state.read_bytes())
    except (OSError, ValidationError):
        return None  # none yet, or of another version: the lock decides


def write(files: Files, state: State) -> None:
    """Write it for other processes, whole or not at all."""
    up_files.write_private(files.state, state.model_dump_json(indent=2))


def status(files: Files) -> Status:
    """Look, without starting or ending anything."""
    state = read(files)
    home = str(files.home)
    if state is None:
        return Status(running=is_held(files.supervisor_lock), dagster_home=home)
    programs = [
        ProgramStatus(
            name=one.name, pid=one.pid, running=one.identity.is_alive, restarts=one.restarts
        )
        for one in state.programs
    ]
    if not is_held(files.supervisor_lock):
        strays = [one for one in programs if one.running] if is_held(files.programs_lock) else []
        return Status(running=False, dagster_home=home, programs=strays)
    return Status(
        running=True,
        ready=state.ready,
        url=state.url,
        port=state.port,
        pid=state.supervisor.pid,
        started_at=state.started_at,
        dagster_home=home,
        programs=programs,
    )
