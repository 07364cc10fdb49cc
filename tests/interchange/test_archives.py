"""Archives: what memory holds of a repository comes back from its archive."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from resources_graph_core.address import Address
from resources_graph_core.errors import ArchiveError, UsageError
from resources_graph_core.interchange import archives
from resources_graph_core.sandbox.archive import load_archive, packaged_archives

if TYPE_CHECKING:
    from resources_graph_core.graph import Graph

REAL = Path(__file__).parents[2] / "../shared/github/tls-esni-2020.json"
# When and by whom it was stored; and references, whose other ends may be in other repositories.
OWN = {"fetched_at", "run_id", "referenced_by_ids", "referenced_by_urls"}
CONTENT = "MATCH (n:{label}) RETURN n, labels(n) AS labels ORDER BY n.node_id"


def content(graph: Graph) -> list[Any]:
    """Everything that is stored, without what differs from one import to the next."""
    found: list[Any] = []
    for label in ("Resource", "Comment"):
        for row in graph.query(CONTENT.format(label=label)):
            kept = {name: value for name, value in row["n"].items() if name not in OWN}
            found.append((sorted(row["labels"]), kept))
    return found


def empty(graph: Graph) -> None:
    graph.query("MATCH (n) DETACH DELETE n")


@pytest.mark.parametrize("file", packaged_archives(), ids=lambda file: file.stem)
def test_a_round_trip_loses_nothing(embedded_graph: Graph, tmp_path: Path, file: Path) -> None:
    there = load_archive(file)
    stored = archives.load(embedded_graph, file)
    assert stored == 1 + len(there.issues) + len(there.pulls)
    first = content(embedded_graph)
    written = archives.export(embedded_graph, Address.of_repository(*there.repo.split("/")))
    copy = tmp_path / "copy.json"
    copy.write_text(json.dumps(written))
    load_archive(copy)
    empty(embedded_graph)
    assert archives.load(embedded_graph, copy) == stored
    again = content(embedded_graph)
    for before, after in zip(first, again, strict=True):
        assert after == before


@pytest.mark.skipif(not REAL.exists(), reason="the real archives are not here")
def test_a_real_archive(embedded_graph: Graph) -> None:
    archive = load_archive(REAL)
    assert archives.load(embedded_graph, REAL) == 1 + len(archive.issues) + len(archive.pulls)
    written = archives.export(embedded_graph, Address.of_repository(*archive.repo.split("/")))
    assert [one["title"] for one in written["issues"]] == [
        one.title for one in sorted(archive.issues, key=lambda one: one.number)
    ]
    for mine, theirs in zip(
        written["pulls"], sorted(archive.pulls, key=lambda one: one.number), strict=True
    ):
        assert mine["body"] == theirs.body
        assert len(mine["reviews"]) == len(theirs.reviews)
        assert len(mine["comments"]) == len(theirs.comments)


def test_what_cannot_be_done(embedded_graph: Graph, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not in memory"):
        archives.export(embedded_graph, Address.of_repository("octo-org", "widgets"))
    (tmp_path / "no.json").write_text("[]")
    with pytest.raises(ArchiveError):
        archives.load(embedded_graph, tmp_path / "no.json")
