"""``up``: its files, its processes, and what it says; without Dagster where that is enough."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from resources_graph_core.cli import main
from resources_graph_core.errors import ResourcesGraphError, UsageError
from resources_graph_core.graph import embedded
from resources_graph_core.lockfile import LockFile
from resources_graph_dagster import up_detached, up_files, up_programs, up_state, up_supervisor
from resources_graph_dagster.up import check_port
from resources_graph_dagster.up_programs import Identity, Program
from resources_graph_dagster.up_state import ProgramState, State, Status
from tests.dagster.running import Running, eventually

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_dagster.up_files import Files

STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
PARENT = (
    "import subprocess, sys, time; "
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']); "
    "print(child.pid, flush=True); time.sleep(600)"
)


@pytest.fixture
def files(home: Path) -> Files:  # noqa: ARG001 - it is where they are
    """The files of an empty data folder, as they are when Dagster is about to start."""
    found = up_files.locate()
    up_files.prepare(found)
    return found


@pytest.fixture
def lock(files: Files) -> Iterator[int]:
    """The lock that programs inherit."""
    descriptor = os.open(files.programs_lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    up_supervisor._share(descriptor)  # noqa: SLF001 - what the supervisor does before it starts them
    yield descriptor
    os.close(descriptor)


def state_of(pid: int, started: str, *programs: ProgramState) -> State:
    supervisor = ProgramState(name="supervisor", pid=pid, started=started)
    return State(
        supervisor=supervisor,
        port=3000,
        started_at="2026-11-30T22:25:00Z",
        ready=True,
        programs=programs,
    )


def test_the_folder_is_for_its_owner_alone(files: Files) -> None:
    assert stat.S_IMODE(files.home.stat().st_mode) == 0o700
    for path in (files.workspace, files.home / "dagster.yaml"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(files.socket.parent.stat().st_mode) == 0o700


def test_a_dagster_yaml_of_the_users_own_is_kept(files: Files) -> None:
    (files.home / "dagster.yaml").write_text("telemetry: {enabled: false}\n", "utf-8")
    up_files.prepare(files)
    assert (files.home / "dagster.yaml").read_text("utf-8") == "telemetry: {enabled: false}\n"


def test_a_long_log_is_put_aside(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(up_files, "LONGEST_LOG_BYTES", 12)
    log = files.log("webserver")
    log.write_text("before\na long line\n", "utf-8")
    assert up_files.last_line(log) == "a long line"
    os.close(up_files.open_log(log))
    assert up_files.last_line(log) == ""
    assert log.with_suffix(".log.old").exists()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_a_port_that_is_taken_is_said_with_what_to_do() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ResourcesGraphError, match=rf"port {port}.*--port"):
            up_supervisor.check_port(port)
    assert up_supervisor.check_port(0) > 0


def test_a_process_is_told_from_a_later_one_with_its_id() -> None:
    own = up_programs.identity_of(os.getpid())
    assert own.is_alive
    assert not replace(own, started="1").is_alive
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        other = up_programs.identity_of(process.pid)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert not other.is_alive  # though nobody has reaped it
    assert not other.is_alive


def test_ps_tells_the_same_where_there_is_no_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(up_programs, "PROC", Path("/no-such-folder"))
    own = up_programs.identity_of(os.getpid())
    assert own.is_alive
    assert own.started
    assert up_programs.started_at(2**22 + 1) is None


def test_a_program_that_does_not_end_is_killed(files: Files, lock: int) -> None:
    program = Program("stubborn", ["-c", STUBBORN])
    program.start(files, os.environ, lock)
    pid = program.pid
    assert pid is not None
    assert not program.has_ended()
    eventually("its deafness", lambda: _ignores_sigterm(pid))
    assert not program.end(seconds=0.2)
    assert not psutil.pid_exists(pid)
    assert program.has_ended()


def _ignores_sigterm(pid: int) -> bool:
    """Whether a process ignores SIGTERM by now; see proc(5), SigIgn."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        time.sleep(2)  # macOS does not tell
        return True
    ignored = next(line for line in status.read_text("utf-8").splitlines() if "SigIgn" in line)
    return bool(int(ignored.split()[1], 16) & (1 << (signal.SIGTERM - 1)))


def test_a_program_is_watched_where_there_is_no_waitid(
    files: Files, lock: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "waitid", raising=False)
    program = Program("brief", ["-c", ""])
    program.start(files, os.environ, lock)
    eventually("its end", program.has_ended)
    assert program.end()
    assert program.has_ended()


def test_a_program_takes_its_children_with_it(files: Files, lock: int) -> None:
    program = Program("parent", ["-c", PARENT])
    program.start(files, os.environ, lock)
    child = int(eventually("its child", lambda: up_files.last_line(files.log("parent"))))
    assert program.end()
    eventually("the child's end", lambda: not psutil.pid_exists(child))


def test_programs_whose_supervisor_was_killed_are_ended_and_nothing_else(
    files: Files, lock: int, capsys: pytest.CaptureFixture[str]
) -> None:
    stray, other = Program("stray", ["-c", PARENT]), Program("other", ["-c", PARENT])
    for program in (stray, other):
        program.start(files, os.environ, lock)
    assert stray.pid is not None
    assert other.pid is not None
    written = [
        ProgramState(name="stray", pid=stray.pid, started=up_programs.started_at(stray.pid) or ""),
        ProgramState(name="reused", pid=other.pid, started="1"),
    ]
    up_state.write(files, state_of(os.getpid(), "1", *written))
    found = up_state.status(files)
    assert not found.running
    assert [one.name for one in found.programs] == ["stray"]
    assert main(["up", "--status"]) == 0
    assert "left programs behind" in capsys.readouterr().out
    assert main(["up", "--stop"]) == 0
    assert stray.has_ended()
    assert not other.has_ended()
    assert not files.state.exists()
    for program in (stray, other):
        program.end()


@pytest.mark.parametrize("text", ["", "{", '{"port": 1}', None])
def test_a_stale_or_broken_state_misleads_nobody(
    files: Files, text: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    if text is None:  # of a process whose id is now ours
        up_state.write(files, state_of(os.getpid(), "1"))
    else:
        files.state.write_text(text, "utf-8")
    assert main(["up", "--status", "--json"]) == 0
    assert '"running": false' in capsys.readouterr().out
    assert main(["up", "--stop"]) == 0
    assert "does not run" in capsys.readouterr().out
    assert up_detached.stop(files) is False


def test_a_second_supervisor_says_where_the_first_runs(files: Files) -> None:
    own = Identity(os.getpid(), up_programs.started_at(os.getpid()) or "")
    up_state.write(files, state_of(own.pid, own.started))
    with LockFile(str(files.supervisor_lock), seconds=0):
        second = up_supervisor.Supervisor(files, 0, on_ready=lambda _state: None)
        with pytest.raises(up_supervisor.AlreadyRuns, match=r"http://127.0.0.1:3000.*--stop"):
            second.run()
        assert up_detached.start(files, 0).port == 3000


def test_choices_that_exclude_one_another_are_refused(
    home: Path,  # noqa: ARG001 - not the user's own
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["up", "--stop", "--status"]) == 2
    assert "choose one" in capsys.readouterr().err


@pytest.mark.system
def test_it_runs_for_this_machine_alone_and_only_once(running: Running) -> None:
    # What watches Dagster's programs is no hundred megabytes itself.
    assert psutil.Process(running.status()["pid"]).memory_info().rss < 90_000_000
    told = json.loads(running.command("up", "--status", "--json").stdout)
    assert told == running.status()
    assert told["running"]
    assert told["ready"]
    assert {one["name"] for one in told["programs"]} == {"code-server", "webserver", "daemon"}
    for one in told["programs"]:
        for connection in psutil.Process(one["pid"]).net_connections("inet"):
            assert connection.laddr.ip == "127.0.0.1", one["name"]
    again = running.command("up", "--detach")
    assert again.returncode == 0
    assert told["url"] in again.stdout
    refused = running.command("up")
    assert refused.returncode == 1
    assert told["url"] in refused.stderr
    assert running.status()["pid"] == told["pid"]


@pytest.mark.system
@pytest.mark.parametrize("program", ["webserver", "daemon", "code-server"])
def test_a_program_that_is_killed_comes_back(running: Running, program: str) -> None:
    before = running.pid(program)
    os.kill(before, signal.SIGKILL)
    eventually(f"another {program}", lambda: running.pid(program) != before)
    eventually("its answer", lambda: _answers(running))


def _answers(running: Running) -> bool:
    try:
        return isinstance(running.runs(), list)
    except OSError:
        return False


@pytest.mark.system
def test_two_at_once_start_one_and_sigterm_ends_it(
    running: Running, tmp_path: Path, runtime_folder: Path
) -> None:
    """As in the background of a shell, which has SIGINT ignored there."""
    environment = {**running.environment, "RESOURCES_GRAPH_HOME": str(tmp_path / "home")}
    assert environment["XDG_RUNTIME_DIR"] == str(runtime_folder)
    own = Running(tmp_path / "home", running.sandbox, environment)
    command = Path(sys.executable).with_name("resources-graph")
    with subprocess.Popen(
        ["/bin/sh", "-c", 'trap "" INT; exec "$@"', "sh", command, "up", "--port", "0"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as foreground:
        eventually("its lock", (tmp_path / "home" / "dagster" / "up.lock").exists)
        with ThreadPoolExecutor() as pool:
            others = list(pool.map(own.command, ["up"] * 2, ["--detach"] * 2))
        assert [one.returncode for one in others] == [0, 0], [one.stderr for one in others]
        told = own.status()
        assert told["pid"] == foreground.pid
        assert all(told["url"] in one.stdout for one in others)
        pids = [one["pid"] for one in told["programs"]]
        foreground.send_signal(signal.SIGTERM)
        out, err = foreground.communicate()
        assert foreground.returncode == 0, err
    assert told["url"] in out
    assert "The graph stays up" in out
    assert not any(psutil.pid_exists(pid) for pid in pids)
    assert embedded.status(tmp_path / "home" / "graph").running
    embedded.stop(tmp_path / "home" / "graph")


def test_another_port_than_that_of_what_runs_is_told() -> None:
    runs = Status(running=True, url="http://127.0.0.1:3000", port=3000, dagster_home="there")
    with pytest.raises(UsageError, match=r"runs already, at .*:3000;.*--port 3001"):
        check_port(runs, 3001)
    for port in (3000, 0):
        check_port(runs, port)
    check_port(Status(running=False, dagster_home="there"), 3001)
