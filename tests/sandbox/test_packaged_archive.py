"""The packaged archives: they load, are large enough where it matters, and leave no field out."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, get_args

import pytest
from pydantic import BaseModel

from resources_graph_core.sandbox.archive import (
    Archive,
    ArchivedFile,
    ArchivedIssue,
    ArchivedItem,
    ArchivedPullRequest,
    ArchivedReview,
    Association,
    ReactionContent,
    Record,
    Written,
    load_archive,
    packaged_archives,
)
from resources_graph_core.sandbox.nodes import PullRequest
from resources_graph_core.sandbox.state import State

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST = 400_000
"""Bytes that the archives may take of every installation."""

NOT_PACKAGED = {
    "Association": {"MANNEQUIN", "FIRST_TIMER"},  # what GitHub says of imports, and rarely
    "ArchivedReview.state": {"PENDING"},  # nobody but its author sees one
    "ArchivedRepository.visibility": {"PRIVATE", "INTERNAL"},  # tests make them so
}


@pytest.fixture(scope="module")
def archives() -> list[Archive]:
    return [load_archive(path) for path in packaged_archives()]


@pytest.fixture(scope="module")
def records(archives: list[Archive]) -> dict[type[BaseModel], list[BaseModel]]:
    """Every record of the archives, by its kind."""
    found = defaultdict(list)
    for archive in archives:
        for record in _records(archive):
            found[type(record)].append(record)
    return found


def _records(record: BaseModel) -> Iterator[BaseModel]:
    yield record
    for name in type(record).model_fields:
        value = getattr(record, name)
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, BaseModel):
                yield from _records(part)


def items(archive: Archive) -> list[ArchivedItem]:
    return [*archive.issues, *archive.pulls]


def test_they_are_small_and_the_fullest_comes_first(archives: list[Archive]) -> None:
    assert sum(path.stat().st_size for path in packaged_archives()) < LARGEST
    assert [archive.repo for archive in archives] == ["octo-org/widgets", "octo-org/gadgets"]


def test_no_field_is_empty_everywhere(records: dict[type[BaseModel], list[BaseModel]]) -> None:
    empty = [
        f"{kind.__name__}.{name}"
        for kind, found in records.items()
        for name in kind.model_fields
        if not any(getattr(record, name) for record in found)
    ]
    assert empty == []


def test_no_kind_of_record_is_left_out(records: dict[type[BaseModel], list[BaseModel]]) -> None:
    def below(kind: type[BaseModel]) -> set[type[BaseModel]]:
        return {kind}.union(*(below(each) for each in kind.__subclasses__()))

    kinds = below(Record)
    bases = {base for kind in kinds for base in kind.__bases__ if base not in records}
    assert kinds - bases == set(records)


def test_every_word_of_github_occurs(records: dict[type[BaseModel], list[BaseModel]]) -> None:
    """Each state, reason, verdict and so on, but for those that cannot be there."""
    for kind, names in (
        (ArchivedIssue, ["state", "state_reason", "active_lock_reason"]),
        (ArchivedPullRequest, ["state", "active_lock_reason"]),
        (ArchivedReview, ["state"]),
        (ArchivedFile, ["change_type"]),
    ):
        for name in names:
            annotation = kind.model_fields[name].annotation
            words = {
                word
                for one in (annotation, *get_args(annotation))
                for word in get_args(one)
                if isinstance(word, str)
            }
            seen = {getattr(record, name) for record in records[kind]}
            if name == "active_lock_reason":
                both = (*records[ArchivedIssue], *records[ArchivedPullRequest])
                seen = {getattr(record, name) for record in both}
            left_out = NOT_PACKAGED.get(f"{kind.__name__}.{name}", set())
            assert words - seen == left_out, f"{kind.__name__}.{name}"


def test_every_association_and_reaction_occurs(
    records: dict[type[BaseModel], list[BaseModel]],
) -> None:
    written = [
        record for found in records.values() for record in found if isinstance(record, Written)
    ]
    associations = {record.author_association for record in written}
    assert set(get_args(Association)) - associations == NOT_PACKAGED["Association"]
    reactions = {content for record in written for content in record.reactions}
    assert reactions == set(get_args(ReactionContent))


def test_lists_are_long_where_paging_matters(archives: list[Archive]) -> None:
    """GitHub's pages hold at most 100; commands list 30 unless told otherwise."""
    first = archives[0]
    assert sum(issue.state == "OPEN" for issue in first.issues) > 30
    assert sorted(len(item.comments) for item in items(first))[-3:] == [34, 36, 130]
    assert max(len(item.labels) for item in items(first)) > 100
    assert max(len(pull.files or ()) for pull in first.pulls) > 100
    assert max(len(pull.reviews) for pull in first.pulls) > 100
    assert max(len(pull.review_threads) for pull in first.pulls) > 100


def test_no_two_things_share_an_id_and_items_are_in_order(archives: list[Archive]) -> None:
    state = State(archives)
    ids = [
        thing.id
        for repository in state.repositories
        for item in repository.items.values()
        for thing in (
            item,
            *item.comments,
            *(item.reviews if isinstance(item, PullRequest) else ()),
        )
    ]
    assert len(ids) == len(set(ids))
    for archive in archives:
        in_order = sorted(items(archive), key=lambda item: item.created_at)
        assert [item.number for item in in_order] == sorted(item.number for item in in_order)
        assert len({item.created_at for item in in_order}) == len(in_order)


def test_times_are_consistent(archives: list[Archive]) -> None:
    for archive in archives:
        for item in items(archive):
            assert item.created_at <= (item.closed_at or item.updated_at) <= item.updated_at
            assert all(item.created_at < comment.created_at for comment in item.comments)
            assert all(comment.created_at <= item.updated_at for comment in item.comments)


def test_texts_hold_what_is_hard_to_keep(archives: list[Archive]) -> None:
    text = json.dumps([archive.model_dump() for archive in archives], ensure_ascii=False)
    for hard in (
        "\\r\\n",
        "قطعة",
        "שלום",
        "青い部品",
        "🌱",
        "\u200d",
        "```python",
        "area: db,cache",
    ):
        assert hard in text
    authors = {item.author for archive in archives for item in items(archive)}
    assert {None, "renovate[bot]"} <= authors


def test_references_lead_within_and_across_repositories(archives: list[Archive]) -> None:
    state = State(archives)
    events = [event for found in state.references.mentions.values() for event in found]
    assert {event.is_cross_repository for event in events} == {True, False}
    closed = [
        (pull, issue.repository.name)
        for pull, issues in state.references.closes.items()
        for issue in issues
    ]
    assert {name for _, name in closed} == {"widgets", "gadgets"}
