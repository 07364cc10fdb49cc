"""Touch, sweep, read: the main path from the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from resources_graph_core.sandbox import Sandbox
    from tests.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("graph_url", "sandbox")

FIRST = "octo-org/widgets#1"


def test_what_was_touched_is_read_from_memory(run: Run) -> None:
    touched = run("touch", FIRST)
    assert (touched.status, touched.err) == (0, "")
    assert "touched github:octo-org/widgets#1" in touched.out
    swept = run("sweep")
    assert (swept.status, swept.err) == (0, "")
    assert "resolved 1, fetched 1" in swept.out
    read = run("read", FIRST)
    assert read.status == 0
    parts = ["octo-org/widgets#1 · hit", "fetched 2", "updated 2026-01-01T00:00:00Z", "A title"]
    parts += ["The body of 1", "hubot", "2026-02-01T00:00:00Z", "First thought", "Second"]
    positions = [read.out.index(part) for part in parts]
    assert positions == sorted(positions)


def test_what_strangers_wrote_does_not_reach_the_terminal(run: Run) -> None:
    run("touch", FIRST)
    run("sweep")
    for shown in (run("read", FIRST), run("read", FIRST, "--json")):
        assert "\x1b" not in shown.out
        assert "\u202e" not in shown.out
        assert "[bold]" in shown.out


def test_what_strangers_wrote_is_marked_and_without_credentials(run: Run, sandbox: Sandbox) -> None:
    """A model may read what a shell prints, too."""
    secret = "gh" + "p_" + "A1b2" * 9
    sandbox.state.edit_item("octo-org/widgets", 1, body=f"See {secret[:8]}\u200b{secret[8:]}\nhere")
    run("touch", FIRST)
    run("sweep")
    shown = run("read", FIRST)
    assert "\n| See [GitHub token 1, masked]\n| here\n" in shown.out
    assert shown.err == "credentials masked: 1 GitHub token\n"
    assert "[GitHub token 1, masked]" in run("read", FIRST, "--json").json()["resource"]["body"]
    raw = run("read", FIRST, "--raw")
    assert (raw.err, f"See {secret[:8]}<U+200B>{secret[8:]}\nhere\n" in raw.out) == ("", True)
    exact = run("read", FIRST, "--raw", "--json").json()["resource"]["body"]
    assert exact == f"See {secret[:8]}\u200b{secret[8:]}\nhere"


def test_read_as_json(run: Run) -> None:
    run("touch", FIRST)
    run("sweep", "--json")
    found = run("read", FIRST, "--json").json()
    assert {"address", "outcome", "kind", "served_from", "resource", "comments", "recorded"} <= set(
        found
    )
    assert (found["address"], found["outcome"], found["kind"]) == (
        "github:octo-org/widgets#1",
        "hit",
        "Issue",
    )
    assert found["resource"]["number"] == 1
    assert found["recorded"] is False
    assert [comment["body"][:5] for comment in found["comments"]] == ["First", "Secon"]
    assert run("read", FIRST, "--session", "s1", "--json").json()["recorded"] is True


def test_a_list_is_read_with_its_members(run: Run) -> None:
    listing = "octo-org/widgets/issues?state=open"
    assert run("touch", listing, "--limit", "2").status == 0
    assert run("sweep").status == 0
    found = run("read", listing, "--limit", "2", "--json").json()
    assert found["kind"] == "Listing"
    assert [member["number"] for member in found["members"]] == [4, 2]
    shown = run("read", listing, "--limit", "2").out
    assert "#4" in shown
    assert "Number 4" in shown


def test_a_miss_is_no_failure_and_says_what_to_do(run: Run) -> None:
    read = run("read", FIRST)
    assert read.status == 0
    assert "octo-org/widgets#1 · miss" in read.out
    assert "sweep" in read.out
    assert run("read", FIRST, "--json").json()["outcome"] == "miss"


def test_touch_and_touches_as_json(run: Run) -> None:
    touched = run("touch", FIRST, "octo-org/widgets", "--session", "s1", "--json").json()
    assert [touch["address"] for touch in touched] == [
        "github:octo-org/widgets#1",
        "github:octo-org/widgets",
    ]
    run("touch", FIRST, "--session", "s2")
    listed = run("touches", "--session", "s1", "--json").json()
    assert {touch["touch_id"] for touch in listed} == {touch["touch_id"] for touch in touched}
    assert {touch["status"] for touch in listed} == {"pending"}
    assert len(run("touches", "--json").json()) == 3
    assert len(run("touches", "--limit", "1", "--json").json()) == 1
    assert run("touches", "--status", "resolved", "--json").json() == []
    assert "github:octo-org/widgets#1" in run("touches").out


def test_addresses_from_stdin_are_recorded_in_one_go(run: Run) -> None:
    lines = "".join(f"octo-org/widgets#{number}\n\n" for number in range(1, 643))
    assert "touched 642 Addresses" in run("touch", "-", stdin=lines).out
    assert len(run("touches", "--json").json()) == 642


def test_a_sweep_as_json(run: Run) -> None:
    run("touch", FIRST, "octo-org/widgets#3", "octo-org/widgets#99", "octo-org/nothing")
    swept = run("sweep", "--json")
    assert swept.status == 0
    report = swept.json()
    assert report["resolved"] == 2
    assert report["unresolved"] == {"not_found": 2}
    assert report["fetched"] == 2
    assert report["left"] == 0
    assert {"checked", "unchanged", "requests", "points", "retry_at"} <= set(report)
    shown = run("touches", "--status", "unresolved", "--json").json()
    assert {touch["reason"] for touch in shown} == {"not_found"}


def test_a_sweep_names_what_could_not_be_had(run: Run) -> None:
    run("touch", "octo-org/widgets#99")
    shown = run("sweep").out
    assert "octo-org/widgets#99 · not found" in shown
    assert "unresolved: 1 not found" in shown


def test_a_sweep_of_some_is_done_in_part(run: Run) -> None:
    run("touch", FIRST, "octo-org/widgets#2")
    swept = run("sweep", "--limit", "1")
    assert swept.status == 3
    assert "left for later: 1" in swept.err
    assert run("sweep", "--json").json()["left"] == 0


def test_status_counts(run: Run) -> None:
    run("touch", FIRST)
    run("sweep")
    run("touch", "octo-org/widgets#2")
    found = run("status", "--json").json()
    assert found["resources"]["Issue"] == 1
    assert found["comments"] == 2
    assert found["touches"] == {"resolved": 1, "pending": 1}
    shown = run("status").out
    assert "Touches pending\t1" in shown
    assert "cli:" in shown


def test_setup_twice(run: Run) -> None:
    assert run("setup").out.endswith("the graph is ready\n")
    assert run("setup", "--json").json() == {"made": []}


def test_a_forgotten_session_is_gone_and_stays_so(run: Run) -> None:
    run("touch", FIRST, "--session", "s1")
    assert run("forget", "s1", "--json").json() == {"session": "s1", "forgotten": 1}
    run("touch", FIRST, "--session", "s1")
    assert run("touches", "--json").json() == []


def test_a_query(run: Run) -> None:
    statement = "UNWIND $numbers AS n RETURN n, $name AS name"
    answer = run("graph", "query", statement, "-p", "numbers=[1, 2]", "-p", "name=x", "--json")
    assert answer.json() == [{"n": 1, "name": "x"}, {"n": 2, "name": "x"}]
    assert run("graph", "query", "-", stdin="RETURN 1 AS one").out == "one\n1\n"
    assert run("graph", "query", "RETURN $x", "-p", "x").status == 2
    broken = run("graph", "query", "RETURN")
    assert (broken.status, broken.err.count("\n")) == (1, 1)


def test_nobody_forgets_the_session_of_somebody_else(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a graph that a team shares."""
    monkeypatch.setenv("RESOURCES_GRAPH_USER", "hubot")
    run("touch", FIRST, "--session", "theirs")
    monkeypatch.setenv("RESOURCES_GRAPH_USER", "mona")
    refused = run("forget", "theirs")
    assert (refused.status, refused.out) == (2, "")
    assert "only hubot can forget it" in refused.err
    monkeypatch.setenv("RESOURCES_GRAPH_USER", "hubot")
    assert run("forget", "theirs", "--json").json()["forgotten"] == 1
