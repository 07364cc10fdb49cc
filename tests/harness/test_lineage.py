"""A subagent's session is found to be its parent's by a later process."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from resources_graph_core import harness
from resources_graph_core.harness import lineage

if TYPE_CHECKING:
    from resources_graph_core.harness.events import Event

PAYLOADS = Path(__file__).parent / "payloads"


def test_a_subagents_session_leads_to_its_root(tmp_path: Path) -> None:
    folder = str(tmp_path)
    lineage.remember(folder, "child", "root")
    lineage.remember(folder, "grandchild", "child")
    assert lineage.root_of(folder, "grandchild") == "root"
    assert lineage.root_of(folder, "child") == "root"
    assert lineage.root_of(folder, "root") == "root"
    assert stat.S_IMODE((tmp_path / lineage.FOLDER_NAME).stat().st_mode) == 0o700
    for file in (tmp_path / lineage.FOLDER_NAME).iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_circle_ends(tmp_path: Path) -> None:
    lineage.remember(str(tmp_path), "a", "b")
    lineage.remember(str(tmp_path), "b", "a")
    assert lineage.root_of(str(tmp_path), "a") in {"a", "b"}
    lineage.remember(str(tmp_path), "c", "c")
    assert lineage.root_of(str(tmp_path), "c") == "c"


def test_any_text_may_be_an_id(tmp_path: Path) -> None:
    for child in ("../../x", "", "\ud800", "a\x00b", "x" * 5000):
        lineage.remember(str(tmp_path), child, "\udfff")
        assert lineage.root_of(str(tmp_path), child) == "\udfff"
    assert len(list((tmp_path / lineage.FOLDER_NAME).iterdir())) == 5


def test_only_so_many_are_kept(tmp_path: Path) -> None:
    for number in range(lineage.MOST_FILES + 5):
        lineage.remember(str(tmp_path), f"child{number}", "root")
    assert len(list((tmp_path / lineage.FOLDER_NAME).iterdir())) == lineage.MOST_FILES
    assert lineage.root_of(str(tmp_path), f"child{lineage.MOST_FILES + 4}") == "root"


def test_the_subagents_of_a_forgotten_session_stay_its_own(tmp_path: Path) -> None:
    folder = str(tmp_path)
    lineage.forget(folder, "root")
    lineage.remember(folder, "child", "root")
    lineage.forget(folder, "root")
    assert lineage.root_of(folder, "child") == "root"  # which is forgotten: nothing is recorded
    lineage.forget(folder, "child")
    assert lineage.root_of(folder, "child") == "child"
    assert list((tmp_path / lineage.FOLDER_NAME).iterdir()) == []


def test_groks_subagent_belongs_to_the_session_that_started_it(tmp_path: Path) -> None:
    def read(file: str) -> Event:
        event = harness.read("grok", json.loads((PAYLOADS / "grok" / file).read_text()))
        assert event is not None
        return event

    started = read("SubagentStart.json")
    assert started.child_session_id is not None
    lineage.remember(str(tmp_path), started.child_session_id, started.session_id)
    inside = read("PreToolUse-in-subagent.json")
    assert inside.session_id != started.session_id
    assert lineage.root_of(str(tmp_path), inside.session_id) == started.session_id
