"""What stored Listings answer on each engine: filters, order, limits, and refetches meanwhile."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from resources_graph_core import Address
from resources_graph_core.read import read
from resources_graph_core.store import holdings, listings, resources, runs, withdrawal
from tests.examples import issue, pull_request, repository

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.graph import Graph
    from tests.engines import Engine

NOW = "2026-06-01T00:00:00Z"
LATER = "2026-06-02T00:00:00Z"
RUN = "cli:test"
REFETCHES = 30
SCOPE = "github:octo-org/widgets"


def created(day: int) -> str:
    return f"2026-01-{day:02}T00:00:00Z"


ISSUES = [
    issue(1, created_at=created(1), labels=("Bug", "UI"), author="mona", assignees=("Hubot",)),
    issue(2, created_at=created(2), labels=("bug",), milestone="V1.0", milestone_number=3),
    issue(3, created_at=created(3), state="CLOSED", author="dependabot", author_is_bot=True),
    issue(4, created_at=created(4), state="CLOSED", labels=("Größe", "bug"), milestone="Früh"),
    issue(5, created_at=created(4), author="dependabot"),
]
PULLS = [
    pull_request(11, created_at=created(11)),
    pull_request(12, created_at=created(12), state="CLOSED"),
    pull_request(13, created_at=created(13), state="MERGED", labels=("bug",)),
]


def at(text: str, limit: int | None = None) -> Address:
    return Address.from_key(f"{SCOPE}/{text}", limit=limit)


@pytest.fixture
def stored(graph: Graph) -> Graph:
    """A repository with its items, in no Listing yet."""
    runs.start(graph, RUN, kind="cli", now=NOW)
    resources.store_repositories(graph, [repository()], fetched_at=NOW, run_id=RUN)
    resources.store_items(graph, [*ISSUES, *PULLS], fetched_at=NOW, run_id=RUN)
    return graph


def keep(
    graph: Graph,
    text: str,
    numbers: Sequence[int | None],
    *,
    total: int | None = None,
    fetched_at: str = NOW,
) -> Address:
    """Store a Listing with these members."""
    address = at(text)
    ids = {item.number: item.node_id for item in (*ISSUES, *PULLS)}
    listings.store(
        graph,
        address,
        [None if number is None else ids[number] for number in numbers],
        repository=SCOPE,
        total_count=len(numbers) if total is None else total,
        fetched_at=fetched_at,
    )
    return address


def served(graph: Graph, text: str, limit: int | None = None) -> list[int] | None:
    """The numbers that memory serves, once the outcome is subsumed; None for a miss."""
    answer = read(graph, at(text, limit))
    told = holdings.nudges(graph, [at(text, limit)], NOW)
    assert bool(told) == (answer.outcome != "miss")
    if answer.outcome == "miss":
        return None
    assert answer.outcome == "subsumed"
    assert "(subsumed)" in told[0]
    return [member["number"] for member in answer.members]


@pytest.mark.parametrize(
    ("asked", "numbers"),
    [
        ("issues?state=open", [5, 2, 1]),
        ("issues?state=closed", [4, 3]),
        ("issues?labels=bug&state=all", [4, 2, 1]),
        ("issues?labels=bug,ui&state=all", [1]),
        ("issues?labels=bug,nonsense&state=all", []),
        ("issues?labels=gr%C3%B6%C3%9Fe&state=all", [4]),
        ("issues?author=mona&state=all", [1]),
        ("issues?author=dependabot&state=all", [5]),
        ("issues?author=dependabot%5Bbot%5D&state=all", [3]),
        ("issues?author=app/dependabot&state=all", None),
        ("issues?author=ghost&state=all", None),
        ("issues?author=%40me&state=all", None),
        ("issues?assignee=%40me&state=all", None),
        ("issues?assignee=hubot&state=all", [1]),
        ("issues?assignee=%2A&state=all", [1]),
        ("issues?assignee=none&state=open", [5, 2]),
        ("issues?milestone=v1.0&state=all", [2]),
        ("issues?milestone=%233&state=all", [2]),
        ("issues?milestone=%234&state=all", []),
        ("issues?milestone=fr%C3%BCh&state=all", [4]),
        ("issues?milestone=none&state=all", [5, 3, 1]),
        ("issues?milestone=%2A&state=all", [4, 2]),
        ("issues?state=all&q=crash", None),
        ("pulls?state=open", None),
    ],
)
def test_a_wider_listing_answers(stored: Graph, asked: str, numbers: list[int] | None) -> None:
    keep(stored, "issues?state=all", [5, 4, 3, 2, 1])
    assert served(stored, asked) == numbers


@pytest.mark.parametrize(
    ("asked", "numbers"),
    [
        ("pulls?state=open", [11]),
        ("pulls?state=closed", [13, 12]),
        ("pulls?state=merged", [13]),
        ("pulls?labels=bug&state=closed", [13]),
    ],
)
def test_closed_pull_requests_include_merged_ones(
    stored: Graph, asked: str, numbers: list[int]
) -> None:
    keep(stored, "pulls?state=all", [13, 12, 11])
    assert served(stored, asked) == numbers


def test_merged_ones_are_among_the_closed(stored: Graph) -> None:
    keep(stored, "pulls?state=closed", [13, 12])
    assert served(stored, "pulls?state=merged") == [13]
    assert served(stored, "pulls?state=open") is None


@pytest.mark.parametrize(
    ("halves", "asked"),
    [
        ({"issues?state=open": [5, 2, 1], "issues?state=closed": [4, 3]}, "issues?state=all"),
        (
            {"issues?assignee=none&state=all": [5, 4, 3, 2], "issues?assignee=%2A&state=all": [1]},
            "issues?state=all",
        ),
        (
            {"issues?milestone=none&state=open": [5, 1], "issues?milestone=%2A&state=all": [4, 2]},
            "issues?state=open",
        ),
        ({"pulls?state=open": [11], "pulls?state=closed": [13, 12]}, "pulls?state=all"),
    ],
)
def test_two_that_cover_the_ask_answer_it_together(
    stored: Graph, halves: dict[str, list[int]], asked: str
) -> None:
    (first, numbers), (second, others) = halves.items()
    keep(stored, first, numbers, fetched_at=LATER)
    assert served(stored, asked) is None
    keep(stored, second, others)
    expected = {
        "issues?state=all": [5, 4, 3, 2, 1],
        "issues?state=open": [5, 2, 1],
        "pulls?state=all": [13, 12, 11],
    }[asked]
    assert served(stored, asked) == expected
    assert served(stored, asked, limit=2) == expected[:2]
    answer = read(stored, at(asked, 2))
    assert answer.served_from == f"{SCOPE}/{first}+{SCOPE}/{second}"
    assert answer.resource["fetched_at"] == NOW  # the older one's
    assert answer.resource["total_count"] == answer.resource["member_count"] == len(expected)


def test_an_item_in_both_halves_is_served_once(stored: Graph) -> None:
    keep(stored, "issues?state=open", [5, 3, 2, 1])  # 3 was open then
    keep(stored, "issues?state=closed", [4, 3], fetched_at=LATER)
    assert served(stored, "issues?state=all") == [5, 4, 3, 2, 1]


def test_a_truncated_listing_answers_only_shorter_asks_of_itself(stored: Graph) -> None:
    keep(stored, "issues?state=all", [5, 4, 3], total=5)
    assert served(stored, "issues?state=open", limit=1) is None
    assert [one["number"] for one in read(stored, at("issues?state=all", 3)).members] == [5, 4, 3]
    assert read(stored, at("issues?state=all", 4)).outcome == "miss"
    assert read(stored, at("issues?state=all")).outcome == "miss"


def test_members_before_a_gap_answer_shorter_asks(stored: Graph) -> None:
    keep(stored, "issues?state=all", [5, None, 3, 2, 1])
    found = read(stored, at("issues?state=all", 1))
    facts = {name: found.resource[name] for name in ("member_count", "total_count")}
    assert facts == {"member_count": 4, "total_count": 5}
    assert found.resource["unbroken_count"] == 1
    assert found.resource["fully_expanded"] is False
    assert read(stored, at("issues?state=all", 2)).outcome == "miss"
    assert served(stored, "issues?state=open") is None


def test_the_freshest_that_serves_is_chosen(stored: Graph) -> None:
    keep(stored, "issues?labels=bug&state=open", [2, 1])
    keep(stored, "issues?state=open", [5, 2, 1], fetched_at=LATER)
    keep(stored, "issues?state=all", [5, 4, 3, 2, 1])
    answer = read(stored, at("issues?labels=bug&state=open"))
    assert (answer.outcome, answer.served_from) == ("subsumed", f"{SCOPE}/issues?state=open")
    keep(stored, "issues?labels=bug&state=open", [2, 1], fetched_at=LATER)
    assert read(stored, at("issues?labels=bug&state=open")).outcome == "hit"


def test_a_withdrawn_repository_answers_no_list_not_even_an_empty_one(stored: Graph) -> None:
    keep(stored, "issues?labels=none-has-it&state=open", [])
    assert read(stored, at("issues?labels=none-has-it&state=open")).outcome == "hit"
    withdrawal.withdraw(stored, [repository().node_id], reason="not_public", now=NOW)
    assert read(stored, at("issues?labels=none-has-it&state=open")).outcome == "miss"
    assert served(stored, "issues?author=mona&labels=none-has-it&state=open") is None


def test_a_listing_whose_member_was_withdrawn_is_no_longer_whole(stored: Graph) -> None:
    keep(stored, "issues?state=all", [5, 4, 3, 2, 1])
    withdrawal.withdraw(stored, [ISSUES[0].node_id], reason="not_found", now=NOW)
    assert served(stored, "issues?state=open") is None


def test_a_reader_never_sees_half_a_listing(stored: Graph, engine: Engine) -> None:
    """Refetches go between two states of one Listing while it is read: each read sees one whole."""
    if engine.name == "arcadedb":
        pytest.skip("a statement of ArcadeDB's sees what others commit while it runs")
    all_of_them, fewer = [5, 4, 3, 2, 1], [5, 2]
    keep(stored, "issues?state=all", all_of_them)
    done = threading.Event()
    failures: list[Exception] = []

    def refetch() -> None:
        try:
            with engine.open() as own:
                for _ in range(REFETCHES):
                    keep(own, "issues?state=all", fewer, fetched_at=LATER)
                    keep(own, "issues?state=all", all_of_them)
        except Exception as error:  # noqa: BLE001 - shown by the test's own thread
            failures.append(error)
        finally:
            done.set()

    writer = threading.Thread(target=refetch)
    writer.start()
    seen: set[tuple[int, ...]] = set()
    narrow: set[tuple[int, ...]] = set()
    while not done.is_set():
        found = read(stored, at("issues?state=all"))
        seen.add(tuple(member["number"] for member in found.members))
        assert found.resource["member_count"] == len(found.members)
        found = read(stored, at("issues?labels=bug&state=all"))
        narrow.add(tuple(member["number"] for member in found.members))
    writer.join()
    assert not failures
    assert seen
    assert seen <= {tuple(all_of_them), tuple(fewer)}
    assert narrow <= {(4, 2, 1), (2,)}
    assert read(stored, at("issues?state=all")).outcome == "hit"
