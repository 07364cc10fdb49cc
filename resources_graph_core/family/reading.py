"""What a tool call is, by the names that the family's events carry."""

from __future__ import annotations

from resources_graph_core.harness.events import Tool, mcp, other_tool, shell, web_fetch


def tool_kind(name: str, given: object) -> Tool:
    """A tool call, told by what it was given rather than by names, which harnesses own.

    A ``command`` is a shell's, a ``url`` is fetched, ``mcp__server__tool`` is an MCP server's, and
    so is whatever names an ``owner`` and a ``repo``.
    """
    arguments = dict(given) if isinstance(given, dict) else {}
    if name.startswith("mcp__"):
        server, _, own_name = name.removeprefix("mcp__").rpartition("__")
        return mcp(server or None, own_name, arguments)
    if "command" in arguments or "cmd" in arguments:
        return shell({"command": arguments.get("command", arguments.get("cmd"))}, name)
    if isinstance(given, str) and name.lower() in {"bash", "shell", "exec_command"}:
        return shell({"command": given}, name)
    if isinstance(arguments.get("url"), str):
        return web_fetch(arguments, name)
    if "owner" in arguments and "repo" in arguments:
        return mcp(None, name, arguments)
    return other_tool(name)
