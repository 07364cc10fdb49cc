"""The program as a process: its entry, its signals, its pipes, and what it loads."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Run

PROGRAM = [str(Path(sys.executable).with_name("resources-graph"))]


def test_version_and_exit_status() -> None:
    shown = subprocess.run([*PROGRAM, "--version"], capture_output=True, text=True, check=True)
    assert shown.stdout == f"resources-graph {version('resources-graph-dagster')}\n"
    wrong = subprocess.run([*PROGRAM, "read"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2


def loaded_by(arguments: list[str], names: list[str]) -> str:
    """Which of these modules a command loads."""
    program = (
        f"import sys; from resources_graph_core.cli import main; main({arguments!r});"
        f"print([name for name in {names!r} if name in sys.modules])"
    )
    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return shown.stdout.splitlines()[-1]


def test_starting_loads_nothing_heavy() -> None:
    heavy = ["falkordb", "httpx", "neo4j", "rich", "dagster"]
    heavy += [f"resources_graph_core.{name}" for name in ("memory", "model", "store")]
    assert loaded_by(["config", "path"], heavy) == "[]"


def test_a_reader_that_goes_away_is_no_error(home: Path) -> None:
    assert not home.exists()
    process = subprocess.Popen(
        [*PROGRAM, "config", "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 128 + signal.SIGPIPE


def test_the_sandbox_serves_until_interrupted(home: Path) -> None:
    assert not home.exists()
    with subprocess.Popen(
        [*PROGRAM, "sandbox", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        url = line.rpartition("=")[2].strip()
        with urlopen(f"{url}/_sandbox/requests") as answer:  # noqa: S310 - our own, on loopback
            assert answer.status == 200
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert err == ""
    assert process.returncode == 128 + signal.SIGINT


def test_a_secret_typed_at_a_terminal_is_not_echoed(home: Path) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*PROGRAM, "config", "set", "github.token"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        shown = b""
        while not shown.endswith(b"github.token: "):
            shown += os.read(ours, 1024)
        os.write(ours, b"typed-secret\n")
        while True:
            try:
                part = os.read(ours, 1024)
            except OSError:  # Linux reports the end of a terminal as EIO
                break
            if not part:
                break
            shown += part
    os.close(ours)
    assert process.returncode == 0
    assert b"typed-secret" not in shown
    assert 'token = "typed-secret"' in (home / "config.toml").read_text()


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_no_failure(home: Path, closed: str) -> None:
    shown = subprocess.run(
        ["/bin/sh", "-c", f'exec "$0" config list {closed}', *PROGRAM],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "RESOURCES_GRAPH_HOME": str(home)},
    )
    assert (shown.returncode, shown.stderr) == (0, "")


@pytest.mark.parametrize("arguments", [["list"], ["list", "--json"]])
def test_a_full_disk_is_one_line(home: Path, arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        shown = subprocess.run(
            [*PROGRAM, "config", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={**os.environ, "RESOURCES_GRAPH_HOME": str(home)},
        )
    assert shown.returncode == 1
    assert "nothing more can be written: No space left on device" in shown.stderr
    assert shown.stderr.count("\n") == 1


def test_help_loads_no_dagster() -> None:
    assert loaded_by(["--help"], ["dagster"]) == "[]"


@pytest.mark.parametrize("arguments", [[], ["--help"], ["graph", "--help"], ["config", "--help"]])
def test_help(run: Run, arguments: list[str]) -> None:
    shown = run(*arguments)
    assert (shown.status, shown.err) == (0, "")
    assert "Usage" in shown.out


def test_help_names_every_command(run: Run) -> None:
    shown = run("--help").out
    names = ["setup", "status", "touch", "sweep", "read", "touches", "forget", "demo", "sandbox"]
    assert not [name for name in [*names, "graph", "config"] if f" {name} " not in shown]


def test_a_missing_extra_is_one_line() -> None:
    program = (
        "import sys; sys.modules['dagster'] = None;"
        "from resources_graph_core.cli import main; sys.exit(main(['demo']))"
    )
    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert shown.returncode == 2
    assert shown.stderr.count("\n") == 1
    assert "pip install 'resources-graph-dagster[dagster]'" in shown.stderr


def test_the_engine_starts_and_stops(run: Run, home: Path) -> None:
    assert "no engine runs" in run("graph", "status").out
    started = run("graph", "start", "--json").json()
    assert started["running"] is True
    assert Path(started["folder"]).is_relative_to(home)
    assert run("graph", "start", "--json").json()["pid"] == started["pid"]
    assert f"process {started['pid']}" in run("graph", "status").out
    assert run("graph", "stop", "--json").json()["stopped"] is True
    assert "no engine was running" in run("graph", "stop").out
    assert "nothing is wrong" in run("graph", "repair").out
    assert run("graph", "repair", "--json").json()["cut_bytes"] == 0
    assert run("graph", "status", "--json").json()["running"] is False
