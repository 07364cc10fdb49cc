"""Sweeps that are killed at random moments and run again end as if nobody had disturbed them."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest

from benchmarks.kill import Trials, differences
from resources_graph_core.sandbox.archive import packaged_archives

if TYPE_CHECKING:
    from pathlib import Path


KILLS = 10


@pytest.fixture
def newer() -> Path:
    """The larger archive of the package."""
    return max(packaged_archives(), key=lambda path: path.stat().st_size)


@pytest.fixture
def older(newer: Path, tmp_path: Path) -> Path:
    """The same repository some time before: fewer items, some of them with other content."""
    archive = json.loads(newer.read_text())
    for kind in ("issues", "pulls"):
        archive[kind] = sorted(archive[kind], key=lambda one: one["number"])
        archive[kind] = archive[kind][: len(archive[kind]) * 2 // 3]
        for item in archive[kind][::3]:
            item["comments"] = item["comments"][:-1]
            item["title"] = f"{item['title']} (as it was)"
            item["updatedAt"] = item["createdAt"]
    file = tmp_path / "older.json"
    file.write_text(json.dumps(archive))
    return file


@pytest.mark.usefixtures("embedded_graph")
def test_a_killed_sweep_goes_on_where_it_was(
    engine_folder: Path, older: Path, newer: Path, tmp_path: Path
) -> None:
    trials = Trials(f"embedded://{engine_folder}", older, newer, tmp_path)
    seed = random.randrange(2**32)  # noqa: S311 - moments, not secrets
    killed = trials.run(KILLS, seed)
    assert killed.kills == KILLS, f"seed {seed}"
    assert killed.different == [], f"seed {seed}"
    assert killed.again == [], f"seed {seed}"


def test_what_is_compared_can_differ() -> None:
    assert differences({"a": "1", "b": "2"}, {"a": "1", "b": "3", "c": "4"}) == ["b", "c"]
