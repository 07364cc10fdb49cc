"""Every sample payload against the Event it must become, and what may be answered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from resources_graph_core import harness
from resources_graph_core.harness.events import Event, Tool

PAYLOADS = Path(__file__).parent / "payloads"

COMMAND = "gh issue view 42 -R octo-org/widgets --comments"
DIFF = "gh pr diff 57 -R octo-org/widgets"
MISSING = "gh issue view 4200 -R octo-org/widgets"
CURL = (
    "curl -s -H 'Accept: application/vnd.github+json' "
    "'https://api.github.com/repos/octo-org/widgets/issues?state=all&per_page=50'"
)
LIST = (
    "gh issue list -R octo-org/widgets --state open --label bug --limit 20 --json number,title,url"
)
URL = "https://github.com/octo-org/widgets/issues/42"
PROMPT = "Fix octo-org/widgets#42 and check whether pull request 57 already covers it."
SUBAGENT_PROMPT = "Read pull request 57 of octo-org/widgets"
ISSUE = {"method": "get", "owner": "octo-org", "repo": "widgets", "issue_number": 42}
ISSUE_MISSING = {**ISSUE, "issue_number": 4200}
ANSWER = '{"number":42,"title":"Crash when saving an empty widget"'

CLAUDE = "9f1c2a34-5b6d-4e7f-8a90-b1c2d3e4f501"
CLAUDE_PROMPT = "2d0e7c11-4c55-4a0b-9d3e-7f6a5b4c3d21"
CODEX = "019a1b2c-3d4e-7f50-8a61-b2c3d4e5f601"
CODEX_TURN = "019a1b2c-4d5e-7a60-8b71-c2d3e4f5a601"
CODEX_CHILD_TURN = "019a1b2c-6f70-7b82-8c93-d4e5f6a7b803"
COPILOT = "5c7d8e90-1a2b-4c3d-8e4f-5a6b7c8d9e01"
COPILOT_CHILD = "7e8f9a01-2b3c-4d4e-9f50-6b7c8d9e0f12"
MILLISECONDS = "1793610900000"
ISO = "2026-11-02T09:15:00.000Z"
CURSOR = "3b4c5d6e-7f80-4192-a3b4-c5d6e7f80913"
CURSOR_TURN = "0d1e2f30-4152-4364-8596-a7b8c9daebf1"
PARENT = "ses_Example0001parent"
CHILD = "ses_Example0002child"
GROK = "8d9e0f12-3a4b-4c5d-9e6f-7a8b9c0d1e23"
GROK_CHILD = "9e0f1234-4b5c-4d6e-8f70-8b9c0d1e2f34"
GROK_TIME = "2026-11-02T09:15:00.000000+00:00"
ANTIGRAVITY = "c1d2e3f4-5a6b-4c7d-8e9f-0a1b2c3d4e5f"

HASH = "a hash of the payload"
CWD = "/home/dev/widgets"


def shell(name: str, command: str = COMMAND) -> Tool:
    return Tool(kind="shell", name=name, command=command, arguments={})


def fetch(name: str) -> Tool:
    return Tool(kind="web_fetch", name=name, url=URL, arguments={})


def mcp(
    server: str | None, name: str = "issue_read", arguments: dict[str, object] | None = None
) -> Tool:
    return Tool(kind="mcp", name=name, server=server, arguments=arguments or dict(ISSUE))


def other(name: str) -> Tool:
    return Tool(kind="other", name=name, arguments={})


# kind, event's own name, session, discriminator, and whatever else is not at its default
Expected = tuple[str, str, str, str, dict[str, object]]

CLAUDE_CODE: dict[str, Expected] = {
    "PreToolUse-Bash": (
        "pre_tool", "PreToolUse", CLAUDE, "toolu_01EXAMPLEbash000000000001",
        {"tool": shell("Bash"), "tool_use_id": "toolu_01EXAMPLEbash000000000001"},
    ),
    "PreToolUse-Bash-list": (
        "pre_tool", "PreToolUse", CLAUDE, "toolu_01EXAMPLEbash000000000002",
        {"tool": shell("Bash", LIST), "tool_use_id": "toolu_01EXAMPLEbash000000000002"},
    ),
    "PreToolUse-WebFetch": (
        "pre_tool", "PreToolUse", CLAUDE, "toolu_01EXAMPLEfetch00000000001",
        {"tool": fetch("WebFetch"), "tool_use_id": "toolu_01EXAMPLEfetch00000000001"},
    ),
    "PreToolUse-mcp": (
        "pre_tool", "PreToolUse", CLAUDE, "toolu_01EXAMPLEmcp0000000000001",
        {"tool": mcp("github"), "tool_use_id": "toolu_01EXAMPLEmcp0000000000001"},
    ),
    "PreToolUse-Agent": (
        "pre_tool", "PreToolUse", CLAUDE, "toolu_01EXAMPLEagent00000000001",
        {"tool": other("Agent"), "tool_use_id": "toolu_01EXAMPLEagent00000000001"},
    ),
    "PreToolUse-in-subagent": (
        "pre_tool", "PreToolUse", CLAUDE, "toolu_01EXAMPLEsub0000000000001",
        {
            "tool": shell("Bash", DIFF),
            "tool_use_id": "toolu_01EXAMPLEsub0000000000001",
            "agent_name": "general-purpose",
        },
    ),
    "PostToolUse-Bash": (
        "post_tool", "PostToolUse", CLAUDE, "toolu_01EXAMPLEbash000000000001",
        {"tool": shell("Bash"), "tool_use_id": "toolu_01EXAMPLEbash000000000001"},
    ),
    "PostToolUse-WebFetch": (
        "post_tool", "PostToolUse", CLAUDE, "toolu_01EXAMPLEfetch00000000001",
        {"tool": fetch("WebFetch"), "tool_use_id": "toolu_01EXAMPLEfetch00000000001"},
    ),
    "PostToolUse-mcp": (
        "post_tool", "PostToolUse", CLAUDE, "toolu_01EXAMPLEmcp0000000000001",
        {
            "tool": mcp("github"),
            "tool_use_id": "toolu_01EXAMPLEmcp0000000000001",
            "response": ANSWER,
        },
    ),
    "PostToolUseFailure": (
        "post_tool", "PostToolUseFailure", CLAUDE, "toolu_01EXAMPLEbash000000000003",
        {
            "tool": shell("Bash", MISSING),
            "tool_use_id": "toolu_01EXAMPLEbash000000000003",
            "failed": True,
        },
    ),
    "UserPromptSubmit": ("prompt", "UserPromptSubmit", CLAUDE, CLAUDE_PROMPT, {"prompt": PROMPT}),
    "SessionStart": ("session_start", "SessionStart", CLAUDE, HASH, {}),
    "SessionStart-resume": ("session_start", "SessionStart", CLAUDE, HASH, {}),
    "SessionEnd": ("session_end", "SessionEnd", CLAUDE, CLAUDE_PROMPT, {}),
    "Stop": ("other", "Stop", CLAUDE, CLAUDE_PROMPT, {}),
    "SubagentStart": (
        "subagent_start", "SubagentStart", CLAUDE, CLAUDE_PROMPT, {"agent_name": "general-purpose"},
    ),
    "SubagentStop": (
        "subagent_stop", "SubagentStop", CLAUDE, CLAUDE_PROMPT, {"agent_name": "general-purpose"},
    ),
}  # fmt: skip

CODEX_CLI: dict[str, Expected] = {
    "PreToolUse-Bash": (
        "pre_tool", "PreToolUse", CODEX, "call_ExampleShell0001",
        {"tool": shell("Bash"), "tool_use_id": "call_ExampleShell0001"},
    ),
    "PreToolUse-Bash-curl": (
        "pre_tool", "PreToolUse", CODEX, "call_ExampleShell0002",
        {"tool": shell("Bash", CURL), "tool_use_id": "call_ExampleShell0002"},
    ),
    "PreToolUse-in-subagent": (
        "pre_tool", "PreToolUse", CODEX, "call_ExampleShell0003",
        {
            "tool": shell("Bash", DIFF),
            "tool_use_id": "call_ExampleShell0003",
            "agent_name": "worker",
        },
    ),
    "PreToolUse-mcp": (
        "pre_tool", "PreToolUse", CODEX, "call_ExampleMcp0001",
        {"tool": mcp("github"), "tool_use_id": "call_ExampleMcp0001"},
    ),
    "PostToolUse-Bash": (
        "post_tool", "PostToolUse", CODEX, "call_ExampleShell0001",
        {"tool": shell("Bash"), "tool_use_id": "call_ExampleShell0001"},
    ),
    "PostToolUse-mcp": (
        "post_tool", "PostToolUse", CODEX, "call_ExampleMcp0001",
        {"tool": mcp("github"), "tool_use_id": "call_ExampleMcp0001", "response": ANSWER},
    ),
    "PostToolUse-spawn_agent": (
        "post_tool", "PostToolUse", CODEX, "call_ExampleSpawn0001",
        {"tool": other("spawn_agent"), "tool_use_id": "call_ExampleSpawn0001"},
    ),
    "UserPromptSubmit": ("prompt", "UserPromptSubmit", CODEX, CODEX_TURN, {"prompt": PROMPT}),
    "UserPromptSubmit-in-subagent": (
        "prompt", "UserPromptSubmit", CODEX, CODEX_CHILD_TURN,
        {"prompt": f"{SUBAGENT_PROMPT} and say what it changes.", "agent_name": "worker"},
    ),
    "SessionStart": ("session_start", "SessionStart", CODEX, HASH, {}),
    "SessionEnd": ("session_end", "SessionEnd", CODEX, HASH, {}),
    "Stop": ("other", "Stop", CODEX, CODEX_TURN, {}),
    "SubagentStart": (
        "subagent_start", "SubagentStart", CODEX, CODEX_CHILD_TURN, {"agent_name": "worker"},
    ),
    "SubagentStop": (
        "subagent_stop", "SubagentStop", CODEX, CODEX_CHILD_TURN, {"agent_name": "worker"},
    ),
}  # fmt: skip

BUILT_IN = "github-mcp-server-issue_read"
COPILOT_CLI: dict[str, Expected] = {
    "preToolUse-bash": ("pre_tool", "preToolUse", COPILOT, MILLISECONDS, {"tool": shell("bash")}),
    "preToolUse-bash-string-args": (
        "pre_tool", "preToolUse", COPILOT, MILLISECONDS, {"tool": shell("bash")},
    ),
    "preToolUse-web_fetch": (
        "pre_tool", "preToolUse", COPILOT, MILLISECONDS, {"tool": fetch("web_fetch")},
    ),
    "preToolUse-mcp": (
        "pre_tool", "preToolUse", COPILOT, MILLISECONDS, {"tool": mcp(None, BUILT_IN)},
    ),
    "preToolUse-task": ("pre_tool", "preToolUse", COPILOT, MILLISECONDS, {"tool": other("task")}),
    "preToolUse-in-subagent": (
        "pre_tool", "preToolUse", COPILOT, MILLISECONDS,
        {"tool": shell("bash", DIFF), "agent_name": "explore"},
    ),
    "postToolUse-bash": (
        "post_tool", "postToolUse", COPILOT, MILLISECONDS, {"tool": shell("bash")},
    ),
    "postToolUse-bash-nonzero": (
        "post_tool", "postToolUse", COPILOT, MILLISECONDS, {"tool": shell("bash", MISSING)},
    ),
    "postToolUse-mcp": (
        "post_tool", "postToolUse", COPILOT, MILLISECONDS,
        {"tool": mcp(None, BUILT_IN), "response": ANSWER},
    ),
    "postToolUseFailure": (
        "post_tool", "postToolUseFailure", COPILOT, MILLISECONDS,
        {"tool": mcp(None, BUILT_IN, dict(ISSUE_MISSING)), "failed": True},
    ),
    "userPromptSubmitted": (
        "prompt", "userPromptSubmitted", COPILOT, MILLISECONDS, {"prompt": PROMPT},
    ),
    "sessionStart": ("session_start", "sessionStart", COPILOT, MILLISECONDS, {}),
    "sessionEnd": ("session_end", "sessionEnd", COPILOT, MILLISECONDS, {}),
    "agentStop": ("other", "agentStop", COPILOT, MILLISECONDS, {}),
    "subagentStart": (
        "subagent_start", "subagentStart", COPILOT, MILLISECONDS,
        {"agent_name": "explore", "child_session_id": COPILOT_CHILD},
    ),
    "subagentStop": (
        "subagent_stop", "subagentStop", COPILOT, MILLISECONDS, {"agent_name": "explore"},
    ),
    "pascal-PreToolUse-Bash": ("pre_tool", "PreToolUse", COPILOT, ISO, {"tool": shell("Bash")}),
    "pascal-PreToolUse-in-subagent": (
        "pre_tool", "PreToolUse", COPILOT, ISO,
        {"tool": shell("Bash", DIFF), "agent_name": "explore"},
    ),
    "pascal-PreToolUse-mcp": (
        "pre_tool", "PreToolUse", COPILOT, ISO, {"tool": mcp(None, BUILT_IN)},
    ),
    "pascal-PostToolUse-Bash": ("post_tool", "PostToolUse", COPILOT, ISO, {"tool": shell("Bash")}),
    "pascal-PostToolUse-mcp": (
        "post_tool", "PostToolUse", COPILOT, ISO,
        {"tool": mcp(None, BUILT_IN), "response": ANSWER},
    ),
    "pascal-UserPromptSubmit": ("prompt", "UserPromptSubmit", COPILOT, ISO, {"prompt": PROMPT}),
    "pascal-SessionStart": ("session_start", "SessionStart", COPILOT, ISO, {}),
    "pascal-SessionEnd": ("session_end", "SessionEnd", COPILOT, ISO, {}),
    "pascal-Stop": ("other", "Stop", COPILOT, ISO, {}),
    "pascal-Stop-in-subagent": ("other", "Stop", COPILOT, ISO, {"agent_name": "explore"}),
    "pascal-SubagentStart": (
        "subagent_start", "SubagentStart", COPILOT, MILLISECONDS,
        {"agent_name": "explore", "child_session_id": COPILOT_CHILD},
    ),
    "pascal-SubagentStop": (
        "subagent_stop", "SubagentStop", COPILOT, ISO, {"agent_name": "explore"},
    ),
}  # fmt: skip

CURSOR_CASES: dict[str, Expected] = {
    "preToolUse-Shell": (
        "pre_tool", "preToolUse", CURSOR, "tool_example_0001",
        {"tool": shell("Shell"), "tool_use_id": "tool_example_0001"},
    ),
    "preToolUse-Fetch": (
        "pre_tool", "preToolUse", CURSOR, "tool_example_0002",
        {"tool": fetch("Fetch"), "tool_use_id": "tool_example_0002"},
    ),
    "preToolUse-mcp": (
        "pre_tool", "preToolUse", CURSOR, "tool_example_0003",
        {"tool": mcp(None), "tool_use_id": "tool_example_0003"},
    ),
    "beforeShellExecution": (
        "pre_tool", "beforeShellExecution", CURSOR, CURSOR_TURN, {"tool": shell("Shell")},
    ),
    "beforeMCPExecution": (
        "pre_tool", "beforeMCPExecution", CURSOR, CURSOR_TURN, {"tool": mcp("github")},
    ),
    "afterMCPExecution": (
        "post_tool", "afterMCPExecution", CURSOR, CURSOR_TURN,
        {"tool": mcp("github"), "response": ANSWER},
    ),
    "postToolUse-Shell": (
        "post_tool", "postToolUse", CURSOR, "tool_example_0001",
        {"tool": shell("Shell"), "tool_use_id": "tool_example_0001"},
    ),
    "postToolUse-mcp": (
        "post_tool", "postToolUse", CURSOR, "tool_example_0003",
        {"tool": mcp(None), "tool_use_id": "tool_example_0003", "response": ANSWER},
    ),
    "postToolUseFailure": (
        "post_tool", "postToolUseFailure", CURSOR, "tool_example_0004",
        {"tool": shell("Shell", MISSING), "tool_use_id": "tool_example_0004", "failed": True},
    ),
    "beforeSubmitPrompt": (
        "prompt", "beforeSubmitPrompt", CURSOR, CURSOR_TURN, {"prompt": PROMPT},
    ),
    "sessionStart": ("session_start", "sessionStart", CURSOR, CURSOR_TURN, {}),
    "sessionEnd": ("session_end", "sessionEnd", CURSOR, CURSOR_TURN, {}),
    "stop": ("other", "stop", CURSOR, CURSOR_TURN, {}),
    "subagentStart": (
        "subagent_start", "subagentStart", CURSOR, CURSOR_TURN,
        {"agent_name": "generalPurpose", "child_session_id": "sub_example_0001"},
    ),
    "subagentStop": (
        "subagent_stop", "subagentStop", CURSOR, CURSOR_TURN, {"agent_name": "generalPurpose"},
    ),
}  # fmt: skip

OPENCODE: dict[str, Expected] = {
    "tool.execute.before-bash": (
        "pre_tool", "tool.execute.before", PARENT, "call_example_0001",
        {"tool": shell("bash"), "tool_use_id": "call_example_0001", "cwd": None},
    ),
    "tool.execute.before-webfetch": (
        "pre_tool", "tool.execute.before", PARENT, "call_example_0002",
        {"tool": fetch("webfetch"), "tool_use_id": "call_example_0002", "cwd": None},
    ),
    "tool.execute.before-mcp": (
        "pre_tool", "tool.execute.before", PARENT, "call_example_0003",
        {
            "tool": mcp(None, "github_issue_read"),
            "tool_use_id": "call_example_0003",
            "cwd": None,
        },
    ),
    "tool.execute.after-bash": (
        "post_tool", "tool.execute.after", PARENT, "call_example_0001",
        {"tool": shell("bash"), "tool_use_id": "call_example_0001", "cwd": None},
    ),
    "tool.execute.after-mcp": (
        "post_tool", "tool.execute.after", PARENT, "call_example_0003",
        {
            "tool": mcp(None, "github_issue_read"),
            "tool_use_id": "call_example_0003",
            "cwd": None,
            "response": ANSWER,
        },
    ),
    "tool.execute.after-task": (
        "post_tool", "tool.execute.after", PARENT, "call_example_0004",
        {"tool": other("task"), "tool_use_id": "call_example_0004", "cwd": None},
    ),
    "chat.message": (
        "prompt", "chat.message", PARENT, "msg_example_0001", {"prompt": PROMPT, "cwd": None},
    ),
    "chat.message-subagent": (
        "prompt", "chat.message", CHILD, "msg_example_0002",
        {"prompt": f"{SUBAGENT_PROMPT}.", "cwd": None},
    ),
    "event-session.created": ("session_start", "session.created", PARENT, "evt_example_0001", {}),
    "event-session.created-subagent": (
        "subagent_start", "session.created", PARENT, "evt_example_0002",
        {"agent_name": "general", "child_session_id": CHILD},
    ),
    "event-session.idle": ("other", "session.idle", PARENT, "evt_example_0003", {"cwd": None}),
    "experimental.chat.system.transform": (
        "session_start", "experimental.chat.system.transform", PARENT, HASH, {"cwd": None},
    ),
}  # fmt: skip

GROK_CASES: dict[str, Expected] = {
    "PreToolUse-shell": (
        "pre_tool", "PreToolUse", GROK, "call_example_0001",
        {"tool": shell("run_terminal_command"), "tool_use_id": "call_example_0001"},
    ),
    "PreToolUse-web_fetch": (
        "pre_tool", "PreToolUse", GROK, "call_example_0002",
        {"tool": fetch("web_fetch"), "tool_use_id": "call_example_0002"},
    ),
    "PreToolUse-mcp-direct": (
        "pre_tool", "PreToolUse", GROK, "call_example_0003",
        {"tool": mcp("github"), "tool_use_id": "call_example_0003"},
    ),
    "PreToolUse-mcp-dispatched": (
        "pre_tool", "PreToolUse", GROK, "call_example_0003",
        {"tool": mcp("github"), "tool_use_id": "call_example_0003"},
    ),
    "PreToolUse-in-subagent": (
        "pre_tool", "PreToolUse", GROK_CHILD, "call_example_0004",
        {
            "tool": shell("run_terminal_command", DIFF),
            "tool_use_id": "call_example_0004",
            "agent_name": "explore",
        },
    ),
    "PostToolUse-shell": (
        "post_tool", "PostToolUse", GROK, "call_example_0001",
        {"tool": shell("run_terminal_command"), "tool_use_id": "call_example_0001"},
    ),
    "PostToolUse-mcp-dispatched": (
        "post_tool", "PostToolUse", GROK, "call_example_0003",
        {"tool": mcp("github"), "tool_use_id": "call_example_0003", "response": ANSWER},
    ),
    "PostToolUseFailure": (
        "post_tool", "PostToolUseFailure", GROK, "call_example_0005",
        {
            "tool": mcp("github", arguments=dict(ISSUE_MISSING)),
            "tool_use_id": "call_example_0005",
            "failed": True,
        },
    ),
    "UserPromptSubmit": (
        "prompt", "UserPromptSubmit", GROK, "prompt-example-0001", {"prompt": PROMPT},
    ),
    "SessionStart": ("session_start", "SessionStart", GROK, GROK_TIME, {}),
    "SessionEnd": ("session_end", "SessionEnd", GROK, GROK_TIME, {}),
    "Stop": ("other", "Stop", GROK, "prompt-example-0001", {}),
    "Stop-shutdown": ("other", "Stop", GROK, GROK_TIME, {}),
    "SubagentStart": (
        "subagent_start", "SubagentStart", GROK, GROK_TIME,
        {"agent_name": "explore", "child_session_id": GROK_CHILD},
    ),
    "SubagentStop": (
        "subagent_stop", "SubagentStop", GROK_CHILD, "prompt-example-0001",
        {"agent_name": "explore"},
    ),
    "with-snake-aliases-PreToolUse-shell": (
        "pre_tool", "PreToolUse", GROK, "call_example_0001",
        {"tool": shell("run_terminal_command"), "tool_use_id": "call_example_0001"},
    ),
    "with-snake-aliases-PreToolUse-mcp-dispatched": (
        "pre_tool", "PreToolUse", GROK, "call_example_0003",
        {"tool": mcp("github"), "tool_use_id": "call_example_0003"},
    ),
    "with-snake-aliases-PostToolUse-shell": (
        "post_tool", "PostToolUse", GROK, "call_example_0001",
        {"tool": shell("run_terminal_command"), "tool_use_id": "call_example_0001"},
    ),
    "with-snake-aliases-UserPromptSubmit": (
        "prompt", "UserPromptSubmit", GROK, "prompt-example-0001", {"prompt": PROMPT},
    ),
    "with-snake-aliases-SessionStart": ("session_start", "SessionStart", GROK, GROK_TIME, {}),
    "with-snake-aliases-Stop": ("other", "Stop", GROK, "prompt-example-0001", {}),
}  # fmt: skip

ANTIGRAVITY_CASES: dict[str, Expected] = {
    "PreToolUse-run_command": (
        "pre_tool", "PreToolUse", ANTIGRAVITY, f"{ANTIGRAVITY}:3", {"tool": shell("run_command")},
    ),
    "PreToolUse-read_url_content": (
        "pre_tool", "PreToolUse", ANTIGRAVITY, f"{ANTIGRAVITY}:5",
        {"tool": fetch("read_url_content")},
    ),
    "PreToolUse-call_mcp_tool-UNCONFIRMED": (
        "pre_tool", "PreToolUse", ANTIGRAVITY, f"{ANTIGRAVITY}:7", {"tool": mcp("github")},
    ),
    "PreToolUse-invoke_subagent": (
        "pre_tool", "PreToolUse", ANTIGRAVITY, f"{ANTIGRAVITY}:9",
        {"tool": other("invoke_subagent")},
    ),
    "PostToolUse": (
        "post_tool", "PostToolUse", ANTIGRAVITY, f"{ANTIGRAVITY}:3",
        {"tool": shell("run_command"), "marks_fetch": True},
    ),
    "PostToolUse-error": (
        "post_tool", "PostToolUse", ANTIGRAVITY, f"{ANTIGRAVITY}:3",
        {"tool": shell("run_command"), "marks_fetch": True, "failed": True},
    ),
    "PostToolUse-null-toolCall": ("post_tool", "PostToolUse", ANTIGRAVITY, HASH, {}),
    "PreInvocation": ("session_start", "PreInvocation", ANTIGRAVITY, HASH, {}),
    "PostInvocation": ("other", "PostInvocation", ANTIGRAVITY, HASH, {}),
    "SessionStart": ("session_start", "SessionStart", ANTIGRAVITY, HASH, {}),
    "Stop": ("other", "Stop", ANTIGRAVITY, HASH, {}),
}  # fmt: skip

TABLES: dict[str, dict[str, Expected]] = {
    "claude-code": CLAUDE_CODE,
    "codex": CODEX_CLI,
    "copilot-cli": COPILOT_CLI,
    "cursor": CURSOR_CASES,
    "opencode": OPENCODE,
    "grok": GROK_CASES,
    "antigravity": ANTIGRAVITY_CASES,
}

CASES = [(name, file) for name, table in TABLES.items() for file in table]


def payload_of(name: str, file: str) -> dict[str, object]:
    payload: dict[str, object] = json.loads((PAYLOADS / name / f"{file}.json").read_text())
    return payload


def event_argument(name: str, file: str) -> str | None:
    """What the installed command line says besides the payload."""
    if name in {"copilot-cli", "antigravity"}:
        return file.removeprefix("pascal-").partition("-")[0]
    return file.partition("-")[0] if name == "opencode" else None


def event_of(name: str, file: str) -> Event:
    event = harness.read(name, payload_of(name, file), event_argument(name, file))
    assert event is not None
    return event


@pytest.mark.parametrize("name", harness.HARNESSES)
def test_no_sample_is_left_out(name: str) -> None:
    assert {file.stem for file in (PAYLOADS / name).glob("*.json")} == set(TABLES[name])


@pytest.mark.parametrize(("name", "file"), CASES)
def test_a_payload_becomes_its_event(name: str, file: str) -> None:
    kind, own_name, session, discriminator, rest = TABLES[name][file]
    values = event_of(name, file).fields()
    if discriminator is HASH:
        assert len(str(values["discriminator"])) == 32
        values["discriminator"] = HASH
    response = values["response"]
    if rest.get("response") is ANSWER:
        assert str(response).startswith(ANSWER)
        values["response"] = ANSWER
    defaults = {
        "kind": kind,
        "name": own_name,
        "harness": name,
        "session_id": session,
        "discriminator": discriminator,
        "agent_name": None,
        "child_session_id": None,
        "cwd": CWD,
        "tool": None,
        "tool_use_id": None,
        "marks_fetch": kind == "pre_tool",
        "prompt": None,
        "response": None,
        "failed": False,
    }
    assert values == {**defaults, **rest}


@pytest.mark.parametrize(("name", "file"), CASES)
def test_a_payload_delivered_again_is_the_same_event(name: str, file: str) -> None:
    assert event_of(name, file) == event_of(name, file)


def nested(name: str) -> dict[str, object]:
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": "note"}}


TOP = {"additionalContext": "note"}
ALLOW = {"permission": "allow"}

ANSWERS: list[tuple[str, str, object, object]] = [
    ("claude-code", "PreToolUse-Bash", nested("PreToolUse"), None),
    ("claude-code", "PostToolUse-mcp", nested("PostToolUse"), None),
    ("claude-code", "UserPromptSubmit", nested("UserPromptSubmit"), None),
    ("claude-code", "SessionStart", nested("SessionStart"), None),
    ("claude-code", "SubagentStart", nested("SubagentStart"), None),
    ("claude-code", "SubagentStop", None, None),
    ("claude-code", "Stop", None, None),
    ("claude-code", "SessionEnd", None, None),
    ("codex", "PreToolUse-Bash", nested("PreToolUse"), None),
    ("codex", "SessionStart", nested("SessionStart"), None),
    ("codex", "Stop", None, None),
    ("copilot-cli", "preToolUse-bash", TOP, None),
    ("copilot-cli", "pascal-PreToolUse-Bash", TOP, None),
    ("copilot-cli", "sessionStart", TOP, None),
    ("copilot-cli", "subagentStart", TOP, None),
    ("copilot-cli", "postToolUseFailure", None, None),
    ("copilot-cli", "agentStop", None, None),
    ("cursor", "preToolUse-Shell", {**ALLOW, "additional_context": "note"}, ALLOW),
    ("cursor", "beforeShellExecution", ALLOW, ALLOW),
    ("cursor", "beforeMCPExecution", ALLOW, ALLOW),
    ("cursor", "subagentStart", ALLOW, ALLOW),
    (
        "cursor",
        "beforeSubmitPrompt",
        {"continue": True, "additional_context": "note"},
        {"continue": True},
    ),
    ("cursor", "sessionStart", {"additional_context": "note"}, None),
    ("cursor", "postToolUse-mcp", {"additional_context": "note"}, None),
    ("cursor", "stop", None, None),
    ("opencode", "experimental.chat.system.transform", {"context": "note"}, None),
    ("opencode", "tool.execute.before-bash", None, None),
    ("grok", "PreToolUse-shell", nested("PreToolUse"), None),
    ("grok", "SessionStart", None, None),
    ("grok", "UserPromptSubmit", None, None),
    ("grok", "Stop", None, None),
    ("antigravity", "PreToolUse-run_command", None, None),
    ("antigravity", "PostToolUse", {}, {}),
    ("antigravity", "PreInvocation", {"injectSteps": [{"ephemeralMessage": "note"}]}, {}),
    (
        "antigravity",
        "SessionStart",
        {"injectSteps": [{"systemMessage": {"systemMessage": "note"}}]},
        {},
    ),
    ("antigravity", "Stop", None, None),
]


@pytest.mark.parametrize(("name", "file", "with_context", "without"), ANSWERS)
def test_an_answer_adds_context_and_nothing_else(
    name: str, file: str, with_context: object, without: object
) -> None:
    event = event_of(name, file)
    assert harness.answer(event, "note") == with_context
    assert harness.answer(event, None) == without


@pytest.mark.parametrize(("name", "file"), CASES)
def test_only_cursor_ever_votes_and_only_its_weakest_vote(name: str, file: str) -> None:
    said = json.dumps(harness.answer(event_of(name, file), "note"))
    for word in ("permissionDecision", '"decision"', "deny", "updatedInput", "block"):
        assert word not in said
    if name != "cursor":
        assert "allow" not in said
        assert "continue" not in said


@pytest.mark.parametrize(
    ("installed", "owner", "file"),
    [
        ("claude-code", "grok", "PreToolUse-shell"),
        ("claude-code", "grok", "with-snake-aliases-PreToolUse-mcp-dispatched"),
        ("cursor", "grok", "PreToolUse-shell"),
        ("claude-code", "cursor", "preToolUse-Shell"),
        ("claude-code", "cursor", "beforeSubmitPrompt"),
    ],
)
def test_a_hook_run_by_another_harness_speaks_as_that_one(
    installed: str, owner: str, file: str
) -> None:
    event = harness.read(installed, payload_of(owner, file))
    assert event == event_of(owner, file)
    assert event is not None
    assert harness.answer(event, None) == harness.answer(event_of(owner, file), None)


def test_copilot_running_a_claude_hook_is_left_alone() -> None:
    payload = payload_of("copilot-cli", "pascal-PreToolUse-Bash")
    assert harness.read("claude-code", payload) is None
    assert harness.neutral("claude-code", payload) is None


@pytest.mark.parametrize(
    ("name", "event_name", "said"),
    [
        ("cursor", "preToolUse", ALLOW),
        ("cursor", "beforeSubmitPrompt", {"continue": True}),
        ("cursor", "sessionStart", None),
        ("cursor", None, None),
        ("antigravity", "PostToolUse", {}),
        ("antigravity", "PreToolUse", None),
        ("claude-code", "PreToolUse", None),
        ("copilot-cli", "preToolUse", None),
    ],
)
def test_what_cannot_be_read_still_gets_the_answer_that_is_due(
    name: str, event_name: str | None, said: object
) -> None:
    assert harness.neutral(name, None, event_name) == said
    assert harness.neutral(name, {"unknown": 1}, event_name) == said


@pytest.mark.parametrize(
    ("name", "payload", "event_name", "ours"),
    [
        ("claude-code", "mcp__resources-graph__resource", "PostToolUse", True),
        ("claude-code", "mcp__plugin_x_resources-graph__resource", "PostToolUse", True),
        ("claude-code", "mcp__other__resource", "PostToolUse", False),
        ("claude-code", "mcp__resources-graph__touches", "PostToolUse", False),
        ("codex", "mcp__resources_graph__resource", "PostToolUse", True),
        ("copilot-cli", "resources-graph-resource", "PostToolUse", True),
        ("copilot-cli", "other-resource", "PostToolUse", False),
        ("cursor", "MCP:resource", "postToolUse", True),
        ("opencode", "resources-graph_resource", "tool.execute.after", True),
        ("opencode", "resources_graph_resource", "tool.execute.after", False),
        ("grok", "resources-graph__resource", "PostToolUse", True),
    ],
)
def test_our_own_tool_is_known_by_its_name(
    name: str, payload: str, event_name: str, *, ours: bool
) -> None:
    given: dict[str, object] = {"tool_name": payload, "input": {"tool": payload}}
    event = harness.read(name, given, event_name)
    assert event is not None
    assert event.tool is not None
    assert event.tool.is_ours is ours


def test_a_command_runs_where_its_tool_says() -> None:
    payload = payload_of("opencode", "tool.execute.before-bash")
    payload["directory"] = CWD
    payload["parentSessionID"] = "ses_root"
    payload["agent"] = "general"
    payload["output"] = {"args": {"command": COMMAND, "workdir": "docs"}}
    event = harness.read("opencode", payload, "tool.execute.before")
    assert event is not None
    assert (event.cwd, event.session_id, event.agent_name) == (f"{CWD}/docs", "ses_root", "general")


def test_antigravity_uses_what_newer_releases_add() -> None:
    payload = payload_of("antigravity", "PreInvocation")
    payload.update(rootConversationId="root", agentName="research", lastUserInput=PROMPT)
    first = harness.read("antigravity", payload, "PreInvocation")
    again = harness.read("antigravity", {**payload, "invocationNum": 1}, "PreInvocation")
    assert first is not None
    assert again is not None
    assert (first.kind, again.kind) == ("session_start", "prompt")
    assert (first.session_id, first.agent_name, first.prompt) == ("root", "research", PROMPT)
    assert first.discriminator == again.discriminator


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        (
            "call_mcp_tool",
            {"server_name": "github", "tool_name": "issue_read", "arguments": ISSUE},
            mcp("github"),
        ),
        (
            "call_mcp_tool",
            {"server": "github", "tool": "issue_read", "args": json.dumps(ISSUE)},
            mcp("github"),
        ),
        ("mcp__github__issue_read", ISSUE, mcp("github")),
        ("github__issue_read", ISSUE, mcp("github")),
        ("github/issue_read", ISSUE, mcp("github")),
        ("mcp_github_issue_read", ISSUE, mcp(None, "mcp_github_issue_read")),
    ],
)  # fmt: skip
def test_every_likely_shape_of_an_mcp_call_in_antigravity(
    tool: str, arguments: dict[str, object], expected: Tool
) -> None:
    payload = {"toolCall": {"name": tool, "args": arguments}, "stepIdx": 1}
    event = harness.read("antigravity", payload, "PostToolUse")
    assert event is not None
    assert event.tool == expected


def test_a_harness_nobody_knows_is_a_mistake_of_ours() -> None:
    with pytest.raises(KeyError):
        harness.module_of("emacs")
