"""``why``: the Touches, sessions and runs behind what is in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from resources_graph_core.sandbox import Sandbox
    from tests.cli.conftest import Run

ITEM = "octo-org/widgets#1"


@pytest.fixture(autouse=True)
def _swept(graph_url: str, sandbox: Sandbox, run: Run) -> None:
    assert graph_url
    assert sandbox.url
    run("touch", ITEM, "--session", "s1")
    run("sweep")


def test_it_names_sessions_runs_and_costs(run: Run) -> None:
    told = run("why", ITEM, "--json").json()
    assert (told["address"], told["kind"]) == (f"github:{ITEM}", "Issue")
    (touch,) = told["touches"]
    assert (touch["session_id"], touch["status"]) == ("s1", "resolved")
    (swept,) = told["runs"]
    assert swept["run_id"] == told["run_id"] == touch["runs"][0]
    assert swept["requests"] > 0
    assert swept["url"] is None
    shown = run("why", ITEM).out
    assert "session s1" in shown
    assert told["run_id"] in shown


def test_a_run_of_dagsters_has_its_page(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    told = run("why", ITEM, "--json").json()
    run("graph", "query", "MATCH (run:SweepRun) SET run.kind = 'dagster'")
    monkeypatch.setenv("RESOURCES_GRAPH_DAGSTER_URL", "http://127.0.0.1:3000/")
    page = f"http://127.0.0.1:3000/runs/{told['run_id']}"
    assert run("why", ITEM, "--json").json()["runs"][0]["url"] == page
    assert page in run("why", ITEM).out


def test_a_transferred_issue_is_found_where_it_went(run: Run, sandbox: Sandbox) -> None:
    sandbox.state.rename_repository("octo-org/widgets", "octo-org/gears")
    run("touch", ITEM, "--session", "s2")
    run("sweep")
    told = run("why", ITEM, "--json").json()
    assert told["address"] == "github:octo-org/gears#1"
    assert {touch["session_id"] for touch in told["touches"]} == {"s1", "s2"}


def test_what_is_not_in_memory_says_so(run: Run) -> None:
    assert "is not in memory" in run("why", "octo-org/widgets#99").out
    run("touch", "octo-org/widgets#99")
    run("sweep")
    shown = run("why", "octo-org/widgets#99").out
    assert "is not in memory" in shown
    assert "not found" in shown


def test_what_names_nothing_is_wrong_usage(run: Run) -> None:
    assert run("why", "nothing at all").status == 2
