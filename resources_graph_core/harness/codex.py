"""Codex CLI: Claude Code's shapes, with its own ids (https://learn.chatgpt.com/docs/hooks).

Differences that matter here: ``turn_id`` in place of ``prompt_id``; PostToolUse also fires when a
command failed; the text given to a subagent arrives as UserPromptSubmit with ``agent_id``; answers
with a field that it does not know are rejected.
"""

from __future__ import annotations

from resources_graph_core.harness import claude_code
from resources_graph_core.harness.events import Event, text_at

NAME = "codex"


def read(payload: dict[str, object], event_name: str | None = None) -> Event | None:
    """The event in a payload, or None for one we do not know."""
    return claude_code.read_named(NAME, payload, event_name, prompt_id=text_at(payload, "turn_id"))


def answer(event: Event, context: str | None) -> dict[str, object] | None:
    """What to print: the context and nothing that Codex would reject."""
    return claude_code.answer(event, context)


def neutral(event_name: str | None) -> dict[str, object] | None:  # noqa: ARG001 - one signature
    """Silence is no opinion here."""
    return None
