"""What ``sweep`` shows: its plan, its progress, and how it ends when it is interrupted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from resources_graph_core.address import Address
from resources_graph_core.cli.sweep_progress import is_notable, line_of
from resources_graph_core.sandbox import Refusal
from resources_graph_core.sweep import SweepEvent, lease
from resources_graph_core.sweep.settle import ATTEMPTS

if TYPE_CHECKING:
    from resources_graph_core.graph import Graph
    from resources_graph_core.sandbox import Sandbox
    from resources_graph_core.sweep.report import EventKind
    from tests.cli.conftest import Run

ITEM = "octo-org/widgets#1"
LIST = "octo-org/widgets/issues?state=all"


@pytest.fixture(autouse=True)
def _at_hand(graph_url: str, sandbox: Sandbox) -> None:
    assert graph_url.startswith("embedded:")
    assert sandbox.url


def test_a_dry_run_tells_and_asks_nothing(run: Run, sandbox: Sandbox) -> None:
    run("touch", ITEM, "octo-org/widgets#2", LIST)
    before = sandbox.requests.total
    planned = run("sweep", "--dry-run", "--json").json()
    assert sorted(planned["fetched"]) == ["github:octo-org/widgets#1", "github:octo-org/widgets#2"]
    assert planned["listings"] == [f"github:{LIST}"]
    assert (planned["touches"], planned["checked"], planned["in_memory"]) == (3, [], [])
    assert planned["requests"] == 4, "the repository, its README, two items together, the list"
    shown = run("sweep", "--dry-run").out
    assert f"{ITEM} · fetch" in shown
    assert "3 Touches; at least 4 requests" in shown
    assert sandbox.requests.total == before
    assert run("sweep", "--json").json()["resolved"] == 3


def test_a_dry_run_knows_what_is_stored(run: Run) -> None:
    run("touch", ITEM)
    run("sweep")
    run("touch", ITEM, "octo-org/widgets#2")
    planned = run("sweep", "--dry-run", "--json").json()
    assert planned["checked"] == [f"github:{ITEM}"]
    assert sorted(planned["fetched"]) == ["github:octo-org/widgets#2"]
    assert planned["requests"] == 2


def test_what_is_forecast_is_what_it_costs(run: Run) -> None:
    run("touch", ITEM, "octo-org/widgets#2", "octo-org/widgets#3")
    planned = run("sweep", "--dry-run", "--json").json()
    report = run("sweep", "--json").json()
    assert (report["requests"], report["points"]) == (planned["requests"], planned["points"])


def test_events_are_objects_a_line_and_the_report_is_last(run: Run) -> None:
    run("touch", ITEM, "octo-org/widgets#99")
    lines = [json.loads(line) for line in run("sweep", "--events").out.splitlines()]
    told = {line["address"]: line["kind"] for line in lines[:-1]}
    assert told == {f"github:{ITEM}": "fetched", "github:octo-org/widgets#99": "unresolved"}
    assert lines[0]["requests"] > 0
    assert lines[-1]["report"]["resolved"] == 1


def test_a_dry_run_has_no_events(run: Run) -> None:
    assert run("sweep", "--dry-run", "--events").status == 2


def test_one_repository_only(run: Run) -> None:
    run("touch", ITEM)
    assert run("sweep", "--repo", "octo-org/gadgets", "--json").json()["resolved"] == 0
    assert run("sweep", "--repo", "octo-org/widgets", "--json").json()["resolved"] == 1


def test_in_a_pipe_each_address_is_a_line(run: Run) -> None:
    run("touch", ITEM)
    run("touch", ITEM)
    assert f"{ITEM} · fetched (2 Touches)" in run("sweep").out


@pytest.mark.parametrize(
    ("kind", "reason", "detail", "expected", "notable"),
    [
        ("fetched", None, None, "o/r#1 · fetched", False),
        ("in_memory", None, "unchanged on GitHub", "o/r#1 · in memory: unchanged on GitHub", False),
        ("fetched", None, "2 of its members …", "o/r#1 · fetched: 2 of its members …", True),
        ("unresolved", "not_found", "no #1", "o/r#1 · not found: no #1", True),
        ("waiting", "failed", "502", "o/r#1 · failed: 502", True),
    ],
)
def test_an_event_as_a_line(
    kind: EventKind, reason: str | None, detail: str | None, expected: str, *, notable: bool
) -> None:
    event = SweepEvent(kind, Address.of_item("o", "r", 1), 1, reason, detail)
    assert line_of(event).endswith(expected)
    assert is_notable(event) is notable


def test_an_interrupted_sweep_keeps_what_is_done_and_holds_nothing(
    run: Run, sandbox: Sandbox
) -> None:
    run("touch", "octo-org/widgets")
    run("sweep")
    run("touch", ITEM, "octo-org/widgets#2")
    sandbox.faults.slow_down(3)
    with subprocess.Popen(
        [sys.executable, "-c", "from resources_graph_core.cli import main; exit(main())", "sweep"],
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        while not sandbox.requests.in_flight:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        sandbox.faults.slow_down(0)
        _, said = process.communicate()
    assert process.returncode == 130
    assert "Stopped." in said
    assert run("sweep", "--json").json()["resolved"] == 2, "nobody holds them any more"


def test_what_was_given_up_is_shown_until_it_is_touched_again(run: Run, sandbox: Sandbox) -> None:
    run("touch", "octo-org/widgets")
    run("sweep")
    run("touch", ITEM)
    surprise = Refusal(200, json.dumps({"data": {"surprise": 1}}))
    sandbox.faults.answer_next(surprise, times=1000, api="graphql")
    statuses = [run("sweep").status for _ in range(ATTEMPTS)]
    assert statuses == [3] * (ATTEMPTS - 1) + [0]
    (given_up,) = run("status", "--json").json()["given_up"]
    assert (given_up["address"], given_up["attempts"]) == (f"github:{ITEM}", ATTEMPTS)
    assert ITEM in run("status").out
    findings = run("doctor", "--json").json()["findings"]
    (told,) = [one for one in findings if one["name"] == "given up"]
    assert told["state"] == "warning"
    assert "touch it again" in told["detail"]
    sandbox.faults.clear()
    run("touch", ITEM)
    assert run("sweep", "--json").json()["resolved"] == 1


def test_what_waits_for_a_limit_is_shown(run: Run, sandbox: Sandbox) -> None:
    run("touch", ITEM)
    sandbox.faults.points_left(0, api="graphql")
    assert run("sweep").status == 3
    (limit,) = run("status", "--json").json()["limits"]
    assert (limit["host"], limit["touches"]) == ("github.com", 1)
    assert limit["account"].endswith(f" at {sandbox.url}")
    shown = run("status").out
    assert "Waiting for limits of GitHub's:" in shown
    assert "made-up" not in shown
    planned = run("sweep", "--dry-run").out
    assert f"1 more wait for the limit of github.com ({limit['account']})" in planned
    assert f"until {limit['retry_at']}" in planned


def test_a_sweep_that_was_killed_is_not_said_to_run(run: Run, embedded_graph: Graph) -> None:
    run("touch", ITEM)
    run("sweep")
    make = """
    MATCH (touch:Touch) SET touch.status = 'pending', touch.claimed_by = $by,
      touch.claimed_until = '2999-01-01T00:00:00Z'
    MERGE (run:SweepRun {run_id: $run})
    SET run.started_at = '2020-01-01T00:00:00Z', run.kind = 'cli'
    """
    machine = lease.Lease(embedded_graph, "x").claimant.split("#")[1]
    for run_id, process in (("cli:alive", os.getpid()), ("cli:killed", 2**22 + 1)):
        claimant = f"{run_id}#{machine}#{process}#ab"
        embedded_graph.query(make, by=claimant, run=run_id)
        states = {one["run_id"]: one["state"] for one in run("status", "--json").json()["runs"]}
        assert states[run_id] == ("running" if run_id == "cli:alive" else "died")
    assert "ended" in states.values()
    assert "cli:killed\tcli\tdied" in run("status").out
