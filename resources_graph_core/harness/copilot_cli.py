"""GitHub Copilot CLI (https://docs.github.com/en/copilot/reference/hooks-reference).

The spelling of the event in the configuration chooses the payload's style: camelCase keys without
an event name (which the hook's command line then brings), or snake_case keys with
``hook_event_name``; SubagentStart mixes both. No event carries a tool call's id. Inside a subagent
the session id is the subagent's, and ``parentAgentId`` is the root session. Before a tool, any
exit status but 0 denies the call.
"""

from __future__ import annotations

from resources_graph_core.harness import MCP_SERVER
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

NAME = "copilot-cli"

_KINDS: dict[str, EventKind] = {
    "pretooluse": "pre_tool",
    "posttooluse": "post_tool",
    "posttoolusefailure": "post_tool",
    "userpromptsubmitted": "prompt",
    "userpromptsubmit": "prompt",
    "sessionstart": "session_start",
    "sessionend": "session_end",
    "subagentstart": "subagent_start",
    "subagentstop": "subagent_stop",
    "agentstop": "other",
    "stop": "other",
}

_TAKES_CONTEXT = frozenset(
    [
        "pretooluse",
        "posttooluse",
        "userpromptsubmitted",
        "userpromptsubmit",
        "sessionstart",
        "subagentstart",
    ]
)


def read(payload: dict[str, object], event_name: str | None = None) -> Event | None:
    """The event in a payload, or None for one we do not know."""
    name = text_at(payload, "hook_event_name") or event_name
    kind = _KINDS.get((name or "").lower())
    if name is None or kind is None:
        return None
    tool = _tool(payload) if kind in {"pre_tool", "post_tool"} else None
    result = object_at(payload, "toolResult", "tool_result")
    outcome = text_at(result, "resultType", "result_type")
    return Event(
        kind=kind,
        name=name,
        harness=NAME,
        session_id=text_at(payload, "parentAgentId", "parent_agent_id", "sessionId", "session_id")
        or "",
        discriminator=discriminator_of(payload, payload.get("timestamp")),
        agent_name=text_at(
            payload, "agentType", "agent_type", "agentName", "agent_name", "agentId", "agent_id"
        ),
        child_session_id=text_at(payload, "agentId", "agent_id")
        if kind == "subagent_start"
        else None,
        cwd=text_at(payload, "cwd"),
        tool=tool,
        marks_fetch=kind == "pre_tool",
        prompt=text_at(payload, "prompt") if kind == "prompt" else None,
        response=response_text(result)
        if kind == "post_tool" and tool is not None and tool.kind == "mcp"
        else None,
        failed=name.lower() == "posttoolusefailure"
        or (kind == "post_tool" and outcome not in {None, "success"}),
    )


def _tool(payload: dict[str, object]) -> Tool:
    """The tool call.

    Only MCP tools have a dash in their name: ``server-tool``, both of which may hold more of them,
    so only our own server's name is taken off.
    """
    name = text_at(payload, "toolName", "tool_name") or ""
    arguments = object_at(payload, "toolArgs", "tool_input")
    if name in {"bash", "Bash"}:
        return shell(arguments, name)
    if name in {"web_fetch", "WebFetch"}:
        return web_fetch(arguments, name)
    if name.startswith(f"{MCP_SERVER}-"):
        return mcp(MCP_SERVER, name.removeprefix(f"{MCP_SERVER}-"), arguments)
    if "-" in name:
        return mcp(None, name, arguments)
    return other_tool(name)


def answer(event: Event, context: str | None) -> dict[str, object] | None:
    """What to print: the context at the top level, which every event that takes any reads."""
    if not context or event.name.lower() not in _TAKES_CONTEXT:
        return None
    return {"additionalContext": context}


def neutral(event_name: str | None) -> dict[str, object] | None:  # noqa: ARG001 - one signature
    """Silence is no opinion here."""
    return None
