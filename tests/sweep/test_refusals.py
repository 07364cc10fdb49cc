"""What a Sweep does with contents that the graph refuses, and with limits in its midst."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import pytest

from resources_graph_core.address import Address
from resources_graph_core.config import Settings
from resources_graph_core.errors import GitHubError, NotFound
from resources_graph_core.github.source import Fetched, ListingIndex, Usage, Version
from resources_graph_core.memory import Memory
from resources_graph_core.model import Repository
from resources_graph_core.sandbox import Sandbox
from tests.archives import archived, write_archive
from tests.examples import issue, repository

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from resources_graph_core.github.source import OpenSource
    from resources_graph_core.graph import Graph
    from resources_graph_core.model import Content
    from resources_graph_core.sweep import SweepEvent

TOO_LARGE = 2**63
"""One more than a graph can hold: whatever has this number is refused."""

LISTED = "github:octo-org/widgets/issues?state=open"


class Shelf:
    """A GitHub of another host or with unlikely contents, which no sandbox serves."""

    def __init__(self, *contents: Content) -> None:
        self._contents = {content.address: content for content in contents}

    @property
    def usage(self) -> Usage:
        return Usage()

    def account(self, host: str) -> str:
        return f"nobody at {host}"

    def fetch(self, addresses: Sequence[Address]) -> Iterator[Fetched]:
        for address in addresses:
            found = self._contents.get(address)
            error: GitHubError | None = None if found else NotFound(f"no {address}")
            yield Fetched(address, found, error=error)

    def index(self, address: Address) -> ListingIndex:
        members = [one for one in self._contents.values() if not isinstance(one, Repository)]
        entries = [
            Version(one.node_id, one.address, one.updated_at, one.comment_count) for one in members
        ]
        return ListingIndex(address.repository, repository().node_id, len(members), tuple(entries))

    def versions(self, stored: Mapping[str, Address]) -> Iterator[tuple[str, Version | None]]:
        yield from ((node_id, None) for node_id in stored)

    def close(self) -> None: ...

    def __enter__(self) -> Self:
        """Nothing to open."""
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to close."""


@pytest.fixture
def memory(embedded_graph: Graph) -> Memory:
    settings = Settings(graph_url="embedded:", user="mona", github_api_url="http://127.0.0.1:1")
    return Memory(embedded_graph, settings)


def swept(
    memory: Memory, source: OpenSource, *addresses: str
) -> tuple[dict[str, str], list[SweepEvent]]:
    """The status of each Touch after a Sweep of these Addresses, and what was told of them."""
    memory.touch_many([Address.from_key(address) for address in addresses])
    told: list[SweepEvent] = []
    with memory.sweeper(source, on_event=told.append) as sweep:
        report = sweep.run()
    states = {str(row["address"]): str(row["status"]) for row in memory.touches()}
    assert report.resolved == list(states.values()).count("resolved")
    return states, told


@pytest.mark.parametrize("host", ["github.com", "ghe.corp.com"])
def test_one_item_that_is_refused_stops_no_other(memory: Memory, host: str) -> None:
    good, bad = issue(1, host=host), issue(2, host=host, reactions=TOO_LARGE)
    source = Shelf(repository(host=host), good, bad)
    states, told = swept(memory, source, good.address.key, bad.address.key)
    assert states == {good.address.key: "resolved", bad.address.key: "pending"}
    assert {event.address: event.kind for event in told} == {
        good.address: "fetched",
        bad.address: "waiting",
    }


@pytest.mark.parametrize("host", ["github.com", "ghe.corp.com"])
def test_a_repository_that_is_refused_says_so_for_its_items(memory: Memory, host: str) -> None:
    item = issue(1, host=host)
    source = Shelf(repository(host=host, stars=TOO_LARGE), item)
    states, told = swept(memory, source, item.address.key)
    assert states == {item.address.key: "pending"}
    assert [event.kind for event in told] == ["waiting"]
    assert "64 bits" in (told[0].detail or "")


def test_a_listing_says_which_members_it_lacks(memory: Memory) -> None:
    source = Shelf(repository(), issue(1), issue(2, reactions=TOO_LARGE))
    states, told = swept(memory, source, LISTED)
    assert states == {LISTED: "resolved"}
    assert (told[0].detail or "").startswith("1 of its members could not be stored: ")
    assert memory.read("octo-org/widgets/issues?state=open").outcome == "miss"
    short = memory.read("octo-org/widgets/issues?state=open", limit=1)
    assert [member["number"] for member in short.members] == [1]


def test_a_listing_of_a_repository_that_is_refused_waits(memory: Memory) -> None:
    states, told = swept(memory, Shelf(repository(stars=TOO_LARGE)), LISTED)
    assert states == {LISTED: "pending"}
    assert "64 bits" in (told[0].detail or "")


def test_what_arrived_before_the_anonymous_limit_is_kept(
    embedded_graph: Graph, tmp_path: Path
) -> None:
    archive = write_archive(tmp_path, issues=[archived(number) for number in range(1, 80)])
    with Sandbox([archive]) as sandbox:
        sandbox.faults.limit_as_github()
        settings = Settings(graph_url="embedded:", user="mona", github_api_url=sandbox.url)
        memory = Memory(embedded_graph, settings)
        memory.touch_many([f"octo-org/widgets#{number}" for number in range(1, 80)])
        report = memory.sweep()
    assert report.retry_at is not None
    assert report.resolved > 0
    assert memory.status().resources == {"Repository": 1, "Issue": report.resolved}
