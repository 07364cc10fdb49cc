"""Several GitHub hosts in one Sweep: what stops one of them does not stop the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.config import Host, Settings
from resources_graph_core.errors import GitHubAuthError, GitHubUnavailable
from resources_graph_core.memory import Memory
from resources_graph_core.sandbox import Sandbox
from tests.archives import archived, write_archive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from resources_graph_core.graph import Graph

OTHER = "ghe.corp.com"
OURS = ("octo-org/widgets#1", "octo-org/widgets", "github:octo-org/widgets/issues?state=open")
THEIRS = tuple(
    f"github:{OTHER}/{text}"
    for text in ("their-org/gears#1", "their-org/gears", "their-org/gears/issues?state=open")
)


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Sandbox]:
    """An Enterprise Server with a token of its own."""
    archive = write_archive(tmp_path, repo="their-org/gears", issues=[archived(1, id="I_gears")])
    with Sandbox([archive], token="theirs") as running:
        yield running


@pytest.fixture
def memory(embedded_graph: Graph, sandbox: Sandbox, other: Sandbox) -> Memory:
    settings = Settings(
        graph_url="embedded:",
        user="mona",
        github_api_url=sandbox.url,
        github_token="made-up",
        github_host=(Host(name=OTHER, api_url=f"{other.url}/api/v3", token="theirs"),),
    )
    return Memory(embedded_graph, settings)


def states(memory: Memory, *addresses: str) -> set[str]:
    found = {one["address"]: one["status"] for one in memory.touches()}
    return {found[one if one.startswith("github:") else f"github:{one}"] for one in addresses}


def test_each_host_gets_its_own_token(memory: Memory, other: Sandbox) -> None:
    memory.touch_many([*OURS, *THEIRS])
    assert memory.sweep().left == 0
    assert states(memory, *OURS, *THEIRS) == {"resolved"}
    assert {request.status for request in other.requests.all} <= {200, 304}
    assert memory.read(THEIRS[0]).outcome == "hit"


def test_a_limit_of_one_host_does_not_stop_the_items_of_another(
    memory: Memory, sandbox: Sandbox
) -> None:
    sandbox.faults.points_left(0, api="graphql", resets_in=600)
    memory.touch_many([*OURS[:2], *THEIRS[:2]])
    report = memory.sweep()
    assert report.retry_at is not None
    assert states(memory, *THEIRS[:2]) == {"resolved"}
    assert report.left == 2


def test_a_limit_of_one_host_does_not_stop_the_lists_of_another(
    memory: Memory, sandbox: Sandbox
) -> None:
    sandbox.faults.points_left(0, api="graphql", resets_in=600)
    memory.touch_many([OURS[2], THEIRS[2]])
    assert memory.sweep().left == 1
    assert states(memory, THEIRS[2]) == {"resolved"}


def test_a_rejected_token_of_another_host_says_whose_it_is(memory: Memory, other: Sandbox) -> None:
    own = (Host(name=OTHER, api_url=other.url, token="wrong"),)
    memory = Memory(memory.graph, memory.settings.changed(github_host=own))
    memory.touch_many([*OURS, *THEIRS])
    with pytest.raises(GitHubAuthError, match=rf"{OTHER} rejected .*github\.host\.{OTHER}\.token"):
        memory.sweep()
    assert states(memory, *OURS) == {"resolved"}
    assert states(memory, *THEIRS) == {"pending"}


def test_a_list_on_another_host_waits_for_a_login_there(memory: Memory, other: Sandbox) -> None:
    own = (Host(name=OTHER, api_url=other.url),)
    memory = Memory(memory.graph, memory.settings.changed(github_host=own))
    memory.touch(THEIRS[2])
    assert memory.sweep().left == 1
    (touch,) = memory.touches()
    assert f"gh auth login --hostname {OTHER}" in touch["error"]


def test_a_rejected_token_of_one_host_is_told_when_the_others_are_done(
    memory: Memory, sandbox: Sandbox
) -> None:
    settings = memory.settings.changed(github_token="wrong")
    memory = Memory(memory.graph, settings)
    memory.touch_many([*OURS[:2], *THEIRS[:2]])
    with pytest.raises(GitHubAuthError):
        memory.sweep()
    assert states(memory, *THEIRS[:2]) == {"resolved"}
    assert states(memory, *OURS[:2]) == {"pending"}
    assert sandbox.requests.total > 0


def test_a_host_that_cannot_be_reached_does_not_keep_the_lists_of_another(memory: Memory) -> None:
    own = (Host(name=OTHER, api_url="http://127.0.0.1:1", token="theirs"),)
    memory = Memory(memory.graph, memory.settings.changed(github_host=own))
    memory.touch_many([OURS[2], *THEIRS])
    with pytest.raises(GitHubUnavailable):
        memory.sweep()
    assert states(memory, OURS[2]) == {"resolved"}
    assert states(memory, *THEIRS) == {"pending"}
