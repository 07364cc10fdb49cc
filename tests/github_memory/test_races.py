"""Writers at once: whatever happens between a read and a write, nobody's change is lost."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from resources_graph_core.errors import WriteConflict, WriteUncertain
from resources_graph_core.github.pace import Timing
from resources_graph_core.github_memory import (
    DecisionLog,
    RoadmapStore,
    TaskRecord,
    TaskState,
    TriageBacklog,
    TriageEntry,
    TriageVerdict,
    writing,
)
from resources_graph_core.github_memory.roadmap_block import BEGIN, END
from resources_graph_core.github_memory.versions import Version
from tests.github_memory.conftest import REPO

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.github_memory.issues import Issues
    from resources_graph_core.sandbox import Sandbox

RACES = 250
"""How often each of two writers writes, so that there are 500 races."""


def text(sandbox: Sandbox, number: int) -> str:
    """The text of an issue, without the comment that tells the edits in it."""
    item = sandbox.state.item(REPO, number)
    assert item is not None
    return Version.of(item.body).text


def test_two_writers_race_500_times_and_nothing_is_lost(
    connect: Callable[[], Issues], sandbox: Sandbox
) -> None:
    """Each adds two tasks, finishes one, takes out both or keeps one, and so on.

    A change that got lost shows at once: what is to be changed next is not there.
    """
    barrier = threading.Barrier(2)

    def work(name: str) -> None:
        store = RoadmapStore(REPO, 1, issues=connect())
        barrier.wait()
        for number in range(RACES):
            match number % 5:
                case 0 | 1:
                    store.append(f"{name} {number}")
                case 2:
                    store.change(f"{name}-{number - 2}", state="done")
                case 3:
                    del store[f"{name}-{number - 3}"]
                case _ if number % 25 == 4:
                    store.change(f"{name}-{number - 3}", state="doing")
                case _:
                    del store[f"{name}-{number - 3}"]

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(work, name) for name in ("one", "two")]:
            done.result()
    held = RoadmapStore(REPO, 1, issues=connect())
    for name in ("one", "two"):
        mine = [(task.id, task.state) for task in held.values() if task.id.startswith(name)]
        assert mine == [(f"{name}-{number}", "doing") for number in range(1, RACES, 25)]
    assert text(sandbox, 1).startswith("The body of 1\n\n## Roadmap\n")
    patches = [one for one in sandbox.requests.all if one.name.startswith("PATCH")]
    assert len(patches) > 2 * RACES  # some had to be made again, so there were conflicts


def test_two_writers_of_the_same_tasks_lose_no_field(
    connect: Callable[[], Issues],
) -> None:
    """One sets the state of each task, another a note, a third its title, all at the same time."""
    names = [f"task-{number}" for number in range(20)]
    with RoadmapStore(REPO, 1, issues=connect()).batch() as store:
        for name in names:
            store.append(name)
    barrier = threading.Barrier(3)

    def give(field: str, value: Any) -> None:  # noqa: ANN401 - of any field
        store = RoadmapStore(REPO, 1, issues=connect())
        barrier.wait()
        for name in names:
            store[name] = {field: value}

    with ThreadPoolExecutor(3) as pool:
        given = {"state": "done", "metadata": {"by": "us"}, "title": "Another"}
        for done in [pool.submit(give, *one) for one in given.items()]:
            done.result()
    assert RoadmapStore(REPO, 1, issues=connect()).hydrate() == [
        TaskRecord(name, "Another", TaskState.done, {"by": "us"}) for name in names
    ]


def test_two_writers_of_the_same_entries_lose_no_field(connect: Callable[[], Issues]) -> None:
    refs = [f"o/r#{number}" for number in range(1, 21)]
    with TriageBacklog(REPO, 2, issues=connect()).batch() as store:
        for ref in refs:
            store[ref] = "stale"
    barrier = threading.Barrier(3)

    def give(field: str, value: object) -> None:
        store = TriageBacklog(REPO, 2, issues=connect())
        barrier.wait()
        for ref in refs:
            store[ref] = {field: value}

    with ThreadPoolExecutor(3) as pool:
        given = {"verdict": "blocked", "order": 7, "rationale": "Waits"}
        for done in [pool.submit(give, *one) for one in given.items()]:
            done.result()
    assert TriageBacklog(REPO, 2, issues=connect()).hydrate() == [
        TriageEntry(ref, TriageVerdict.blocked, 7, "Waits") for ref in sorted(refs)
    ]


def test_tasks_of_one_title_added_at_once_are_several(connect: Callable[[], Issues]) -> None:
    """Each writer is told an id of its own, and what it then sets is set in its own task."""
    barrier = threading.Barrier(2)

    def work(name: str) -> list[str]:
        store = RoadmapStore(REPO, 1, issues=connect())
        barrier.wait()
        ids = []
        for _ in range(15):
            made = store.append("Same title")
            store.change(made.id, metadata={"by": name})
            ids.append(made.id)
        return ids

    with ThreadPoolExecutor(2) as pool:
        told = {name: pool.submit(work, name) for name in ("a", "b")}
    held = RoadmapStore(REPO, 1, issues=connect()).hydrate()
    assert {task.id: task.metadata["by"] for task in held} == {
        id_: name for name, ids in told.items() for id_ in ids.result()
    }
    assert len(held) == 30


def test_many_writers_of_one_title_lose_no_task(connect: Callable[[], Issues]) -> None:
    barrier = threading.Barrier(4)

    def work(name: str) -> None:
        store = RoadmapStore(REPO, 1, issues=connect())
        barrier.wait()
        for _ in range(8):
            store.append("Same title", metadata={"by": name})

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work, name) for name in "abcd"]:
            done.result()
    held = RoadmapStore(REPO, 1, issues=connect()).hydrate()
    assert sorted(task.metadata["by"] for task in held) == sorted("abcd" * 8)
    assert len({task.id for task in held}) == 32


def test_a_batch_does_not_take_the_task_of_another_for_its_own(
    connect: Callable[[], Issues],
) -> None:
    """Between the batch and its write somebody adds a task of the same title."""
    ours, theirs = (RoadmapStore(REPO, 1, issues=connect()) for _ in range(2))
    with ours.batch():
        mine = ours.append("Same")
        assert mine.id == "same"
        ours[mine.id] = "doing"
        ours.append("Other")
        ours.move("same")
        other = theirs.append("Same")
    assert (mine.id, other.id) == ("same-2", "same")
    assert [(task.id, task.state) for task in ours.values()] == [
        ("same", "todo"),
        ("other", "todo"),
        ("same-2", "doing"),
    ]


def test_one_key_set_by_two_is_one_task(connect: Callable[[], Issues], sandbox: Sandbox) -> None:
    sandbox.state.edit_item(REPO, 1, body=with_tasks())
    theirs = RoadmapStore(REPO, 1, issues=connect())
    theirs["fix-it"] = "todo"
    item = sandbox.state.item(REPO, 1)
    assert item is not None
    after = item.body
    sandbox.state.edit_item(REPO, 1, body=with_tasks())
    sandbox.state.edit_before_next_write(REPO, 1, body=after)
    ours = RoadmapStore(REPO, 1, issues=connect())
    ours["fix-it"] = {"state": "doing", "metadata": {"by": "us"}}
    assert ours.hydrate() == [TaskRecord("fix-it", "fix-it", TaskState.doing, {"by": "us"})]


def test_nobody_waits_for_a_write_that_was_undone_knowingly(
    connect: Callable[[], Issues], sandbox: Sandbox
) -> None:
    """A person opens the editor after our write, and takes back what it did."""
    slept: list[float] = []
    issues = connect()
    issues.timing = Timing(sleep=slept.append)
    store = RoadmapStore(REPO, 1, issues=issues)
    store.append("Alpha")
    store["alpha"] = "done"
    other = RoadmapStore(REPO, 1, issues=connect())
    other["alpha"] = "todo"
    assert store["alpha"].state == "todo"
    item = sandbox.state.item(REPO, 1)
    assert item is not None
    store["alpha"] = "done"
    sandbox.state.edit_item(REPO, 1, body=item.body.replace("[x]", "[ ]"))
    assert store["alpha"].state == "todo"
    assert slept == []


@pytest.mark.parametrize("with_comment", [True, False])
def test_what_a_person_took_back_stays_so(
    connect: Callable[[], Issues], sandbox: Sandbox, *, with_comment: bool
) -> None:
    """Somebody pastes an earlier text over the issue, with or without the comment of its edits."""
    slept: list[float] = []
    issues = connect()
    issues.timing = Timing(sleep=slept.append)
    RoadmapStore(REPO, 1, issues=connect()).append("Alpha")
    item = sandbox.state.item(REPO, 1)
    assert item is not None
    earlier = item.body if with_comment else Version.of(item.body).text
    RoadmapStore(REPO, 1, issues=connect()).append("Beta")
    sandbox.state.edit_item(REPO, 1, body=earlier)
    store = RoadmapStore(REPO, 1, issues=issues)
    store.append("Gamma")
    assert list(store) == ["alpha", "gamma"]
    assert slept == []


def test_a_write_that_a_stranger_overwrote_is_waited_for_once(
    connect: Callable[[], Issues], sandbox: Sandbox
) -> None:
    slept: list[float] = []
    issues = connect()
    issues.timing = Timing(sleep=slept.append)
    store = RoadmapStore(REPO, 1, issues=issues)
    store.append("Alpha")
    sandbox.state.edit_item(REPO, 1, body=with_tasks("Beta"))
    assert list(store) == ["beta"]
    assert slept == list(writing.MENDING[1:])
    assert list(store) == ["beta"]
    assert slept == list(writing.MENDING[1:])


def with_tasks(*titles: str) -> str:
    return "\n".join([BEGIN, *(f"- [ ] {title}" for title in titles), END])


def test_an_edit_between_read_and_write_is_kept(
    connect: Callable[[], Issues], sandbox: Sandbox
) -> None:
    sandbox.state.edit_item(REPO, 1, body=with_tasks("a"))
    theirs = with_tasks("a", "theirs") + "\nand words"
    sandbox.state.edit_before_next_write(REPO, 1, body=theirs)
    RoadmapStore(REPO, 1, issues=connect()).append("ours")
    assert text(sandbox, 1) == with_tasks("a", "theirs", "ours") + "\nand words"


def test_edits_between_every_read_and_write_are_kept(
    connect: Callable[[], Issues], sandbox: Sandbox
) -> None:
    """Somebody is quicker each time: also when what was overwritten is being put back."""
    sandbox.state.edit_item(REPO, 1, body=with_tasks("a"))
    for number in range(4):
        titles = [f"theirs {n}" for n in range(number + 1)]
        sandbox.state.edit_before_next_write(REPO, 1, body=with_tasks("a", *titles))
    RoadmapStore(REPO, 1, issues=connect()).append("ours")
    held = RoadmapStore(REPO, 1, issues=connect())
    assert set(held) == {"a", "ours", *(f"theirs-{number}" for number in range(4))}


def test_both_can_begin_a_roadmap(connect: Callable[[], Issues], sandbox: Sandbox) -> None:
    other = "The body of 1\n\n## Roadmap\n" + with_tasks("theirs")
    sandbox.state.edit_before_next_write(REPO, 1, body=other)
    RoadmapStore(REPO, 1, issues=connect()).append("ours")
    assert text(sandbox, 1) == "The body of 1\n\n## Roadmap\n" + with_tasks("theirs", "ours")


def test_entries_of_both_are_kept(connect: Callable[[], Issues], sandbox: Sandbox) -> None:
    ours, theirs = (TriageBacklog(REPO, 1, issues=connect()) for _ in range(2))
    ours["o/r#1"] = "stale"
    before = text(sandbox, 1)
    theirs["o/r#2"] = {"verdict": "blocked", "order": 3}
    after = text(sandbox, 1)
    sandbox.state.edit_item(REPO, 1, body=before)
    sandbox.state.edit_before_next_write(REPO, 1, body=after)
    ours["o/r#3"] = TriageEntry("o/r#3", TriageVerdict.fixable, 1)
    assert list(theirs) == ["o/r#1", "o/r#3", "o/r#2"]


def test_a_change_that_a_stranger_overwrote_is_made_again(
    connect: Callable[[], Issues], sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program replaces the text, from an old copy, just after our write."""
    slept: list[float] = []
    issues = connect()
    issues.timing = Timing(sleep=slept.append)
    replace = type(issues).replace_text
    strangers = [with_tasks("a", "stranger")]

    def and_then_a_stranger(*arguments: object) -> str:
        kept = replace(*arguments)  # type: ignore[arg-type]
        if strangers:
            sandbox.state.edit_item(REPO, 1, body=strangers.pop())
        return kept

    monkeypatch.setattr(type(issues), "replace_text", and_then_a_stranger)
    sandbox.state.edit_item(REPO, 1, body=with_tasks("a"))
    RoadmapStore(REPO, 1, issues=issues).append("ours")
    assert text(sandbox, 1) == with_tasks("a", "stranger", "ours")
    assert slept[: len(writing.MENDING)] == list(writing.MENDING)


def test_what_was_overwritten_is_put_back_after_a_stranger_went_on_from_there(
    connect: Callable[[], Issues], sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stranger's program leaves no ids, and takes ours out: it will not look back itself."""
    slept: list[float] = []
    issues = connect()
    issues.timing = Timing(sleep=slept.append)
    replace = type(issues).replace_text
    strangers = ["- [ ] theirs"]

    def and_then_a_stranger(*arguments: object) -> str:
        kept = replace(*arguments)  # type: ignore[arg-type]
        if strangers:
            edited = text(sandbox, 1).replace(END, f"{strangers.pop()}\n{END}")
            sandbox.state.edit_item(REPO, 1, body=edited)
        return kept

    monkeypatch.setattr(type(issues), "replace_text", and_then_a_stranger)
    sandbox.state.edit_item(REPO, 1, body=with_tasks("a"))
    sandbox.state.edit_before_next_write(REPO, 1, body=with_tasks("a", "overwritten"))
    RoadmapStore(REPO, 1, issues=issues).append("ours")
    held = RoadmapStore(REPO, 1, issues=connect())
    assert sorted(held) == ["a", "ours", "overwritten", "theirs"]
    assert sum(slept) < 1


def test_a_write_whose_answer_was_lost_is_not_made_twice(
    connect: Callable[[], Issues], sandbox: Sandbox
) -> None:
    store = RoadmapStore(REPO, 1, issues=connect())
    sandbox.faults.lose_answers()
    store.append("once")
    assert text(sandbox, 1).count("once") == 1
    assert sum(one.name.startswith("PATCH") for one in sandbox.requests.all) == 1


def test_a_write_that_was_not_done_is_made_again(
    connect: Callable[[], Issues], sandbox: Sandbox
) -> None:
    issues = connect()
    issues.timing = Timing(sleep=lambda _seconds: None)
    store = RoadmapStore(REPO, 1, issues=issues)
    list(store)
    replace, failures = type(issues).replace_text, [True]

    def fail_once(*arguments: object) -> str:
        if failures.pop():
            failures.append(False)
            sandbox.faults.bad_gateway(api="rest")
        else:
            failures.append(False)
        return replace(*arguments)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(issues), "replace_text", fail_once)
        store.append("at last")
    assert text(sandbox, 1).count("at last") == 1


def test_what_cannot_be_looked_up_is_said(connect: Callable[[], Issues], sandbox: Sandbox) -> None:
    store = RoadmapStore(REPO, 1, issues=connect())
    sandbox.faults.bad_gateway(api="graphql", times=5)
    with pytest.raises(WriteUncertain, match="look at the issue before writing"):
        store.append("sent")
    assert "sent" in text(sandbox, 1)


def test_somebody_who_never_stops_ends_the_tries(
    connect: Callable[[], Issues], sandbox: Sandbox
) -> None:
    issues = connect()
    issues.timing = Timing(sleep=lambda _seconds: None)
    for number in range(writing.TRIES + 1):
        sandbox.state.edit_before_next_write(REPO, 1, body=with_tasks(f"number {number}"))
    with pytest.raises(WriteConflict, match=r"octo-org/widgets#1, 40 times in a row"):
        RoadmapStore(REPO, 1, issues=issues).append("ours")


def test_what_was_overwritten_by_something_broken_is_told(
    connect: Callable[[], Issues], sandbox: Sandbox
) -> None:
    sandbox.state.edit_item(REPO, 1, body=with_tasks("a"))
    sandbox.state.edit_before_next_write(REPO, 1, body=f"{BEGIN}\n{BEGIN}\n- [ ] b\n{END}")
    with pytest.raises(WriteConflict, match="in the issue's edit history"):
        RoadmapStore(REPO, 1, issues=connect()).append("ours")


def test_an_overwritten_version_that_cannot_be_read_raises_what_is_promised(
    connect: Callable[[], Issues], sandbox: Sandbox
) -> None:
    sandbox.state.edit_item(REPO, 1, body=with_tasks("a"))
    broken = with_tasks('b <!-- rg:task {"id": "\\x"} -->')
    sandbox.state.edit_before_next_write(REPO, 1, body=broken)
    with pytest.raises(WriteConflict, match="in the issue's edit history"):
        RoadmapStore(REPO, 1, issues=connect()).append("ours")


def test_an_id_in_metadata_is_not_the_id_of_the_task(
    connect: Callable[[], Issues], sandbox: Sandbox
) -> None:
    """A write among those of others changes the task that it names."""
    one, other = (RoadmapStore(REPO, 1, issues=connect()) for _ in range(2))
    one.append("Alpha", metadata={"id": "beta"})
    one.append("Beta")
    item = sandbox.state.item(REPO, 1)
    assert item is not None
    before = item.body
    other["beta"] = "doing"
    after = item.body
    sandbox.state.edit_item(REPO, 1, body=before)
    sandbox.state.edit_before_next_write(REPO, 1, body=after)
    one["alpha"] = "done"
    assert [(task.id, task.state) for task in one.values()] == [
        ("alpha", "done"),
        ("beta", "doing"),
    ]


def test_a_decision_is_posted_once_when_its_answer_is_lost(
    connect: Callable[[], Issues], sandbox: Sandbox
) -> None:
    log = DecisionLog(REPO, 6, issues=connect())
    sandbox.faults.lose_answers()
    assert log.append("Go on").url is not None
    assert [decision.summary for decision in log] == ["Go on"]


def test_a_decision_that_is_nowhere_to_be_seen_is_not_posted_again(
    connect: Callable[[], Issues], sandbox: Sandbox
) -> None:
    log = DecisionLog(REPO, 6, issues=connect())
    sandbox.faults.bad_gateway(api="rest")
    with pytest.raises(WriteUncertain, match="Look again in a minute"):
        log.append("Go on")
    assert len(log) == 0
    sandbox.faults.bad_gateway(api="rest", times=10)
    with pytest.raises(WriteUncertain, match="GitHub is failing"):
        log.append("Go on")


def test_a_decision_can_be_made_twice(connect: Callable[[], Issues], sandbox: Sandbox) -> None:
    first = DecisionLog(REPO, 6, issues=connect()).append("Go on", rationale="Why")
    # Another process, a moment later: nothing is posted, and the first one is not taken for it.
    sandbox.faults.bad_gateway(api="rest")
    with pytest.raises(WriteUncertain):
        DecisionLog(REPO, 6, issues=connect()).append("Go on", rationale="Why")
    log = DecisionLog(REPO, 6, issues=connect())
    sandbox.faults.lose_answers()
    second = log.append("Go on", rationale="Why")
    assert second.url != first.url
    assert [(one.summary, one.rationale, one.url) for one in log] == [
        ("Go on", "Why", first.url),
        ("Go on", "Why", second.url),
    ]
