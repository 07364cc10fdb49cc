"""What the stores leave on the graph: Touches for the Sweep, nodes for what is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.errors import GitHubUnavailable
from resources_graph_core.github.pace import Timing
from resources_graph_core.github.transport import Transport
from resources_graph_core.github_memory import (
    DecisionLog,
    GraphRecord,
    TriageEntry,
    TriageVerdict,
)
from resources_graph_core.github_memory.access import StoreAccess, issue_named
from resources_graph_core.github_memory.decision_comment import TAG
from resources_graph_core.github_memory.issues import Issues
from resources_graph_core.github_memory.projects import parse_project
from resources_graph_core.github_memory.trust import KNOWN_SECONDS
from resources_graph_core.memory import open_memory
from resources_graph_core.sandbox import Sandbox
from resources_graph_core.store import agent_memory
from tests.archives import archived, write_archive
from tests.github_memory.conftest import REPO, TOKEN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from resources_graph_core.graph import Graph
    from resources_graph_core.memory import Memory


@pytest.fixture
def memory(
    embedded_graph: Graph,  # noqa: ARG001 - it empties the graph
    engine_folder: Path,
    sandbox: Sandbox,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Memory]:
    """An empty memory in the settings, beside the sandbox."""
    assert sandbox.url
    monkeypatch.setenv("RESOURCES_GRAPH_URL", f"embedded://{engine_folder}")
    with open_memory() as opened:
        yield opened


def touched(memory: Memory) -> list[str]:
    found = [touch["address"].removeprefix("github:") for touch in memory.touches()]
    return sorted(found)


def test_a_roadmap_is_recorded_and_swept(memory: Memory) -> None:
    access = StoreAccess(memory.settings, memory)
    where = issue_named(f"{REPO}#1", memory.settings)
    with access.roadmap(where) as roadmap:
        for _ in range(3):
            assert len(roadmap) == 0
        assert touched(memory) == [f"{REPO}#1"]  # once, however often it is read
        with roadmap.batch():
            roadmap.append("One", metadata={"pull": 7})
            roadmap.append("Two")
        roadmap["two"] = "doing"
        assert len(touched(memory)) == 3  # and for every write
    kept = agent_memory.kept(memory.graph, "Task", where.key)
    assert [(one["task_id"], one["state"], one["metadata"]) for one in kept] == [
        ("one", "todo", '{"pull": 7}'),
        ("two", "doing", "{}"),
    ]
    assert {one["resource"] for one in kept} == {None}
    assert memory.sweep().resolved == 3
    kept = agent_memory.kept(memory.graph, "Task", where.key)
    assert {one["resource"] for one in kept} == {"N_1"}
    assert "- [ ] Two <!-- ge:doing -->" in str(memory.read(f"{REPO}#1").as_dict()["resource"])


def test_decisions_and_verdicts_are_recorded(memory: Memory, sandbox: Sandbox) -> None:
    sandbox.state.add_comment(REPO, 6, f"{TAG}\n### Decision: First")
    sandbox.state.add_comment(REPO, 6, f"{TAG}\n### Decision: Not mine", author="stranger")
    access = StoreAccess(memory.settings, memory, session="s1")
    log_at, backlog_at = (issue_named(f"{REPO}#{n}", memory.settings) for n in (6, 2))
    with access.decisions(log_at) as log:
        log.append("Second", rationale="Why")
        assert len(log) == 2
    kept = agent_memory.kept(memory.graph, "Decision", log_at.key)
    assert sorted(one["summary"] for one in kept) == ["First", "Second"]
    with access.triage(backlog_at) as backlog, backlog.batch():
        backlog[f"{REPO}#3"] = TriageEntry("", TriageVerdict.stale, 2, "Old")
        backlog["unknown_owner_/x#1"] = "blocked"
    [judged, _] = sorted(
        agent_memory.kept(memory.graph, "Verdict", backlog_at.key), key=lambda one: one["ref"]
    )
    assert (judged["verdict"], judged["about"]) == ("stale", f"github:{REPO}#3")
    assert {touch["session_id"] for touch in memory.touches()} == {"s1"}
    assert {f"{REPO}#2", f"{REPO}#3", f"{REPO}#6"} <= set(touched(memory))
    memory.sweep()
    kept = agent_memory.kept(memory.graph, "Verdict", backlog_at.key)
    assert "N_3" in {one["resource"] for one in kept}


def test_what_is_not_public_is_not_recorded(memory: Memory, sandbox: Sandbox) -> None:
    """An agent may keep its roadmap in a private repository, and the graph may be a team's."""
    sandbox.state.set_visibility(REPO, "PRIVATE")
    access = StoreAccess(memory.settings, memory)
    for number in (1, 2, 6):
        where = issue_named(f"{REPO}#{number}", memory.settings)
        with access.roadmap(where) as roadmap:
            roadmap.append("Secret plan")
            assert len(roadmap) == 1
        with access.triage(where) as backlog:
            backlog[f"{REPO}#3"] = "stale"
        with access.decisions(where) as log:
            log.append("Secret decision")
            assert len(log) == 1
        for label in agent_memory.LABELS:
            assert agent_memory.kept(memory.graph, label, where.key) == []
    assert touched(memory) == []


def test_nothing_is_recorded_for_a_forgotten_session(memory: Memory) -> None:
    memory.forget("gone")
    record = GraphRecord(memory, session="gone")
    where = issue_named(f"{REPO}#1", memory.settings)
    record.roadmap(where, "url", [], written=True)
    assert touched(memory) == []


def test_a_decision_of_ones_own_that_does_not_count_is_not_recorded(
    memory: Memory, sandbox: Sandbox
) -> None:
    """Anybody may comment on a public issue, and may not be one whose decisions count."""
    where = issue_named(f"{REPO}#6", memory.settings)
    sandbox.state.set_permission(REPO, sandbox.state.viewer, "read")
    with StoreAccess(memory.settings, memory).decisions(where) as log:
        log.append("Mine to propose")
        assert agent_memory.kept(memory.graph, "Decision", where.key) == []
        assert memory.find("propose", kind="decision").found == []
        assert [one.decision.summary for one in log.flagged()] == ["Mine to propose"]


def test_what_is_recorded_is_found(memory: Memory, sandbox: Sandbox) -> None:
    sandbox.state.add_comment(REPO, 6, "<!-- ge:decision -->\n### Decision: Plan B", author="x")
    access = StoreAccess(memory.settings, memory)
    with access.roadmap(issue_named(f"{REPO}#1", memory.settings)) as roadmap:
        roadmap.append("Plan the parser")
    with access.decisions(issue_named(f"{REPO}#6", memory.settings)) as log:
        log.append("Plan two passes")
        assert len(log.flagged()) == 1
    found = memory.find("plan").found
    assert {(one.kind, one.title) for one in found} == {
        ("Task", "Plan the parser"),
        ("Decision", "Plan two passes"),
    }


@pytest.mark.parametrize("look", ["sweep", "read"])
def test_what_is_public_no_longer_goes(memory: Memory, sandbox: Sandbox, look: str) -> None:
    """Though the issue itself never came into memory."""
    access = StoreAccess(memory.settings, memory)
    where = issue_named(f"{REPO}#1", memory.settings)
    with access.roadmap(where) as roadmap:
        roadmap.append("Public plan")
    with access.triage(issue_named(f"{REPO}#2", memory.settings)) as backlog:
        backlog[f"{REPO}#3"] = "stale"
    assert len(agent_memory.kept(memory.graph, "Task", where.key)) == 1
    sandbox.state.set_visibility(REPO, "PRIVATE")
    if look == "sweep":
        memory.sweep()
    else:
        with access.roadmap(where) as roadmap:
            assert len(roadmap) == 1
    for label in agent_memory.LABELS:
        assert agent_memory.kept(memory.graph, label, where.key) == []


def test_a_store_that_is_open_notices_that_its_repository_became_private(
    memory: Memory, sandbox: Sandbox
) -> None:
    access = StoreAccess(memory.settings, memory)
    where = issue_named(f"{REPO}#1", memory.settings)
    with access.roadmap(where) as roadmap:
        roadmap.append("Seen by anyone")
        assert len(agent_memory.kept(memory.graph, "Task", where.key)) == 1
        sandbox.state.set_visibility(REPO, "PRIVATE")
        roadmap.append("Seen by few")
        assert agent_memory.kept(memory.graph, "Task", where.key) == []
        assert len(roadmap) == 2
        assert agent_memory.kept(memory.graph, "Task", where.key) == []
        sandbox.state.set_visibility(REPO, "PUBLIC")
        assert len(roadmap) == 2
        assert len(agent_memory.kept(memory.graph, "Task", where.key)) == 2


def test_a_decision_that_is_added_comes_after_the_others(memory: Memory) -> None:
    access = StoreAccess(memory.settings, memory)
    where = issue_named(f"{REPO}#6", memory.settings)
    with access.decisions(where) as log:
        log.append("First")
        log.append("Second")
        assert len(log) == 2
        posted = log.append("Third", rationale="  Why \n")
        assert posted == log[2]
    kept = agent_memory.kept(memory.graph, "Decision", where.key)
    assert [one["summary"] for one in kept] == ["First", "Second", "Third"]


def test_a_project_that_is_public_no_longer_goes(memory: Memory, sandbox: Sandbox) -> None:
    sandbox.state.scopes = ("repo", "project")
    number = sandbox.state.add_project("octo-org")
    project = parse_project(f"https://github.com/orgs/octo-org/projects/{number}")
    assert project is not None
    with StoreAccess(memory.settings, memory).triage(project) as backlog:
        backlog[f"{REPO}#1"] = "stale"
        assert len(agent_memory.kept(memory.graph, "Verdict", project.key)) == 1
        for public, held in ((False, 0), (True, 1), (False, 0)):
            sandbox.state.projects[0].public = public
            assert len(backlog) == 1
            assert len(agent_memory.kept(memory.graph, "Verdict", project.key)) == held


def test_each_time_that_a_repository_becomes_private_all_of_it_goes(
    memory: Memory, sandbox: Sandbox
) -> None:
    access = StoreAccess(memory.settings, memory)
    places = [issue_named(f"{REPO}#{number}", memory.settings) for number in (1, 2)]

    def kept() -> list[int]:
        return [len(agent_memory.kept(memory.graph, "Task", one.key)) for one in places]

    with access.roadmap(places[0]) as one, access.roadmap(places[1]) as two:
        one.append("One")
        two.append("Two")
        for visibility, held in (("PRIVATE", [0, 0]), ("PUBLIC", [1, 1]), ("PRIVATE", [0, 0])):
            sandbox.state.set_visibility(REPO, visibility)  # type: ignore[arg-type]
            one.hydrate()
            if visibility == "PUBLIC":
                two.hydrate()
            assert kept() == held


@pytest.fixture
def moved_to_private(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Sandbox]:
    """A GitHub with a private repository beside the public one."""
    assert not home.exists()
    public = write_archive(tmp_path, issues=[archived(1), archived(2)])
    private = write_archive(tmp_path, issues=[archived(1, id="P_1")], repo="octo-org/secret")
    with Sandbox([public, private], token=TOKEN) as running:
        running.state.set_visibility("octo-org/secret", "PRIVATE")
        monkeypatch.setenv("GITHUB_API_URL", running.url)
        monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
        monkeypatch.setenv("RESOURCES_GRAPH_WRITE_PAUSE", "0")
        yield running


def test_what_was_moved_into_a_private_repository_is_not_recorded(
    moved_to_private: Sandbox,
    embedded_graph: Graph,  # noqa: ARG001 - it empties the graph
    engine_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RESOURCES_GRAPH_URL", f"embedded://{engine_folder}")
    with open_memory() as memory:
        access = StoreAccess(memory.settings, memory)
        moved, other = (issue_named(f"{REPO}#{number}", memory.settings) for number in (1, 2))
        with access.roadmap(moved) as roadmap, access.roadmap(other) as beside:
            roadmap.append("Seen by anyone")
            beside.append("Seen by anyone")
            moved_to_private.state.transfer_item(REPO, 1, "octo-org/secret")
            roadmap.append("Seen by few")
        assert agent_memory.kept(memory.graph, "Task", moved.key) == []
        assert len(agent_memory.kept(memory.graph, "Task", other.key)) == 1


@pytest.mark.parametrize("kind", ["roadmap", "triage", "decisions"])
def test_what_was_written_is_told_though_it_cannot_be_recorded(
    memory: Memory,
    sandbox: Sandbox,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    kind: str,
) -> None:
    """Whoever was told that it failed would write it once more."""

    def fail(*_: object) -> bool:
        raise GitHubUnavailable("GitHub answered 502")

    monkeypatch.setattr(Issues, "is_public", fail)
    access = StoreAccess(memory.settings, memory)
    where = issue_named(f"{REPO}#1", memory.settings)
    if kind == "roadmap":
        with access.roadmap(where) as roadmap:
            roadmap.append("Done")
            assert list(roadmap) == ["done"]
    elif kind == "triage":
        with access.triage(where) as backlog:
            backlog[f"{REPO}#2"] = "stale"
            assert len(backlog) == 1
    else:
        with access.decisions(where) as log:
            log.append("Done")
            assert len(log) == 1
    assert "was not recorded on the graph: GitHub answered 502" in caplog.text
    assert len([one for one in sandbox.requests.all if one.name.startswith(("PATCH", "POST"))]) >= 1


def test_who_may_not_ask_takes_out_no_decision_of_others(memory: Memory, sandbox: Sandbox) -> None:
    """Without write access nobody is told who has it; that is no reason to think that none has."""
    where = issue_named(f"{REPO}#6", memory.settings)
    with StoreAccess(memory.settings, memory).decisions(where) as log:
        log.append("Kept")
        log.append("Gone")
    recorded = GraphRecord(memory)

    def summaries() -> list[str]:
        kept = agent_memory.kept(memory.graph, "Decision", where.key)
        return sorted(one["summary"] for one in kept)

    def read_as_anyone() -> int:
        issues = Issues(Transport(sandbox.url, None), write_pause=0)
        try:
            return len(DecisionLog(REPO, 6, issues=issues, graph=recorded))
        finally:
            issues.close()

    assert read_as_anyone() == 0
    assert summaries() == ["Gone", "Kept"]
    item = sandbox.state.item(REPO, 6)
    assert item is not None
    del item.comments[-1]
    assert read_as_anyone() == 0
    assert summaries() == ["Kept"]


def test_who_may_decide_is_asked_again_after_a_while(
    memory: Memory, sandbox: Sandbox, connect: Callable[[], Issues]
) -> None:
    now = 0.0
    issues = connect()
    issues.timing = Timing(monotonic=lambda: now)
    sandbox.state.set_permission(REPO, "lead", "write")
    sandbox.state.add_comment(REPO, 6, f"{TAG}\n### Decision: Mine", author="lead")
    log = DecisionLog(REPO, 6, issues=issues, graph=GraphRecord(memory))
    assert len(log) == 1
    sandbox.state.set_permission(REPO, "lead", "read")
    assert len(log) == 1
    now += KNOWN_SECONDS + 1
    assert len(log) == 0
    assert agent_memory.kept(memory.graph, "Decision", log.where.key) == []
