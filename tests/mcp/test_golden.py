"""What a model sees, shape by shape, as files that people have looked at; and what it costs.

``pytest tests/mcp/test_golden.py --renew-golden`` writes them anew: look at each change.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from resources_graph_core.render_model import answer, as_data, as_text, asked
from resources_graph_core.render_model.tokens import tokens
from tests.mcp import shapes

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.read import CacheRead

NOW = "2026-12-01T00:00:00Z"
FOLDER = Path(__file__).with_name("golden")

SHAPES: dict[str, tuple[Callable[[], CacheRead], dict[str, object], int]] = {
    "issue": (shapes.issue, {}, 330),
    "issue-outline": (shapes.issue, {"outline": True}, 190),
    "pull-request": (shapes.pull_request, {}, 380),
    "pull-request-reviews": (shapes.pull_request, {"reviews": True}, 240),
    "pull-request-files": (shapes.pull_request, {"files": True}, 110),
    "huge-issue": (shapes.huge, {"budget": 1000}, 1000),
    "huge-issue-range": (shapes.huge, {"budget": 1000, "comments": "500-"}, 1000),
    "huge-issue-outline": (shapes.huge, {"budget": 1000, "outline": True}, 1000),
    "list": (shapes.listing, {"budget": 1000}, 1000),
    "list-subsumed": (shapes.subsumed, {}, 200),
    "miss": (shapes.miss, {}, 50),
    "withdrawn": (shapes.withdrawn, {}, 50),
    "moved": (shapes.moved, {}, 220),
    "injected": (shapes.injected, {}, 500),
    "secrets": (shapes.secrets, {}, 330),
    "right-to-left": (shapes.right_to_left, {}, 330),
    "repository": (shapes.repository, {}, 220),
    "repository-outline": (shapes.repository, {"outline": True}, 130),
    "other-program": (shapes.old, {}, 220),
}
"""The shape, what is asked for, and the tokens it may cost."""


@pytest.mark.parametrize("name", SHAPES)
def test_what_a_model_sees(name: str, request: pytest.FixtureRequest) -> None:
    shape, arguments, most = SHAPES[name]
    composed = answer(shape(), asked(**arguments), now=NOW)  # type: ignore[arg-type]
    text = as_text(composed)
    data = as_data(composed).model_dump_json(exclude_none=True, indent=1)
    for file, shown in ((f"{name}.txt", text), (f"{name}.json", data)):
        path = FOLDER / file
        if request.config.getoption("--renew-golden"):
            path.write_text(f"{shown}\n", "utf-8")
        assert path.read_text("utf-8") == f"{shown}\n"
    assert tokens(text) <= most


def test_every_file_belongs_to_a_shape() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(SHAPES)


@pytest.mark.parametrize("budget", [1_000, 6_000, 20_000])
def test_a_huge_issue_costs_no_more_than_the_budget(budget: int) -> None:
    found = shapes.huge()
    for arguments in ({}, {"outline": True}, {"comments": "300-"}, {"since": "2026-11-03"}):
        composed = answer(found, asked(budget=budget, **arguments), now=NOW)  # type: ignore[arg-type]
        data = as_data(composed).model_dump(mode="json", exclude_none=True)
        assert tokens(as_text(composed)) <= budget
        assert tokens(json.dumps(data, ensure_ascii=False)) <= budget * 1.1


def test_pages_hold_every_comment_of_a_huge_issue_once() -> None:
    found, numbers, page = shapes.huge(), [], 1
    found.comments[300:] = []
    while page:
        composed = answer(found, asked(page=page, budget=20_000), now=NOW)
        numbers += [one.number for one in as_data(composed).comments or ()]
        page = composed.next_page or 0
    assert numbers == list(range(1, 301))
