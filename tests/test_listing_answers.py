"""Which keys an ask looks up, and which of the Listings there it takes. Pure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources_graph_core import Address
from resources_graph_core.address import STATES, Filters
from resources_graph_core.listing_answers import (
    MOST_LABEL_SETS,
    ListingAsk,
    StoredListing,
    matches,
)

SCOPE = "github:o/r"
DAYS = [f"2026-06-0{day}T00:00:00Z" for day in range(1, 4)]

WORDS = st.sampled_from(["bug", "ui", "a,b", "größe", "x & y=z", "50%", "c++"])
FILTERS = st.builds(
    Filters,
    state=st.sampled_from(["open", "closed", "all"]),
    labels=st.lists(WORDS, max_size=3),
    author=st.none() | st.sampled_from(["mona", "bot[bot]", "ghost", "app/bot", "@me"]),
    assignee=st.none() | st.sampled_from(["none", "*", "mona", "x[bot]"]),
    milestone=st.none() | st.sampled_from(["none", "*", "#3", "v 1"]),
)


def at(text: str, limit: int | None = None) -> Address:
    return Address.from_key(f"{SCOPE}/{text}", limit=limit)


def stored(text: str, day: int = 0, *, members: int = 3, whole: bool = True) -> StoredListing:
    return StoredListing(
        key=at(text).key,
        fetched_at=DAYS[day],
        fully_expanded=whole,
        member_count=members,
        unbroken_count=members,
    )


def chosen(asked: Address, *listings: StoredListing) -> tuple[str, str, str] | None:
    answer = ListingAsk(asked).answer({one.key: one for one in listings})
    if answer is None:
        return None
    names = answer.served_from.replace(f"{SCOPE}/", "")
    return answer.outcome, names, answer.fetched_at


@given(FILTERS, st.sampled_from(list(STATES)))
def test_every_key_looked_up_is_that_of_a_listing(filters: Filters, kind: str) -> None:
    asked = Address.of_listing("o", "r", kind, filters)  # type: ignore[arg-type]  # one of the two
    keys = ListingAsk(asked).keys
    assert keys == list(dict.fromkeys(keys))
    assert [Address.from_key(key).key for key in keys] == keys
    assert (asked.key in keys) is (filters.author != "@me")
    assert all(Address.from_key(key).scope == asked.scope for key in keys)


@given(st.sets(st.sampled_from("abcdefghijklmnop"), min_size=7))
def test_many_labels_look_up_a_bounded_number_of_keys(labels: set[str]) -> None:
    asked = Address.of_listing("o", "r", "issues", Filters("open", labels, "m", "m", "v1"))
    keys = ListingAsk(asked).keys
    assert len(keys) == 2 * 2 * 3 * 3 * MOST_LABEL_SETS
    assert asked.key in keys
    assert at("issues?state=open").key in keys


@pytest.mark.parametrize(
    ("asked", "wider", "serves"),
    [
        ("issues?state=open", "issues?state=all", True),
        ("issues?state=all", "issues?state=open", False),
        ("pulls?state=merged", "pulls?state=closed", True),
        ("pulls?state=closed", "pulls?state=merged", False),
        ("issues?state=open", "pulls?state=open", False),
        ("issues?labels=a,b&state=open", "issues?labels=b&state=open", True),
        ("issues?labels=b&state=open", "issues?labels=a,b&state=open", False),
        ("issues?author=mona&state=open", "issues?state=open", True),
        ("issues?author=mona&state=open", "issues?author=hubot&state=open", False),
        ("issues?author=ghost&state=open", "issues?state=open", False),
        ("issues?author=ghost&labels=a&state=open", "issues?author=ghost&state=open", True),
        ("issues?assignee=mona&state=open", "issues?assignee=*&state=open", True),
        ("issues?assignee=*&state=open", "issues?assignee=mona&state=open", False),
        ("issues?assignee=none&state=open", "issues?assignee=*&state=open", False),
        ("issues?assignee=x%5Bbot%5D&state=open", "issues?state=open", False),
        ("issues?milestone=v1&state=open", "issues?milestone=*&state=open", True),
        ("issues?milestone=%233&state=open", "issues?milestone=v1&state=open", False),
        ("issues?state=open&q=crash", "issues?state=open", False),
        ("issues?state=open", "issues?state=open&q=crash", False),
        ("issues?state=open&q=crash", "issues?state=all&q=crash", False),
    ],
)
def test_which_listing_is_wide_enough(asked: str, wider: str, *, serves: bool) -> None:
    assert (chosen(at(asked), stored(wider)) is not None) is serves


@pytest.mark.parametrize("text", ["author=%40me&state=open", "state=open&q=author:@me%20x"])
def test_what_depends_on_who_asks_is_never_answered(text: str) -> None:
    asked = at(f"issues?{text}")
    assert ListingAsk(asked).keys == []
    assert chosen(asked, stored(f"issues?{text}"), stored("issues?state=open")) is None


def test_the_freshest_serves_then_the_listing_itself_then_one_rather_than_two() -> None:
    asked = at("issues?state=all")
    own = stored("issues?state=all", 1)
    halves = [stored("issues?state=open", 1), stored("issues?state=closed", 2)]
    assert chosen(asked, own, *halves) == ("hit", "issues?state=all", DAYS[1])
    newer = [stored("issues?state=open", 2), stored("issues?state=closed", 2)]
    both = "issues?state=open+issues?state=closed"
    assert chosen(asked, own, *newer) == ("subsumed", both, DAYS[2])
    narrow = at("issues?labels=a&state=all")
    assert chosen(narrow, own, *halves) == ("subsumed", "issues?state=all", DAYS[1])


def test_a_half_may_be_part_of_a_wider_listing_too() -> None:
    asked = at("issues?labels=a&state=all")
    halves = [stored("issues?labels=a&state=open"), stored("issues?state=closed")]
    names = "issues?labels=a&state=open+issues?state=closed"
    assert chosen(asked, *halves) == ("subsumed", names, DAYS[0])


def test_what_was_cut_short_answers_shorter_asks_of_itself_alone() -> None:
    short = stored("issues?state=open", members=3, whole=False)
    assert chosen(at("issues?state=open", 3), short) is not None
    assert chosen(at("issues?state=open", 4), short) is None
    assert chosen(at("issues?labels=a&state=open", 1), short) is None
    assert chosen(at("issues?state=all", 1), short, stored("issues?state=closed")) is None


def test_a_listing_of_an_older_version_has_no_unbroken_count() -> None:
    row = {"key": "k", "fetched_at": DAYS[0], "fully_expanded": 0, "member_count": 30}
    assert StoredListing.of(row).serves(30)
    assert not StoredListing.of(row).serves(31)


@pytest.mark.parametrize(
    ("stored_author", "is_bot", "asked", "same"),
    [
        ("Mona", False, "mona", True),
        ("dependabot", True, "dependabot", False),
        ("dependabot", True, "dependabot%5Bbot%5D", True),
        ("dependabot[bot]", None, "dependabot%5Bbot%5D", True),
        ("dependabot", False, "dependabot%5Bbot%5D", False),
    ],
)
def test_bots_go_by_their_own_login(
    stored_author: str, asked: str, *, is_bot: bool | None, same: bool
) -> None:
    member = {
        "address": f"{SCOPE}#1",
        "state": "OPEN",
        "author": stored_author,
        "author_is_bot": is_bot,
    }
    assert matches(member, at(f"issues?author={asked}&state=open")) is same


def test_what_moved_elsewhere_is_in_no_list_of_the_repository() -> None:
    asked = at("issues?state=open")
    assert matches({"address": f"{SCOPE}#1", "state": "OPEN"}, asked)
    assert not matches({"address": None, "state": "OPEN"}, asked)
    assert not matches({"address": "github:o/r2#1", "state": "OPEN"}, asked)
