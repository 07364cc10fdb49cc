"""Each harness driven through the command lines that an installation wrote for it."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from resources_graph_core import failures
from resources_graph_core.harness import HARNESSES, targets
from resources_graph_core.harness.install import apply, plan_install
from resources_graph_core.spool import Spool
from tests.hook.conftest import PROGRAM, ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from resources_graph_core.graph import Graph

PAYLOADS = ROOT / "tests/harness/payloads"
FETCHED = "github:octo-org/widgets#42"

SENT = {
    "claude-code": {
        "PreToolUse": "PreToolUse-Bash",
        "UserPromptSubmit": "UserPromptSubmit",
        "SessionStart": "SessionStart",
        "PostToolUse": "PostToolUse-mcp",
    },
    "codex": {"PreToolUse": "PreToolUse-mcp", "SessionStart": "SessionStart"},
    "copilot-cli": {"preToolUse": "preToolUse-bash", "sessionStart": "sessionStart"},
    "cursor": {"preToolUse": "preToolUse-Fetch", "sessionStart": "sessionStart"},
    "opencode": {"tool.execute.before": "tool.execute.before-mcp"},
    "grok": {"PreToolUse": "PreToolUse-web_fetch", "SessionStart": "SessionStart"},
    "antigravity": {"PostToolUse": "PostToolUse", "PreInvocation": "PreInvocation"},
}
"""A sample payload for some of the events of each harness."""

ANSWERS = {
    ("claude-code", "PreToolUse"): {"hookSpecificOutput": {"hookEventName", "additionalContext"}},
    ("claude-code", "SessionStart"): {"hookSpecificOutput": {"hookEventName", "additionalContext"}},
    ("codex", "PreToolUse"): {"hookSpecificOutput": {"hookEventName", "additionalContext"}},
    ("codex", "SessionStart"): {"hookSpecificOutput": {"hookEventName", "additionalContext"}},
    ("copilot-cli", "preToolUse"): {"additionalContext": str},
    ("copilot-cli", "sessionStart"): {"additionalContext": str},
    ("cursor", "preToolUse"): {"permission": "allow", "additional_context": str},
    ("cursor", "sessionStart"): {"additional_context": str},
    ("grok", "PreToolUse"): {"hookSpecificOutput": {"hookEventName", "additionalContext"}},
    ("antigravity", "PostToolUse"): {},
    ("antigravity", "PreInvocation"): {"injectSteps": list},
}
"""What is said where something is, with the item in memory: every key, and what it holds."""


def launcher(folder: Path) -> Path:
    """The hook program as an installer would put it, in a folder with a space in its name."""
    path = folder / "my tools" / targets.HOOK_PROGRAM
    path.parent.mkdir(parents=True)
    path.write_text(
        f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c {shlex.quote(PROGRAM)} "$@"\n'
    )
    path.chmod(0o755)
    return path


def command_lines(value: object, event: str = "") -> list[tuple[str, str]]:
    """Every command in a hooks file with the event it stands under."""
    if isinstance(value, list):
        return [found for entry in value for found in command_lines(entry, event)]
    if not isinstance(value, dict):
        return []
    if isinstance(value.get("command"), str):
        return [(event, value["command"])]
    return [
        found
        for key, entry in value.items()
        for found in command_lines(entry, event if key == "hooks" and event else key)
    ]


def installed(name: str, folder: Path) -> dict[str, str]:
    """The command line of each event, read back from what an installation wrote."""
    home = folder / "user"
    apply(plan_install(name, "user", folder, home, str(launcher(folder)), environment={}))
    text = targets.places(name, "user", folder, home, {}).hooks.read_text()
    if name != "opencode":
        return dict(command_lines(json.loads(text)))
    program = re.search(r"const PROGRAM = (.*)", text)  # its plugin starts the program by itself
    assert program is not None
    return {event: shlex.join([json.loads(program[1]), name, event]) for event in SENT[name]}


def fits(value: object, shape: object) -> bool:
    """Whether a value has a shape: a type, exactly these keys, or the value itself."""
    if isinstance(shape, type):
        return isinstance(value, shape)
    if isinstance(shape, set):
        return isinstance(value, dict) and value.keys() == shape
    if isinstance(shape, dict):
        return (
            isinstance(value, dict)
            and value.keys() == shape.keys()
            and all(fits(value[key], inner) for key, inner in shape.items())
        )
    return value == shape


def test_every_harness_has_its_samples() -> None:
    assert SENT.keys() == set(HARNESSES)


@pytest.mark.parametrize("name", HARNESSES)
def test_the_command_lines_in_its_configuration_do_what_they_are_for(
    name: str, tmp_path: Path, on_engine: Graph, home: Path
) -> None:
    on_engine.query(
        "CREATE (:Resource:Issue {node_id: 'I_42', address: $address, number: 42, "
        "fetched_at: '2026-11-30T10:00:00Z', updated_at: '2026-11-01T00:00:00Z'})",
        address=FETCHED,
    )
    commands = installed(name, tmp_path)
    for event, file in SENT[name].items():
        done = subprocess.run(
            ["/bin/sh", "-c", commands[event]],
            input=(PAYLOADS / name / f"{file}.json").read_bytes(),
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            cwd=tmp_path,
            capture_output=True,
            check=False,
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        said = json.loads(done.stdout) if done.stdout else None
        shape = ANSWERS.get((name, event))
        assert fits(said, shape) if shape is not None else said is None, (event, said)
    found = on_engine.query("MATCH (touch:Touch) RETURN DISTINCT touch.address AS address")
    assert found == [{"address": FETCHED}]
    assert not Spool(home).holds_anything()
    assert failures.recent(home) == []
