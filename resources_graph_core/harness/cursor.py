"""Cursor (https://cursor.com/docs/hooks).

Cursor blocks an action when the hook before it prints anything but valid JSON of its schema, and
whether silence passes is not known. So those events always get the weakest vote there is: any
other hook's ``deny`` or ``ask`` still wins over an ``allow``.

preToolUse names no MCP server; beforeMCPExecution does but carries no call id. Inside a subagent
the payload probably has a conversation id of its own; ``parent_conversation_id`` is used wherever
it is there.
"""

from __future__ import annotations

from resources_graph_core.harness.events import (
    Event,
    Tool,
    directory_of,
    discriminator_of,
    first_text,
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

NAME = "cursor"

_KINDS: dict[str, EventKind] = {
    "preToolUse": "pre_tool",
    "beforeShellExecution": "pre_tool",
    "beforeMCPExecution": "pre_tool",
    "postToolUse": "post_tool",
    "postToolUseFailure": "post_tool",
    "afterShellExecution": "post_tool",
    "afterMCPExecution": "post_tool",
    "beforeSubmitPrompt": "prompt",
    "sessionStart": "session_start",
    "sessionEnd": "session_end",
    "subagentStart": "subagent_start",
    "subagentStop": "subagent_stop",
    "stop": "other",
}

_PERMISSION_EVENTS = frozenset(
    [
        "preToolUse",
        "beforeShellExecution",
        "beforeMCPExecution",
        "beforeReadFile",
        "beforeTabFileRead",
        "subagentStart",
    ]
)

_TAKES_CONTEXT = frozenset(["preToolUse", "postToolUse", "beforeSubmitPrompt", "sessionStart"])


def read(payload: dict[str, object], event_name: str | None = None) -> Event | None:
    """The event in a payload, or None for one we do not know (``neutral`` says what then)."""
    name = text_at(payload, "hook_event_name") or event_name
    kind = _KINDS.get(name or "")
    if name is None or kind is None:
        return None
    about_tool = kind in {"pre_tool", "post_tool"}
    tool = _tool(name, payload) if about_tool else None
    tool_use_id = text_at(payload, "tool_use_id") if about_tool else None
    cwd = text_at(payload, "cwd") or first_text(payload.get("workspace_roots"))
    if about_tool:
        cwd = directory_of(cwd, text_at(object_at(payload, "tool_input"), "cwd"))
    return Event(
        kind=kind,
        name=name,
        harness=NAME,
        session_id=text_at(payload, "parent_conversation_id", "conversation_id", "session_id")
        or "",
        discriminator=discriminator_of(
            payload, tool_use_id, text_at(payload, "generation_id"), payload.get("timestamp")
        ),
        agent_name=text_at(payload, "subagent_type"),
        child_session_id=text_at(payload, "child_conversation_id", "subagent_id")
        if kind in {"subagent_start", "subagent_stop"}
        else None,
        cwd=cwd,
        tool=tool,
        tool_use_id=tool_use_id,
        marks_fetch=kind == "pre_tool",
        prompt=text_at(payload, "prompt") if kind == "prompt" else None,
        response=response_text(payload.get("tool_output") or payload.get("result_json"))
        if kind == "post_tool" and tool is not None and tool.kind == "mcp"
        else None,
        failed=name == "postToolUseFailure",
    )


def _tool(event_name: str, payload: dict[str, object]) -> Tool:
    if event_name in {"beforeShellExecution", "afterShellExecution"}:
        return shell(payload, "Shell")
    name = text_at(payload, "tool_name") or ""
    arguments = object_at(payload, "tool_input")
    if event_name in {"beforeMCPExecution", "afterMCPExecution"} or name.startswith("MCP:"):
        return mcp(text_at(payload, "mcp_server_name"), name.removeprefix("MCP:"), arguments)
    if name in {"Shell", "Bash"}:
        return shell(arguments, name)
    if name in {"Fetch", "WebFetch"}:
        return web_fetch(arguments, name)
    return other_tool(name)


def answer(event: Event, context: str | None) -> dict[str, object] | None:
    """What to print: the context where one is taken, with the weakest vote where one is due."""
    said = neutral(event.name) or {}
    if context and event.name in _TAKES_CONTEXT:
        said["additional_context"] = context
    return said or None


def neutral(event_name: str | None) -> dict[str, object] | None:
    """What to print when there is nothing to say, or the payload was not understood."""
    if event_name in _PERMISSION_EVENTS:
        return {"permission": "allow"}
    if event_name == "beforeSubmitPrompt":
        return {"continue": True}
    return None
