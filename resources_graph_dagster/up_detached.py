"""``up`` in the background: start a supervisor of its own session, wait for it, end it.

``python -m resources_graph_dagster.up_detached PORT PIPE`` is what runs there: it writes one JSON
document to the descriptor PIPE as soon as it is known how the start went.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel

from resources_graph_core.cli import output
from resources_graph_core.errors import ResourcesGraphError
from resources_graph_dagster import up_files, up_programs, up_state
from resources_graph_dagster.up_supervisor import READY_SECONDS, AlreadyRuns, Supervisor

if TYPE_CHECKING:
    from resources_graph_dagster.up_files import Files
    from resources_graph_dagster.up_state import State

STOP_SECONDS: Final = 120.0
"""How long a supervisor may take to end its programs before it is killed."""

_LOOK_SECONDS: Final = 0.1


class Started(BaseModel):
    """What the supervisor tells whoever started it: its state, or why there is none."""

    ready: bool = False
    already_runs: bool = False
    error: str = ""


def start(files: Files, port: int) -> State:
    """Start Dagster in the background and wait until its pages answer; its state.

    Harmless when it runs already, on whatever port, or another process is starting it. Raises
    ResourcesGraphError when it does not start.
    """
    told = _launch(files, port) if not up_state.is_held(files.supervisor_lock) else Started()
    if told.error and not told.already_runs:
        raise ResourcesGraphError(told.error)
    return _await_other(files)


def stop(files: Files, seconds: float = STOP_SECONDS) -> bool:
    """End what runs, and what a killed supervisor left behind; False when there was nothing.

    Raises ResourcesGraphError when it cannot be found out which process to end.
    """
    state = up_state.read(files)
    if up_state.is_held(files.supervisor_lock):
        if state is None or not state.supervisor.identity.is_alive:
            raise ResourcesGraphError(
                f"Dagster is starting or ending just now (see {files.home}); try again in a moment."
            )
        supervisor = state.supervisor.identity
        _signal(supervisor.pid, signal.SIGTERM)
        deadline = time.monotonic() + seconds
        while supervisor.is_alive and time.monotonic() < deadline:
            time.sleep(_LOOK_SECONDS)
        if supervisor.is_alive:
            _signal(supervisor.pid, signal.SIGKILL)
    elif state is None or not up_state.is_held(files.programs_lock):
        files.state.unlink(missing_ok=True)  # of a machine that went down, say
        return False
    if up_state.is_held(files.programs_lock):
        up_programs.end_strays([one.identity for one in state.programs])
    files.state.unlink(missing_ok=True)
    return True


def _launch(files: Files, port: int) -> Started:
    """Start the supervisor, which tells over a pipe how it went."""
    log = files.log("supervisor")
    up_files.prepare(files)
    reading, writing = os.pipe()
    descriptor = up_files.open_log(log)
    try:
        subprocess.Popen(
            [sys.executable, "-P", "-m", __name__, str(port), str(writing)],
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=descriptor,
            pass_fds=(writing,),
            start_new_session=True,
            umask=0o077,
        )
    finally:
        os.close(writing)
        os.close(descriptor)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        said = pipe.read()
    if not said:
        why = up_files.last_line(log)
        return Started(error=f"Dagster did not start: {why}. What it printed is in {log}.")
    return Started.model_validate_json(said)


def _await_other(files: Files) -> State:
    """Wait for a supervisor that this or another process started."""
    deadline = time.monotonic() + READY_SECONDS
    while True:
        state = up_state.read(files)
        if state is not None and state.ready and state.supervisor.identity.is_alive:
            return state
        if not up_state.is_held(files.supervisor_lock) or time.monotonic() > deadline:
            raise ResourcesGraphError(
                f"Dagster did not start. What it printed is in {files.log('supervisor')}."
            )
        time.sleep(_LOOK_SECONDS)


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def _supervise(port: int, pipe: int) -> int:
    """Run the supervisor here; its exit status."""

    def tell(started: Started) -> None:
        with suppress(OSError), os.fdopen(pipe, "w", encoding="utf-8") as file:
            file.write(started.model_dump_json())

    supervisor = Supervisor(
        up_files.locate(),
        port,
        on_ready=lambda _state: tell(Started(ready=True)),
        on_note=output.print_note,
    )
    try:
        supervisor.run()
    except ResourcesGraphError as error:
        output.print_note(str(error))
        tell(Started(error=str(error), already_runs=isinstance(error, AlreadyRuns)))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(_supervise(int(sys.argv[1]), int(sys.argv[2])))
