"""What both sources do when the sandbox misbehaves as GitHub does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.address import Address
from resources_graph_core.clock import now
from resources_graph_core.errors import GitHubAuthError, GitHubUnavailable, RateLimited
from resources_graph_core.github import Limits, open_source
from resources_graph_core.github.retrying import ATTEMPTS
from resources_graph_core.sandbox import Sandbox
from resources_graph_core.sandbox.archive import load_archive, packaged_archives
from resources_graph_core.setting import RESERVE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.github import OpenSource


@pytest.fixture(scope="module")
def running() -> Iterator[Sandbox]:
    with Sandbox(packaged_archives(), token="made-up") as sandbox:
        yield sandbox


@pytest.fixture
def sandbox(running: Sandbox) -> Sandbox:
    running.faults.clear()
    return running


@pytest.fixture(params=["made-up", None], ids=["graphql", "rest"])
def source(sandbox: Sandbox, request: pytest.FixtureRequest) -> Iterator[OpenSource]:
    with open_source(sandbox.url, request.param, limits=Limits(longest_wait=1)) as opened:
        yield opened


def addresses() -> list[Address]:
    archive = load_archive(max(packaged_archives(), key=lambda path: path.stat().st_size))
    owner, _, name = archive.repo.partition("/")
    return [Address.of_item(owner, name, issue.number) for issue in archive.issues[:4]]


def reasons(source: OpenSource) -> list[str | None]:
    return [fetched.reason for fetched in source.fetch(addresses())]


@pytest.mark.parametrize("status", [502, 503, 504])
def test_an_outage_that_passes_is_outlived(
    sandbox: Sandbox, source: OpenSource, status: int
) -> None:
    sandbox.faults.bad_gateway(times=ATTEMPTS - 1, status=status)
    assert reasons(source) == [None] * 4


def test_an_answer_cut_once_is_outlived(sandbox: Sandbox, source: OpenSource) -> None:
    sandbox.faults.cut_body()
    assert reasons(source) == [None] * 4


def test_an_outage_that_lasts_ends_the_fetch(sandbox: Sandbox, source: OpenSource) -> None:
    sandbox.faults.bad_gateway(times=1000)
    with pytest.raises(GitHubUnavailable):
        reasons(source)


@pytest.mark.parametrize("retry_after", [30, None])
@pytest.mark.parametrize("status", [403, 429])
def test_a_secondary_limit_too_long_to_wait_for_ends_the_fetch(
    sandbox: Sandbox, source: OpenSource, status: int, retry_after: int | None
) -> None:
    sandbox.faults.secondary_limit(status=status, retry_after=retry_after)
    with pytest.raises(RateLimited) as caught:
        reasons(source)
    assert (caught.value.retry_at or "") > now()


@pytest.mark.parametrize("status", [403, 429])
def test_a_secondary_limit_is_waited_for_as_told(
    sandbox: Sandbox, source: OpenSource, status: int
) -> None:
    sandbox.faults.secondary_limit(status=status, retry_after=1)
    assert reasons(source) == [None] * 4


def test_a_primary_limit_ends_the_fetch_until_its_reset(
    sandbox: Sandbox, source: OpenSource
) -> None:
    sandbox.faults.points_left(0, api="graphql", resets_in=1800)
    sandbox.faults.points_left(0, api="rest", resets_in=1800)
    with pytest.raises(RateLimited) as caught:
        reasons(source)
    assert (caught.value.retry_at or "") > now()


def test_the_reserve_is_left_for_others(sandbox: Sandbox) -> None:
    sandbox.faults.points_left(RESERVE + 1, api="graphql", resets_in=1800)
    with open_source(sandbox.url, "made-up") as source:
        (fetched,) = source.fetch(addresses()[:1])
        assert fetched.content is not None
        assert source.usage.remaining == RESERVE
        asked = source.usage.requests
        with pytest.raises(RateLimited, match="kept for others"):
            reasons(source)
        assert source.usage.requests == asked


def test_a_wrong_token_ends_the_fetch(sandbox: Sandbox) -> None:
    with (
        open_source(sandbox.url, "wrong") as source,
        pytest.raises(GitHubAuthError, match="gh auth login"),
    ):
        reasons(source)


def test_a_document_that_is_too_heavy_is_halved(sandbox: Sandbox) -> None:
    with open_source(sandbox.url, "made-up") as source:
        sandbox.faults.heavy_above_nodes = 2500
        assert reasons(source) == [None] * 4
        assert source.usage.requests >= 7
