"""The spool: nothing acknowledged is lost, torn or written twice, whoever dies at which byte."""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import signal
import stat
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from resources_graph_core import failures, spool
from resources_graph_core.errors import GraphUnavailable
from resources_graph_core.lockfile import LockFile
from resources_graph_core.spool import DrainReport, Spool, decode, encode
from resources_graph_core.touch import Touch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FORK = multiprocessing.get_context("fork")


def touch(number: int, *, session: str = "s1", agent: str | None = None) -> Touch:
    return Touch(
        touch_id=f"{number:032x}",
        address=f"github:octo-org/widgets#{number}",
        address_kind="item",
        provenance="FETCHED",
        at="2026-11-30T22:25:00Z",
        session_id=session,
        user_id="mona",
        agent_name=agent,
    )


class Memory:
    """What the graph would hold: every Touch by its id, and how often it was written."""

    def __init__(self) -> None:
        self.writes: dict[str, int] = {}
        self.order: list[str] = []

    def __call__(self, touches: list[Touch]) -> list[str]:
        for one in touches:
            self.writes[one.touch_id] = self.writes.get(one.touch_id, 0) + 1
            self.order.append(one.touch_id)
        return [one.touch_id for one in touches]


def ids(touches: Iterable[Touch]) -> list[str]:
    return [one.touch_id for one in touches]


def in_child(work: Callable[[], object]) -> int:
    """Run in a forked process that ends without any cleaning up; its exit status."""
    process = os.fork()
    if process == 0:
        try:
            work()
        finally:
            os._exit(7)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def test_a_touch_goes_in_and_comes_out_once_and_in_order(tmp_path: Path) -> None:
    kept = Spool(tmp_path)
    assert kept.append([touch(1), touch(2)])
    assert kept.append([touch(3)])
    graph = Memory()
    assert kept.drain(graph) == DrainReport(written=3)
    assert graph.order == ids([touch(1), touch(2), touch(3)])
    assert kept.drain(graph) == DrainReport()
    assert kept.pending() == []
    assert (tmp_path / spool.FILE_NAME).stat().st_size == 0


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    kept = Spool(tmp_path)
    kept.append([touch(1)])
    (tmp_path / spool.FILE_NAME).write_bytes(b"rubbish\n")
    kept.drain(Memory())
    for file in tmp_path.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


def test_draining_nothing_touches_nothing(tmp_path: Path) -> None:
    assert Spool(tmp_path).drain(Memory()) == DrainReport()
    assert list(tmp_path.iterdir()) == []


def test_what_the_graph_did_not_acknowledge_stays(tmp_path: Path) -> None:
    kept = Spool(tmp_path)
    kept.append([touch(1), touch(2), touch(3)])
    report = kept.drain(lambda touches: ids(touches)[1:2])
    assert report == DrainReport(written=1, left=2)
    assert kept.pending() == [touch(1), touch(3)]


def test_an_error_of_the_graph_passes_through_and_keeps_the_rest(tmp_path: Path) -> None:
    kept = Spool(tmp_path)
    kept.append([touch(number) for number in range(1, spool.BATCH + 11)])
    calls = []

    def second_batch_fails(touches: list[Touch]) -> list[str]:
        calls.append(len(touches))
        if len(calls) == 2:
            raise GraphUnavailable("The graph went away.")
        return ids(touches)

    with pytest.raises(GraphUnavailable):
        kept.drain(second_batch_fails)
    assert calls == [spool.BATCH, 10]
    assert kept.pending() == [touch(spool.BATCH + number) for number in range(1, 11)]


def test_limit_and_deadline_bound_a_drain(tmp_path: Path) -> None:
    kept = Spool(tmp_path)
    kept.append([touch(number) for number in range(1, 6)])
    assert kept.drain(Memory(), limit=2) == DrainReport(written=2, left=3)
    assert kept.drain(Memory(), deadline=time.monotonic() - 1) == DrainReport(left=3)
    assert kept.drain(Memory(), limit=0) == DrainReport(left=3)
    assert kept.drain(Memory()) == DrainReport(written=3)


def test_one_touch_spooled_twice_is_written_once(tmp_path: Path) -> None:
    kept = Spool(tmp_path)
    kept.append([touch(1)])
    kept.append([touch(1)])
    graph = Memory()
    assert kept.drain(graph).written == 2
    assert graph.writes == {touch(1).touch_id: 1}


def test_a_second_drainer_does_not_wait(tmp_path: Path) -> None:
    kept = Spool(tmp_path)
    kept.append([touch(1)])
    with LockFile(str(tmp_path / "spool.drain.lock"), seconds=0) as held:
        assert held.held
        assert kept.drain(Memory()) == DrainReport(busy=True)
    assert kept.drain(Memory()) == DrainReport(written=1)


def test_what_is_appended_during_a_drain_is_kept(tmp_path: Path) -> None:
    kept = Spool(tmp_path)
    kept.append([touch(1)])

    def appends(touches: list[Touch]) -> list[str]:
        assert Spool(tmp_path).append([touch(2)])
        return ids(touches)

    assert kept.drain(appends) == DrainReport(written=1)
    assert kept.pending() == [touch(2)]


@pytest.mark.parametrize("kept_bytes", range(len(encode(touch(1)))))
def test_a_line_torn_at_any_byte_spoils_no_other(tmp_path: Path, kept_bytes: int) -> None:
    kept = Spool(tmp_path)
    assert kept.append([touch(8)])
    with (tmp_path / spool.FILE_NAME).open("ab") as file:
        file.write(encode(touch(1))[:kept_bytes])
    assert kept.append([touch(9)])
    graph = Memory()
    report = kept.drain(graph)
    complete = kept_bytes == len(encode(touch(1))) - 1
    assert graph.order == ids([touch(8), touch(1), touch(9)] if complete else [touch(8), touch(9)])
    assert report.rejected == (0 if complete or kept_bytes == 0 else 1)
    assert report.left == 0
    if report.rejected:
        rejected = (tmp_path / spool.REJECTED_NAME).read_bytes()
        assert rejected == encode(touch(1))[:kept_bytes] + b"\n"
        assert failures.recent(tmp_path)[-1].where == "spool"


def test_a_torn_last_line_does_not_stop_a_drain(tmp_path: Path) -> None:
    kept = Spool(tmp_path)
    kept.append([touch(1)])
    with (tmp_path / spool.FILE_NAME).open("ab") as file:
        file.write(b'{"touch_id": "0')
    assert kept.drain(Memory()) == DrainReport(written=1, rejected=1)
    assert kept.append([touch(2)])
    assert kept.drain(Memory()) == DrainReport(written=1)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b"[" * 100_000,
        json.dumps({**touch(1).fields(), "limit": 0}).encode(),
        json.dumps({**touch(1).fields(), "limit": True}).encode(),
        json.dumps({**touch(1).fields(), "limit": "5"}).encode(),
        json.dumps({**touch(1).fields(), "status": "resolved"}).encode(),
        json.dumps({**touch(1).fields(), "user_id": None}).encode(),
        json.dumps({**touch(1).fields(), "provenance": "MEMORY"}).encode(),
        json.dumps({**touch(1).fields(), "provenance": ["FETCHED"]}).encode(),
        json.dumps({**touch(1).fields(), "session_id": ""}).encode(),
        json.dumps({**touch(1).fields(), "agent_name": 3}).encode(),
        json.dumps({**touch(1).fields(), "served_from_memory": 1}).encode(),
        json.dumps({**touch(1).fields(), "more": 1}).encode(),
    ],
)
def test_only_a_touch_is_read_as_one(line: bytes) -> None:
    assert decode(line) is None


@given(
    st.builds(
        Touch,
        touch_id=st.text(min_size=1),
        address=st.text(min_size=1),
        address_kind=st.sampled_from(["repo", "item", "listing"]),
        provenance=st.sampled_from(["FETCHED", "PROMPTED"]),
        at=st.text(min_size=1),
        session_id=st.text(min_size=1),
        user_id=st.text(min_size=1),
        limit=st.none() | st.integers(1),
        served_from_memory=st.booleans(),
        status=st.sampled_from([None, "pending"]),
        outcome=st.sampled_from([None, "hit", "subsumed", "miss"]),
        agent_name=st.none() | st.text(),
    )
)
def test_every_touch_survives_its_line(one: Touch) -> None:
    line = encode(one)
    assert line.count(b"\n") == 1
    assert decode(line) == one


def test_a_full_spool_refuses_and_says_so(tmp_path: Path) -> None:
    kept = Spool(tmp_path)
    path = tmp_path / spool.FILE_NAME
    path.write_bytes(encode(touch(1)) * (spool.LARGEST_FILE // len(encode(touch(1)))))
    size = path.stat().st_size
    assert not kept.append([touch(2)])
    assert path.stat().st_size == size
    assert "full" in failures.recent(tmp_path)[-1].message


def test_an_oversized_touch_is_refused(tmp_path: Path) -> None:
    kept = Spool(tmp_path)
    assert not kept.append([touch(1), touch(2, agent="x" * spool.LARGEST_LINE)])
    assert kept.pending() == []
    assert failures.recent(tmp_path)


def test_a_full_disk_keeps_what_was_there_and_acknowledges_nothing_more(tmp_path: Path) -> None:
    kept = Spool(tmp_path)
    assert kept.append([touch(1)])
    size = (tmp_path / spool.FILE_NAME).stat().st_size

    def append_beyond_the_limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 50, size + 50))
        os._exit(1 if kept.append([touch(2)]) else 0)

    assert in_child(append_beyond_the_limit) == 0
    assert (tmp_path / spool.FILE_NAME).stat().st_size == size
    assert kept.append([touch(3)])
    assert kept.pending() == [touch(1), touch(3)]


def test_a_process_killed_between_acknowledgement_and_mark_loses_nothing(tmp_path: Path) -> None:
    kept = Spool(tmp_path)
    kept.append([touch(1), touch(2)])

    def die(_: list[Touch]) -> list[str]:
        os._exit(9)

    assert in_child(lambda: kept.drain(die)) == 9
    graph = Memory()
    assert kept.drain(graph) == DrainReport(written=2)


def test_a_long_file_that_is_mostly_done_is_rewritten(tmp_path: Path) -> None:
    kept = Spool(tmp_path)
    count = 3 * 1024 * 1024 // len(encode(touch(1)))
    for start in range(0, count, 1000):
        assert kept.append([touch(number) for number in range(start, start + 1000)])
    before = (tmp_path / spool.FILE_NAME).stat().st_size
    total = len(kept.pending())
    kept.drain(Memory(), limit=total - 3)
    assert (tmp_path / spool.FILE_NAME).stat().st_size < before / 100
    assert [one.touch_id for one in kept.pending()] == ids(
        touch(number) for number in range(total - 3, total)
    )


def test_forgetting_a_session_leaves_no_byte_of_it(tmp_path: Path) -> None:
    kept = Spool(tmp_path)
    kept.append([touch(1, session="secret"), touch(2)])
    with (tmp_path / spool.FILE_NAME).open("ab") as file:
        file.write(encode(touch(3, session="secret"))[:-5] + b"\n" + b"rubbish\n")
    kept.drain(lambda _: [])
    kept.append([touch(4, session="secret")])
    assert kept.forget("secret") == 3
    assert kept.pending() == [touch(2)]
    for left in tmp_path.iterdir():
        assert b"secret" not in left.read_bytes(), left
    assert (tmp_path / spool.REJECTED_NAME).read_bytes() == b"rubbish\n"


def append_many(folder: str, worker: int, acknowledged: str) -> None:
    kept = Spool(folder)
    with Path(acknowledged).open("a") as file:
        for step in range(20):
            one = touch(worker * 100 + step)
            if kept.append([one]):
                file.write(one.touch_id + "\n")
                file.flush()


def test_fifty_processes_at_once_some_of_them_killed(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    workers = [
        FORK.Process(target=append_many, args=(str(folder), n, str(tmp_path / f"ack{n}")))
        for n in range(50)
    ]
    graph = Memory()
    for number, worker in enumerate(workers):
        worker.start()
        if number % 5 == 4:
            workers[number - 2].kill()
        Spool(folder).drain(graph)
    for worker in workers:
        worker.join(timeout=60)
        assert worker.exitcode in {0, -signal.SIGKILL}
    assert not Spool(folder).drain(graph).left
    acknowledged = [
        line for file in tmp_path.glob("ack*") for line in file.read_text().splitlines()
    ]
    assert len(acknowledged) >= 40 * 20
    assert set(acknowledged) <= set(graph.writes)
    assert set(graph.writes.values()) == {1}
    for worker_number in range(50):
        own = [one for one in graph.order if int(one, 16) // 100 == worker_number]
        assert own == sorted(own)


class SpoolMachine(RuleBasedStateMachine):
    """Any mix of appends, deaths and drains, against a list of what was acknowledged."""

    @initialize()
    def start(self) -> None:
        import tempfile  # noqa: PLC0415 - a fixture cannot reach a state machine

        self.folder = tempfile.TemporaryDirectory()
        self.kept = Spool(self.folder.name)
        self.path = Path(self.folder.name) / spool.FILE_NAME
        self.acknowledged: list[str] = []
        self.graph: set[str] = set()
        self.next = 0

    def made(self, count: int) -> list[Touch]:
        self.next += count
        return [touch(self.next - count + step) for step in range(count)]

    @rule(count=st.integers(1, 3))
    def append(self, count: int) -> None:
        touches = self.made(count)
        assert self.kept.append(touches)
        self.acknowledged += ids(touches)

    @rule(count=st.integers(1, 2), share=st.floats(0, 1))
    def die_while_appending(self, count: int, share: float) -> None:
        block = b"".join(encode(one) for one in self.made(count))
        with self.path.open("ab") as file:
            file.write(block[: int(len(block) * share)])

    @rule(count=st.integers(0, 5), share=st.floats(0, 1))
    def drain_in_part(self, count: int, share: float) -> None:
        def write(touches: list[Touch]) -> list[str]:
            written = ids(touches)[: int(len(touches) * share)]
            self.graph.update(written)
            return written

        self.kept.drain(write, limit=count)

    @rule()
    def die_before_the_mark(self) -> None:
        def write(touches: list[Touch]) -> list[str]:
            self.graph.update(ids(touches))
            raise GraphUnavailable("Cut off after the write.")

        if self.kept.pending():
            with pytest.raises(GraphUnavailable):
                self.kept.drain(write)

    @invariant()
    def nothing_acknowledged_is_lost(self) -> None:
        if not hasattr(self, "kept"):
            return
        waiting = ids(self.kept.pending())
        assert set(self.acknowledged) <= set(waiting) | self.graph
        assert waiting == sorted(waiting, key=lambda one: int(one, 16))

    def teardown(self) -> None:
        if hasattr(self, "kept"):
            assert self.kept.drain(Memory()).left == 0
            assert self.kept.pending() == []
            self.folder.cleanup()


SpoolMachine.TestCase.settings = settings(
    max_examples=60,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
TestSpoolMachine = SpoolMachine.TestCase
