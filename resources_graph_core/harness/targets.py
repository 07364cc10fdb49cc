"""Where each harness keeps its hooks and MCP servers, and what of ours goes there.

The events are those we have something to do at, each with a matcher as narrow as the harness
allows, so that an agent's other tools start no process. Files and shapes as the harnesses document
them (addresses in their modules).
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from resources_graph_core.errors import UsageError
from resources_graph_core.harness import HARNESSES, MCP_SERVER

if TYPE_CHECKING:
    from collections.abc import Mapping

Scope = Literal["project", "user"]

HOOK_PROGRAM = "resources-graph-hook"
MAIN_PROGRAM = "resources-graph"

TIMEOUT = 10
"""Seconds a harness gives the hook, which itself gives up after 2."""


@dataclass(frozen=True, slots=True)
class Places:
    """The file with a harness's hooks and the one with its MCP servers."""

    hooks: Path
    mcp: Path


def places(
    harness: str, scope: Scope, root: Path, home: Path, environment: Mapping[str, str]
) -> Places:
    """The files of a harness, in the project ``root`` or for the user whose ``home`` it is.

    ``environment`` may move a user's files: CLAUDE_CONFIG_DIR, CODEX_HOME, COPILOT_HOME and
    XDG_CONFIG_HOME. Raises UsageError for a harness that we do not know.
    """
    if harness not in HARNESSES:
        raise UsageError(f"No harness is called {harness}. Known are {', '.join(HARNESSES)}.")
    return (
        _project_places(root)[harness]
        if scope == "project"
        else _user_places(home, environment)[harness]
    )


def _project_places(root: Path) -> dict[str, Places]:
    return {
        "claude-code": Places(root / ".claude/settings.json", root / ".mcp.json"),
        "codex": Places(root / ".codex/hooks.json", root / ".codex/config.toml"),
        "copilot-cli": Places(root / f".github/hooks/{MCP_SERVER}.json", root / ".github/mcp.json"),
        "cursor": Places(root / ".cursor/hooks.json", root / ".cursor/mcp.json"),
        "opencode": Places(root / f".opencode/plugins/{MCP_SERVER}.js", _opencode_settings(root)),
        "grok": Places(root / f".grok/hooks/{MCP_SERVER}.json", root / ".grok/config.toml"),
        "antigravity": Places(root / ".agents/hooks.json", root / ".agents/mcp_config.json"),
    }


def _user_places(home: Path, environment: Mapping[str, str]) -> dict[str, Places]:
    def folder(variable: str, default: str) -> Path:
        moved = environment.get(variable)
        return Path(moved).expanduser() if moved else home / default

    claude = folder("CLAUDE_CONFIG_DIR", ".claude")
    claude_servers = claude if environment.get("CLAUDE_CONFIG_DIR") else home
    codex = folder("CODEX_HOME", ".codex")
    copilot = folder("COPILOT_HOME", ".copilot")
    opencode = folder("XDG_CONFIG_HOME", ".config") / "opencode"
    gemini = home / ".gemini/config"
    return {
        "claude-code": Places(claude / "settings.json", claude_servers / ".claude.json"),
        "codex": Places(codex / "hooks.json", codex / "config.toml"),
        "copilot-cli": Places(copilot / f"hooks/{MCP_SERVER}.json", copilot / "mcp-config.json"),
        "cursor": Places(home / ".cursor/hooks.json", home / ".cursor/mcp.json"),
        "opencode": Places(opencode / f"plugins/{MCP_SERVER}.js", _opencode_settings(opencode)),
        "grok": Places(home / f".grok/hooks/{MCP_SERVER}.json", home / ".grok/config.toml"),
        "antigravity": Places(gemini / "hooks.json", gemini / "mcp_config.json"),
    }


def _opencode_settings(folder: Path) -> Path:
    """OpenCode reads either spelling; the one that is there is the one to change."""
    commented = folder / "opencode.jsonc"
    plain = folder / "opencode.json"
    return commented if commented.exists() and not plain.exists() else plain


_NESTED: dict[str, dict[str, str | None]] = {
    "claude-code": {
        "PreToolUse": "Bash|WebFetch|mcp__.*",
        "PostToolUse": "mcp__.*__resource",
        "UserPromptSubmit": None,
        "SessionStart": None,
        "SubagentStart": None,
    },
    "codex": {
        "PreToolUse": "Bash|mcp__.*",
        "PostToolUse": "mcp__.*__resource",
        "UserPromptSubmit": None,
        "SessionStart": None,
        "SubagentStart": None,
    },
    "grok": {
        "PreToolUse": "Bash|run_terminal_command|WebFetch|web_fetch|.*__.*",
        "PostToolUse": ".*__resource",
        "UserPromptSubmit": None,
        "SessionStart": None,
        "SubagentStart": None,
    },
}
"""Harnesses with Claude Code's shape: event, then the matcher of tools."""

_COPILOT_EVENTS: dict[str, str | None] = {
    "preToolUse": "bash|web_fetch|.*-.*",
    "postToolUse": ".*-resource",
    "userPromptSubmitted": None,
    "sessionStart": None,
    "subagentStart": None,
}

_CURSOR_EVENTS: dict[str, str | None] = {
    "preToolUse": "Shell|Fetch|WebFetch|MCP:.*",
    "postToolUse": "MCP:resource",
    "beforeSubmitPrompt": None,
    "sessionStart": None,
    "subagentStart": None,
}


def hooks_of(harness: str, program: str) -> dict[str, object]:
    """The hooks that go into a harness's JSON file, for the hook program at an absolute path."""
    if harness in _NESTED:
        handler = {"type": "command", "command": _command(program, harness), "timeout": TIMEOUT}
        return {
            "hooks": {
                event: [_matched(matcher, {"hooks": [handler]})]
                for event, matcher in _NESTED[harness].items()
            }
        }
    if harness == "copilot-cli":
        return {
            "hooks": {
                event: [
                    _matched(
                        matcher,
                        {
                            "type": "command",
                            "command": _command(program, harness, event),
                            "timeoutSec": TIMEOUT,
                        },
                    )
                ]
                for event, matcher in _COPILOT_EVENTS.items()
            }
        }
    if harness == "cursor":
        return {
            "hooks": {
                event: [
                    _matched(
                        matcher,
                        {"command": _command(program, harness, event), "timeout": TIMEOUT},
                    )
                ]
                for event, matcher in _CURSOR_EVENTS.items()
            }
        }
    return {MCP_SERVER: _antigravity_group(program)}


def preamble_of(harness: str) -> dict[str, object]:
    """What a hooks file of a harness needs besides hooks when it is new."""
    return {"version": 1} if harness in {"copilot-cli", "cursor"} else {}


def _antigravity_group(program: str) -> dict[str, object]:
    def handler(event: str) -> dict[str, object]:
        command = _command(program, "antigravity", event)
        return {"type": "command", "command": command, "timeout": TIMEOUT}

    return {
        "enabled": True,
        "PostToolUse": [{"matcher": "*", "hooks": [handler("PostToolUse")]}],
        "PreInvocation": [handler("PreInvocation")],
    }


def _matched(matcher: str | None, entry: dict[str, object]) -> dict[str, object]:
    return entry if matcher is None else {"matcher": matcher, **entry}


def _command(program: str, *arguments: str) -> str:
    return shlex.join([program, *arguments])


def server_of(harness: str, program: str) -> dict[str, object]:
    """Our entry among a harness's MCP servers, for the hook program at an absolute path."""
    command = str(Path(program).with_name(MAIN_PROGRAM))
    if harness == "opencode":
        return {"type": "local", "command": [command, "mcp"], "enabled": True}
    entry: dict[str, object] = {"command": command, "args": ["mcp"]}
    if harness in {"claude-code", "cursor"}:
        return {"type": "stdio", **entry}
    if harness == "copilot-cli":
        return {"type": "local", **entry, "tools": ["*"]}
    return entry


def servers_key(harness: str) -> str:
    """Under which key a harness keeps its MCP servers."""
    if harness in {"codex", "grok"}:
        return "mcp_servers"
    return "mcp" if harness == "opencode" else "mcpServers"


def program_in(value: object) -> str | None:
    """The hook program that a hook entry or an entry among the MCP servers of ours stands for.

    None when the entry holds no command, or one that is not ours.
    """
    programs = [_hook_program(path) for path in _programs_run(value)]
    return programs[0] if programs and None not in programs else None


def _programs_run(value: object) -> list[str]:
    """The program of every command in an entry, whatever is around it."""
    if isinstance(value, list):
        return [path for entry in value for path in _programs_run(entry)]
    if not isinstance(value, dict):
        return []
    command = value.get("command")
    if isinstance(command, str):
        return [command if "args" in value else _first_word(command)]
    if isinstance(command, list):
        return [command[0]] if command and isinstance(command[0], str) else [""]
    return [path for entry in value.values() for path in _programs_run(entry)]


def _first_word(command: str) -> str:
    try:
        words = shlex.split(command)
    except ValueError:
        return ""
    return words[0] if words else ""


def _hook_program(path: str) -> str | None:
    """The hook program's path, from its own or the main program's beside it."""
    if Path(path).name not in {HOOK_PROGRAM, MAIN_PROGRAM}:
        return None
    return str(Path(path).with_name(HOOK_PROGRAM))
