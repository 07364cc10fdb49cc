"""The sandbox's search understands what agents and the project write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.sandbox.archive import load_archive
from resources_graph_core.sandbox.search import search
from resources_graph_core.sandbox.state import State
from tests.archives import archived, archived_comment, write_archive

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def state(tmp_path: Path) -> State:
    file = write_archive(
        tmp_path,
        issues=[
            archived(1, title="It crashes", labels=["bug", "good first issue"]),
            archived(2, state="CLOSED", comments=[archived_comment("It CRASHES here too")]),
            archived(3, author="hubot", assignees=["mona"], labels=["area: db,cache"]),
        ],
        pulls=[archived(4, state="MERGED"), archived(5, draft=True), archived(6, state="CLOSED")],
    )
    return State([load_archive(file)])


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("repo:octo-org/widgets", [6, 5, 4, 3, 2, 1]),
        ("repo:OCTO-ORG/Widgets is:issue", [3, 2, 1]),
        ("repo:no/where is:issue", []),
        ("is:issue state:open", [3, 1]),
        ("is:issue is:closed", [2]),
        ("is:pr", [6, 5, 4]),
        ("is:pr is:closed", [6, 4]),
        ("is:pr is:merged", [4]),
        ("is:pr is:unmerged", [6]),
        ("is:pr is:draft", [5]),
        ('label:bug label:"good first issue"', [1]),
        ('label:"area: db,cache"', [3]),
        ("label:bug,nonsense", [1]),
        ("-label:bug is:issue", [3, 2]),
        ("author:hubot", [3]),
        ("assignee:mona", [3]),
        ("no:assignee is:issue", [2, 1]),
        ("crashes", [2, 1]),
        ('"it crashes" is:open', [1]),
        ("(crashes) is:open", [1]),
        ("created:<=2026-01-02 sort:created-asc", [1, 2]),
        ("created:2026-01-02..2026-01-03", [3, 2]),
        ("nothing-like-this", []),
    ],
)
def test_searches(state: State, text: str, numbers: list[int]) -> None:
    assert [item.number for item in search(state, text)] == numbers
