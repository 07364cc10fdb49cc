"""Addresses: keys and back, and what a person may write."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources_graph_core import Address, Filters, UsageError, parse_address


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Octo-Org/Widgets", "github:octo-org/widgets"),
        ("octo-org/widgets#12", "github:octo-org/widgets#12"),
        ("github:octo-org/widgets#12", "github:octo-org/widgets#12"),
        ("https://github.com/Octo-Org/Widgets/issues/12", "github:octo-org/widgets#12"),
        ("https://github.com/octo-org/widgets/pull/12/files", "github:octo-org/widgets#12"),
        ("http://www.github.com/octo-org/x.js.git", "github:octo-org/x.js"),
        ("SocialGouv/.kontinuous", "github:socialgouv/.kontinuous"),
        ("https://github.com/org/issues/issues/5", "github:org/issues#5"),
        ("github:ghe.corp.com/owner/repo#1", "github:ghe.corp.com/owner/repo#1"),
        ("o/r/issues?labels=bug&state=open", "github:o/r/issues?labels=bug&state=open"),
        ("github:o/r/pulls?q=is%3Aopen", "github:o/r/pulls?state=open&q=is:open"),
    ],
)
def test_what_a_person_may_write(text: str, key: str) -> None:
    assert parse_address(text).key == key


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "o/r#0",
        "o/r#²",
        "o/r#2147483648",
        "o/r#01",
        "o/..",
        "issues/5#3",
        "copilot/x",
        "https://example.com/o/r",
        "https://[github.com/o/r",
        "https://github.com/o/r/wiki",
        "github:o/r/issues?colour=red",
        "github:o/r/issues?state=merged",
        "github:a/b/c/d#1",
        "o/r/issues?q=\udcff",
        "-o/r",
        f"o/r/issues?labels={'x' * 5000}",
    ],
)
def test_what_names_nothing_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_address(text)


def test_a_listing_key_is_normalised_and_keeps_what_a_label_holds() -> None:
    filters = Filters(labels=("Good First Issue", "area: db,cache", "bug", "BUG"), author=" Mona ")
    address = Address.of_listing("O", "R", "issues", filters, query="  two   Words ", limit=30)
    assert address.key == (
        "github:o/r/issues?author=mona&labels=area:%20db%2Ccache,bug,good%20first%20issue"
        "&state=open&q=two%20Words"
    )
    assert Address.from_key(address.key, limit=30) == address
    assert Address.from_key(address.key).filters == address.filters
    assert address.scope == "github:o/r/issues"


def test_a_milestone_by_number_is_kept_apart_from_titles() -> None:
    address = Address.of_listing("o", "r", "issues", Filters(milestone="#3"))
    assert address.key == "github:o/r/issues?milestone=%233&state=open"


VALUES = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)


@given(
    st.lists(VALUES, max_size=3),
    VALUES,
    VALUES,
    VALUES,
    VALUES,
    st.sampled_from(["open", "closed", "all"]),
)
def test_every_listing_survives_its_key(
    labels: list[str], author: str, assignee: str, milestone: str, query: str, state: str
) -> None:
    filters = Filters(state, tuple(labels), author, assignee, milestone)
    address = Address.of_listing("o", "r", "issues", filters, query=query)
    again = Address.from_key(address.key)
    assert again == address
    assert again.key == address.key
