"""What agents keep on GitHub, as assets: one for each store that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from dagster import AssetCheckSeverity, AssetKey, AssetsDefinition, materialize

from resources_graph_core.github_memory import TriageBacklog
from resources_graph_core.store import agent_memory
from resources_graph_dagster.github_memory import BLOCK_PARSES, ONLY_TRUSTED, store_assets
from resources_graph_dagster.resources import GitHubResource, GraphResource

if TYPE_CHECKING:
    from dagster import ExecuteInProcessResult

    from resources_graph_core.memory import Memory
    from resources_graph_core.sandbox import Sandbox

ROADMAP = "<!-- ge:roadmap:begin -->\n- [x] One | two\n- [ ] Three\n<!-- ge:roadmap:end -->"
TRIAGE = '<!-- ge:triage:begin -->\n[{"ref": "octo-org/gadgets#1"}]\n<!-- ge:triage:end -->'
DECISION = "<!-- ge:decision -->\n### Decision: Go"


@pytest.fixture(autouse=True)
def stores(github: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store of each kind, in the settings and on GitHub."""
    monkeypatch.setenv("RESOURCES_GRAPH_ROADMAPS", "octo-org/widgets#1")
    monkeypatch.setenv("RESOURCES_GRAPH_TRIAGE", "octo-org/widgets#2")
    monkeypatch.setenv("RESOURCES_GRAPH_DECISIONS", "octo-org/widgets#3")
    github.state.edit_item("octo-org/widgets", 1, body=ROADMAP)
    github.state.edit_item("octo-org/widgets", 2, body=TRIAGE)
    github.state.add_comment("octo-org/widgets", 3, DECISION)


def made(assets: list[AssetsDefinition]) -> ExecuteInProcessResult:
    resources = {"graph": GraphResource(), "github": GitHubResource()}
    return materialize(assets, resources=resources, raise_on_error=False)


def test_there_is_an_asset_for_each_store(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [asset.key.to_user_string() for asset in store_assets()]
    assert keys == [
        "github_memory/roadmap_octo_org_widgets_1",
        "github_memory/decisions_octo_org_widgets_3",
        "github_memory/triage_octo_org_widgets_2",
    ]
    monkeypatch.setenv("RESOURCES_GRAPH_ROADMAPS", "o_a/b#1, o/a_b#1")
    assert len({asset.key for asset in store_assets()}) == 4
    monkeypatch.setenv("RESOURCES_GRAPH_TRIAGE", "https://github.com/orgs/octo-org/projects/1")
    assert "triage_orgs_octo_org_projects_1" in {asset.key.path[-1] for asset in store_assets()}
    monkeypatch.setenv("RESOURCES_GRAPH_TRIAGE", "nonsense")
    assert store_assets() == []


def test_stores_are_read_checked_and_recorded(memory: Memory) -> None:
    result = made(store_assets())
    assert result.success
    assert {check.check_name for check in result.get_asset_check_evaluations()} == {
        BLOCK_PARSES,
        ONLY_TRUSTED,
    }
    assert all(check.passed for check in result.get_asset_check_evaluations())
    key = AssetKey(["github_memory", "roadmap_octo_org_widgets_1"])
    [told] = result.asset_materializations_for_node(result_node(key))
    assert told.metadata["entries"].value == 2
    assert "One \\| two" in str(told.metadata["roadmap"].value)
    tasks = agent_memory.kept(memory.graph, "Task", "github:octo-org/widgets#1")
    assert [task["state"] for task in tasks] == ["done", "todo"]
    touched = {touch["address"] for touch in memory.touches()}
    assert touched == {
        *(f"github:octo-org/widgets#{number}" for number in (1, 2, 3)),
        "github:octo-org/gadgets#1",
    }


def result_node(key: AssetKey) -> str:
    return "__".join(key.path)


def test_a_block_that_cannot_be_read_fails_its_check_alone(memory: Memory, github: Sandbox) -> None:
    assert memory.touches() == []
    github.state.edit_item("octo-org/widgets", 2, body=TRIAGE.replace("[{", "[{{"))
    github.state.add_comment("octo-org/widgets", 3, DECISION, author="stranger")
    result = made(store_assets())
    assert not result.success
    checks = {check.asset_key.path[-1]: check for check in result.get_asset_check_evaluations()}
    assert not checks["triage_octo_org_widgets_2"].passed
    assert "line 2: this is not JSON" in str(
        checks["triage_octo_org_widgets_2"].metadata["found"].value
    )
    strangers = checks["decisions_octo_org_widgets_3"]
    assert (strangers.passed, strangers.severity) == (False, AssetCheckSeverity.WARN)
    assert "stranger may not write" in str(strangers.metadata["found"].value)
    assert checks["roadmap_octo_org_widgets_1"].passed


def test_a_backlog_in_a_project_is_recorded(
    memory: Memory, github: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    github.state.scopes = None
    github.state.add_project("octo-org")
    url = "https://github.com/orgs/octo-org/projects/1"
    with TriageBacklog(project=url) as backlog:
        backlog["octo-org/widgets#1"] = "stale"
    monkeypatch.setenv("RESOURCES_GRAPH_TRIAGE", url)
    result = made(store_assets())
    assert result.success
    key = AssetKey(["github_memory", "triage_orgs_octo_org_projects_1"])
    [told] = result.asset_materializations_for_node(result_node(key))
    assert (told.metadata["issue"].value, told.metadata["entries"].value) == (url, 1)
    [verdict] = agent_memory.kept(memory.graph, "Verdict", url.removeprefix("https://"))
    assert (verdict["verdict"], verdict["about"]) == ("stale", "github:octo-org/widgets#1")
