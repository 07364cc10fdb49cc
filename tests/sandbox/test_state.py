"""What can happen to the sandbox's repositories, seen from the state itself."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from resources_graph_core.errors import UsageError
from resources_graph_core.sandbox.archive import load_archive, packaged_archives
from resources_graph_core.sandbox.nodes import PullRequest
from resources_graph_core.sandbox.state import State

NOW = "2031-02-03T04:05:06Z"
WIDGETS, GADGETS = "octo-org/widgets", "octo-org/gadgets"


@pytest.fixture
def state() -> State:
    """The packaged repositories, at a moment of their own."""
    archives = [load_archive(path) for path in packaged_archives()]
    return State(archives, clock=lambda: datetime(2031, 2, 3, 4, 5, 6, tzinfo=UTC))


def test_an_edit_moves_the_time_and_only_what_it_names(state: State) -> None:
    item = state.item(WIDGETS, 1)
    assert item is not None
    body = item.body
    state.edit_item(WIDGETS, 1, title="Other", labels=["bug", "quite new"], assignees=["ann"])
    assert (item.title, item.body, item.updated_at) == ("Other", body, NOW)
    assert [label.name for label in item.labels] == ["bug", "quite new"]
    assert [who.login for who in item.assignees] == ["ann"]


@pytest.mark.parametrize("field", ["colour", "id", "repository", "comments", "url"])
def test_what_links_things_cannot_be_edited(state: State, field: str) -> None:
    with pytest.raises(UsageError, match=field):
        state.edit_item(WIDGETS, 1, **{field: "x"})


def test_a_new_comment_is_found_and_can_mention(state: State) -> None:
    added = state.add_comment(GADGETS, 1, f"see {WIDGETS}#1")
    item = state.item(WIDGETS, 1)
    assert item is not None
    assert state.node(added) is not None
    sources = [event.source.reference for event in state.references.mentions[item.id]]
    assert f"{GADGETS}#1" in sources


def test_quiet_changes_leave_the_time(state: State) -> None:
    item = state.item(WIDGETS, 1)
    assert item is not None
    added = state.add_comment(WIDGETS, 1, "soon gone")
    item.updated_at = before = "2030-01-01T00:00:00Z"
    state.minimize_comment(WIDGETS, 1, added, "spam")
    assert item.comments[-1].minimized_reason == "spam"
    state.delete_comment(WIDGETS, 1, added)
    assert state.node(added) is None
    assert item.updated_at == before


def test_a_thread_is_resolved_quietly(state: State) -> None:
    thread = next(
        thread
        for repository in state.repositories
        for item in repository.items.values()
        if isinstance(item, PullRequest)
        for thread in item.review_threads
        if not thread.is_resolved
    )
    before = thread.pull_request.updated_at
    state.resolve_thread(thread.id)
    assert thread.is_resolved
    assert thread.pull_request.updated_at == before
    with pytest.raises(UsageError, match="no review thread"):
        state.resolve_thread("PRRT_none")


def test_moves_lead_on_under_both_names(state: State) -> None:
    item = state.item(WIDGETS, 1)
    assert item is not None
    old_id = item.id
    number = state.transfer_item(WIDGETS, 1, GADGETS)
    assert state.item(WIDGETS, 1) is None
    assert state.node(old_id) is None
    state.rename_repository(WIDGETS, "octo-org/gears")
    for name in (WIDGETS, "octo-org/gears"):
        moved = state.whereabouts(name, 1)
        assert moved is not None
        assert moved.moved_to == (GADGETS, number)
    assert state.repository(WIDGETS, follow_renames=False) is None


def test_old_names_lead_to_the_same_repository_whoever_takes_its_later_ones(state: State) -> None:
    widgets = state.repository(WIDGETS)
    number = state.transfer_item(GADGETS, 1, WIDGETS)
    state.rename_repository(WIDGETS, "octo-org/gears")
    state.rename_repository("octo-org/gears", "octo-org/cogs")
    state.rename_repository(GADGETS, "octo-org/gears")
    assert state.repository(WIDGETS) is state.repository("octo-org/cogs") is widgets
    moved = state.whereabouts("octo-org/gears", 1)
    assert moved is not None
    assert moved.moved_to == ("octo-org/cogs", number)
    state.delete_repository("octo-org/cogs")
    state.rename_repository("octo-org/gears", "octo-org/cogs")
    assert state.repository(WIDGETS) is None
    assert state.whereabouts("octo-org/cogs", 1) is None


def test_a_later_archive_takes_the_place_of_the_earlier(state: State) -> None:
    archive = load_archive(packaged_archives()[0])
    item = state.item(WIDGETS, 1)
    assert item is not None
    state.edit_item(WIDGETS, 1, title="Edited")
    state.load(archive)
    again = state.item(WIDGETS, 1)
    assert again is not None
    assert (again.id, again.title) == (item.id, archive.issues[0].title)


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state.edit_item(WIDGETS, 99_999),
        lambda state: state.delete_item("octo-org/none", 1),
        lambda state: state.transfer_item(WIDGETS, 1, "octo-org/none"),
        lambda state: state.set_access("octo-org/none", "hidden"),
    ],
)
def test_what_is_not_there_cannot_change(state: State, change: object) -> None:
    assert callable(change)
    with pytest.raises(UsageError, match="the sandbox has no"):
        change(state)
