"""A graph that the published resources-graph 0.3.0 wrote is read, swept and listed by ours.

Its own code writes and reads over Bolt, in a process of its own; and it reads what we wrote.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from resources_graph_core.config import load_settings
from resources_graph_core.graph.schema import missing, setup
from resources_graph_core.memory import Memory
from resources_graph_core.render_model import answer, as_text
from resources_graph_core.sandbox import Sandbox
from tests.archives import archived, write_archive
from tests.mcp.conftest import fill

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from resources_graph_core.graph import Graph
    from tests.engines import ArcadeServer

OPENED = """
import json, os, sys
from resources_graph.address import Address, listing
from resources_graph.core import ResourcesGraph
graph = ResourcesGraph(
    url=os.environ["OLD_URL"], username=os.environ["OLD_USER"],
    password=os.environ["OLD_PASSWORD"], database="resources",
)
"""

WRITES = (
    OPENED
    + """
at = "2026-11-01T00:00:00+00:00"
home = {"id": "R_1", "nameWithOwner": "octo-org/widgets", "url": "https://github.com/octo-org/widgets",
        "description": "Widgets", "readme": {"text": "# Widgets"}, "stargazerCount": 3,
        "updatedAt": at, "pushedAt": at}
graph.store_repository(home, fetched_at=at)
def nodes(*values): return {"nodes": list(values), "totalCount": len(values)}
def comment(name, body):
    return {"id": name, "url": "https://x/" + name, "body": body, "author": {"login": "mona"},
            "createdAt": at, "updatedAt": at}
def item(number, kind, **more):
    path = "pull" if kind == "PullRequest" else "issues"
    return {"id": f"N_{number}", "__typename": kind, "repository": home, "number": number,
            "url": f"https://github.com/octo-org/widgets/{path}/{number}", "title": f"Old {number}",
            "body": "Old body", "state": "OPEN", "author": {"login": "ada"},
            "labels": nodes({"name": "bug"}), "assignees": nodes(), "milestone": None,
            "createdAt": at, "updatedAt": at, "closedAt": None,
            "comments": nodes(comment(f"C_{number}", "Old comment")), **more}
thread = {"path": "a.py", "comments": nodes(comment("RC_1", "Old review comment"))}
issue = graph.store_item(item(1, "Issue"), fetched_at=at)
other = graph.store_item(item(2, "Issue"), fetched_at=at)
graph.store_item(item(3, "PullRequest", merged=False, baseRefName="main",
    files=nodes({"path": "a.py"}), reviewThreads=nodes(thread),
    closingIssuesReferences=nodes({"id": "N_1", "url": "https://github.com/octo-org/widgets/issues/1"})),
    fetched_at=at)
wanted = listing("octo-org", "widgets", "issues", {"state": "open", "labels": "Bug"}, None, 30)
graph.store_listing(wanted, 2, [other, issue])
for number in (1, 4):
    graph.record_touch("s-old", Address("item", "octo-org", "widgets", number), "FETCHED",
                       discriminator=f"call-{number}", tool_use_id=f"call-{number}")
graph.record_touch("s-old", wanted, "FETCHED", discriminator="call-9", tool_use_id="call-9")
graph.record_cache_read("s-old", Address("item", "octo-org", "widgets", 2), "hit",
                        discriminator="call-10")
print(wanted.key)
"""
)

READS = (
    OPENED
    + """
def told(served):
    return {"outcome": served.outcome, "kind": served.kind, "title": served.resource.get("title"),
            "comments": [one["body"] for one in served.comments],
            "index": [one["number"] for one in served.index]}
print(json.dumps({
    "issue": told(graph.read(Address("item", "octo-org", "widgets", 1))),
    "pull": told(graph.read(Address("item", "octo-org", "widgets", 3))),
    "repository": told(graph.read(Address("repo", "octo-org", "widgets"))),
    "listing": told(graph.read(listing("octo-org", "widgets", "issues"))),
    "nudge": graph.in_memory(Address("item", "octo-org", "widgets", 2)),
    "touches": [row["touch"]["address"] for row in graph.touches("mona")],
}))
"""
)


@pytest.fixture
def bolt(arcadedb: ArcadeServer) -> Iterator[Graph]:
    """An empty graph behind Bolt."""
    with arcadedb.engine.open() as graph:
        graph.query("MATCH (n) DETACH DELETE n")
        yield graph


@pytest.fixture
def old(
    arcadedb: ArcadeServer, published: tuple[Path, Path], run_with: Callable[..., str]
) -> Callable[[str], str]:
    """Run a program text with the published package, on the same server."""
    engine = arcadedb.engine
    where = {
        "OLD_URL": engine.url,
        "OLD_USER": engine.user or "",
        "OLD_PASSWORD": engine.password or "",
    }
    return lambda program: run_with(program, *published, **where)


def test_what_it_wrote_is_read_swept_and_listed(
    bolt: Graph,
    old: Callable[[str], str],
    tmp_path: Path,
    home: Path,
) -> None:
    assert not home.exists()
    key = old(WRITES).strip()
    setup(bolt)
    assert missing(bolt) == []
    memory = Memory(bolt, load_settings(user="mona"))

    issue = memory.read("octo-org/widgets#1")
    assert (issue.outcome, issue.kind, issue.resource["title"]) == ("hit", "Issue", "Old 1")
    assert [comment["body"] for comment in issue.comments] == ["Old comment"]
    pull = memory.read("octo-org/widgets#3")
    shown = as_text(answer(pull, now="2026-12-01T00:00:00Z"))
    assert " of 2 · review comment · by mona · 2026-11-01 00:00\n" in shown
    assert "\n| a.py\n| Old review comment" in shown
    assert memory.read("octo-org/widgets").resource["readme"] == "# Widgets"
    listed = memory.read(key)
    assert (listed.outcome, [one["number"] for one in listed.members]) == ("hit", [2, 1])
    assert [row["address"] for row in memory.inflight("octo-org/widgets#1").pulls] == [
        "github:octo-org/widgets#3"
    ]
    assert memory.find("body", repository="octo-org/widgets").total == 3

    new = [
        archived(1, title="New 1", labels=["bug"], updatedAt="2026-11-30T00:00:00Z"),
        archived(2, labels=["bug"]),
        archived(4, labels=["bug"]),
    ]
    archive = write_archive(
        tmp_path,
        issues=new,
        pulls=[archived(3)],
        repository={"id": "R_1"},
        labels=[{"name": "bug"}],
    )
    with Sandbox([archive]) as sandbox:
        settings = load_settings(user="mona", github_api_url=sandbox.url, github_token="made-up")
        report = Memory(bolt, settings).sweep()
    assert (report.resolved, report.unresolved) == (3, {})
    assert memory.read("octo-org/widgets#1").resource["title"] == "New 1"
    assert memory.read("octo-org/widgets#4").outcome == "hit"
    assert [one["number"] for one in memory.read(key).members] == [4, 2, 1]
    twice = bolt.query(
        "MATCH (r:Resource) WITH r.node_id AS id, count(r) AS n WHERE n > 1 RETURN id, n"
    )
    assert twice == []


def test_it_reads_what_we_wrote(bolt: Graph, old: Callable[[str], str], home: Path) -> None:
    assert not home.exists()
    fill(bolt)
    memory = Memory(bolt, load_settings(user="mona"))
    memory.touch("octo-org/widgets#9", session="s-new")
    found: dict[str, Any] = json.loads(old(READS))
    assert (found["issue"]["outcome"], found["issue"]["title"]) == ("hit", "One")
    assert found["pull"]["kind"] == "PullRequest"
    assert sorted(found["pull"]["comments"]) == ["Buy now", "Why?"]
    assert found["repository"]["kind"] == "Repository"
    assert (found["listing"]["outcome"], found["listing"]["index"]) == ("hit", [2, 1])
    assert found["nudge"]["fetched_at"] == "2026-11-30T22:25:00Z"
    assert found["touches"] == ["github:octo-org/widgets#9"]
