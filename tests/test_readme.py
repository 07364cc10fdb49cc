"""The README is true: its settings table, its hook script, its commands."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from resources_graph_core.cli import main
from resources_graph_core.cli.application import command
from resources_graph_core.config import SETTINGS, Setting
from resources_graph_core.errors import NoSuchEntry
from resources_graph_core.github_memory.tools import MemoryTools
from resources_graph_core.harness import targets
from resources_graph_core.memory import open_memory
from resources_graph_core.sandbox import Sandbox
from tests.archives import archived, write_archive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.graph import Graph

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def _row(setting: Setting) -> str:
    variables = ", ".join(f"`{variable}`" for variable in setting.variables)
    default = f"`{setting.default}`" if setting.default else setting.default_note or "not set"
    description = f"{setting.description} (secret)" if setting.secret else setting.description
    return f"| `{setting.name}` | {variables} | {default} | {description} |"


def test_the_settings_table_is_the_one_in_the_code() -> None:
    shown = [line for line in README.splitlines() if re.match(r"\| `[a-z_.]+` \| `[A-Z]", line)]
    assert shown == [_row(setting) for setting in SETTINGS]


def test_the_first_lines_are_the_two_commands() -> None:
    first = re.search(r"```sh\n(.*?)```", README, re.DOTALL)
    assert first is not None
    assert [line.split("  ")[0] for line in first[1].splitlines()] == ["make demo", "make test"]
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    assert set(re.findall(r"(?m)(?:`|^)make ([a-z]+)", README)) <= targets


def test_every_command_it_names_is_there() -> None:
    named = re.findall(r"resources-graph ([a-z]+)(?: ([a-z]+))?", README)
    top = command()
    for name, second in named:
        found = top.get_command(None, name)
        assert found is not None, name
        if hasattr(found, "commands"):
            assert second in found.commands, (name, second)


def test_the_hook_script_works_as_shown(
    embedded_graph: Graph,
    engine_folder: Path,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    script = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert script is not None
    assert embedded_graph.dialect == "falkordb"
    monkeypatch.setenv("RESOURCES_GRAPH_URL", f"embedded://{engine_folder}")
    monkeypatch.setenv("RESOURCES_GRAPH_HOME", str(home))

    def fetch(url: str, call_id: str) -> str:
        call = {
            "session_id": "s1",
            "hook_event_name": "PreToolUse",
            "tool_name": "WebFetch",
            "tool_input": {"url": url, "prompt": "Summarise"},
            "tool_use_id": call_id,
        }
        return subprocess.run(
            [sys.executable, "-c", script[1]],
            input=json.dumps(call),
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    page = "https://github.com/octo-org/widgets/issues/1"
    assert fetch(page, "call-1") == ""
    assert fetch(page, "call-1") == ""
    assert fetch("https://example.org/", "call-2") == ""
    with Sandbox([write_archive(tmp_path, issues=[archived(1)])]) as sandbox:
        monkeypatch.setenv("GITHUB_API_URL", sandbox.url)
        with open_memory() as memory:
            assert [touch["address"] for touch in memory.touches("s1")] == [
                "github:octo-org/widgets#1"
            ]
            assert memory.sweep().resolved == 1
    said = json.loads(fetch(page, "call-3"))["hookSpecificOutput"]
    assert said["hookEventName"] == "PreToolUse"
    assert said["additionalContext"].startswith("octo-org/widgets#1 is in memory")
    monkeypatch.setenv("RESOURCES_GRAPH_URL", "bolt://127.0.0.1:1")  # nobody listens there
    assert fetch(page, "call-4") == ""


SNIPPETS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.fixture
def _sandbox(
    embedded_graph: Graph,
    engine_folder: Path,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[None]:
    assert embedded_graph.dialect == "falkordb"
    monkeypatch.setenv("RESOURCES_GRAPH_URL", f"embedded://{engine_folder}")
    monkeypatch.setenv("RESOURCES_GRAPH_HOME", str(home))
    monkeypatch.setenv("RESOURCES_GRAPH_WRITE_PAUSE", "0")
    monkeypatch.setenv("GITHUB_TOKEN", "made-up")
    archive = write_archive(tmp_path, issues=[archived(12), archived(13)])
    with Sandbox([archive]) as sandbox:
        monkeypatch.setenv("GITHUB_API_URL", sandbox.url)
        yield


@pytest.mark.usefixtures("_sandbox")
def test_the_stores_work_as_shown() -> None:
    [script] = [one for one in SNIPPETS if "github_memory(" in one]
    script = script.replace('"owner/repo"', '"octo-org/widgets"')
    more = """
    kept.roadmap["test-it"] = "doing"
    tasks = [(task.title, str(task.state)) for task in kept.roadmap.values()]
    decided = [one.summary for one in kept.decisions]
    verdicts = [(one.ref, str(one.verdict)) for one in kept.triage.values()]
    try:
        kept.roadmap["nothing"]
    except KeyError as error:
        missing = error
"""
    shown: dict[str, Any] = {}
    exec(script + more, shown)  # noqa: S102 - the README's own lines
    assert shown["tasks"] == [("Write the parser", "doing"), ("test-it", "doing")]
    assert shown["decided"] == ["Parse by hand"]
    assert shown["verdicts"] == [("other/repo#7", "stale")]
    assert isinstance(shown["missing"], NoSuchEntry)


@pytest.mark.usefixtures("_sandbox")
def test_the_memory_graph_works_as_shown(
    embedded_graph: Graph, capsys: pytest.CaptureFixture[str]
) -> None:
    [script] = [one for one in SNIPPETS if "MemoryGraph(" in one]
    told: list[str] = []
    journal = {"journal": lambda entry: told.append(entry.model_dump_json())}
    exec(script.replace('"mona"))', '"mona"), journal=journal)'), journal)  # noqa: S102 - the same
    assert [line.split()[:2] for line in capsys.readouterr().out.splitlines()] == [
        ["0.0", "task:7"],
        ["1.0", "file:parser.py"],
    ]
    embedded_graph.query("MATCH (n) DETACH DELETE n")
    replay = ["memory", "replay", "\n".join(told)]
    assert main(replay) == 1  # by ada, not by whoever runs the command
    assert json.loads(capsys.readouterr().out)["error"]["name"] == "AccessDenied"
    for versions in (2, 0):
        assert main([*replay, "--privileged"]) == 0
        assert json.loads(capsys.readouterr().out)["versions"] == versions
    assert main([*replay, "--privileged", "--graph", "other"]) == 1
    assert "'main'" in json.loads(capsys.readouterr().out)["error"]["message"]


def test_every_tool_is_named() -> None:
    agreed = json.loads((ROOT / "tests/mcp/tools.json").read_text("utf-8"))["tools"]
    named = {tool["name"] for tool in agreed}
    named |= {function.__name__ for function in MemoryTools(open_memory).writing()}
    assert [name for name in sorted(named) if not re.search(rf"`{name}[`(]", README)] == []


def test_the_hook_is_registered_as_install_does() -> None:
    snippet = re.search(r"```json\n(.*?)```", README, re.DOTALL)
    assert snippet is not None
    ((group,),) = json.loads(snippet[1])["hooks"].values()
    ours: Any = targets.hooks_of("claude-code", "resources-graph-hook")
    installed = ours["hooks"]["PreToolUse"][0]
    assert group.keys() == installed.keys()
    assert group["hooks"][0].keys() <= installed["hooks"][0].keys()
