"""A triage backlog in a GitHub Project: the same mapping, with a project's own rules."""

from __future__ import annotations

import threading
from collections.abc import MutableMapping
from typing import TYPE_CHECKING

import pytest

from resources_graph_core.errors import (
    BlockError,
    GitHubAuthError,
    NoSuchEntry,
    NotAllowed,
    NotFound,
    UsageError,
)
from resources_graph_core.github.token import Token
from resources_graph_core.github.transport import Transport
from resources_graph_core.github_memory import (
    ProjectAddress,
    TriageBacklog,
    TriageEntry,
    TriageVerdict,
    github_memory,
)
from resources_graph_core.github_memory.issues import Issues
from resources_graph_core.github_memory.projects import METADATA, VERDICT, parse_project
from resources_graph_core.github_memory.triage_project import LONGEST_TEXT
from resources_graph_core.sandbox.nodes import Actor
from tests.github_memory.conftest import REPO, TOKEN

# Every document of these tests is looked at with GitHub's own schema.
from tests.sent_documents import every_document_is_valid  # noqa: F401 - a fixture

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from resources_graph_core.sandbox import Sandbox
    from resources_graph_core.sandbox.projects import Project, ProjectItem

PROJECT = "https://github.com/orgs/octo-org/projects/1"


@pytest.fixture
def project(sandbox: Sandbox) -> Project:
    """An empty public project that the token may write to."""
    sandbox.state.scopes = ("repo", "project")
    sandbox.state.add_project("octo-org")
    return sandbox.state.projects[0]


@pytest.fixture
def backlog(project: Project, connect: Callable[[], Issues]) -> TriageBacklog:
    return TriageBacklog(project=project.url, issues=connect())


@pytest.fixture(params=["issue", "project"])
def either(
    request: pytest.FixtureRequest, project: Project, connect: Callable[[], Issues]
) -> TriageBacklog:
    """A backlog in an issue, and one in a project."""
    if request.param == "project":
        return TriageBacklog(project=project.url, issues=connect())
    return TriageBacklog(REPO, 2, issues=connect())


def held_by_a_person(sandbox: Sandbox, project: Project, number: int) -> ProjectItem:
    item = sandbox.state.item(REPO, number)
    assert item is not None
    return project.add_item(item, Actor("somebody"))


def operations(sandbox: Sandbox) -> list[str]:
    """What was asked since the last look."""
    found = [one.name for one in sandbox.requests.all]
    sandbox.requests.clear()
    return found


def test_a_backlog_is_a_mapping_wherever_it_is_kept(either: TriageBacklog) -> None:
    assert isinstance(either, MutableMapping)
    assert len(either) == 0
    one, two, six = (f"{REPO}#{number}" for number in (1, 2, 6))
    either[one] = TriageVerdict.stale
    either[two] = {"verdict": "blocked", "order": 2, "rationale": "Waits"}
    either[six] = TriageEntry("other", TriageVerdict.fixable, 1, "Easy", {"x": [1, "é"]})
    assert list(either) == [one, six, two]
    assert either[six] == TriageEntry(six, TriageVerdict.fixable, 1, "Easy", {"x": [1, "é"]})
    either[two] = "closeable"
    assert either[two.upper()] == TriageEntry(two, TriageVerdict.closeable, 2, "Waits")
    assert either.put(six, {"order": 9}).rationale == "Easy"
    either[two] = {"rationale": ""}
    assert either[two].rationale == ""
    del either[one]
    assert [entry.ref for entry in either.values()] == [two, six]
    assert (one in either, two in either, 3 in either) == (False, True, False)
    assert len(dict(either.items())) == len(either) == 2
    for attempt in (lambda: either[one], lambda: either.pop(one)):
        with pytest.raises(NoSuchEntry, match="widgets#1"):
            attempt()


def test_a_batch_is_written_at_its_end_and_seen_before(either: TriageBacklog) -> None:
    with either.batch():
        for number in range(1, 7):
            either[f"{REPO}#{number}"] = {"verdict": "stale", "order": number}
        del either[f"{REPO}#3"]
        assert len(either) == 5
    assert len(either) == 5

    def fail() -> None:
        with either.batch():
            either.clear()
            _ = 1 / 0

    with pytest.raises(ZeroDivisionError):
        fail()
    assert len(either) == 5


def test_many_entries_are_one_request_and_a_write_three(
    backlog: TriageBacklog, sandbox: Sandbox
) -> None:
    backlog[f"{REPO}#1"] = "stale"
    sandbox.requests.clear()
    assert len(backlog.hydrate()) == 1
    assert operations(sandbox) == ["TriageProject"]
    backlog[f"{REPO}#1"] = {"order": 3}
    assert operations(sandbox) == ["TriageProject", "TriageChange", "TriageProject"]
    with backlog.batch():
        for number in (2, 3, 4, 5):
            backlog[f"{REPO}#{number}"] = "fixable"
    assert operations(sandbox) == [
        "TriageProject",  # for the batch, then for its write
        "TriageProject",
        "TriageItems",
        "TriageChange",
        "TriageChange",
        "TriageProject",
    ]


def test_what_changes_nothing_is_not_written(backlog: TriageBacklog, sandbox: Sandbox) -> None:
    backlog[f"{REPO}#1"] = "stale"
    sandbox.requests.clear()
    backlog[f"{REPO}#1"] = "stale"
    assert operations(sandbox) == ["TriageProject"]


def test_every_page_is_read(
    backlog: TriageBacklog, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("resources_graph_core.github_memory.projects._PAGE", 2)
    with backlog.batch():
        for number in range(1, 7):
            backlog[f"{REPO}#{number}"] = {"verdict": "stale", "order": number}
    assert len(project.items) == 6
    assert [entry.order for entry in backlog.values()] == [1, 2, 3, 4, 5, 6]


def test_what_people_put_there_stays(
    backlog: TriageBacklog, project: Project, sandbox: Sandbox
) -> None:
    theirs = held_by_a_person(sandbox, project, 1)
    status = next(field for field in project.fields if field.name == "Status")
    theirs.values[status.id] = status.options[0].id
    assert len(backlog) == 0
    backlog[f"{REPO}#1"] = {"verdict": "stale", "rationale": "Old"}
    backlog[f"{REPO}#2"] = "stale"
    assert len(project.items) == 2
    item = sandbox.state.item(REPO, 3)
    assert item is not None
    by_hand = project.add_item(item, Actor(sandbox.state.viewer))  # by whose token it is, too
    by_hand.values[status.id] = status.options[0].id
    backlog[f"{REPO}#3"] = "blocked"
    ours = project.items[1]
    backlog.clear()
    assert project.items == [theirs, ours, by_hand]
    assert theirs.values == by_hand.values == {status.id: status.options[0].id}
    assert ours.values == {}


def test_entries_of_a_repository_that_was_renamed_are_written_once(
    backlog: TriageBacklog, sandbox: Sandbox
) -> None:
    sandbox.state.rename_repository(REPO, "octo-org/gadgets")
    backlog[f"{REPO}#1"] = "stale"
    assert list(backlog) == ["octo-org/gadgets#1"]
    assert operations(sandbox).count("TriageItems") == 1


def test_a_verdict_of_their_own_is_no_entry(
    backlog: TriageBacklog, project: Project, sandbox: Sandbox
) -> None:
    field = project.add_field(VERDICT, "SINGLE_SELECT", ["Stale", "wontfix"])
    for number, option in zip((1, 2), field.options, strict=True):
        held_by_a_person(sandbox, project, number).values[field.id] = option.id
    assert [entry.ref for entry in backlog.values()] == [f"{REPO}#1"]
    with pytest.raises(UsageError, match="no option 'blocked'"):
        backlog[f"{REPO}#3"] = "blocked"
    assert len(project.items) == 2


def test_a_field_of_another_type_is_not_written_to(
    backlog: TriageBacklog, project: Project
) -> None:
    project.add_field(METADATA, "NUMBER", [])
    with pytest.raises(UsageError, match=r"'Triage metadata' .* is a NUMBER"):
        backlog[f"{REPO}#1"] = "stale"
    assert project.items == []


def test_metadata_edited_into_something_else_is_told_and_not_overwritten(
    backlog: TriageBacklog, project: Project
) -> None:
    backlog[f"{REPO}#1"] = {"verdict": "stale", "metadata": {"x": 1}}
    field = next(one for one in project.fields if one.name == METADATA)
    project.items[0].values[field.id] = "{x"
    for attempt in (lambda: list(backlog), lambda: backlog.put(f"{REPO}#1", "blocked")):
        with pytest.raises(BlockError, match=f"of {REPO}#1 is no JSON object"):
            attempt()
    assert project.items[0].values[field.id] == "{x"


@pytest.mark.parametrize(
    "fields",
    [{"rationale": "é" * (LONGEST_TEXT // 2 + 1)}, {"metadata": {"text": "x" * LONGEST_TEXT}}],
)
def test_what_does_not_fit_is_refused_before_anything_is_sent(
    backlog: TriageBacklog, project: Project, fields: dict[str, object]
) -> None:
    with pytest.raises(UsageError, match="Shorten it, or keep the backlog in an issue"):
        backlog[f"{REPO}#1"] = {"verdict": "stale", **fields}
    assert project.items == []
    backlog[f"{REPO}#1"] = {"verdict": "stale", "rationale": "x" * LONGEST_TEXT}
    assert len(backlog[f"{REPO}#1"].rationale) == LONGEST_TEXT


@pytest.mark.parametrize("ref", [f"{REPO}#99", "octo-org/nothing#1"])
def test_an_issue_that_is_not_there_is_told(
    backlog: TriageBacklog, project: Project, ref: str
) -> None:
    with pytest.raises(NotFound, match=r"Could not resolve|knows no"):
        backlog[ref] = "stale"
    assert project.items == []


@pytest.mark.parametrize(
    ("scopes", "missing"), [(("repo",), "read:project"), (("repo", "read:project"), "project")]
)
def test_a_scope_that_is_missing_is_told_with_what_to_run(
    backlog: TriageBacklog, sandbox: Sandbox, scopes: tuple[str, ...], missing: str
) -> None:
    sandbox.state.scopes = scopes
    with pytest.raises(NotAllowed, match=f"`gh auth refresh -s {missing}`"):
        backlog[f"{REPO}#1"] = "stale"


def test_a_fine_grained_token_has_permissions_instead(
    backlog: TriageBacklog, project: Project, sandbox: Sandbox
) -> None:
    sandbox.state.scopes = None
    backlog[f"{REPO}#1"] = "stale"
    project.read_only = True
    assert len(backlog) == 1
    with pytest.raises(NotAllowed, match="fine-grained token the permission for projects"):
        backlog[f"{REPO}#1"] = "blocked"


def test_without_a_token_nothing_can_be_read(project: Project, sandbox: Sandbox) -> None:
    issues = Issues(Transport(sandbox.url), write_pause=0)
    with pytest.raises(GitHubAuthError, match="needs a token"):
        list(TriageBacklog(project=project.url, issues=issues))
    issues.close()


def test_two_writers_lose_nothing(project: Project, sandbox: Sandbox) -> None:
    """Both begin the project's fields, add the same issues, and set fields of the same entries."""
    problems: list[Exception] = []
    start = threading.Barrier(2)

    def write(fields: dict[str, object]) -> None:
        issues = Issues(Transport(sandbox.url, Token(TOKEN)), write_pause=0)
        backlog = TriageBacklog(project=project.url, issues=issues)
        start.wait()
        try:
            for number in (1, 2, 3, 4, 5, 6) * 3:
                backlog[f"{REPO}#{number}"] = fields
        except Exception as error:  # noqa: BLE001 - told by the test
            problems.append(error)
        finally:
            issues.close()

    given: list[dict[str, object]] = [{"order": 5}, {"rationale": "Old"}]
    writers = [threading.Thread(target=write, args=(fields,)) for fields in given]
    for one in writers:
        one.start()
    for one in writers:
        one.join()
    assert problems == []
    issues = Issues(Transport(sandbox.url, Token(TOKEN)), write_pause=0)
    entries = TriageBacklog(project=project.url, issues=issues).hydrate()
    issues.close()
    assert [(one.order, one.rationale) for one in entries] == [(5, "Old")] * 6
    assert len(project.items) == 6


def test_an_item_that_is_taken_out_meanwhile_is_added_again(
    backlog: TriageBacklog, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    backlog[f"{REPO}#1"] = {"verdict": "stale", "rationale": "Old"}
    change = type(backlog._kept)._change  # noqa: SLF001 - to come between

    def after_somebody(*arguments: object) -> object:
        if project.items:
            project.items.clear()
            monkeypatch.undo()
        return change(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(type(backlog._kept), "_change", after_somebody)  # noqa: SLF001 - as above
    backlog[f"{REPO}#1"] = "blocked"
    # Somebody took out the rationale too, and this edit did not set it.
    assert backlog[f"{REPO}#1"] == TriageEntry(f"{REPO}#1", TriageVerdict.blocked)


def test_a_batch_is_made_to_the_entries_as_they_are_at_its_end(
    either: TriageBacklog, project: Project, connect: Callable[[], Issues]
) -> None:
    """What others set or took out between its beginning and its end stays so."""
    where = {"project": project.url} if either.where != TriageBacklog(REPO, 2).where else {}
    other = TriageBacklog(*(() if where else (REPO, 2)), issues=connect(), **where)
    one, two, three, four = (f"{REPO}#{number}" for number in (1, 2, 3, 4))
    with either.batch():
        for ref in (one, two, three):
            either[ref] = "stale"
    with either.batch():
        either[one] = {"order": 5}
        either[four] = "blocked"
        other[one] = {"rationale": "Theirs"}
        other[two] = "closeable"
        del other[three]
    assert either.hydrate() == [
        TriageEntry(two, TriageVerdict.closeable),
        TriageEntry(four, TriageVerdict.blocked),
        TriageEntry(one, TriageVerdict.stale, 5, "Theirs"),
    ]


def test_an_entry_that_is_taken_out_while_it_is_written_is_written_again(
    backlog: TriageBacklog, project: Project, sandbox: Sandbox, connect: Callable[[], Issues]
) -> None:
    """The item is a person's, so that taking the entry out leaves it there."""
    held_by_a_person(sandbox, project, 1)
    backlog[f"{REPO}#1"] = {"verdict": "stale", "rationale": "Old", "metadata": {"x": 1}}
    other = TriageBacklog(project=project.url, issues=connect())
    send = type(backlog._kept)._send  # noqa: SLF001 - to come between
    with pytest.MonkeyPatch.context() as patch:

        def after_somebody(*arguments: object) -> set[str]:
            patch.undo()
            other.clear()
            return send(*arguments)  # type: ignore[arg-type]

        patch.setattr(type(backlog._kept), "_send", after_somebody)  # noqa: SLF001 - as above
        backlog[f"{REPO}#1"] = {"order": 3}
    # It is a new entry, and nothing is left over in it of the one that is gone.
    assert backlog.hydrate() == [TriageEntry(f"{REPO}#1", TriageVerdict.fixable, 3)]


def test_what_is_not_public_is_kept_nowhere_else(
    project: Project, sandbox: Sandbox, connect: Callable[[], Issues], tmp_path: Path
) -> None:
    backlog = TriageBacklog(project=project.url, issues=connect(), cache_dir=tmp_path)
    backlog[f"{REPO}#1"] = {"verdict": "stale", "rationale": "Seen by anyone"}
    (snapshot,) = tmp_path.glob("triage_*.json")
    assert "Seen by anyone" in snapshot.read_text()
    project.public = False
    backlog[f"{REPO}#1"] = {"rationale": "Seen by few"}
    assert "Seen by few" not in snapshot.read_text()
    project.public = True
    sandbox.state.set_visibility(REPO, "PRIVATE")
    assert backlog[f"{REPO}#1"].rationale == "Seen by few"
    assert "widgets" not in snapshot.read_text().partition('"triage"')[2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PROJECT, ProjectAddress("octo-org", 1)),
        ("github.com/orgs/o/projects/7/views/2", ProjectAddress("o", 7)),
        ("https://github.com/users/u/projects/3?pane=info", ProjectAddress("u", 3, "users")),
        (
            "https://ghe.example.com/orgs/o/projects/7/",
            ProjectAddress("o", 7, "orgs", "ghe.example.com"),
        ),
        ("https://github.com/o/r/projects/1", None),
        ("https://github.com/orgs/o/projects/new", None),
        ("o/r#1", None),
        ("", None),
    ],
)
def test_what_names_a_project(text: str, expected: ProjectAddress | None) -> None:
    assert parse_project(text) == expected


def test_a_project_of_a_person(sandbox: Sandbox, connect: Callable[[], Issues]) -> None:
    sandbox.state.scopes = None
    number = sandbox.state.add_project("mona", organization=False)
    where = ProjectAddress("mona", number, "users")
    backlog = TriageBacklog(project=where, issues=connect())
    backlog[f"{REPO}#1"] = "stale"
    assert list(backlog) == [f"{REPO}#1"]
    with pytest.raises(NotFound, match="Could not resolve to an Organization"):
        list(TriageBacklog(project=ProjectAddress("mona", number), issues=connect()))
    with pytest.raises(NotFound, match="ProjectV2 with the number 9"):
        list(TriageBacklog(project=ProjectAddress("mona", 9, "users"), issues=connect()))


def test_where_it_is_kept_is_said_once() -> None:
    for arguments in ({}, {"repo": REPO}, {"repo": REPO, "number": 1, "project": PROJECT}):
        with pytest.raises(UsageError, match=r"in an issue .* or in a project"):
            TriageBacklog(**arguments)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="names no project"):
        TriageBacklog(project="octo-org/1")
    with pytest.raises(UsageError, match="not in both"):
        github_memory(REPO, triage_issue=1, triage_project=PROJECT)


def test_the_factory_opens_one_in_a_project(project: Project) -> None:
    with github_memory(REPO, triage_project=project.url) as kept:
        assert kept.triage is not None
        kept.triage[f"{REPO}#1"] = "stale"
        assert kept["triage"] is kept.triage
        assert str(kept.triage.where) == PROJECT
