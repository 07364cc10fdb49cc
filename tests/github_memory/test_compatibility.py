"""The real ``ge`` and ours read each other's issues: its ``gh`` is a shim that asks the sandbox."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from resources_graph_core.github_memory import (
    Decision,
    DecisionLog,
    RoadmapStore,
    TaskRecord,
    TaskState,
    TriageBacklog,
    TriageEntry,
    TriageVerdict,
)
from tests.github_memory import gh_shim
from tests.github_memory.conftest import REPO, TOKEN

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from resources_graph_core.github_memory.issues import Issues
    from resources_graph_core.sandbox import Sandbox

pytest.importorskip("ge", reason="ge, of the test extra, is not installed")


@pytest.fixture
def ge(sandbox: Sandbox, tmp_path: Path) -> Callable[[str], Any]:
    """Run a program that imports ``ge``'s stores as r, d and t; returns what it prints as JSON."""
    programs = tmp_path / "bin"
    programs.mkdir()
    shim = programs / "gh"
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "{gh_shim.__file__}" "$@"\n')
    shim.chmod(0o755)
    environment = {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "GITHUB_API_URL": sandbox.url,
        "GH_TOKEN": TOKEN,
    }

    def run(program: str) -> Any:  # noqa: ANN401 - whatever the program tells
        setup = (
            "import json; from dataclasses import asdict; from ge.memory import *\n"
            f"r, d, t = (kind('{REPO}', number) for kind, number in "
            "((RoadmapStore, 1), (DecisionLog, 6), (TriageBacklog, 2)))\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", setup + program],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def test_ours_reads_what_ge_wrote(ge: Callable[[str], Any], connect: Callable[[], Issues]) -> None:
    told = ge(
        "r.append('Write the parser'); r.append('Fix #42: $1'); r.append('Write the parser')\n"
        "r['write-the-parser'] = TaskRecord('write-the-parser', 'Write the parser', TaskState.done)"
        "\nr['fix-42-1'] = TaskRecord('fix-42-1', 'Fix #42: $1', TaskState.doing)\n"
        "made = d.append('By hand', rationale='The grammar is small', metadata={'pull': 7})\n"
        "d.append('Second')\n"
        "t['o/r#2'] = TriageEntry('o/r#2', TriageVerdict.stale, 5, 'Old', {'x': 1})\n"
        "t['o/r#1'] = {'verdict': 'blocked', 'order': 1}\n"
        "print(json.dumps({'url': made.url, 'created_at': made.created_at}))"
    )
    assert RoadmapStore(REPO, 1, issues=connect()).hydrate() == [
        TaskRecord("write-the-parser", "Write the parser", TaskState.done),
        TaskRecord("fix-42-1", "Fix #42: $1", TaskState.doing),
        TaskRecord("write-the-parser-2", "Write the parser"),
    ]
    first, second = DecisionLog(REPO, 6, issues=connect())
    assert first == Decision(
        "By hand", "The grammar is small", {"pull": 7}, told["created_at"], told["url"]
    )
    assert second.summary == "Second"
    assert TriageBacklog(REPO, 2, issues=connect()).hydrate() == [
        TriageEntry("o/r#1", TriageVerdict.blocked, 1),
        TriageEntry("o/r#2", TriageVerdict.stale, 5, "Old", {"x": 1}),
    ]


def test_ge_reads_what_ours_wrote(ge: Callable[[str], Any], connect: Callable[[], Issues]) -> None:
    roadmap = RoadmapStore(REPO, 1, issues=connect())
    with roadmap.batch():
        for title in ("First", "Second", "First"):
            roadmap.append(title)
        roadmap["first"], roadmap["second"] = "done", TaskState.doing
    log = DecisionLog(REPO, 6, issues=connect())
    decision = log.append("By hand", rationale="Why", metadata={"pull": 7})
    backlog = TriageBacklog(REPO, 2, issues=connect())
    with backlog.batch():
        backlog["o/r#2"] = TriageEntry("o/r#2", TriageVerdict.stale, 5, "Old --> new", {"x": "é"})
        backlog["o/r#1"] = "blocked"
    told = ge(
        "print(json.dumps({'tasks': [asdict(x) for x in r.hydrate()], 'next': r.next_todo().id, "
        "'decisions': [asdict(x) for x in d], 'entries': [asdict(t[k]) for k in t]}))"
    )
    assert [(one["id"], one["title"], one["state"]) for one in told["tasks"]] == [
        ("first", "First", "done"),
        ("second", "Second", "doing"),
        ("first-2", "First", "todo"),
    ]
    assert told["next"] == "first-2"
    assert [Decision(**one) for one in told["decisions"]] == [decision]
    assert [TriageEntry(**one) for one in told["entries"]] == backlog.hydrate()


def test_metadata_outlives_a_write_of_ge(
    ge: Callable[[str], Any], connect: Callable[[], Issues]
) -> None:
    """To ``ge`` the comment on the line is a part of the title, so it writes it back."""
    roadmap = RoadmapStore(REPO, 1, issues=connect())
    roadmap.append("Big", state="doing", metadata={"pull": "o/r#7"})
    ge("r.append('theirs'); print(0)")
    assert roadmap.hydrate() == [
        TaskRecord("big", "Big", TaskState.doing, {"pull": "o/r#7"}),
        TaskRecord("theirs", "theirs"),
    ]


def test_the_values_are_made_in_the_same_positional_order(ge: Callable[[str], Any]) -> None:
    fields = ge(
        "print(json.dumps({k.__name__: list(k.__dataclass_fields__) for k in "
        "(TaskRecord, TriageEntry, Decision)} | {k.__name__: [m.value for m in k] for k in "
        "(TaskState, TriageVerdict)}))"
    )
    for kind in (TaskRecord, TriageEntry, Decision):
        assert list(kind.__dataclass_fields__) == fields[kind.__name__]
    for states in (TaskState, TriageVerdict):
        assert [state.value for state in states] == fields[states.__name__]
