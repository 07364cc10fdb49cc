"""The coding agents whose hooks we answer: payload to Event, and what may be said back.

Harnesses run each other's hooks: Grok Build those of Claude Code and Cursor, Cursor those of
Claude Code, Copilot CLI those of a project's Claude Code settings. So a payload is first recognised
by what only its own harness writes, and only then taken for what the hook was installed for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from resources_graph_core.harness.events import Event

    class Harness(Protocol):
        """What every harness module offers."""

        NAME: str

        def read(self, payload: dict[str, object], event_name: str | None = None) -> Event | None:
            """The event in a payload, or None for one we do not know. Never raises."""

        def answer(self, event: Event, context: str | None) -> dict[str, object] | None:
            """The JSON object to print, or None to print nothing."""

        def neutral(self, event_name: str | None) -> dict[str, object] | None:
            """The same when the payload could not be read."""


HARNESSES = ("claude-code", "codex", "copilot-cli", "cursor", "opencode", "grok", "antigravity")
"""The names of the harnesses we know, as the command line takes them."""


MCP_SERVER = "resources-graph"
"""The name under which our MCP server is registered with every harness."""

MCP_TOOL = "resource"
"""The tool of ours that reads from memory."""


def module_of(name: str) -> Harness:
    """The module of a harness, imported when first asked for. Raises KeyError for another name."""
    import sys  # noqa: PLC0415 - always loaded already

    if name not in HARNESSES:
        raise KeyError(name)
    path = f"{__name__}.{name.replace('-', '_')}"
    __import__(path)
    module: Harness = sys.modules[path]
    return module


def recognise(name: str, payload: dict[str, object]) -> str | None:
    """Whose payload it is when the hook was installed for ``name``; None to leave it alone.

    A Claude Code hook leaves Copilot's payloads alone: they carry no call id, so a hook installed
    for Copilot as well would record every call twice.
    """
    if "hookEventName" in payload and name in {"claude-code", "cursor"}:
        return "grok"
    if "cursor_version" in payload and name == "claude-code":
        return "cursor"
    if name == "claude-code" and "timestamp" in payload and "transcript_path" not in payload:
        return None
    return name


def read(name: str, payload: object, event_name: str | None = None) -> Event | None:
    """The event in a payload that reached the hook of the harness ``name``.

    None for a payload or an event that we do not know. Whatever the payload holds, nothing is
    raised.
    """
    if not isinstance(payload, dict):
        return None
    owner = recognise(name, payload)
    return None if owner is None else module_of(owner).read(payload, event_name)


def answer(event: Event, context: str | None) -> dict[str, object] | None:
    """The JSON object to print for an event, or None to print nothing."""
    return module_of(event.harness).answer(event, context)


def neutral(name: str, payload: object, event_name: str | None = None) -> dict[str, object] | None:
    """The JSON object to print for a payload that ``read`` made nothing of, or None."""
    if not isinstance(payload, dict):
        return module_of(name).neutral(event_name)
    owner = recognise(name, payload)
    if owner is None:
        return None
    told = payload.get("hook_event_name")
    return module_of(owner).neutral(told if isinstance(told, str) else event_name)
