"""Antigravity CLI (https://antigravity.google/docs/hooks).

Payloads carry no event name, so the hook's command line brings it. PreToolUse is a permission gate
without a neutral answer: it is not registered, and a call is recorded after it. ``stepIdx`` is the
number of the call in its conversation. PreInvocation, before each call of the model, is where
context goes in. Newer releases add fields (``rootConversationId``, ``agentName``,
``lastUserInput``, ``executionId``) that are used when they are there. How an MCP call looks in a
hook is not documented, so both a generic caller and a resolved name are understood.
"""

from __future__ import annotations

from resources_graph_core.harness.events import (
    Event,
    Tool,
    decoded,
    directory_of,
    discriminator_of,
    first_text,
    hash_of,
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

NAME = "antigravity"

_KINDS: dict[str, EventKind] = {
    "PreToolUse": "pre_tool",
    "PostToolUse": "post_tool",
    "PreInvocation": "prompt",
    "PostInvocation": "other",
    "SessionStart": "session_start",
    "Stop": "other",
}

_BUILT_IN = frozenset(
    [
        "search_web",
        "view_file",
        "invoke_subagent",
        "list_dir",
        "grep_search",
        "find_by_name",
        "write_to_file",
        "replace_file_content",
    ]
)


def read(payload: dict[str, object], event_name: str | None = None) -> Event | None:
    """The event in a payload, or None for one we do not know."""
    name = text_at(payload, "hook_event_name", "hookEventName") or event_name
    kind = _KINDS.get(name or "")
    if name is None or kind is None:
        return None
    call = object_at(payload, "toolCall")
    about_tool = kind in {"pre_tool", "post_tool"} and bool(call)
    tool = _tool(text_at(call, "name") or "", object_at(call, "args")) if about_tool else None
    prompt = text_at(payload, "lastUserInput") if name == "PreInvocation" else None
    cwd = first_text(payload.get("workspacePaths"))
    if about_tool:
        cwd = directory_of(cwd, text_at(object_at(call, "args"), "Cwd", "cwd"))
    return Event(
        kind="session_start" if _opens_conversation(name, payload) else kind,
        name=name,
        harness=NAME,
        session_id=text_at(payload, "rootConversationId", "parentConversationId", "conversationId")
        or "",
        discriminator=_discriminator(payload, prompt, about_tool=about_tool),
        agent_name=text_at(payload, "agentName"),
        cwd=cwd,
        tool=tool,
        marks_fetch=about_tool,
        prompt=prompt,
        response=response_text(payload.get("result"))
        if kind == "post_tool" and tool is not None and tool.kind == "mcp"
        else None,
        failed=kind == "post_tool" and text_at(payload, "error") is not None,
    )


def _opens_conversation(name: str, payload: dict[str, object]) -> bool:
    """Whether this is the first call of the model in its conversation: the place for a hint."""
    return (
        name == "PreInvocation"
        and payload.get("invocationNum") == 0
        and payload.get("initialNumSteps") in (0, 1)
    )


def _discriminator(payload: dict[str, object], prompt: str | None, *, about_tool: bool) -> str:
    """A step's number for a tool call, else the turn's id.

    Every call of the model in a turn repeats the user's text, so without an id its hash serves.
    """
    step = payload.get("stepIdx")
    if about_tool and isinstance(step, int):
        conversation = text_at(payload, "conversationId") or ""
        return f"{conversation}:{step}"
    execution = text_at(payload, "executionId")
    if prompt is not None and execution is None:
        return hash_of(prompt)
    return discriminator_of(payload, execution)


def _tool(name: str, arguments: dict[str, object]) -> Tool:
    if name == "run_command":
        return shell(arguments, name, "CommandLine", "command")
    if name == "read_url_content":
        return web_fetch(arguments, name)
    if name in _BUILT_IN or not name:
        return other_tool(name)
    inner = _dispatched(arguments) if name == "call_mcp_tool" else None
    if inner is not None:
        return inner
    for separator in ("__", "/"):
        if separator in name:
            server, _, own_name = name.removeprefix("mcp__").rpartition(separator)
            return mcp(server or None, own_name, arguments)
    return mcp(None, name, arguments)


def _dispatched(arguments: dict[str, object]) -> Tool | None:
    """The call inside a generic caller's arguments, whatever its keys are spelled like."""
    plain = {key.replace("_", "").lower(): value for key, value in arguments.items()}
    name = text_at(plain, "toolname", "tool", "name")
    if name is None:
        return None
    for key in ("arguments", "args", "toolarguments", "toolargs", "input", "toolinput", "params"):
        inner = decoded(plain.get(key))
        if isinstance(inner, dict):
            break
    else:
        inner = {}
    return mcp(text_at(plain, "servername", "server", "mcpserver"), name, inner)


def answer(event: Event, context: str | None) -> dict[str, object] | None:
    """What to print: the context as an injected step, else an empty object where one is due."""
    if context and event.name == "PreInvocation":
        return {"injectSteps": [{"ephemeralMessage": context}]}
    if context and event.name == "SessionStart":
        return {"injectSteps": [{"systemMessage": {"systemMessage": context}}]}
    return neutral(event.name)


def neutral(event_name: str | None) -> dict[str, object] | None:
    """An empty object where one is expected; nothing on PreToolUse, where no answer is neutral."""
    return {} if event_name in {"PostToolUse", "PreInvocation", "SessionStart"} else None
