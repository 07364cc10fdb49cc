"""How a Listing's filters are asked for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources_graph_core.address import Address, Filters
from resources_graph_core.github.documents import Enum, Variable
from resources_graph_core.github.lists import list_arguments, milestone_number, search_text


def listing(kind: str = "issues", query: str | None = None, **filters: Any) -> Address:  # noqa: ANN401 - filters
    return Address.of_listing("o", "r", kind, Filters(**filters), query=query)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "address",
    [
        listing(labels=("a", "b")),
        listing(query="crash"),
        listing(milestone="v1"),
        listing(author="app/dependabot"),
        listing("pulls", author="a"),
        listing("pulls", assignee="a"),
        listing("pulls", milestone="#3"),
    ],
)
def test_what_only_search_can_tell(address: Address) -> None:
    assert list_arguments(address) is None


@pytest.mark.parametrize(
    ("address", "states"),
    [
        (listing(), ["OPEN"]),
        (listing(state="closed"), ["CLOSED"]),
        (listing(state="all"), ["OPEN", "CLOSED"]),
        (listing("pulls", state="closed"), ["CLOSED", "MERGED"]),
        (listing("pulls", state="merged"), ["MERGED"]),
        (listing("pulls", state="all"), ["OPEN", "CLOSED", "MERGED"]),
    ],
)
def test_states(address: Address, states: list[str]) -> None:
    arguments = list_arguments(address)
    assert arguments is not None
    assert arguments["states"] == [Enum(state) for state in states]


def test_the_filters_of_issues() -> None:
    address = listing(labels=("bug",), author="ann", assignee="none", milestone="#3")
    arguments = list_arguments(address)
    assert arguments is not None
    assert arguments["filterBy"] == {
        "labels": Variable("labels", "[String!]", ["bug"]),
        "createdBy": Variable("author", "String", "ann"),
        "assignee": None,
        "milestoneNumber": Variable("milestone", "String", "3"),
    }


@pytest.mark.parametrize(
    ("address", "text"),
    [
        (listing(labels=("a", "b c")), 'state:open label:a label:"b c"'),
        (listing("pulls", state="merged", author="x"), "is:merged author:x"),
        (listing("pulls", state="all", assignee="*"), "assignee:*"),
        (listing(assignee="none", milestone="none"), "state:open no:assignee no:milestone"),
        (listing(milestone='say "hi"', state="all"), 'milestone:"say \\"hi\\""'),
        (listing(query="crash in:title"), "state:open crash in:title"),
    ],
)
def test_searches(address: Address, text: str) -> None:
    kind = "issue" if address.list_kind == "issues" else "pr"
    assert search_text(address, "o/r", None) == f"repo:o/r is:{kind} {text} sort:created-desc"


def test_a_search_that_sorts_keeps_its_order() -> None:
    text = search_text(listing(query="x sort:updated-asc"), "o/r", None)
    assert text.endswith("x sort:updated-asc")


def test_a_milestone_by_number_is_searched_by_its_title() -> None:
    assert "milestone:v1.0" in search_text(listing("pulls", milestone="#3"), "o/r", "v1.0")


@pytest.mark.parametrize(
    ("milestone", "number"), [("#3", 3), ("3", None), ("#0", None), ("#3x", None), (None, None)]
)
def test_a_milestone_by_number(milestone: str | None, number: int | None) -> None:
    assert milestone_number(Filters(milestone=milestone)) == number


@given(st.lists(st.text(min_size=1, max_size=8), min_size=2, max_size=4))
def test_no_label_can_add_a_term_of_its_own(labels: list[str]) -> None:
    address = listing(labels=tuple(labels))
    text = search_text(address, "o/r", None)
    bare, quoted = "", False
    characters = iter(text)
    for character in characters:
        if quoted and character == "\\":
            next(characters)
        elif character == '"':
            quoted = not quoted
        elif not quoted:
            bare += character
    assert not quoted
    filters = address.filters
    assert filters is not None
    assert len(bare.split(" ")) == 4 + len(filters.labels)
