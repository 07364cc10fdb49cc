"""Hooks as processes of their own, and payloads to give them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

if TYPE_CHECKING:
    from resources_graph_core.graph import Graph

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = "from resources_graph_core.hook import program; program()"


class StartHook(Protocol):
    """Start the hook program with a payload that it can read at once."""

    def __call__(self, payload: bytes, *arguments: str) -> subprocess.Popen[bytes]:
        """Start it; ``arguments`` default to Claude Code's."""


def bash(command: str, *, call: str = "call-1", session: str = "s1") -> bytes:
    """What Claude Code writes before a shell command."""
    return json.dumps(
        {
            "hook_event_name": "PreToolUse",
            "session_id": session,
            "cwd": "/",
            "tool_name": "Bash",
            "tool_input": {"command": command},
            "tool_use_id": call,
        }
    ).encode()


@pytest.fixture
def start_hook(isolation: None, tmp_path: Path) -> StartHook:  # noqa: ARG001 - for its order
    """Start hook processes in this test's environment."""
    made = tmp_path / "payloads"
    made.mkdir()

    def start(payload: bytes, *arguments: str) -> subprocess.Popen[bytes]:
        file = made / str(len(list(made.iterdir())))
        file.write_bytes(payload)
        with file.open("rb") as stdin:
            return subprocess.Popen(
                [sys.executable, "-c", PROGRAM, *(arguments or ("claude-code",))],
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )

    return start


@pytest.fixture
def on_engine(
    embedded_graph: Graph, engine_folder: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> Graph:
    """An empty graph that the settings name, for the user mona."""
    monkeypatch.setenv("RESOURCES_GRAPH_URL", f"embedded://{engine_folder}")
    monkeypatch.setenv("RESOURCES_GRAPH_USER", "mona")
    home.mkdir()
    return embedded_graph
