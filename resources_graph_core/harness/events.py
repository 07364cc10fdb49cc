"""What happened in a coding agent's session, in words that no harness owns.

Every harness module turns its own payload into an ``Event``. Payloads come from outside and change
between releases, so the readers here take any JSON and answer with what is usable of it. Nothing
in here imports more than it must: it runs before every tool call of an agent.
"""

from __future__ import annotations

from resources_graph_core.harness import MCP_SERVER, MCP_TOOL
from resources_graph_core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    EventKind = Literal[
        "pre_tool",
        "post_tool",
        "prompt",
        "session_start",
        "session_end",
        "subagent_start",
        "subagent_stop",
        "other",
    ]
    ToolKind = Literal["shell", "web_fetch", "mcp", "other"]

_LONGEST_RESPONSE = 4096
"""Characters kept of a tool's answer; its first line is all that anyone looks at."""


class Tool(Record):
    """One call of a tool.

    ``name`` is the tool's own name, without the MCP server where the harness says which part that
    is; where it does not, ``server`` is None and ``name`` still carries the server's name in front
    (``github-issue_read``), so match it by its end. ``arguments`` is what an MCP tool was given.
    """

    kind: ToolKind
    name: str
    command: str = ""
    url: str = ""
    server: str | None = None
    arguments: dict[str, object]

    @property
    def is_ours(self) -> bool:
        """Whether this is our own ``resource`` tool, as far as names can tell.

        Cursor does not name the server, so the answer's first line has the last word.
        """
        if self.kind != "mcp" or self.name != MCP_TOOL:
            return False
        return self.server is None or self.server.replace("_", "-").endswith(MCP_SERVER)


class Event(Record):
    """Something a harness told us about one of its sessions.

    - ``name`` is the harness's own name of the event, ``harness`` whose payload it was (another
      one than asked for, where harnesses run each other's hooks).
    - ``session_id`` is the root session's where the harness says so inside a subagent; empty when
      the payload had none, and then there is nothing to record.
    - ``child_session_id`` is, on ``subagent_start``, the session that the subagent's own events
      will carry where that differs.
    - ``marks_fetch`` says that a tool call is to be recorded at this event: before the call, or
      after it for a harness that has no event before one that we can use.
    - ``discriminator`` tells this occurrence from others in the session and is the same when the
      event is delivered again: the tool call's id, else the payload's own prompt id or timestamp,
      else a hash of the payload.
    - ``prompt`` is the user's text, on whichever event brings it.
    - ``response`` is the beginning of what an MCP tool answered, to recognise our own tool's first
      line; no other tool's answer is kept.
    """

    kind: EventKind
    name: str
    harness: str
    session_id: str
    discriminator: str
    agent_name: str | None = None
    child_session_id: str | None = None
    cwd: str | None = None
    tool: Tool | None = None
    tool_use_id: str | None = None
    marks_fetch: bool = False
    prompt: str | None = None
    response: str | None = None
    failed: bool = False


def text_at(payload: dict[str, object], *keys: str) -> str | None:
    """The first of ``keys`` that holds a string with something in it, else None."""
    for key in keys:
        value = payload.get(key)
        if isinstance(value, str) and value.strip():
            return value
    return None


def first_text(value: object) -> str | None:
    """The first string of a list with something in it, else None."""
    if isinstance(value, list):
        for entry in value:
            if isinstance(entry, str) and entry.strip():
                return entry
    return None


def object_at(payload: dict[str, object], *keys: str) -> dict[str, object]:
    """The first of ``keys`` that holds an object, also as JSON text, else an empty one."""
    for key in keys:
        value = decoded(payload.get(key))
        if isinstance(value, dict):
            return value
    return {}


def decoded(value: object) -> object:
    """The value, or what it says when it is the JSON text of an object or a list."""
    if isinstance(value, str) and value.lstrip()[:1] in {"{", "["}:
        import json  # noqa: PLC0415 - most payloads hold no JSON inside JSON

        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


_TEXT_KEYS = (
    "text",
    "content",
    "output_for_prompt",
    "textResultForLlm",
    "text_result_for_llm",
    "OkayOutput",
    "Error",
    "output",
    "result",
    "stdout",
)


def response_text(value: object) -> str | None:
    """The beginning of the text in a tool's answer, whatever the harness wrapped around it.

    Knows plain strings, MCP content lists, and objects that hold either under a usual name, also
    as JSON text. None when there is no text in it.
    """
    text = _first_text_in(decoded(value), depth=4)
    if text is None and isinstance(value, str):
        text = value
    return None if text is None else text[:_LONGEST_RESPONSE]


def _first_text_in(value: object, depth: int) -> str | None:
    if isinstance(value, str):
        return value or None
    if depth == 0:
        return None
    inner: list[object] = []
    if isinstance(value, list):
        inner = value
    elif isinstance(value, dict):
        inner = [value[key] for key in _TEXT_KEYS if key in value]
    for entry in inner:
        text = _first_text_in(entry, depth - 1)
        if text is not None:
            return text
    return None


def discriminator_of(payload: dict[str, object], *candidates: object) -> str:
    """The first candidate that is text or a number, else a hash of the payload."""
    for candidate in candidates:
        if isinstance(candidate, bool):
            continue
        if isinstance(candidate, int | float) or (isinstance(candidate, str) and candidate.strip()):
            return str(candidate)
    return hash_of(payload)


def hash_of(value: object) -> str:
    """A short stable hash of any JSON value: the same value, whatever the order of its keys."""
    import hashlib  # noqa: PLC0415 - only payloads without an id need it
    import json  # noqa: PLC0415 - the same

    canonical = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def directory_of(cwd: str | None, own: str | None) -> str | None:
    """Where a command runs: its own directory, taken from ``cwd`` when it is relative."""
    if own is None or cwd is None or own.startswith("/"):
        return own or cwd
    return f"{cwd.rstrip('/')}/{own}"


def shell(arguments: dict[str, object], name: str, *keys: str) -> Tool:
    """A shell command, found under the first of ``keys`` (default ``command``)."""
    command = text_at(arguments, *(keys or ("command",))) or ""
    return Tool(kind="shell", name=name, command=command, arguments={})


def web_fetch(arguments: dict[str, object], name: str) -> Tool:
    """A page being fetched; the key may be spelled ``url``, ``Url`` or ``URL``."""
    return Tool(
        kind="web_fetch", name=name, url=text_at(arguments, "url", "Url", "URL") or "", arguments={}
    )


def mcp(server: str | None, name: str, arguments: dict[str, object]) -> Tool:
    """A tool of an MCP server."""
    return Tool(kind="mcp", name=name, server=server, arguments=arguments)


def other_tool(name: str) -> Tool:
    """A tool that cannot reach GitHub by itself. What it was given is not kept."""
    return Tool(kind="other", name=name, arguments={})
