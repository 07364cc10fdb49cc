"""Whether a payload can concern us at all, decided on its text without parsing it.

Nearly every tool call of an agent has nothing to do with GitHub. Importing ``json`` alone takes a
hook almost as long as starting Python does, so those calls end here.
"""

from __future__ import annotations

from resources_graph_core.capture.relevance import may_reach_github
from resources_graph_core.harness import MCP_TOOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_ESCAPES = ("\\n", "\\r", "\\t", "\\f", "\\b", "\\/", '\\"')
"""JSON's escapes for what may stand beside a word; seen as they are, they would hide it."""

_MARKS = (
    "sessionstart",
    "session_start",
    "subagentstart",
    "subagent_start",
    "session.created",
    "chat.message",
    "system.transform",
    "preinvocation",
    '"prompt"',
    "\\u",
    f'{MCP_TOOL}"',
    "owner",
    "query",
)
"""What (lower-case) makes a payload worth parsing whatever else it holds.

Events that take a hint, prompts, escapes that may hide any letter, our own tool, and the arguments
that GitHub's own MCP tools cannot do without.
"""


def may_concern_us(
    payload: str, name: str, event_name: str | None = None, hosts: Iterable[str] = ()
) -> bool:
    """Whether to parse the payload that reached the hook of the harness ``name``.

    ``hosts`` are the GitHub hosts besides github.com that the settings name, lower-case. True for
    more payloads than concern us, never False for one that does. Cursor's answer depends on the
    event, so without its name on the command line its payloads are always parsed.
    """
    text = payload.lower()
    if event_name is None and (name == "cursor" or "cursor_version" in text):
        return True
    about = (event_name or "").lower()
    if any(mark in text or mark in about for mark in _MARKS):
        return True
    for escape in _ESCAPES:
        text = text.replace(escape, " ")
    return may_reach_github(text, hosts)
