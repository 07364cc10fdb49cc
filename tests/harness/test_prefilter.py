"""What is passed over without parsing never concerned us."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources_graph_core import harness
from resources_graph_core.harness.prefilter import may_concern_us

PAYLOADS = Path(__file__).parent / "payloads"
SAMPLES = [
    (folder.name, file) for folder in sorted(PAYLOADS.iterdir()) for file in folder.glob("*.json")
]
NAMED_ON_THE_COMMAND_LINE = {"copilot-cli", "cursor", "opencode", "antigravity"}

SHELLS: list[tuple[str, str | None, dict[str, object]]] = [
    ("claude-code", None, {"hook_event_name": "PreToolUse", "tool_name": "Bash"}),
    ("codex", None, {"hook_event_name": "PreToolUse", "tool_name": "Bash"}),
    ("copilot-cli", "preToolUse", {"toolName": "bash"}),
    ("cursor", "preToolUse", {"tool_name": "Shell", "cursor_version": "1"}),
    ("grok", None, {"hookEventName": "pre_tool_use", "toolName": "run_terminal_command"}),
]


def named_event(name: str, file: Path) -> str | None:
    if name not in NAMED_ON_THE_COMMAND_LINE:
        return None
    return file.stem.removeprefix("pascal-").partition("-")[0]


@pytest.mark.parametrize(("name", "file"), SAMPLES, ids=lambda value: getattr(value, "stem", value))
def test_every_sample_that_matters_is_parsed(name: str, file: Path) -> None:
    event = harness.read(name, json.loads(file.read_text()), named_event(name, file))
    assert event is not None
    matters = (
        event.prompt is not None
        or event.kind in {"session_start", "subagent_start"}
        or (event.tool is not None and event.tool.kind != "other")
    )
    for text in (file.read_text(), json.dumps(json.loads(file.read_text()))):
        if matters:
            assert may_concern_us(text, name, named_event(name, file))


@pytest.mark.parametrize(("name", "event_name", "payload"), SHELLS)
@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("ls -la", False),
        ("npm start && grep -rn right src | head", False),
        ("pytest -q tests\ncat README.md", False),
        ("cd x\ngh pr view 5", True),
        ("true;\tgh status", True),
        ("'gh' issue list", True),
        ("curl https://api.github.com/repos/o/r", True),
        ("curl https://ghe.example.org/o/r/issues/1", True),
    ],
)
def test_a_command_is_parsed_only_when_it_may_reach_github(
    name: str, event_name: str | None, payload: dict[str, object], command: str, *, expected: bool
) -> None:
    arguments = {"tool_input": {"command": command}, "cwd": "/home/dev/widgets"}
    text = json.dumps({**payload, **arguments})
    assert may_concern_us(text, name, event_name, ["ghe.example.org"]) is expected


def test_letters_may_hide_in_escapes() -> None:
    assert may_concern_us('{"tool_input": {"command": "\\u0067h status"}}', "claude-code")


def test_cursor_without_an_events_name_is_always_parsed() -> None:
    assert may_concern_us("{}", "cursor")
    assert may_concern_us('{"cursor_version": "1"}', "claude-code")
    assert not may_concern_us('{"cursor_version": "1"}', "cursor", "preToolUse")


@given(before=st.text(), after=st.text())
def test_gh_as_a_word_is_seen_in_any_text(before: str, after: str) -> None:
    command = f"{before}\ngh pr view 5\n{after}"
    for ascii_only in (True, False):
        text = json.dumps({"tool_input": {"command": command}}, ensure_ascii=ascii_only)
        assert may_concern_us(text, "claude-code")
