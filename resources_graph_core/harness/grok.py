"""Grok Build (https://docs.x.ai/build/features/hooks).

Keys are camelCase; newer builds repeat them in snake_case, and either is read. A call that went
through Grok's dispatcher carries the dispatcher's arguments, ``{tool_name, tool_input}``, which are
unwrapped. Inside a subagent the session id is the subagent's own; only subagent_start, fired by
the parent, says whose child it is. Older builds ignore added context, which harms nobody.
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

NAME = "grok"

_EVENTS: dict[str, tuple[EventKind, str]] = {
    "pretooluse": ("pre_tool", "PreToolUse"),
    "posttooluse": ("post_tool", "PostToolUse"),
    "posttoolusefailure": ("post_tool", "PostToolUseFailure"),
    "userpromptsubmit": ("prompt", "UserPromptSubmit"),
    "sessionstart": ("session_start", "SessionStart"),
    "sessionend": ("session_end", "SessionEnd"),
    "subagentstart": ("subagent_start", "SubagentStart"),
    "subagentstop": ("subagent_stop", "SubagentStop"),
    "stop": ("other", "Stop"),
}

_TAKES_CONTEXT = frozenset(["PreToolUse", "PostToolUse"])


def read(payload: dict[str, object], event_name: str | None = None) -> Event | None:
    """The event in a payload, or None for one we do not know."""
    told = text_at(payload, "hookEventName", "hook_event_name") or event_name or ""
    kind, name = _EVENTS.get(told.replace("_", "").lower(), (None, ""))
    if kind is None:
        return None
    about_tool = kind in {"pre_tool", "post_tool"}
    tool = _tool(payload) if about_tool else None
    tool_use_id = text_at(payload, "toolUseId", "tool_use_id") if about_tool else None
    result = object_at(payload, "toolResult", "tool_response")
    return Event(
        kind=kind,
        name=name,
        harness=NAME,
        session_id=text_at(payload, "sessionId", "session_id") or "",
        discriminator=discriminator_of(
            payload,
            tool_use_id,
            text_at(payload, "promptId", "prompt_id"),
            payload.get("timestamp"),
        ),
        agent_name=text_at(payload, "subagentType", "subagent_type"),
        child_session_id=text_at(payload, "subagentId", "subagent_id")
        if kind == "subagent_start"
        else None,
        cwd=text_at(payload, "cwd", "workspaceRoot", "workspace_root"),
        tool=tool,
        tool_use_id=tool_use_id,
        marks_fetch=kind == "pre_tool",
        prompt=text_at(payload, "prompt") if kind == "prompt" else None,
        response=response_text(result or payload.get("toolResult"))
        if kind == "post_tool" and tool is not None and tool.kind == "mcp"
        else None,
        failed=name == "PostToolUseFailure" or "Error" in object_at(result, "output"),
    )


def _tool(payload: dict[str, object]) -> Tool:
    name = text_at(payload, "toolName", "tool_name") or ""
    arguments = object_at(payload, "toolInput", "tool_input")
    if "tool_name" in arguments and "tool_input" in arguments:
        name = text_at(arguments, "tool_name") or name
        arguments = object_at(arguments, "tool_input")
    if name in {"run_terminal_command", "Bash"}:
        return shell(arguments, name)
    if name in {"web_fetch", "WebFetch"}:
        return web_fetch(arguments, name)
    if "__" in name:
        server, _, own_name = name.removeprefix("mcp__").rpartition("__")
        return mcp(server or None, own_name, arguments)
    return other_tool(name)


def answer(event: Event, context: str | None) -> dict[str, object] | None:
    """What to print: the context around tools; nothing else reaches the model here."""
    if not context or event.name not in _TAKES_CONTEXT:
        return None
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": context}}


def neutral(event_name: str | None) -> dict[str, object] | None:  # noqa: ARG001 - one signature
    """Silence is no opinion here."""
    return None
