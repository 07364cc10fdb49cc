"""Several hosts as one source: who is asked for what, with which token, within which limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.address import Address
from resources_graph_core.errors import ConfigError, GitHubUnavailable, RateLimited
from resources_graph_core.github import HostAccess, Limits, open_source
from resources_graph_core.github.hosts import HostsSource
from resources_graph_core.sandbox import Sandbox
from resources_graph_core.sandbox.archive import load_archive, packaged_archives

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.github import OpenSource

OTHER = "ghe.corp.com"
ARCHIVE = load_archive(max(packaged_archives(), key=lambda path: path.stat().st_size))
OWNER, _, NAME = ARCHIVE.repo.partition("/")
NUMBERS = [issue.number for issue in ARCHIVE.issues[:3]]


@pytest.fixture
def sandboxes() -> Iterator[tuple[Sandbox, Sandbox]]:
    """github.com, and an Enterprise Server with a token of its own."""
    with (
        Sandbox(packaged_archives(), token="ours") as main,
        Sandbox(packaged_archives(), token="theirs") as other,
    ):
        yield main, other


@pytest.fixture
def source(sandboxes: tuple[Sandbox, Sandbox]) -> Iterator[OpenSource]:
    main, other = sandboxes
    hosts = {"GHE.corp.com": HostAccess(f"{other.url}/api/v3", "theirs")}
    with open_source(main.url, "ours", hosts=hosts, limits=Limits(longest_wait=0)) as opened:
        yield opened


def items(host: str) -> list[Address]:
    return [Address.of_item(OWNER, NAME, number, host=host) for number in NUMBERS]


def test_each_host_is_asked_for_its_own(
    source: OpenSource, sandboxes: tuple[Sandbox, Sandbox]
) -> None:
    wanted = [*items("github.com"), *items(OTHER)]
    contents = {one.address: one.content for one in source.fetch(wanted)}
    assert all(
        content is not None and content.address == where for where, content in contents.items()
    )
    assert contents.keys() == set(wanted)
    for sandbox in sandboxes:
        assert sandbox.requests.by_name["Items"] == 1
        assert {request.status for request in sandbox.requests.all} == {200}
    assert source.usage.requests == sum(sandbox.requests.total for sandbox in sandboxes)
    assert source.usage.points == sum(sandbox.requests.points for sandbox in sandboxes)


def test_lists_and_versions_are_those_of_their_host(source: OpenSource) -> None:
    where = Address.of_listing(OWNER, NAME, "issues", host=OTHER)
    index = source.index(where)
    assert index.total_count == len([one for one in ARCHIVE.issues if one.state == "OPEN"])
    assert len(index.entries) == index.total_count
    assert {entry.address.host for entry in index.entries} == {OTHER}
    stored = {f"{OTHER}|{entry.node_id}": entry.address for entry in index.entries}
    ours = source.index(Address.of_listing(OWNER, NAME, "issues")).entries
    stored |= {entry.node_id: entry.address for entry in ours}
    versions = dict(source.versions(stored))
    assert {key: version.address for key, version in versions.items() if version} == stored


def test_a_limit_of_one_host_does_not_stop_the_other(
    source: OpenSource, sandboxes: tuple[Sandbox, Sandbox]
) -> None:
    sandboxes[0].faults.points_left(0, api="graphql", resets_in=600)
    arrived: list[Address] = []
    fetching = source.fetch([*items("github.com"), *items(OTHER)])
    with pytest.raises(RateLimited):
        arrived.extend(fetched.address for fetched in fetching)
    assert arrived == items(OTHER)


def test_a_host_that_is_not_set_up_is_refused(source: OpenSource) -> None:
    unknown = Address.of_item("o", "r", 1, host="other.example")
    (fetched,) = source.fetch([unknown])
    assert fetched.reason == "failed"
    assert "github.hosts" in str(fetched.error)
    assert dict(source.versions({"other.example|I_1": unknown})) == {"other.example|I_1": None}
    listing = Address.of_listing("o", "r", "issues", host="other.example")
    with pytest.raises(GitHubUnavailable, match="not set up"):
        source.index(listing)
    assert source.usage.requests == 0


def test_a_token_does_not_show() -> None:
    assert "secret" not in repr(HostAccess("https://ghe.corp.com/api/v3", "secret"))


def test_a_host_is_opened_when_it_is_needed() -> None:
    def fail() -> OpenSource:
        raise AssertionError("nobody needs it")

    with HostsSource({"github.com": fail}) as source:
        assert source.usage.requests == 0


def test_a_malformed_address_of_a_host_is_refused() -> None:
    with pytest.raises(ConfigError):
        open_source(hosts={OTHER: HostAccess("nonsense")})
