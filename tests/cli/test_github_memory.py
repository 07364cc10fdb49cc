"""``roadmap``, ``decisions``, ``triage`` and ``requirements``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from resources_graph_core.github_memory.decision_comment import TAG

if TYPE_CHECKING:
    from resources_graph_core.sandbox import Sandbox
    from tests.cli.conftest import Run

HERE = "octo-org/widgets#2"
SIX = "https://github.com/octo-org/widgets/pull/3"


@pytest.fixture(autouse=True)
def surroundings(graph_url: str, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty graph and a small GitHub, in the settings; no second between writes."""
    assert graph_url
    assert sandbox.url
    monkeypatch.setenv("RESOURCES_GRAPH_WRITE_PAUSE", "0")


@pytest.mark.parametrize(
    "command",
    [
        ("roadmap", "append", HERE, "Use {secret}"),
        ("roadmap", "set", HERE, "task", "--title", "Use {secret}"),
        ("triage", "set", HERE, "o/r#1", "stale", "--rationale", "Use {secret}"),
        ("decisions", "log", HERE, "Use {secret}"),
    ],
)
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_what_a_write_prints_is_treated(
    run: Run, command: tuple[str, ...], form: tuple[str, ...]
) -> None:
    """A model reads it; what is printed may hold more than was given, such as others' metadata."""
    secret = f"ghp_{'a1B2' * 9}"
    run("roadmap", "append", HERE, "Task")
    said = run(*(one.format(secret=secret) for one in command), *form)
    assert said.status == 0
    assert secret not in said.out + said.err
    if form:
        assert "masked" in said.out


def test_a_roadmap_from_the_shell(run: Run, sandbox: Sandbox) -> None:
    assert run("roadmap", "append", HERE, "Write it", "Test it").out == "write-it\ntest-it\n"
    assert sum(one.name.startswith("PATCH") for one in sandbox.requests.all) == 1
    assert run("roadmap", "set", HERE, "write-it", "doing").out == "write-it is doing: Write it\n"
    assert run("roadmap", "next", HERE).out == "test-it\tTest it\n"
    renamed = run("roadmap", "set", HERE, "test-it", "--title", "Try it", "--json")
    assert renamed.json()["title"] == "Try it"
    moved = run("roadmap", "move", HERE, "test-it", "--before", "write-it", "--json").json()
    assert [task["id"] for task in moved] == ["test-it", "write-it"]
    assert run("roadmap", "move", HERE, "test-it").status == 0
    shown = run("roadmap", "show", HERE)
    assert shown.out == (
        "id\tstate\ttitle\tmetadata\nwrite-it\tdoing\tWrite it\t{}\ntest-it\ttodo\tTry it\t{}\n"
    )
    assert run("roadmap", "show", HERE, "--json").json()[0]["state"] == "doing"
    run("roadmap", "set", HERE, "test-it", "done")
    assert run("roadmap", "next", HERE, "--json").json() is None
    assert "nothing is left to do" in run("roadmap", "next", HERE).err
    touches = run("touches", "--json").json()
    assert {touch["address"] for touch in touches} == {"github:octo-org/widgets#2"}


def test_decisions_from_the_shell(run: Run, sandbox: Sandbox) -> None:
    posted = run("decisions", "log", SIX, "Go on", "--rationale", "It works")
    assert posted.out.startswith("https://github.com/octo-org/widgets/pull/3#issuecomment-")
    sandbox.state.add_comment("octo-org/widgets", 3, f"{TAG}\n### Decision: No", author="stranger")
    shown = run("decisions", "show", SIX, "--json").json()
    assert [one["summary"] for one in shown["decisions"]] == ["Go on"]
    assert [one["author"] for one in shown["flagged"]] == ["stranger"]
    text = run("decisions", "show", SIX).out
    assert "These do not count:" in text
    assert run("decisions", "append", SIX, "x", "--json").json()["summary"] == "x"


def test_what_is_kept_is_found_from_the_shell(run: Run) -> None:
    run("roadmap", "append", HERE, "Write the lexer")
    run("decisions", "log", SIX, "Go on", "--rationale", "A lexer is small")
    found = run("find", "lexer", "--json").json()["results"]
    assert [(one["kind"], one["address"]) for one in found] == [
        ("task", HERE),
        ("decision", "octo-org/widgets#3"),
    ]
    shown = run("find", "lexer", "--kind", "decision").out
    assert "decision, kept in octo-org/widgets#3 · updated " in shown
    assert "in its rationale\n| Go on\n| A lexer is small\n" in shown
    assert run("find", "lexer", "--repo", "octo-org/other", "--json").json()["results"] == []
    assert run("find", "lexer", "--kind", "task", "--state", "open").status == 2


def test_triage_from_the_shell(run: Run) -> None:
    set_it = run("triage", "set", HERE, "o/r#1", "stale", "--order", "2", "--rationale", "Old")
    assert set_it.out == "o/r#1 is stale, order 2\n"
    again = run("triage", "set", HERE, "o/r#1", "blocked", "--json").json()
    assert (again["order"], again["rationale"]) == (2, "Old")
    assert run("triage", "show", HERE).out == (
        "order\tref\tverdict\trationale\n2\to/r#1\tblocked\tOld\n"
    )
    assert run("triage", "remove", HERE, "o/r#1").out == "removed o/r#1\n"
    assert run("triage", "show", HERE, "--json").json() == []
    assert run("triage", "remove", HERE, "o/r#1", "--json").status == 2


def test_triage_in_a_project_from_the_shell(run: Run, sandbox: Sandbox) -> None:
    sandbox.state.scopes = ("repo", "project")
    sandbox.state.add_project("octo-org")
    where, ref = "https://github.com/orgs/octo-org/projects/1", "octo-org/widgets#2"
    assert run("triage", "set", where, ref, "stale", "--order", "2").status == 0
    assert run("triage", "show", where).out.endswith(f"2\t{ref}\tstale\t\n")
    found = run("find", ref, "--kind", "verdict").out
    assert f"kept in {where.removeprefix('https://')}" in found
    assert run("triage", "remove", where, ref).out == f"removed {ref}\n"
    sandbox.state.scopes = ("repo",)
    refused = run("triage", "show", where)
    assert (refused.status, refused.out) == (1, "")
    assert "gh auth refresh -s read:project" in refused.err


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("roadmap", "show", "octo-org/widgets"), 2, "names no single issue"),
        (("roadmap", "set", HERE, "x", "done"), 2, "no task 'x'; its tasks: none"),
        (("roadmap", "set", HERE, "x"), 2, "nothing to set"),
        (("roadmap", "append", HERE, " "), 2, "needs a title"),
        (("roadmap", "show", "octo-org/none#1"), 1, "GitHub knows no"),
        (("triage", "set", HERE, "x", "stale"), 2, "names no issue"),
    ],
)
def test_what_is_wrong_is_one_line(
    run: Run, arguments: tuple[str, ...], status: int, message: str
) -> None:
    ended = run(*arguments)
    assert (ended.status, ended.out) == (status, "")
    assert message in ended.err
    assert ended.err.count("\n") == 1


def test_requirements_from_the_shell(run: Run, sandbox: Sandbox) -> None:
    assert run("requirements").out == "ready: GitHub takes the token\n"
    missing = run("requirements", "--project", "--json")
    assert (missing.status, missing.json()["missing"]) == (1, ["project"])
    sandbox.state.scopes = ()
    assert "gh auth refresh -s repo" in run("requirements").out


def test_a_store_works_while_the_graph_is_out_of_reach(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RESOURCES_GRAPH_URL", "bolt://127.0.0.1:1")
    made = run("roadmap", "append", HERE, "One")
    assert made.out == "one\n"
    assert "not recorded on the graph" in made.err
    assert os.environ["RESOURCES_GRAPH_URL"].startswith("bolt")


def test_an_issue_without_a_roadmap_is_told_from_one_that_is_done(run: Run) -> None:
    """The number may be wrong."""
    said = run("roadmap", "next", HERE)
    assert (said.status, said.out) == (0, "")
    assert "there are no tasks in" in said.err
