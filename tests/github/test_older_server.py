"""An Enterprise Server whose schema lacks what is young: the rest is had all the same."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from resources_graph_core.address import Address
from resources_graph_core.github import open_source
from resources_graph_core.github.documents import Ask, Fragment, On, Operation, Spread
from resources_graph_core.github.shapes import DISPENSABLE, IssueShape
from resources_graph_core.model import Issue
from resources_graph_core.sandbox import Sandbox
from resources_graph_core.sandbox.archive import load_archive, packaged_archives

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ARCHIVE = load_archive(max(packaged_archives(), key=lambda path: path.stat().st_size))
OWNER, _, NAME = ARCHIVE.repo.partition("/")
WANTED = [Address.of_item(OWNER, NAME, issue.number) for issue in ARCHIVE.issues[:40]]


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    own = (files("resources_graph_core.sandbox") / "schema.graphql").read_text()
    argument = "stateReason(enableDuplicate: Boolean = false): IssueStateReason"
    field = "  subIssuesSummary: SubIssuesSummary!\n"
    assert argument in own
    assert field in own
    older = tmp_path / "older.graphql"
    older.write_text(own.replace(argument, "stateReason: IssueStateReason").replace(field, ""))
    with Sandbox(packaged_archives(), schema=older) as running:
        yield running


def test_what_an_older_schema_lacks_is_left_out(sandbox: Sandbox) -> None:
    with open_source(sandbox.url, "made-up") as source:
        contents = [one.content for one in source.fetch(WANTED)]
        asked = sandbox.requests.by_name["Items"]
        assert [one.content for one in source.fetch(WANTED)] == contents
        assert sandbox.requests.by_name["Items"] - asked == 2  # it is known by now
    assert all(isinstance(content, Issue) for content in contents)
    assert {content.sub_issues_total for content in contents if isinstance(content, Issue)} == {
        None
    }


def test_what_is_left_out_of_a_document() -> None:
    inner = (Ask("kept"), Ask("young"), Ask("chosen", {"first": 5, "new": True}))
    parts = (On("Issue", inner), Spread(Fragment("F", "Issue", inner)), Ask("field", {}, inner))
    left = Operation("Any", parts).without({"young", "chosen.new"})
    assert "young" not in left.text
    assert "new" not in left.text
    assert left.text.count("chosen(first: 5)") == 3
    assert left.text.count("kept") == 3
    whole = Operation("Any", parts)
    assert whole.without(set()) is whole


def test_only_what_may_be_missing_is_dispensable() -> None:
    """Every field among them has a default in its shape."""
    aliases = {field.alias: field for field in IssueShape.model_fields.values()}
    for name in DISPENSABLE:
        field, _, argument = name.partition(".")
        assert argument or not aliases[field].is_required()
