"""OpenCode: no command hooks, but plugins (https://opencode.ai/docs/plugins/).

Our plugin (``opencode_plugin.js``) starts the hook program with the name of the plugin hook as an
argument and ``{input, output}`` or ``{event}`` on standard input, as OpenCode gave them, plus
``directory`` and, inside a subagent, ``parentSessionID`` and ``agent``: only the plugin saw which
session created which. The answer's ``context`` goes into the system prompt.
"""

from __future__ import annotations

from resources_graph_core.harness import MCP_SERVER
from resources_graph_core.harness.events import (
    Event,
    Tool,
    directory_of,
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

NAME = "opencode"

_KINDS: dict[str, EventKind] = {
    "tool.execute.before": "pre_tool",
    "tool.execute.after": "post_tool",
    "chat.message": "prompt",
    "experimental.chat.system.transform": "session_start",
    "session.created": "session_start",
    "session.deleted": "session_end",
    "session.idle": "other",
}


def read(payload: dict[str, object], event_name: str | None = None) -> Event | None:
    """The event in a payload, or None for one we do not know."""
    told = object_at(payload, "event")
    name = text_at(told, "type") or event_name
    kind = _KINDS.get(name or "")
    if name is None or kind is None:
        return None
    if told:
        return _session_event(kind, name, payload, object_at(told, "properties"))
    given = object_at(payload, "input")
    output = object_at(payload, "output")
    arguments = object_at(given, "args") or object_at(output, "args")
    about_tool = kind in {"pre_tool", "post_tool"}
    tool = _tool(text_at(given, "tool") or "", arguments) if about_tool else None
    tool_use_id = text_at(given, "callID") if about_tool else None
    return Event(
        kind=kind,
        name=name,
        harness=NAME,
        session_id=text_at(payload, "parentSessionID") or text_at(given, "sessionID") or "",
        discriminator=discriminator_of(
            payload,
            tool_use_id,
            text_at(given, "messageID") or text_at(object_at(output, "message"), "id"),
        ),
        agent_name=text_at(payload, "agent"),
        cwd=directory_of(
            text_at(payload, "directory"), text_at(arguments, "workdir") if about_tool else None
        ),
        tool=tool,
        tool_use_id=tool_use_id,
        marks_fetch=kind == "pre_tool",
        prompt=_prompt(output) if kind == "prompt" else None,
        response=response_text(output)
        if kind == "post_tool" and tool is not None and tool.kind == "mcp"
        else None,
    )


def _session_event(
    kind: EventKind, name: str, payload: dict[str, object], properties: dict[str, object]
) -> Event:
    info = object_at(properties, "info")
    session = text_at(properties, "sessionID") or text_at(info, "id") or ""
    parent = text_at(payload, "parentSessionID") or text_at(info, "parentID")
    is_child = name == "session.created" and parent is not None
    return Event(
        kind="subagent_start" if is_child else kind,
        name=name,
        harness=NAME,
        session_id=parent or session,
        discriminator=discriminator_of(payload, text_at(object_at(payload, "event"), "id")),
        agent_name=text_at(payload, "agent") or (text_at(info, "agent") if is_child else None),
        child_session_id=session if is_child else None,
        cwd=text_at(info, "directory") or text_at(payload, "directory"),
    )


def _prompt(output: dict[str, object]) -> str | None:
    parts = output.get("parts")
    if not isinstance(parts, list):
        return None
    texts = [
        part["text"]
        for part in parts
        if isinstance(part, dict)
        and part.get("type") == "text"
        and isinstance(part.get("text"), str)
    ]
    return "\n".join(texts) or None


def _tool(name: str, arguments: dict[str, object]) -> Tool:
    """The tool call.

    Only MCP tools have an underscore in their name: ``server_tool``, both of which may hold more of
    them, so only our own server's name is taken off.
    """
    if name == "bash":
        return shell(arguments, name)
    if name == "webfetch":
        return web_fetch(arguments, name)
    if name.startswith(f"{MCP_SERVER}_"):
        return mcp(MCP_SERVER, name.removeprefix(f"{MCP_SERVER}_"), arguments)
    if "_" in name:
        return mcp(None, name, arguments)
    return other_tool(name)


def answer(event: Event, context: str | None) -> dict[str, object] | None:
    """What to print: the context, which the plugin adds to the session's system prompt."""
    return {"context": context} if context and event.kind == "session_start" else None


def neutral(event_name: str | None) -> dict[str, object] | None:  # noqa: ARG001 - one signature
    """The plugin takes silence for nothing to say."""
    return None
