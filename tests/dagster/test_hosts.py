"""Several GitHub hosts in one step: the limit of one of them does not stop the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.config import Host, Settings
from resources_graph_core.errors import RateLimited
from resources_graph_core.memory import Memory
from resources_graph_core.sandbox import Sandbox
from resources_graph_dagster import steps
from resources_graph_dagster.steps import Work
from tests.archives import archived, write_archive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from resources_graph_core.graph import Graph

OTHER = "ghe.corp.com"


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Sandbox]:
    """An Enterprise Server."""
    archive = write_archive(tmp_path, repo="their-org/gears", issues=[archived(1, id="I_gears")])
    with Sandbox([archive], token="theirs") as running:
        yield running


@pytest.fixture
def both(embedded_graph: Graph, github: Sandbox, other: Sandbox) -> Memory:
    """A memory of both hosts."""
    settings = Settings(
        graph_url="embedded:",
        user="mona",
        github_api_url=github.url,
        github_token="made-up",
        github_host=(Host(name=OTHER, api_url=f"{other.url}/api/v3", token="theirs"),),
    )
    return Memory(embedded_graph, settings)


def swept(memory: Memory, run_id: str, step: steps.Step) -> steps.Outcome:
    with memory.open_source() as source:
        return step(memory, source, Work(run_id))


def states(memory: Memory) -> dict[str, str]:
    return {touch["address"]: touch["status"] for touch in memory.touches()}


def test_a_limit_of_one_host_does_not_stop_another(both: Memory, github: Sandbox) -> None:
    github.faults.points_left(0, api="graphql", resets_in=600)
    theirs = f"github:{OTHER}/their-org/gears#1"
    both.touch_many(["octo-org/widgets#1", theirs])
    outcome = swept(both, "first", steps.sweep_resources)
    assert isinstance(outcome.error, RateLimited)
    assert outcome.retry_at == both.limited_hosts()["github.com"]
    assert list(both.limited_hosts()) == ["github.com"]
    assert states(both)[theirs] == "resolved"


def test_a_host_that_is_limited_is_not_asked_and_another_is(both: Memory, github: Sandbox) -> None:
    github.faults.points_left(0, api="graphql", resets_in=600)
    both.touch("octo-org/widgets#1")
    swept(both, "first", steps.sweep_resources)
    asked = github.requests.total
    lists = f"github:{OTHER}/their-org/gears/issues?state=open"
    both.touch_many(["octo-org/widgets/issues?state=open", lists])
    outcome = swept(both, "second", steps.sweep_listings)
    assert states(both)[lists] == "resolved"
    assert outcome.left == 1
    assert github.requests.total == asked


def test_the_limit_of_strangers_ends_with_a_login(both: Memory, github: Sandbox) -> None:
    strangers = Memory(both.graph, both.settings.changed(github_token=None))
    github.faults.points_left(0, api="core", resets_in=600)
    strangers.touch("octo-org/widgets#1")
    swept(strangers, "first", steps.sweep_resources)
    assert list(strangers.limited_hosts()) == ["github.com"]
    assert both.limited_hosts() == {}
