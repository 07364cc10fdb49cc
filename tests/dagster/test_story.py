"""What materialisations tell: counts, and tables that text from elsewhere cannot break."""

from __future__ import annotations

import pytest
from dagster import MarkdownMetadataValue
from hypothesis import given
from hypothesis import strategies as st

from resources_graph_core.address import Address, Filters
from resources_graph_core.errors import GitHubUnavailable, RateLimited
from resources_graph_core.store.touches import PendingTouch
from resources_graph_core.sweep import Plan, SweepEvent, SweepReport, plan_touches
from resources_graph_dagster import failures, story
from resources_graph_dagster.outcome import Outcome

WIDGETS = Address.of_repository("octo-org", "widgets")


def item(number: int, repository: str = "widgets") -> Address:
    return Address.of_item("octo-org", repository, number)


def plan(*addresses: Address) -> Plan:
    return plan_touches(
        [
            PendingTouch(str(n), one.key, one.limit, "FETCHED", "2026-11-30T22:00:00Z", 0, None)
            for n, one in enumerate(addresses)
        ]
    )


def outcome(*events: SweepEvent, reached: bool = True) -> Outcome:
    made = Outcome(plan(*[event.address for event in events]).entries, SweepReport("run"))
    for event in events if reached else ():
        made.note(event)
    return made


def table_of(value: object) -> str:
    assert isinstance(value, MarkdownMetadataValue)
    return value.md_str or ""


@given(st.text())
def test_a_cell_stays_one_cell(text: str) -> None:
    cell = story.cell(text)
    assert "\n" not in cell
    assert "|" not in cell.replace("\\|", "").replace("\\\\", "")


def test_counts_say_what_became_of_the_touches() -> None:
    made = outcome(
        SweepEvent("fetched", item(1), 1),
        SweepEvent("in_memory", item(2), 1),
        SweepEvent("unresolved", item(3), 1, "not_found"),
        SweepEvent("waiting", item(4), 1, "failed", "cut off"),
        SweepEvent("unresolved", item(5), 1, "rate_limited"),
    )
    assert made.counts == {"fetched": 1, "in memory": 1, "not found": 1, "left": 2}
    assert made.left == 2
    assert not made.is_complete
    told = story.of_outcome(made)
    assert told["resolved"].value == 2
    assert "[octo-org/widgets#3](https://github.com/octo-org/widgets/issues/3)" in table_of(
        told["what became of them"]
    )


def test_what_was_not_reached_is_left() -> None:
    made = outcome(SweepEvent("fetched", item(1), 1), reached=False)
    assert made.left == 1
    assert "not reached" in table_of(story.of_outcome(made)["what became of them"])


def test_a_repository_sees_only_its_own_part() -> None:
    made = outcome(
        SweepEvent("fetched", item(1), 1),
        SweepEvent("waiting", item(1, "gadgets"), 1, "failed", "cut off"),
    )
    names = ("widgets", "gadgets", "untouched")
    widgets, gadgets, untouched = made.parts(f"github:octo-org/{name}" for name in names).values()
    assert widgets.is_complete
    assert gadgets.failed
    assert untouched.entries == ()


def test_the_longest_table_says_how_much_it_leaves_out() -> None:
    addresses = [item(n) for n in range(1, story.LONGEST_TABLE + 6)]
    text = table_of(story.of_plan(plan(*addresses).entries, {"s1": 3})["plan"])
    assert text.endswith("… and 5 more")


@pytest.mark.parametrize(
    ("address", "link"),
    [
        (WIDGETS, "https://github.com/octo-org/widgets"),
        (item(7), "https://github.com/octo-org/widgets/issues/7"),
        (
            Address.of_listing("octo-org", "widgets", "pulls", Filters(state="all")),
            "https://github.com/octo-org/widgets/pulls",
        ),
        (
            Address.of_repository("octo-org", "widgets", host="ghe.corp.com"),
            "https://ghe.corp.com/octo-org/widgets",
        ),
    ],
)
def test_links_lead_to_github(address: Address, link: str) -> None:
    assert story.web_link(address) == link


def test_a_limit_is_no_failure_but_an_unreachable_github_is_one() -> None:
    made = outcome(SweepEvent("fetched", item(1), 1))
    made.error = RateLimited("used up", "2026-11-30T23:00:00Z")
    assert failures.of_outcome(made) is None
    assert story.of_outcome(made)["retry_at"].value == "2026-11-30T23:00:00Z"
    made.error = GitHubUnavailable("GitHub cannot be reached")
    failure = failures.of_outcome(made)
    assert failure is not None
    assert failure.description == "GitHub cannot be reached"
    assert failure.allow_retries is False
