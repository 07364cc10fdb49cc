"""Claude Code: command hooks, JSON on standard input (https://code.claude.com/docs/en/hooks).

Inside a subagent the payload keeps the main session's id and adds ``agent_id`` and ``agent_type``;
a session started with ``--agent`` has only the latter. A shell command that ends with another
status than 0 fires PostToolUseFailure alone.
"""

from __future__ import annotations

from resources_graph_core.harness.events import (
    Event,
    Tool,
    discriminator_of,
    mcp,
    object_at,
    other_tool,
    response_text,
    shell,
    text_at,
    web_fetch,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from resources_graph_core.harness.events import EventKind

NAME = "claude-code"

KINDS: dict[str, EventKind] = {
    "PreToolUse": "pre_tool",
    "PostToolUse": "post_tool",
    "PostToolUseFailure": "post_tool",
    "UserPromptSubmit": "prompt",
    "SessionStart": "session_start",
    "SessionEnd": "session_end",
    "SubagentStart": "subagent_start",
    "SubagentStop": "subagent_stop",
    "Stop": "other",
}

TAKES_CONTEXT = frozenset(
    ["PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "SubagentStart"]
)
"""The events whose answer may add context without a word on permission, here and in Codex."""


def read(payload: dict[str, object], event_name: str | None = None) -> Event | None:
    """The event in a payload, or None for one we do not know."""
    return read_named(NAME, payload, event_name, prompt_id=text_at(payload, "prompt_id"))


def read_named(
    harness: str, payload: dict[str, object], event_name: str | None, *, prompt_id: str | None
) -> Event | None:
    """The event in a payload of Claude Code's shape, which Codex shares."""
    name = text_at(payload, "hook_event_name") or event_name
    kind = KINDS.get(name or "")
    if name is None or kind is None:
        return None
    about_tool = kind in {"pre_tool", "post_tool"}
    tool = _tool(payload) if about_tool else None
    tool_use_id = text_at(payload, "tool_use_id") if about_tool else None
    return Event(
        kind=kind,
        name=name,
        harness=harness,
        session_id=text_at(payload, "session_id") or "",
        discriminator=discriminator_of(payload, tool_use_id, prompt_id, payload.get("timestamp")),
        agent_name=text_at(payload, "agent_type", "agent_id"),
        cwd=text_at(payload, "cwd"),
        tool=tool,
        tool_use_id=tool_use_id,
        marks_fetch=kind == "pre_tool",
        prompt=text_at(payload, "prompt") if kind == "prompt" else None,
        response=response_text(payload.get("tool_response"))
        if kind == "post_tool" and tool is not None and tool.kind == "mcp"
        else None,
        failed=name == "PostToolUseFailure",
    )


def _tool(payload: dict[str, object]) -> Tool:
    name = text_at(payload, "tool_name") or ""
    arguments = object_at(payload, "tool_input")
    if name == "Bash":
        return shell(arguments, name)
    if name == "WebFetch":
        return web_fetch(arguments, name)
    if name.startswith("mcp__"):
        server, _, own_name = name.removeprefix("mcp__").rpartition("__")
        return mcp(server or None, own_name, arguments)
    return other_tool(name)


def answer(event: Event, context: str | None) -> dict[str, object] | None:
    """What to print: the context as the harness's own field for it, without any decision."""
    if not context or event.name not in TAKES_CONTEXT:
        return None
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": context}}


def neutral(event_name: str | None) -> dict[str, object] | None:  # noqa: ARG001 - one signature
    """Silence is no opinion here."""
    return None
