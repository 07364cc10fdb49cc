"""The hook program: what a coding agent just did, from standard input to a Touch.

It never fails a session: whatever happens, it ends with status 0 and prints either nothing or one
JSON object that its harness takes, and what went wrong is one line in the failure log. Only
Addresses leave it, never a command line. It imports late, since it runs before every tool call.
"""

from __future__ import annotations

import os
import sys

from resources_graph_core import harness
from resources_graph_core.harness.prefilter import may_concern_us

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import BinaryIO

    from resources_graph_core.address import Address
    from resources_graph_core.capture.context import Context
    from resources_graph_core.harness.events import Event
    from resources_graph_core.spool import SpooledTouch

SECONDS = 2.0
"""After which the program gives up, wherever it is."""

LARGEST_PAYLOAD = 8 * 1024 * 1024
"""Bytes read of a payload; a longer one is cut off, and then passed over as no JSON."""

HINT = (
    f"The {harness.MCP_SERVER} MCP server remembers public GitHub issues, pull requests, "
    f"repositories and lists. Its `{harness.MCP_TOOL}` tool reads one from memory, by URL or "
    "owner/repo#number, without asking GitHub."
)
"""What a session is told at its start, where its harness lets us."""


_READY_ANSWERS: tuple[tuple[dict[str, object], bytes], ...] = (
    ({}, b"{}\n"),
    ({"permission": "allow"}, b'{"permission": "allow"}\n'),
    ({"continue": True}, b'{"continue": true}\n'),
)
"""What is said before tools that do not concern us, without importing ``json`` for it."""


class _TooSlowError(Exception):
    """The time for the whole hook is used up."""


def program() -> None:
    """Run as ``resources-graph-hook HARNESS [EVENT]``, payload on standard input."""
    try:
        main(sys.argv[1:], sys.stdin.buffer, sys.stdout.buffer, seconds=SECONDS)
    finally:
        # Nothing may follow: no message of an interpreter that shuts down, no other status.
        os._exit(0)


def main(
    arguments: Sequence[str], stdin: BinaryIO, stdout: BinaryIO, *, seconds: float | None = None
) -> int:
    """Handle one payload; always 0. ``seconds`` bounds the time, in a process of its own."""
    name = arguments[0] if arguments else ""
    event_name = arguments[1] if len(arguments) > 1 else None
    said: dict[str, object] | None = None
    try:
        if name not in harness.HARNESSES:
            _complain(f"The hook was called for {name or 'no harness'}; run install again.")
            return 0
        said = harness.neutral(name, None, event_name)
        text = stdin.read(LARGEST_PAYLOAD).decode("utf-8", "surrogatepass")
        if may_concern_us(text, name, event_name):
            if seconds is not None:
                _limit(seconds)
            said = _answer(name, event_name, text)
    except _TooSlowError:
        _complain(f"The hook gave up after {seconds} seconds.")
    except Exception as error:  # noqa: BLE001 - a hook must not fail a session, whatever happens
        _complain(error)
    _print(stdout, said)
    return 0


def _answer(name: str, event_name: str | None, text: str) -> dict[str, object] | None:
    import json  # noqa: PLC0415 - most payloads end before

    try:
        payload = json.loads(text)
    except (ValueError, RecursionError):
        return harness.neutral(name, None, event_name)
    event = harness.read(name, payload, event_name)
    if event is None:
        return harness.neutral(name, payload, event_name)
    try:
        _record(event)
    except _TooSlowError:
        _complain("The hook took too long and gave up.")
    except Exception as error:  # noqa: BLE001 - what may be said is said all the same
        _complain(error)
    return harness.answer(event, _context(event))


def _context(event: Event) -> str | None:
    """What to tell the model at an event, if anything."""
    return HINT if event.kind in {"session_start", "subagent_start"} else None


def _record(event: Event) -> None:
    """Keep what the event tells: whose subagent it is, and the Touches in it."""
    if not event.session_id:
        return
    if event.child_session_id and event.kind == "subagent_start":
        from resources_graph_core.harness import lineage  # noqa: PLC0415 - only for subagents

        if event.child_session_id != event.session_id:
            lineage.remember(_data_folder(), event.child_session_id, event.session_id)
    touches = list(_touches(event))
    if touches:
        from resources_graph_core.spool import Spool  # noqa: PLC0415 - only for Touches

        Spool(_data_folder()).append(touches)


def _touches(event: Event) -> Iterator[SpooledTouch]:
    found = [("FETCHED", address) for address in _fetched(event)]
    found += [("PROMPTED", address) for address in _prompted(event)]
    if not found:
        return
    from time import gmtime, strftime  # noqa: PLC0415 - only for Touches

    from resources_graph_core.harness import lineage  # noqa: PLC0415 - the same
    from resources_graph_core.spool import SpooledTouch  # noqa: PLC0415 - the same

    session = lineage.root_of(_data_folder(), event.session_id)
    user = _user()
    at = strftime("%Y-%m-%dT%H:%M:%SZ", gmtime())
    seen: set[str] = set()
    for provenance, address in found:
        touch_id = _touch_id(session, event.discriminator, provenance, address.key)
        if touch_id in seen:
            touch_id = _touch_id(
                session, event.discriminator, provenance, f"{address.key}|{address.limit}"
            )
        seen.add(touch_id)
        yield SpooledTouch(
            touch_id=touch_id,
            session_id=session,
            user_id=user,
            address=address.key,
            address_kind=address.kind,
            provenance="FETCHED" if provenance == "FETCHED" else "PROMPTED",
            at=at,
            limit=address.limit,
            tool_use_id=event.tool_use_id,
            agent_name=event.agent_name,
        )


def _fetched(event: Event) -> list[Address]:
    tool = event.tool
    if tool is None or not event.marks_fetch or tool.is_ours:
        return []
    from resources_graph_core import capture  # noqa: PLC0415 - only for tool calls

    context = _surroundings(event)
    if tool.kind == "shell":
        return capture.capture_shell(tool.command, context)
    if tool.kind == "web_fetch":
        return capture.capture_url(tool.url, context)
    if tool.kind == "mcp":
        return capture.capture_mcp(tool.name, tool.arguments, context, server=tool.server)
    return []


def _prompted(event: Event) -> list[Address]:
    if event.prompt is None:
        return []
    from resources_graph_core import capture  # noqa: PLC0415 - only for prompts

    return capture.capture_prompt(event.prompt, _surroundings(event))


def _surroundings(event: Event) -> Context:
    from resources_graph_core.capture.checkout import Checkout  # noqa: PLC0415 - only for GitHub
    from resources_graph_core.capture.context import (  # noqa: PLC0415 - the same
        ENVIRONMENT_NAMES,
        Context,
    )

    environment = {name: os.environ[name] for name in ENVIRONMENT_NAMES if name in os.environ}
    return Context(cwd=event.cwd, environment=environment, checkout=Checkout())


def _touch_id(session: str, discriminator: str, provenance: str, key: str) -> str:
    """The id that makes a re-delivered event write its Touch once; as ``touch.touch_id``."""
    from hashlib import sha256  # noqa: PLC0415 - only for Touches

    told = f"{session}|{discriminator}|{provenance}|{key}"
    return sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _user() -> str:
    """Whose session it is: the setting, else the login name."""
    named = os.environ.get("RESOURCES_GRAPH_USER")
    if named:
        return named
    from getpass import getuser  # noqa: PLC0415 - only for Touches

    return getuser()


def _data_folder() -> str:
    from resources_graph_core.config import data_folder  # noqa: PLC0415 - only when we keep something

    return str(data_folder())


def _complain(error: BaseException | str) -> None:
    from resources_graph_core import failures  # noqa: PLC0415 - only when something failed

    try:
        folder = _data_folder()
    except Exception:  # noqa: BLE001 - without a data folder there is nowhere to complain
        return
    failures.record(folder, "hook", error)


def _limit(seconds: float) -> None:
    """Raise in this process once the time is over, whatever it is doing."""
    import signal  # noqa: PLC0415 - most payloads end before

    def stop(_number: int, _frame: object) -> None:
        raise _TooSlowError

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _print(stdout: BinaryIO, said: dict[str, object] | None) -> None:
    if said is None:
        return
    try:
        stdout.write(_as_json(said))
        stdout.flush()
    except (OSError, ValueError) as error:  # the harness hung up
        _complain(error)


def _as_json(said: dict[str, object]) -> bytes:
    for ready, text in _READY_ANSWERS:
        if said == ready:
            return text
    import json  # noqa: PLC0415 - what is said most often is ready

    return json.dumps(said).encode() + b"\n"
