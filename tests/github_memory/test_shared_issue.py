"""Several writers of one issue, of both kinds of block and many at once: nothing gets lost."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from resources_graph_core.github.pace import Timing
from resources_graph_core.github_memory import RoadmapStore, TriageBacklog
from tests.github_memory.conftest import REPO

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.github_memory.issues import Issues
    from resources_graph_core.sandbox import Sandbox


@pytest.mark.parametrize("kind", ["roadmap", "triage"])
@pytest.mark.parametrize("writes", [1, 8, 10, 25])
def test_what_was_overwritten_comes_back_after_many_writes_of_others(
    connect: Callable[[], Issues], kind: str, writes: int
) -> None:
    """Two add one title, unseen by the second; before he looks back a third writes often."""
    RoadmapStore(REPO, 1, issues=connect()).append("Base")
    hasty = connect()  # and does not wait for what the second is about to put back
    hasty.timing = Timing(sleep=lambda _: None)
    first, third = RoadmapStore(REPO, 1, issues=connect()), RoadmapStore(REPO, 1, issues=hasty)
    backlog = TriageBacklog(REPO, 1, issues=connect())
    backlog["o/r#1"] = "stale"
    ids: list[str] = []
    issues = connect()
    replace = issues.replace_text

    def replace_text(*arguments: Any) -> str:  # noqa: ANN401 - what is passed on
        if ids:
            return replace(*arguments)
        ids.append(first.append("Same", metadata={"by": "first"}).id)
        kept = replace(*arguments)
        for number in range(writes):
            if kind == "triage":
                backlog[f"o/r#{number + 2}"] = "fixable"
            else:
                third.append(f"Other {number}")
        return kept

    issues.replace_text = replace_text  # type: ignore[method-assign]
    second = RoadmapStore(REPO, 1, issues=issues)
    ids.append(second.append("Same", metadata={"by": "second"}).id)
    held = {task.id: task.metadata for task in second.hydrate() if task.title == "Same"}
    assert held == {ids[0]: {"by": "first"}, ids[1]: {"by": "second"}}
    assert len(second) == 3 + (0 if kind == "triage" else writes)
    assert len(backlog) == 1 + (writes if kind == "triage" else 0)


def test_a_backlog_that_a_roadmap_overwrote_comes_back_whole(
    connect: Callable[[], Issues],
) -> None:
    """By its entries, since lines of JSON put together are no JSON."""
    backlog, other = (TriageBacklog(REPO, 1, issues=connect()) for _ in range(2))
    backlog["o/r#1"] = "stale"
    issues = connect()
    replace = issues.replace_text
    done: list[bool] = []

    def replace_text(*arguments: Any) -> str:  # noqa: ANN401 - what is passed on
        if done:
            return replace(*arguments)
        done.append(True)
        backlog["o/r#2"] = {"verdict": "fixable", "rationale": "Overwritten"}
        kept = replace(*arguments)
        other["o/r#3"] = "blocked"
        return kept

    issues.replace_text = replace_text  # type: ignore[method-assign]
    RoadmapStore(REPO, 1, issues=issues).append("Ours")
    assert [(ref, entry.verdict) for ref, entry in other.items()] == [
        ("o/r#1", "stale"),
        ("o/r#2", "fixable"),
        ("o/r#3", "blocked"),
    ]
    assert list(RoadmapStore(REPO, 1, issues=issues)) == ["ours"]


def test_a_roadmap_that_a_backlog_overwrote_as_it_was_begun_comes_back(
    connect: Callable[[], Issues],
) -> None:
    """Its first task, and while that is put back another of the same title."""
    one, two = (RoadmapStore(REPO, 1, issues=connect()) for _ in range(2))
    issues = connect()
    replace = issues.replace_text
    waiting = [one, two]

    def replace_text(*arguments: Any) -> str:  # noqa: ANN401 - what is passed on
        if waiting:
            store = waiting.pop()
            store.append("Same", metadata={"by": len(waiting)})
        return replace(*arguments)

    issues.replace_text = replace_text  # type: ignore[method-assign]
    backlog = TriageBacklog(REPO, 1, issues=issues)
    backlog["o/r#1"] = "stale"
    backlog["o/r#2"] = "stale"
    assert sorted(task.metadata["by"] for task in one.values()) == [0, 1]
    assert len({task.id for task in one.values()}) == 2
    assert list(backlog) == ["o/r#1", "o/r#2"]


@pytest.mark.parametrize("first", ["roadmap", "triage"])
def test_both_kinds_begun_at_once_in_either_order_are_one_each(
    connect: Callable[[], Issues], sandbox: Sandbox, first: str
) -> None:
    """Somebody put the two blocks into the issue the other way round, unseen."""
    theirs = connect()

    def begin(issues: Issues, order: str) -> None:
        for kind in (order, "triage" if order == "roadmap" else "roadmap"):
            if kind == "roadmap":
                RoadmapStore(REPO, 1, issues=issues).append(f"Begun by {order}")
            else:
                TriageBacklog(REPO, 1, issues=issues)[f"{order}/r#1"] = "stale"

    begin(theirs, first)
    item = sandbox.state.item(REPO, 1)
    assert item is not None
    other_way = item.body
    sandbox.state.edit_item(REPO, 1, body="The body of 1")
    second = "triage" if first == "roadmap" else "roadmap"
    issues = connect()
    replace = issues.replace_text
    waiting = [None, other_way]  # before the second write of ours

    def replace_text(*arguments: Any) -> str:  # noqa: ANN401 - what is passed on
        if waiting and (body := waiting.pop(0)) is not None:
            sandbox.state.edit_item(REPO, 1, body=body)
        return replace(*arguments)

    issues.replace_text = replace_text  # type: ignore[method-assign]
    begin(issues, second)
    tasks = [task.title for task in RoadmapStore(REPO, 1, issues=connect()).values()]
    assert sorted(tasks) == ["Begun by roadmap", "Begun by triage"]
    assert sorted(TriageBacklog(REPO, 1, issues=connect())) == ["roadmap/r#1", "triage/r#1"]
    assert item.body.count("## Roadmap") == item.body.count("## Triage backlog") == 1


def test_a_broken_backlog_is_text_to_a_roadmap(
    connect: Callable[[], Issues], sandbox: Sandbox
) -> None:
    broken = "<!-- ge:triage:begin -->\n[{]\n<!-- ge:triage:end -->\n"
    sandbox.state.edit_item(REPO, 1, body=broken)
    sandbox.state.edit_before_next_write(REPO, 1, body=f"Theirs\n{broken}")
    store = RoadmapStore(REPO, 1, issues=connect())
    store.append("Ours")
    item = sandbox.state.item(REPO, 1)
    assert item is not None
    assert item.body.startswith(f"Theirs\n{broken}")
    assert list(store) == ["ours"]


def test_a_roadmap_and_a_backlog_race_in_one_issue(connect: Callable[[], Issues]) -> None:
    barrier = threading.Barrier(4)

    def add(name: str) -> None:
        store = RoadmapStore(REPO, 1, issues=connect())
        barrier.wait()
        for _ in range(12):
            store.append("Same", metadata={"by": name})

    def judge(name: str) -> None:
        store = TriageBacklog(REPO, 1, issues=connect())
        barrier.wait()
        for number in range(12):
            store[f"{name}/r#{number + 1}"] = {"verdict": "stale", "metadata": {"by": name}}

    with ThreadPoolExecutor(4) as pool:
        work = [pool.submit(add, name) for name in "ab"] + [
            pool.submit(judge, name) for name in "cd"
        ]
        for done in work:
            done.result()
    tasks = RoadmapStore(REPO, 1, issues=connect()).hydrate()
    assert sorted(task.metadata["by"] for task in tasks) == sorted("ab" * 12)
    assert len({task.id for task in tasks}) == 24
    entries = TriageBacklog(REPO, 1, issues=connect()).hydrate()
    assert sorted(entry.metadata["by"] for entry in entries) == sorted("cd" * 12)


@pytest.mark.parametrize(("before", "after"), [(1, True), (True, 1), (1, 1.0), ([0], [False])])
def test_what_only_python_takes_for_the_same_is_written(
    connect: Callable[[], Issues], before: object, after: object
) -> None:
    roadmap = RoadmapStore(REPO, 1, issues=connect())
    task = roadmap.append("Task", metadata={"n": before})
    roadmap[task.id] = {"metadata": {"n": after}}
    assert repr(roadmap[task.id].metadata["n"]) == repr(after)
    backlog = TriageBacklog(REPO, 2, issues=connect())
    backlog["o/r#1"] = {"metadata": {"n": before}}
    backlog["o/r#1"] = {"metadata": {"n": after}}
    assert repr(backlog["o/r#1"].metadata["n"]) == repr(after)
