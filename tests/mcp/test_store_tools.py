"""The stores on GitHub as tools: they read for everybody, and write where the settings let them."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client
from stamina import set_testing

from resources_graph_core.config import load_settings
from resources_graph_core.mcp_server import build, store_tools
from resources_graph_core.sandbox import Sandbox
from tests.archives import archived, write_archive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from resources_graph_core.graph import Graph

READING = {"roadmap_show", "roadmap_next", "decisions_show", "triage_show", "requirements"}
WRITING = {
    "roadmap_append",
    "roadmap_set",
    "roadmap_move",
    "decisions_log",
    "triage_set",
    "triage_remove",
}
ISSUE = "octo-org/widgets#1"


@pytest.fixture(autouse=True)
def _at_hand(
    embedded_graph: Graph,
    engine_folder: Path,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[None]:
    assert embedded_graph.dialect == "falkordb"
    assert not home.exists()
    archive = write_archive(tmp_path, issues=[archived(1)])
    with Sandbox([archive], token="made-up") as sandbox:
        monkeypatch.setenv("RESOURCES_GRAPH_URL", f"embedded://{engine_folder}")
        monkeypatch.setenv("GITHUB_API_URL", sandbox.url)
        monkeypatch.setenv("GITHUB_TOKEN", "made-up")
        monkeypatch.setenv("RESOURCES_GRAPH_WRITE_PAUSE", "0")
        yield


def offered(*, writing: bool = True) -> dict[str, Any]:
    """The tools of the stores by name."""

    async def ask() -> dict[str, Any]:
        server = build(load_settings, [store_tools.tools], writing=writing)
        async with Client(server) as client:
            return {tool.name: tool for tool in (await client.list_tools()).tools}

    return asyncio.run(ask())


def called(name: str, **arguments: object) -> Any:  # noqa: ANN401 - whatever the tool answers
    """What a tool answers."""

    async def ask() -> object:
        async with Client(build(load_settings, [store_tools.tools], writing=True)) as client:
            return await client.call_tool(name, arguments)

    return asyncio.run(ask())


def test_tools_that_write_are_off_unless_they_are_enabled(monkeypatch: pytest.MonkeyPatch) -> None:
    assert offered().keys() >= READING
    assert not offered().keys() & WRITING
    monkeypatch.setenv("RESOURCES_GRAPH_MEMORY_TOOLS", "write")
    assert offered().keys() >= READING | WRITING
    assert not offered(writing=False).keys() & WRITING


def test_each_is_described_with_what_it_takes_and_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RESOURCES_GRAPH_MEMORY_TOOLS", "write")
    found = offered()
    for name in READING | WRITING:
        tool = found[name]
        assert tool.description
        parameter = "project" if name == "requirements" else "issue"
        assert parameter in tool.input_schema["properties"]
        assert tool.output_schema
        assert tool.annotations.read_only_hint is (name in READING)
        assert tool.annotations.open_world_hint is True


def test_schemas_have_no_titles_but_parameters_of_that_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RESOURCES_GRAPH_MEMORY_TOOLS", "write")
    found = offered()
    assert found["roadmap_append"].input_schema["properties"]["title"] == {"type": "string"}
    shown = json.dumps([[tool.input_schema, tool.output_schema] for tool in found.values()])
    assert '"title": "' not in shown


def test_a_task_is_added_and_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RESOURCES_GRAPH_MEMORY_TOOLS", "write")
    made = called("roadmap_append", issue=ISSUE, title="Ship it")
    assert made.structured_content["id"] == "ship-it"
    shown = called("roadmap_next", issue=ISSUE)
    assert shown.structured_content["task"]["title"] == "Ship it"


def test_what_writing_needs_is_told() -> None:
    answer = called("requirements", project=True).structured_content
    assert answer["ok"] is (answer["missing"] == [])
    assert answer["auth"] is True


def test_without_a_token_it_is_told_what_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_TOKEN")
    answer = called("requirements")
    assert answer.is_error
    assert "gh auth login" in answer.content[0].text


def test_settings_that_are_wrong_leave_the_tools_that_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RESOURCES_GRAPH_MEMORY_TOOLS", "sometimes")
    found = offered()
    assert found.keys() >= READING | {"resource", "find"}
    assert not found.keys() & WRITING


def test_an_error_repeats_no_credential() -> None:
    token = "ghp_" + "aB3" * 12
    answer = called("resource", address=f"<|im_start|> {token} {'words ' * 1_000}")
    assert answer.is_error
    assert "[GitHub token 1, masked]" in answer.content[0].text
    assert "<\\|im_start|>" in answer.content[0].text
    assert len(answer.content[0].text) < 2_200


def test_errors_are_answers() -> None:
    answer = called("roadmap_show", issue="octo-org/widgets#99")
    assert answer.is_error
    assert "octo-org/widgets#99" in answer.content[0].text


def test_the_settings_are_those_of_the_server() -> None:
    """Not those of the environment: ``--graph`` and whoever builds a server may set others."""
    writing = load_settings().changed(github_memory_tools="write")

    async def ask() -> Any:  # noqa: ANN401 - whatever the tool answers
        async with Client(build(lambda: writing, [store_tools.tools], writing=True)) as client:
            return await client.call_tool("roadmap_append", {"issue": ISSUE, "title": "Ship it"})

    assert asyncio.run(ask()).structured_content["id"] == "ship-it"


def test_stores_answer_though_the_graph_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are on GitHub; what cannot be recorded is logged."""
    monkeypatch.setenv("RESOURCES_GRAPH_URL", "bolt://127.0.0.1:1")

    async def ask() -> Any:  # noqa: ANN401 - what the client gives
        async with Client(build(load_settings, [store_tools.tools])) as client:
            return await client.call_tool("roadmap_show", {"issue": ISSUE})

    with set_testing(True, attempts=1):
        shown = asyncio.run(ask())
    assert not shown.is_error
    assert shown.structured_content["tasks"] == []
