"""A life of one memory, step by step, beside a model of what it should answer."""

from __future__ import annotations

import copy
import threading
from collections import Counter
from typing import TYPE_CHECKING

from hypothesis import strategies as st
from hypothesis.stateful import (
    initialize,
    precondition,
    rule,
)

from resources_graph_core.errors import GitHubError
from resources_graph_core.graph import open_graph
from resources_graph_core.sweep import run
from resources_graph_core.sweep.lease import LEASE_SECONDS
from tests.sweep import looking
from tests.sweep.breaking import DyingGraph, Killed, at_event, interrupt
from tests.sweep.checking import Checked
from tests.sweep.life import ATTEMPTS, NAMES, SandboxMemory
from tests.sweep.world import World

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sweep.model import Model, Touched


class Life(Checked):
    """All the rules; each example begins with an empty memory and three repositories on GitHub."""

    @initialize(known=st.booleans())
    def begin(self, *, known: bool) -> None:
        """Perhaps with everything in memory."""
        if known:
            for name in NAMES[:3]:
                self.touch_everything(name)
            self.sweep()

    def _is_limited(self) -> bool:
        """Whether a limit of GitHub's keeps a Sweep from everything."""
        return bool(self.memory.limited_hosts())

    def _pending(self) -> list[Touched]:
        """What a Sweep takes on now."""
        if self._is_limited():
            return []
        claimed: set[str] = set()
        if self.time.time() < self.claimed_until:
            rows = self.graph.query(
                "MATCH (touch:Touch {status: 'pending'}) WHERE touch.claimed_by IS NOT NULL "
                "RETURN touch.address AS address"
            )
            claimed = {row["address"] for row in rows}
        return [
            one
            for one in self.model.touches.values()
            if (one.status == "pending" or one.reason == "rate_limited")
            and one.address.key not in claimed
        ]

    def _expect(self, *, anonymous: bool = False) -> tuple[Model, set[str]]:
        """The model after a Sweep, and the Touches that it deals with."""
        after = copy.deepcopy(self.model)
        for touch in after.touches.values():
            if touch.reason == "rate_limited" and not self._is_limited():
                touch.status, touch.reason = "pending", None
        ids = {one.touch_id for one in self._pending()}
        world = World(self.state, anonymous=anonymous)
        after.sweep(world, [after.touches[one] for one in ids], anonymous=anonymous)
        return after, ids

    @precondition(lambda self: self.model.touches)
    @rule()
    def sweep(self) -> None:
        self.unchecked = True
        after, ids = self._expect()
        if self._perhaps_subsumed():
            self._sweep_disturbed(self.memory.swept)
            self._all_settled(ids)
            return
        self.memory.fetched.clear()
        report = self.memory.swept()
        self.model = after
        assert report.resolved == sum(after.touches[one].status == "resolved" for one in ids)
        self._nothing_twice()
        if self.time.time() >= self.claimed_until and not self._is_limited():
            self.somebody_died = False

    @precondition(lambda self: self.model.touches)
    @rule()
    def sweep_as_a_stranger(self) -> None:
        self.unchecked = True
        if self._perhaps_subsumed():
            self._sweep_disturbed(self.stranger.swept, anonymous=True)
            return
        after, _ = self._expect(anonymous=True)
        self.stranger.swept()
        self.model = after

    def _perhaps_subsumed(self) -> bool:
        """Whether wider lists may answer for one that was only mentioned, and save its fetch."""
        return any(
            one.prompted
            and one.address.kind == "listing"
            and not self.model.serves(self.model.find_listing(one.address), one.address.limit)
            for one in self._pending()
        )

    def _all_settled(self, ids: set[str]) -> None:
        left = [one for one in ids if self.model.touches[one].status == "pending"]
        assert not left, f"not all the work was done: {left}"

    def _nothing_twice(self) -> None:
        twice = [key for key, count in Counter(self.memory.fetched).items() if count > 1]
        assert not twice, f"fetched more than once: {twice}"

    def _sweep_disturbed(self, sweep: Callable[[], object], *, anonymous: bool = False) -> None:
        """Sweep in a way of which nobody can tell how far it comes; what it did must be right."""
        self.unchecked = True
        before = copy.deepcopy(self.model)
        after, ids = self._expect(anonymous=anonymous)
        try:
            sweep()
        except (GitHubError, Killed, KeyboardInterrupt):
            pass
        finally:
            self.sandbox.faults.clear()
        self.model = looking.adopt(self.graph, before, after)
        rows = {row["touch_id"]: row for row in self.memory.touches()}
        for touch_id, touch in self.model.touches.items():
            row = rows[touch_id]
            status, reason = row["status"], row.get("reason")
            attempts = row.get("attempts") or 0
            possible = [(touch.status, touch.reason, touch.attempts)]
            if touch_id in ids:
                goal = after.touches[touch_id]
                again = touch.attempts + 1
                failed = ("pending", None) if again < ATTEMPTS else ("unresolved", "failed")
                if touch.prompted and touch.address.kind == "listing":
                    possible.append(("resolved", None, touch.attempts))
                possible += [
                    ("pending", None, touch.attempts),
                    ("unresolved", "rate_limited", touch.attempts),
                    (goal.status, goal.reason, touch.attempts),
                    (*failed, again),
                ]
            assert (status, reason, attempts) in possible, (touch, row, possible)
            touch.status, touch.reason, touch.attempts = status, reason, attempts

    @precondition(lambda self: self.model.touches)
    @rule(
        fault=st.sampled_from(["no points", "few points", "secondary", "502", "outage", "cut"]),
        event=st.integers(0, 4),
    )
    def sweep_while_github_fails(self, fault: str, event: int) -> None:
        faults = self.sandbox.faults
        ways: dict[str, Callable[[], None]] = {
            "no points": lambda: faults.points_left(0, api="graphql"),
            "few points": lambda: faults.points_left(event, api="graphql", resets_in=600),
            "secondary": lambda: faults.secondary_limit(retry_after=30),
            "502": lambda: faults.bad_gateway(times=1 + event),
            "outage": lambda: faults.bad_gateway(times=1000),
            "cut": lambda: faults.cut_body(times=1 + event),
        }
        if event == 0:
            ways[fault]()
        self._sweep_disturbed(lambda: self.memory.swept(at_event(event, ways[fault])))

    @precondition(lambda self: self.model.touches)
    @rule(
        field=st.sampled_from(["comments", "labels", "issues", "closingIssuesReferences"]),
        error=st.sampled_from(["RESOURCE_LIMITS_EXCEEDED", None]),
        times=st.integers(1, 3),
    )
    def sweep_with_answers_that_lack_something(
        self, field: str, error: str | None, times: int
    ) -> None:
        self.sandbox.faults.break_connections(field, error=error, times=times)
        self._sweep_disturbed(self.memory.swept)

    @precondition(lambda self: self.model.touches)
    @rule(event=st.integers(1, 6))
    def sweep_until_interrupted(self, event: int) -> None:
        self._sweep_disturbed(lambda: self.memory.swept(at_event(event, interrupt)))

    @precondition(lambda self: self.model.touches)
    @rule(statement=st.integers(1, 45), done=st.booleans(), local=st.booleans())
    def sweep_until_killed(self, *, statement: int, done: bool, local: bool) -> None:
        """On this machine, where its death is known, or on another, where its lease must end."""
        graph = DyingGraph(self.graph, statement, done=done)
        held = self.time.time() < self.claimed_until
        self._sweep_disturbed(lambda: self.memory.swept(graph=graph))
        if not graph.died:
            return
        self.somebody_died = True
        process = self.dead_process if local else "elsewhere"
        self.graph.query(
            "MATCH (touch:Touch) WHERE touch.claimed_by IS NOT NULL "
            "WITH touch, split(touch.claimed_by, '#') AS parts "
            "SET touch.claimed_by = parts[0] + '#' + parts[1] + '#' + $process + '#' + parts[3]",
            process=str(process),
        )
        if not local or held:
            self.claimed_until = self.time.time() + LEASE_SECONDS

    @precondition(lambda self: self.model.touches)
    @rule()
    def two_sweeps_at_once(self) -> None:
        """With pages so small that both get some."""
        ended: list[BaseException] = []

        def sweep(memory: SandboxMemory) -> None:
            try:
                memory.swept()
            except BaseException as error:  # noqa: BLE001 - a thread's, raised again below
                ended.append(error)

        def both() -> None:
            with open_graph(self.engine_url) as other:
                second = SandboxMemory(other, self.memory.settings)
                second.fetched = self.memory.fetched
                threads = [
                    threading.Thread(target=sweep, args=(one,)) for one in (self.memory, second)
                ]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()

        _, ids = self._expect()
        page, run.PAGE = run.PAGE, 2
        try:
            self._sweep_disturbed(both)
        finally:
            run.PAGE = page
        assert not ended, ended
        self._all_settled(ids)
