"""What an agent did or was asked, to the Addresses it reached for.

Pure functions: nothing here talks to the network, starts a program, or raises for any input. A
result is exact; what only running a command would tell is left out. A Listing carries as ``limit``
how many members were asked for. Everything is imported on first use, and the shell grammar only for
a command that could reach GitHub at all, since hooks call this before every tool of an agent.
"""

from __future__ import annotations

from resources_graph_core.capture.context import Context
from resources_graph_core.capture.relevance import may_reach_github

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from resources_graph_core.address import Address

__all__ = [
    "Context",
    "capture_mcp",
    "capture_prompt",
    "capture_shell",
    "capture_text",
    "capture_url",
    "may_reach_github",
]

_MOST_ADDRESSES = 200
"""Addresses taken from one tool call or prompt; nobody reads more at once."""


def capture_shell(command: str, context: Context) -> list[Address]:
    """What a shell command reads."""
    if not may_reach_github(command, context.hosts):
        return []
    from resources_graph_core.capture import commands  # noqa: PLC0415 - see the module

    return _each_once(commands.addresses(command, context))


def capture_url(url: str, context: Context) -> list[Address]:
    """What fetching a URL reads."""
    if not may_reach_github(url, context.hosts):
        return []
    from resources_graph_core.capture import urls  # noqa: PLC0415 - see the module
    from resources_graph_core.errors import UsageError  # noqa: PLC0415 - the same

    try:
        return _each_once(urls.addresses(url, context))
    except UsageError:
        return []  # a page that no Address names


def capture_mcp(
    tool_name: str,
    arguments: Mapping[str, object],
    context: Context,
    *,
    server: str | None = None,
) -> list[Address]:
    """What a call of an MCP tool reads; ``server`` is its server's name where that is known."""
    from resources_graph_core.capture import mcp  # noqa: PLC0415 - see the module
    from resources_graph_core.errors import UsageError  # noqa: PLC0415 - the same

    try:
        return _each_once(mcp.addresses(tool_name, arguments, context, server))
    except UsageError:
        return []  # another tool, or a call that reads nothing an Address names


def capture_prompt(text: str, context: Context) -> list[Address]:
    """What a prompt points at: links, ``owner/repo#n``, and in a checkout ``#n``."""
    if "#" not in text and "GH-" not in text and not may_reach_github(text, context.hosts):
        return []
    from resources_graph_core.capture import prompts  # noqa: PLC0415 - see the module

    return _each_once(prompts.addresses(text, context))


def capture_text(text: str, context: Context) -> list[Address]:
    """What a person would write to name something, or an agent to read it.

    A URL, ``owner/repo#n``, ``owner/repo``, a key, a command line, or a path of ``gh api``.
    """
    from resources_graph_core.capture import text as texts  # noqa: PLC0415 - see the module

    return _each_once(texts.addresses(text, context))


def _each_once(found: Iterable[Address]) -> list[Address]:
    """The Addresses in order, each once for every limit it was asked with."""
    kept: dict[tuple[str, int | None], Address] = {}
    for address in found:
        try:
            key = address.key
        except UnicodeEncodeError:
            continue  # half a character in a label or a query: GitHub was never asked for that
        kept.setdefault((key, address.limit), address)
        if len(kept) == _MOST_ADDRESSES:
            break
    return list(kept.values())
