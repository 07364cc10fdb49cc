"""What memory serves of a list is what GitHub would list, in order: hit, subsumed or two together.

Every item and pool of Listings is stored once; then thousands of asks are answered from one to
three of them, and compared with the sandbox's own lister.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from resources_graph_core import Address
from resources_graph_core.address import Filters
from resources_graph_core.config import Settings
from resources_graph_core.github.lists import list_arguments, search_text
from resources_graph_core.listing_answers import ListingAsk, StoredListing
from resources_graph_core.memory import Memory
from resources_graph_core.sandbox import Sandbox
from resources_graph_core.sandbox.nodes import Issue, PullRequest
from resources_graph_core.sandbox.resolver_lists import issues_of, pull_requests_of
from resources_graph_core.sandbox.rest_lists import issues_in
from resources_graph_core.sandbox.search import search
from resources_graph_core.store import holdings, listings
from tests.archives import archived, write_archive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from random import Random

    from resources_graph_core.address import ListKind
    from resources_graph_core.graph import Graph
    from resources_graph_core.sandbox.nodes import Repository
    from resources_graph_core.sandbox.state import State

NAME = "octo-org/widgets"
ITEMS = 80
STORED = 80
"""Listings of each kind that are stored at once, for the asks to be answered from."""
ASKS = 4000
READ_THROUGH = 100
"""Asks that are stored for and read alone, from the first statement to the last."""

LABELS = ["Bug", "UI", "good first issue", "area: db,cache", "Größe"]
PEOPLE = ["mona", "Hubot", "octo-cat"]
AUTHORS = [*PEOPLE, "dependabot", "dependabot[bot]", None]
MILESTONES = ["v1.0", "Big One", "Früh"]
TITLES_AND_NUMBERS = ["v1.0", "big one", "früh", "#1", "#2", "#3"]
HALVES = [("state", ["open", "closed"]), ("assignee", ["none", "*"]), ("milestone", ["none", "*"])]
STATES: dict[ListKind, list[str]] = {
    "issues": ["open", "closed", "all"],
    "pulls": ["open", "closed", "merged", "all"],
}


def seeded(seed: int) -> Random:
    return random.Random(seed)  # noqa: S311 - made-up filters, the same in every run


def made_up(chance: Random, number: int, *, pull: bool) -> dict[str, object]:
    """An item; several are created in the same second."""
    created = f"2026-03-{1 + number // 8:02}T00:00:{chance.randrange(3):02}Z"
    return archived(
        number,
        state=chance.choice(["OPEN", "CLOSED", *(["MERGED"] if pull else [])]),
        labels=chance.sample(LABELS, chance.choice([0, 1, 1, 2, 3])),
        author=chance.choice(AUTHORS),
        assignees=chance.sample(PEOPLE, chance.choice([0, 0, 1, 2])),
        milestone=chance.choice([None, *MILESTONES]),
        createdAt=created,
        updatedAt=created,
    )


def filters(chance: Random, kind: ListKind) -> Filters:
    """Any filters, more often few."""
    return Filters(
        state=chance.choice(STATES[kind]),
        labels=chance.sample(LABELS, chance.choice([0, 0, 0, 1, 1, 2])),
        author=chance.choice([None, None, None, *AUTHORS, "ghost"]),
        assignee=chance.choice([None, None, None, "none", "*", *PEOPLE]),
        milestone=chance.choice([None, None, None, "none", "*", *TITLES_AND_NUMBERS]),
    )


def narrowed(chance: Random, wide: Filters, kind: ListKind) -> Filters:
    """The same filters and perhaps some more."""
    more = filters(chance, kind)
    return Filters(
        state=chance.choice([wide.state, more.state]),
        labels=[*wide.labels, *chance.choice([(), more.labels])],
        author=wide.author or chance.choice([None, more.author]),
        assignee=chance.choice([wide.assignee, wide.assignee or more.assignee]),
        milestone=chance.choice([wide.milestone, wide.milestone or more.milestone]),
    )


def address(kind: ListKind, chosen: Filters, limit: int | None = None) -> Address:
    return Address.of_listing("octo-org", "widgets", kind, chosen, limit=limit)


def listed(repository: Repository, asked: Address) -> list[int]:
    """The numbers of what GitHub lists, by REST's own parameters."""
    chosen = asked.filters or Filters()
    titles = {each.title.lower(): str(each.number) for each in repository.milestones}
    milestone = (chosen.milestone or "").removeprefix("#")
    query = {
        "state": "closed" if chosen.state == "merged" else chosen.state,
        "creator": chosen.author or "",
        "assignee": chosen.assignee or "",
        "milestone": titles.get(milestone, milestone),
    }
    found = issues_in(repository, query)
    assert found is not None
    wanted = PullRequest if asked.list_kind == "pulls" else Issue
    return [
        item.number
        for item in found
        if type(item) is wanted
        # One label at a time, since REST cannot say a label with a comma in it.
        and {label.name.lower() for label in item.labels}.issuperset(chosen.labels)
        and (chosen.state != "merged" or item.state == "MERGED")
    ]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chance = seeded(20261201)
    return write_archive(
        tmp_path_factory.mktemp("archive"),
        labels=[{"name": name} for name in LABELS],
        milestones=[
            {"number": number, "title": title, "createdAt": "2026-01-01T00:00:00Z"}
            for number, title in enumerate(MILESTONES, start=1)
        ],
        issues=[made_up(chance, number, pull=False) for number in range(1, ITEMS + 1, 2)],
        pulls=[made_up(chance, number, pull=True) for number in range(2, ITEMS + 1, 2)],
    )


@pytest.fixture
def sandbox(archive: Path) -> Iterator[Sandbox]:
    with Sandbox([archive], token="made-up") as running:
        yield running


@pytest.fixture
def repository(sandbox: Sandbox) -> Repository:
    found = sandbox.state.repository(NAME)
    assert found is not None
    return found


@pytest.fixture
def memory(embedded_graph: Graph, sandbox: Sandbox) -> Memory:
    """A memory that has swept every issue and pull request."""
    settings = Settings(
        graph_url="embedded:", user="mona", github_api_url=sandbox.url, github_token="made-up"
    )
    memory = Memory(embedded_graph, settings)
    for kind in STATES:
        memory.touch(address(kind, Filters("all")))
    memory.sweep()
    embedded_graph.query("MATCH (listing:Listing) DETACH DELETE listing")
    return memory


@pytest.fixture
def node_ids(memory: Memory) -> dict[int, str]:
    rows = memory.graph.query(
        "MATCH (r:Resource) WHERE r.number IS NOT NULL RETURN r.number AS number, r.node_id AS id"
    )
    found = {row["number"]: row["id"] for row in rows}
    assert len(found) == ITEMS
    return found


def store(
    memory: Memory, where: Address, numbers: list[int], ids: dict[int, str], fetched_at: str
) -> None:
    """As a Sweep with this limit stores it."""
    listings.store(
        memory.graph,
        where,
        [ids[number] for number in numbers[: where.limit]],
        repository=where.repository.key,
        total_count=len(numbers),
        fetched_at=fetched_at,
    )


def facts(where: Address, numbers: list[int], fetched_at: str) -> StoredListing:
    held = len(numbers[: where.limit])
    return StoredListing(
        key=where.key,
        fetched_at=fetched_at,
        fully_expanded=held == len(numbers),
        member_count=held,
        unbroken_count=held,
    )


def cases(
    chance: Random, pool: list[Address], count: int
) -> Iterator[tuple[Address, list[Address]]]:
    """An ask, and the Listings that memory holds: its own, wider ones, two halves of it, any."""
    kind = pool[0].list_kind or "issues"
    by_filters = {one.filters: one for one in pool}
    for position in range(count):
        stored = chance.sample(pool, chance.choice([1, 2, 4]))
        wide = stored[0].filters or Filters()
        if position % 3 == 0:
            name, halves = chance.choice(HALVES)
            label = chance.choice([[], [], *([label] for label in LABELS)])
            wide = Filters("all", label)
            parts = [by_filters.get(wide.changed(**{name: half})) for half in halves]
            stored = [*(part for part in parts if part), *stored[:1]]
        wanted = filters(chance, kind) if position % 3 == 1 else narrowed(chance, wide, kind)
        yield address(kind, wanted, chance.choice([None, 1, 5, 30])), stored


def pool_of(chance: Random, kind: ListKind) -> list[Address]:
    """Listings, most with few filters, so that many asks are part of one or two of them."""
    plain = [Filters(state) for state in STATES[kind]]
    plain += [Filters("all").changed(**{name: half}) for name, halves in HALVES for half in halves]
    plain += [Filters(state, [label]) for state in STATES[kind] for label in LABELS]
    chosen = {address(kind, one) for one in plain}
    while len(chosen) < STORED:
        chosen.add(address(kind, filters(chance, kind)))
    return sorted(chosen, key=lambda one: one.key)


def test_what_memory_serves_is_what_github_would_list(
    memory: Memory, repository: Repository, node_ids: dict[int, str]
) -> None:
    chance = seeded(1)
    pool = {kind: pool_of(chance, kind) for kind in STATES}
    numbers = {one.key: listed(repository, one) for kind in STATES for one in pool[kind]}
    for one in (one for kind in STATES for one in pool[kind]):
        store(memory, one, numbers[one.key], node_ids, "2026-06-01T00:00:00Z")
    outcomes: Counter[tuple[str, int]] = Counter()
    served: dict[tuple[str, int | None, tuple[str, ...]], list[int]] = {}
    for asked, stored in [
        case for kind in STATES for case in cases(chance, pool[kind], ASKS // len(STATES))
    ]:
        # What is stored whole in the graph is for this ask perhaps cut short, and of another day.
        known = {}
        for one in stored:
            limit, day = chance.choice([None, None, None, 3]), chance.randrange(1, 5)
            fetched_at = f"2026-06-{day:02}T00:00:00Z"
            known[one.key] = facts(one.with_limit(limit), numbers[one.key], fetched_at)
        answer = ListingAsk(asked).answer(known)
        outcomes[answer.outcome if answer else "miss", len(answer.keys) if answer else 0] += 1
        if answer is None:
            assert not _must_serve(asked, stored, known), (asked, list(known))
            continue
        assert answer.fetched_at == min(known[key].fetched_at for key in answer.keys)
        expected = listed(repository, asked)
        if answer.outcome == "hit":
            assert numbers[asked.key][: asked.limit] == expected[: asked.limit]
            continue
        question = (asked.key, asked.limit, answer.keys)
        if question not in served:
            brief = len(served) % 2 == 0
            found = listings.filtered(memory.graph, answer.keys, asked, brief=brief)
            assert found is not None
            assert found.facts["total_count"] == len(expected), (asked, answer)
            served[question] = [member["number"] for member in found.members]
        assert served[question] == expected[: asked.limit], (asked, answer)
    assert min(outcomes.values()) > 100, outcomes
    assert {"hit", "subsumed", "miss"} == {outcome for outcome, _ in outcomes}
    assert {1, 2} == {count for outcome, count in outcomes if outcome == "subsumed"}


def _must_serve(asked: Address, held: list[Address], known: dict[str, StoredListing]) -> bool:
    """Whether a whole Listing says nothing, or the same, of each filter that is asked for."""
    wanted = asked.filters or Filters()
    return any(
        known[one.key].fully_expanded
        and (given := one.filters or Filters()).state in {"all", wanted.state}
        and set(given.labels) <= set(wanted.labels)
        and given.author in ({None, wanted.author} if wanted.author != "ghost" else {"ghost"})
        and given.assignee in {None, wanted.assignee}
        and given.milestone in {None, wanted.milestone}
        for one in held
    )


def test_the_same_read_through_the_graph(
    memory: Memory, repository: Repository, node_ids: dict[int, str]
) -> None:
    chance = seeded(2)
    outcomes: Counter[str] = Counter()
    for kind in STATES:
        pool = pool_of(chance, kind)
        for asked, stored in cases(chance, pool, READ_THROUGH // len(STATES)):
            memory.graph.query("MATCH (listing:Listing) DETACH DELETE listing")
            for one in stored:
                limited = one.with_limit(chance.choice([None, None, 3]))
                store(memory, limited, listed(repository, one), node_ids, "2026-06-01T00:00:00Z")
            answer = memory.read(asked)
            told = memory.nudge(asked.key)
            outcomes[answer.outcome] += 1
            assert (answer.outcome == "miss") == (told is None), (asked, told)
            if told is not None:
                assert ("subsumed" in told) == (answer.outcome == "subsumed")
                expected = listed(repository, asked)
                found = [member["number"] for member in answer.members]
                assert found == expected[: asked.limit], (asked, answer.served_from)
    assert set(outcomes) == {"hit", "subsumed", "miss"}, outcomes


def test_the_sandbox_lists_the_same_by_graphql_rest_and_search(
    sandbox: Sandbox, repository: Repository
) -> None:
    chance = seeded(3)
    state: State = sandbox.state
    titles = {f"#{each.number}": each.title for each in repository.milestones}
    by_list = 0
    for kind in STATES:
        for _ in range(1000):
            asked = address(kind, filters(chance, kind))
            expected = listed(repository, asked)
            title = titles.get((asked.filters or Filters()).milestone or "")
            found = search(state, search_text(asked, NAME, title))
            assert [item.number for item in found] == expected, asked
            arguments = list_arguments(asked)
            if arguments is not None:
                by_list += 1
                plain = _plain(arguments) | {
                    "orderBy": {"field": "CREATED_AT", "direction": "DESC"}
                }
                lister = issues_of if kind == "issues" else pull_requests_of
                listed_there = [item.number for item in lister(repository, plain)]
                assert listed_there == expected, asked
    assert by_list > 100


def _plain(value: object) -> object:
    """An argument of a GraphQL document as the resolver gets it."""
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return getattr(value, "value", getattr(value, "name", value))


@pytest.mark.parametrize("brief", [False, True])
@pytest.mark.parametrize("keys", [1, 2])
def test_the_engine_begins_with_the_listings_by_index(
    embedded_graph: Graph, monkeypatch: pytest.MonkeyPatch, keys: int, *, brief: bool
) -> None:
    """A read costs what its Listings hold, however many Resources and Listings there are."""
    plans: list[str] = []

    def explain(statement: str, **parameters: object) -> list[dict[str, object]]:
        plan = embedded_graph._graph.explain(statement, parameters)  # type: ignore[attr-defined] # noqa: SLF001 - only the client shows plans
        plans.append(str(plan))
        return []

    monkeypatch.setattr(embedded_graph, "query", explain)
    everything = Filters("open", ["bug"], "mona", "hubot", "v1.0")
    asked = address("issues", everything, 30)
    listings.filtered(embedded_graph, [asked.key] * keys, asked, brief=brief)
    listings.whole(embedded_graph, asked.key, limit=30, brief=brief)
    holdings.listing_answers(embedded_graph, [asked])
    assert len(plans) == 3
    for plan in plans:
        assert "Node By Index Scan | (listing:Listing)" in plan
        assert "All Node Scan" not in plan
        assert "Node By Label Scan" not in plan
        assert plan.count("Index Scan") == 1
