"""The stores over HTTP: what they read and write, what it costs, and who is believed."""

from __future__ import annotations

import json
from collections.abc import MutableMapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from graphql import build_schema, parse, validate

from resources_graph_core.address import Address
from resources_graph_core.config import load_settings
from resources_graph_core.errors import (
    BlockError,
    ConfigError,
    GitHubAuthError,
    GitHubError,
    NoSuchEntry,
    NotAllowed,
    NotFound,
    NotPublic,
    RequirementMissing,
    UsageError,
)
from resources_graph_core.github.pace import Timing
from resources_graph_core.github_memory import (
    Decision,
    DecisionLog,
    RoadmapStore,
    TaskRecord,
    TaskState,
    TriageBacklog,
    TriageEntry,
    TriageVerdict,
    check_requirements,
    github_memory,
)
from resources_graph_core.github_memory.configured import stores_in, write_pause
from resources_graph_core.github_memory.decision_comment import TAG
from resources_graph_core.github_memory.issues import LONGEST_BODY, Issues, IssueText, text_history
from resources_graph_core.github_memory.opening import open_issues
from resources_graph_core.github_memory.pacing import WritePace
from tests.github_memory.conftest import REPO

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.sandbox import Sandbox


@pytest.fixture
def roadmap(connect: Callable[[], Issues]) -> RoadmapStore:
    return RoadmapStore(REPO, 1, issues=connect())


@pytest.fixture
def backlog(connect: Callable[[], Issues]) -> TriageBacklog:
    return TriageBacklog(REPO, 2, issues=connect())


@pytest.fixture
def log(connect: Callable[[], Issues]) -> DecisionLog:
    return DecisionLog(REPO, 6, issues=connect())


def asked(sandbox: Sandbox) -> list[tuple[str, int]]:
    """What was asked since the last look: methods or names, and statuses."""
    found = [(one.name.split()[0], one.status) for one in sandbox.requests.all]
    sandbox.requests.clear()
    return found


def test_a_roadmap_is_a_mapping(roadmap: RoadmapStore) -> None:
    assert isinstance(roadmap, MutableMapping)
    assert len(roadmap) == 0
    assert roadmap.next_todo() is None
    ids = [roadmap.append(title).id for title in ("One", "Two", "Two")]
    assert list(roadmap) == ids == ["one", "two", "two-2"]
    roadmap["one"] = TaskState.done
    roadmap["two"] = "doing"
    roadmap["two-2"] = {"title": "Three", "metadata": {"pull": 7}}
    roadmap["new"] = TaskRecord("other", "Brand new", TaskState.doing, {"a": 1})
    roadmap["plain"] = "todo"
    assert list(roadmap.values()) == [
        TaskRecord("one", "One", TaskState.done),
        TaskRecord("two", "Two", TaskState.doing),
        TaskRecord("two-2", "Three", TaskState.todo, {"pull": 7}),
        TaskRecord("new", "Brand new", TaskState.doing, {"a": 1}),
        TaskRecord("plain", "plain"),
    ]
    assert roadmap.next_todo() == roadmap["two-2"]
    roadmap.move("plain", before="one")
    del roadmap["two"]
    assert list(roadmap) == ["plain", "one", "two-2", "new"]
    assert "two" not in roadmap
    assert dict(roadmap.items())["one"].state is TaskState.done
    assert roadmap.change("one", title="First").id == "one"


@pytest.mark.parametrize(
    "wrong", [lambda s: s["x"], lambda s: s.__delitem__("x"), lambda s: s.change("x", state="done")]
)
def test_an_unknown_task_is_a_key_error(
    roadmap: RoadmapStore, wrong: Callable[[RoadmapStore], object]
) -> None:
    with pytest.raises(KeyError, match="x") as caught:
        wrong(roadmap)
    assert isinstance(caught.value, NoSuchEntry)
    assert "'x'; its tasks: none" in str(caught.value)


@pytest.mark.parametrize("value", ["odd", 3, {"state": "odd"}])
def test_what_no_task_can_be_set_to_is_refused(roadmap: RoadmapStore, value: Any) -> None:  # noqa: ANN401
    with pytest.raises(UsageError):
        roadmap["x"] = value
    assert len(roadmap) == 0


def test_many_are_set_read_and_taken_out_at_once(
    roadmap: RoadmapStore, backlog: TriageBacklog, sandbox: Sandbox
) -> None:
    for store, values in (
        (roadmap, {"one": "done", "two": {"title": "Two"}, "three": "todo"}),
        (backlog, {"o/r#1": "stale", "o/r#2": {"order": 3}}),
    ):
        asked(sandbox)
        store.update(values)
        assert sum(name == "PATCH" for name, _ in asked(sandbox)) == 1
        assert list(dict(store.items())) == list(values)
        assert len(asked(sandbox)) == 1
        store.clear()
        assert sum(name == "PATCH" for name, _ in asked(sandbox)) == 1
        assert len(store) == 0
        store.clear()
        assert not any(name == "PATCH" for name, _ in asked(sandbox))


def test_a_backlog_is_a_mapping_in_the_chosen_order(backlog: TriageBacklog) -> None:
    assert isinstance(backlog, MutableMapping)
    backlog["o/r#9"] = TriageVerdict.stale
    backlog["a/b#1"] = {"verdict": "blocked", "order": 2, "rationale": "Waits"}
    backlog["c/d#1"] = TriageEntry("other", TriageVerdict.fixable, 1, "Easy", {"x": [1]})
    assert list(backlog) == ["o/r#9", "c/d#1", "a/b#1"]
    backlog["a/b#1"] = "closeable"
    assert backlog["A/B#1"] == TriageEntry("a/b#1", TriageVerdict.closeable, 2, "Waits")
    assert backlog.put("c/d#1", {"order": 9}).rationale == "Easy"
    del backlog["o/r#9"]
    assert [entry.ref for entry in backlog.values()] == ["a/b#1", "c/d#1"]
    assert ("o/r#9" in backlog, "a/b#1" in backlog, 3 in backlog) == (False, True, False)
    assert len(dict(backlog.items())) == len(backlog) == 2
    with pytest.raises(KeyError, match="o/r#9"):
        _ = backlog["o/r#9"]


@pytest.mark.parametrize(
    ("key", "value"),
    [("x", "stale"), ("o/r#1", "odd"), ("o/r#1", 3), ("o/r#1", {"order": "soon"})],
)
def test_what_is_no_verdict_is_refused(backlog: TriageBacklog, key: str, value: Any) -> None:  # noqa: ANN401
    with pytest.raises(UsageError):
        backlog[key] = value
    assert len(backlog) == 0


def test_json_edited_by_hand_is_never_overwritten(backlog: TriageBacklog, sandbox: Sandbox) -> None:
    broken = "a\n<!-- ge:triage:begin -->\n[{]\n<!-- ge:triage:end -->"
    sandbox.state.edit_item(REPO, 2, body=broken)
    for attempt in (lambda: list(backlog), lambda: backlog.put("o/r#1", "stale")):
        with pytest.raises(BlockError, match=f"{REPO}#2 line 3: "):
            attempt()
    item = sandbox.state.item(REPO, 2)
    assert item is not None
    assert item.body == broken


def test_many_changes_are_one_write_and_many_entries_one_read(
    roadmap: RoadmapStore, backlog: TriageBacklog, sandbox: Sandbox
) -> None:
    with roadmap.batch(), backlog.batch():
        for number in range(20):
            assert roadmap.append(f"Task {number}").id == f"task-{number}"
            backlog[f"o/r#{number + 1}"] = {"verdict": "stale", "order": number}
        roadmap["task-3"] = "done"
        del roadmap["task-4"]
        assert len(roadmap) == 19
    writes = [one for one in asked(sandbox) if one[0] == "PATCH"]
    assert writes == [("PATCH", 200)] * 2
    assert len(list(backlog.values())) == 20
    assert len(dict(roadmap.items())) == 19
    assert [name for name, _ in asked(sandbox)] == ["GET", "GET"]


def test_a_batch_that_ends_in_an_error_writes_nothing(
    roadmap: RoadmapStore, sandbox: Sandbox
) -> None:
    def fail() -> None:
        with roadmap.batch():
            roadmap.append("x")
            with roadmap.batch():  # a part of the one around it
                roadmap.append("y")
            _ = 1 / 0

    with pytest.raises(ZeroDivisionError):
        fail()
    assert "PATCH" not in {name for name, _ in asked(sandbox)}
    assert len(roadmap) == 0


def test_a_second_read_costs_a_304(
    roadmap: RoadmapStore, log: DecisionLog, sandbox: Sandbox
) -> None:
    for _ in range(2):
        roadmap.hydrate()
        log.hydrate()
    assert asked(sandbox) == [("GET", 200), ("GET", 200), ("GET", 304), ("GET", 304)]


def test_another_process_pays_no_more_for_what_is_unchanged(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    for _ in range(2):
        with RoadmapStore(REPO, 1, cache_dir=tmp_path / "kept") as store:
            assert len(store) == 0
    assert asked(sandbox) == [("GET", 200), ("GET", 304)]
    (tmp_path / "kept" / "answers.sqlite").write_text("{")  # what cannot be read is asked for again
    with RoadmapStore(REPO, 1, cache_dir=tmp_path / "kept") as store:
        assert len(store) == 0
    assert asked(sandbox) == [("GET", 200)]


def test_snapshots_show_what_is_there_and_never_collide(
    connect: Callable[[], Issues], tmp_path: Path, sandbox: Sandbox
) -> None:
    store = RoadmapStore(REPO, 1, cache_dir=tmp_path, issues=connect())
    store.append("One")
    [file] = tmp_path.glob("roadmap_*.json")
    assert [task["title"] for task in json.loads(file.read_text())["roadmap"]] == ["One"]
    sandbox.faults.bad_gateway(times=9)
    sandbox.state.set_permission(REPO, "octocat", "read")
    before = file.read_text()
    with pytest.raises(Exception, match="GitHub"):
        store.append("Two")
    assert file.read_text() == before  # a failed write poisons nothing
    issues = connect()
    names = {
        str(RoadmapStore(repo, 1, cache_dir=tmp_path, issues=issues)._snapshot.path)  # noqa: SLF001 - its name
        for repo in ("o_a/b", "o/a_b", "o-a/b", "o/a-b", "https://github.com/o/a")
    }
    assert len(names) == 5
    assert DecisionLog("o/r", 1, issues=issues)._snapshot.path is None  # noqa: SLF001 - the same


def test_a_text_that_is_too_long_is_refused_before_it_is_sent(
    roadmap: RoadmapStore, log: DecisionLog, sandbox: Sandbox
) -> None:
    longest = "é" * (LONGEST_BODY // 2)
    with pytest.raises(UsageError, match=r"would be 262,\d+ bytes, and GitHub keeps 262,144"):
        roadmap["x"] = {"metadata": {"note": "n" * (LONGEST_BODY - 60)}}
    with pytest.raises(UsageError, match="begin another issue"):
        log.append("x", rationale=longest)
    with pytest.raises(UsageError, match="half a character"):
        log.append("x", rationale="\ud800")
    assert {name for name, _ in asked(sandbox)} <= {"GET"}


def test_decisions_come_in_the_order_of_time_from_all_pages(
    log: DecisionLog, sandbox: Sandbox
) -> None:
    assert isinstance(log, Sequence)
    for number in range(150):
        sandbox.state.add_comment(REPO, 6, f"{TAG}\n### Decision: {number}")
        sandbox.state.add_comment(REPO, 6, "Just words")
    assert [decision.summary for decision in log] == [str(number) for number in range(150)]
    made = log.append("Last", rationale="Why", metadata={"a": 1})
    assert made.url is not None
    assert made.created_at is not None
    assert (log[-1], len(log), log[149:151][1]) == (made, 151, made)
    assert made == Decision("Last", "Why", {"a": 1}, made.created_at, made.url)


def test_only_those_who_may_write_are_believed(
    connect: Callable[[], Issues], sandbox: Sandbox
) -> None:
    people = {"mona": "write", "admin": "admin", "lou": "read", "renovate[bot]": "", "kim": "read"}
    for login, permission in people.items():
        sandbox.state.add_comment(REPO, 6, f"{TAG}\n### Decision: {login}", author=login)
        if permission:
            sandbox.state.set_permission(REPO, login, permission)  # type: ignore[arg-type]
    log = DecisionLog(REPO, 6, allowed=["KIM"], issues=connect())
    assert [decision.summary for decision in log] == ["mona", "admin", "kim"]
    flagged = {one.author: one.reason for one in log.flagged()}
    assert flagged["lou"] == f"lou may not write to {REPO}"
    assert "is not told" in flagged["renovate[bot]"]
    sandbox.requests.clear()
    list(log)
    assert sum("permission" in one.name for one in sandbox.requests.all) == 0  # asked once


def test_a_token_that_may_not_look_believes_the_list_alone(
    connect: Callable[[], Issues], sandbox: Sandbox
) -> None:
    sandbox.state.add_comment(REPO, 6, f"{TAG}\n### Decision: x", author="mona")
    sandbox.state.set_permission(REPO, "octocat", "read")
    assert list(DecisionLog(REPO, 6, issues=connect())) == []
    [flagged] = DecisionLog(REPO, 6, issues=connect()).flagged()
    assert "is not told" in flagged.reason
    assert len(DecisionLog(REPO, 6, allowed=["mona"], issues=connect())) == 1
    with pytest.raises(NotAllowed, match="may not write to octo-org/widgets#1"):
        RoadmapStore(REPO, 1, issues=connect()).append("x")


def test_a_renamed_repository_and_a_transferred_issue_are_written_to(
    roadmap: RoadmapStore, sandbox: Sandbox
) -> None:
    roadmap.append("One")
    sandbox.state.rename_repository(REPO, "octo-org/gears")
    roadmap.append("Two")
    roadmap["one"] = "done"
    item = sandbox.state.item("octo-org/gears", 1)
    assert item is not None
    assert "- [x] One\n- [ ] Two\n<!-- ge:roadmap:end --><!-- rg:edits " in item.body
    with pytest.raises(NotFound):
        list(RoadmapStore("octo-org/none", 1, issues=roadmap._issues))  # noqa: SLF001 - the same client


def test_without_a_token_nothing_is_written(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_TOKEN")
    with RoadmapStore(REPO, 1) as store:
        assert len(store) == 0
        with pytest.raises(GitHubAuthError, match="needs a token"):
            store.append("x")
    with pytest.raises(EnvironmentError, match="gh auth login") as caught:
        check_requirements()
    assert isinstance(caught.value, RequirementMissing)
    assert {name for name, _ in asked(sandbox)} == {"GET"}


def test_requirements(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    found = check_requirements()
    assert (found["ok"], found["auth"], found["scopes"]) == (True, True, ["repo"])
    found = check_requirements(require_project_scope=True)
    assert (found["ok"], found["missing"]) == (False, ["project"])
    assert found["hint"] == "run `gh auth refresh -s project`"
    sandbox.state.scopes = ("project", "gist")
    assert check_requirements(require_project_scope=True)["missing"] == ["repo"]
    sandbox.state.scopes = None  # a fine-grained token
    assert check_requirements(require_project_scope=True)["ok"]
    with monkeypatch.context() as patch:

        def nobodys(_: object) -> None:
            raise NotPublic("the login of the token is not public: GitHub answered 403")

        patch.setattr(Issues, "viewer", nobodys)  # as for the token of an app
        assert check_requirements()["ok"]
    monkeypatch.setenv("GITHUB_TOKEN", "another")
    with pytest.raises(EnvironmentError, match="rejected the token"):
        check_requirements()


def test_the_bundle_holds_what_is_asked_for(sandbox: Sandbox, tmp_path: Path) -> None:
    with github_memory(REPO, roadmap_issue=1, triage_issue=2, cache_dir=tmp_path) as kept:
        assert set(kept) == {"roadmap", "triage"}
        assert kept.decisions is None
        assert kept["roadmap"] is kept.roadmap
        assert kept.roadmap is not None
        kept.roadmap.append("One")
        with pytest.raises(KeyError, match="decisions"):
            _ = kept["decisions"]
    with github_memory(f"https://github.com/{REPO}", decisions_target=6) as kept:
        assert len(kept) == 1
        assert kept.decisions is not None
        assert kept.decisions.append("Go").summary == "Go"
    assert sandbox.requests.total > 0
    with pytest.raises(UsageError):
        github_memory("nonsense", roadmap_issue=1)


def test_the_bundle_is_on_the_github_that_the_repository_names(sandbox: Sandbox) -> None:
    elsewhere = Address.of_repository("octo-org", "widgets", host="127.0.0.1")
    with (
        github_memory(elsewhere, roadmap_issue=1) as kept,
        pytest.raises(GitHubError, match=r"127\.0\.0\.1"),
    ):
        kept["roadmap"].hydrate()
    assert sandbox.requests.total == 0


PUBLISHED = Path(__file__).parents[3] / "shared" / "github" / "schema.graphql"
"""GitHub's own schema, where it is at hand."""


@pytest.mark.parametrize(
    "schema",
    [files("resources_graph_core.sandbox") / "schema.graphql", PUBLISHED],
    ids=["own", "published"],
)
def test_the_document_that_is_sent_is_one_that_github_allows(schema: Path) -> None:
    if not schema.exists():
        pytest.skip("GitHub's published schema is not at hand")
    issue = IssueText(
        node_id="I_1",
        number=1,
        title="x",
        url="https://api.github.com/repos/o/r/issues/1",
        html_url="https://github.com/o/r/issues/1",
        repository_url="https://api.github.com/repos/o/r",
    )
    document = text_history(issue, 100)
    assert document.variables == {"owner": "o", "name": "r", "number": 1}
    built = build_schema(schema.read_text(), assume_valid_sdl=True)
    assert validate(built, parse(document.text)) == []


class Clock:
    """A clock that only moves when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    @property
    def timing(self) -> Timing:
        return Timing(lambda: self.now, self.sleep, lambda: 1e9 + self.now)


def test_a_second_is_left_between_two_writes() -> None:
    clock = Clock()
    pace = WritePace(1.0, clock.timing)
    pace.wait()
    pace.wait()
    clock.now += 0.25
    pace.wait()
    clock.now += 5
    pace.wait()
    assert clock.slept == [1.0, 0.75]
    free = WritePace(0, clock.timing)
    free.wait()
    free.wait()
    assert clock.slept == [1.0, 0.75]


def test_a_second_is_left_between_the_writes_of_all_processes(tmp_path: Path) -> None:
    """Each has a pace of its own, as a process or a tool call has; they share the file."""
    clock = Clock()
    file = tmp_path / "kept" / "next_write"
    for _ in range(3):
        WritePace(1.0, clock.timing, file=file).wait()
    assert clock.slept == [1.0, 1.0]
    clock.now += 10
    WritePace(1.0, clock.timing, file=file).wait()
    assert clock.slept == [1.0, 1.0]
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("text", ["", "soon", "nan", "inf", "9e99", "-1"])
def test_a_pace_that_cannot_be_read_is_begun_anew(tmp_path: Path, text: str) -> None:
    """A clock that was set back must not hold writes up for years."""
    clock = Clock()
    file = tmp_path / "next_write"
    file.write_text(text)
    for _ in range(2):
        WritePace(1.0, clock.timing, file=file).wait()
    assert clock.slept == [1.0]


def test_without_a_place_for_it_the_pace_is_the_process_s_own(tmp_path: Path) -> None:
    clock = Clock()
    (tmp_path / "file").write_text("")
    pace = WritePace(1.0, clock.timing, file=tmp_path / "file" / "next_write")
    pace.wait()
    pace.wait()
    assert clock.slept == [1.0]


def test_stores_that_are_opened_one_after_the_other_keep_the_pace(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As calls of an MCP tool open them; each is closed again."""
    assert sandbox.url
    monkeypatch.setenv("RESOURCES_GRAPH_WRITE_PAUSE", "1")
    clock = Clock()
    for title in ("One", "Two", "Three"):
        issues = open_issues(timing=clock.timing)
        RoadmapStore(REPO, 1, issues=issues).append(title)
        issues.close()
    assert [round(one, 3) for one in clock.slept] == [1.0, 1.0]


@pytest.mark.parametrize("value", ["soon", "-1", "inf", "nan"])
def test_a_pause_is_a_number_of_seconds(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert write_pause(load_settings()) == 1.0
    monkeypatch.setenv("RESOURCES_GRAPH_WRITE_PAUSE", value)
    with pytest.raises(ConfigError, match="number of seconds"):
        write_pause(load_settings())


def test_stores_are_named_in_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    assert stores_in(load_settings()) == []
    monkeypatch.setenv("RESOURCES_GRAPH_ROADMAPS", "o/r#1, https://github.com/O/R/issues/1,a/b#2")
    monkeypatch.setenv("RESOURCES_GRAPH_DECISIONS", "o/r#3")
    named = [(one.kind, str(one.where)) for one in stores_in(load_settings())]
    assert named == [("roadmap", "o/r#1"), ("roadmap", "a/b#2"), ("decisions", "o/r#3")]
    for wrong in ("o/r", "nonsense"):
        monkeypatch.setenv("RESOURCES_GRAPH_TRIAGE", wrong)
        with pytest.raises(ConfigError, match=r"github_memory\.triage"):
            stores_in(load_settings())


def test_what_fails_in_a_batch_takes_nothing_else_with_it(
    sandbox: Sandbox, connect: Callable[[], Issues], roadmap: RoadmapStore, backlog: TriageBacklog
) -> None:
    with roadmap.batch(), backlog.batch():
        with pytest.raises(UsageError, match="title"):
            roadmap.append(" ")
        roadmap.append("One")
        with pytest.raises(UsageError, match="marks tasks"):
            roadmap.change("one", title="x <!-- ge:doing -->")
        with pytest.raises(KeyError):
            del roadmap["two"]
        roadmap.append("One", state="doing")
        roadmap["one"] = {"title": "First"}
        with pytest.raises(UsageError, match="no issue"):
            backlog["nonsense"] = "stale"
        backlog[f"{REPO}#3"] = "stale"
        with pytest.raises(UsageError):
            backlog[f"{REPO}#3"] = "wonderful"
        backlog[f"{REPO}#4"] = {"verdict": "blocked", "rationale": "```json\n[]\n``` -->"}
        backlog[f"{REPO}#3"] = {"order": 7}
        with pytest.raises(KeyError):
            del backlog[f"{REPO}#5"]
        assert [task.title for task in roadmap.values()] == ["First", "One"]
    read = RoadmapStore(REPO, 1, issues=connect())
    assert [(task.id, task.title, task.state.value) for task in read.values()] == [
        ("one", "First", "todo"),
        ("one-2", "One", "doing"),
    ]
    entries = TriageBacklog(REPO, 2, issues=connect()).hydrate()
    assert [(one.ref, one.order, one.rationale) for one in entries] == [
        (f"{REPO}#4", 0, "```json\n[]\n``` -->"),
        (f"{REPO}#3", 7, ""),
    ]
    assert [status for method, status in asked(sandbox) if method == "PATCH"] == [200, 200]


def test_hundreds_of_edits_are_one_write(
    sandbox: Sandbox, roadmap: RoadmapStore, backlog: TriageBacklog
) -> None:
    with roadmap.batch(), backlog.batch():
        for number in range(1, 801):
            roadmap.append(f"Task {number}")
            backlog[f"{REPO}#{number}"] = {"verdict": "stale", "order": -number}
        for number in range(1, 801, 2):
            del roadmap[f"task-{number}"]
            del backlog[f"{REPO}#{number}"]
    assert list(roadmap)[:2] == ["task-2", "task-4"]
    assert list(backlog)[:2] == [f"{REPO}#800", f"{REPO}#798"]
    assert (len(roadmap), len(backlog)) == (400, 400)
    assert [status for method, status in asked(sandbox) if method == "PATCH"] == [200, 200]


@pytest.mark.parametrize(
    "value",
    [{"title": None}, {"title": 5}, {"metadata": 5}, {"metadata": {(1, 2): 3}}, 5, None],
)
def test_a_value_of_another_type_is_refused(roadmap: RoadmapStore, value: Any) -> None:  # noqa: ANN401
    roadmap.append("Task")
    for key in ("task", "new"):
        with pytest.raises(UsageError):
            roadmap[key] = value
    assert roadmap.hydrate() == [TaskRecord("task", "Task")]
    with pytest.raises(UsageError, match="a title is a text"):
        roadmap.append(5)  # type: ignore[arg-type]


@pytest.mark.parametrize("number", [0, -1, 1.9, True, None, "1", float("inf")])
def test_what_is_no_number_of_an_issue_is_refused(number: Any) -> None:  # noqa: ANN401
    with pytest.raises(UsageError, match="no number of an issue"):
        RoadmapStore(REPO, number)
