"""The hook program: what a coding agent just did, from standard input to a Touch.

It never fails a session: whatever happens, it ends with status 0 and prints either nothing or one
JSON object that its harness takes, and what went wrong is one line in the failure log. Only
Addresses leave it, never a command line. It imports late, since it runs before every tool call.
"""

from __future__ import annotations

import os
import sys
import time

from resources_graph_core import harness, home
from resources_graph_core.harness.prefilter import may_concern_us

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

    from resources_graph_core.config import Settings
    from resources_graph_core.harness.events import Event

SECONDS = 2.0
"""After which the program is done: of waiting at most, and of computing at most.

Two limits, since a busy machine must cost no Touch: whatever is waited for has a deadline, and
computing is cut off by processor time, which does not pass while others compute.
"""

LARGEST_PAYLOAD = 8 * 1024 * 1024
"""Bytes read of a payload; a longer one is cut off, and then passed over as no JSON."""

PAYLOAD_SECONDS = 5.0
"""For the payload to come: who starts the hook has it ready, and may forget to close the pipe."""

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
        main(
            sys.argv[1:],
            sys.stdin.buffer,
            sys.stdout.buffer,
            seconds=SECONDS,
            payload_seconds=PAYLOAD_SECONDS,
        )
    finally:
        # Nothing may follow: no message of an interpreter that shuts down, no other status.
        os._exit(0)


def main(
    arguments: Sequence[str],
    stdin: BinaryIO,
    stdout: BinaryIO,
    *,
    seconds: float | None = None,
    payload_seconds: float | None = None,
) -> int:
    """Handle one payload; always 0.

    ``seconds`` bounds the computing, in a process of its own; ``payload_seconds`` the wait for the
    payload, where ``stdin`` is a file descriptor.
    """
    name = arguments[0] if arguments else ""
    event_name = arguments[1] if len(arguments) > 1 else None
    said: dict[str, object] | None = None
    started = time.monotonic()
    try:
        if name not in harness.HARNESSES:
            _complain(f"The hook was called for {name or 'no harness'}; run install again.")
            return 0
        said = harness.neutral(name, None, event_name)
        text = _payload(stdin, payload_seconds)
        if may_concern_us(text, name, event_name, _hosts()):
            if seconds is not None:
                _limit(seconds)
            said = _answer(name, event_name, text, started)
    except _TooSlowError:
        _complain(f"The hook gave up after computing for {seconds} seconds.")
    except Exception as error:  # noqa: BLE001 - a hook must not fail a session, whatever happens
        _complain(error)
    _print(stdout, said)
    return 0


def _payload(stdin: BinaryIO, seconds: float | None) -> str:
    """What stands in ``stdin``; after so many seconds what came of it, be it open still."""
    if seconds is None:
        return stdin.read(LARGEST_PAYLOAD).decode("utf-8", "surrogatepass")
    import select  # noqa: PLC0415 - not where there is no limit

    descriptor, deadline = stdin.fileno(), time.monotonic() + seconds
    parts: list[bytes] = []
    left = LARGEST_PAYLOAD
    while left > 0:
        wait = max(0.0, deadline - time.monotonic())
        if not select.select([descriptor], [], [], wait)[0]:
            _complain(f"The payload had no end after {seconds} seconds; what came of it was read.")
            break
        part = os.read(descriptor, min(left, 1 << 20))
        if not part:
            break
        parts.append(part)
        left -= len(part)
    return b"".join(parts).decode("utf-8", "surrogatepass")


def _answer(
    name: str, event_name: str | None, text: str, started: float
) -> dict[str, object] | None:
    import json  # noqa: PLC0415 - most payloads end before

    try:
        payload = json.loads(text)
    except (ValueError, RecursionError):
        return harness.neutral(name, None, event_name)
    event = harness.read(name, payload, event_name)
    if event is None:
        return harness.neutral(name, payload, event_name)
    context = HINT if event.kind in {"session_start", "subagent_start"} else None
    try:
        context = "\n".join(_record(event, started)) or context
    except _TooSlowError:
        _complain("The hook computed for too long and gave up.")
    except Exception as error:  # noqa: BLE001 - what may be said is said all the same
        _complain(error)
    return harness.answer(event, context)


def _record(event: Event, started: float) -> list[str]:
    """Keep what the event tells: whose subagent it is, the Touches in it. Returns the Nudges."""
    if not event.session_id:
        return []
    if event.child_session_id and event.kind == "subagent_start":
        from resources_graph_core.harness import lineage  # noqa: PLC0415 - only for subagents

        if event.child_session_id != event.session_id:
            lineage.remember(home.data_folder(), event.child_session_id, event.session_id)
    if event.tool is None and event.prompt is None:
        return []
    from resources_graph_core.hook import sightings  # noqa: PLC0415 - most payloads end before

    settings = _settings()
    fetched = sightings.fetched(event, settings)
    prompted = sightings.prompted(event, settings)
    folder = home.data_folder()
    user = settings.user if settings else _user()
    touches = [
        *sightings.touches(event, "FETCHED", fetched, folder=folder, user=user),
        *sightings.touches(event, "PROMPTED", prompted, folder=folder, user=user),
    ]
    read = sightings.cache_read(event, folder=folder, user=user)
    if read is not None:
        touches.append(read)
    if not touches:
        return []
    from resources_graph_core.hook import errand  # noqa: PLC0415 - only for Touches

    wanted = fetched if _takes_a_nudge(event) else []
    return errand.run(folder, settings, touches, wanted, deadline=started + errand.LATEST)


def _takes_a_nudge(event: Event) -> bool:
    """Whether the event comes before a tool, in a harness that then takes context."""
    return event.kind == "pre_tool" and harness.answer(event, HINT) != harness.answer(event, None)


def _settings() -> Settings | None:
    """The settings in force, or None, with a line in the failure log, when they are malformed."""
    from resources_graph_core.config import load_settings  # noqa: PLC0415 - only for GitHub
    from resources_graph_core.errors import ConfigError  # noqa: PLC0415 - the same

    try:
        return load_settings()
    except ConfigError as error:
        _complain(error)
        return None


def _user() -> str:
    """Whose session it is when the settings cannot be read."""
    from resources_graph_core.config import login_name  # noqa: PLC0415 - seldom needed

    return os.environ.get("RESOURCES_GRAPH_USER", "").strip() or login_name()


def _hosts() -> list[str]:
    """GitHub hosts that the settings may name: enough to pass nothing over, without reading TOML.

    Whatever stands between quotes on a line about hosts may be one.
    """
    named = os.environ.get("RESOURCES_GRAPH_HOSTS", "")
    path = home.config_file()
    if os.path.lexists(path):
        try:
            with open(path, encoding="utf-8") as file:  # noqa: PTH123 - pathlib costs a hook 8 ms
                lines = [line for line in file if "hosts" in line]
        except (OSError, ValueError):
            lines = []
        for line in lines:
            named += "," + line.replace("'", '"').replace('"', ",")
    parts = (part.strip() for part in named.lower().split(","))
    return [part for part in parts if part and "=" not in part and " " not in part]


def _complain(error: BaseException | str) -> None:
    from resources_graph_core import failures  # noqa: PLC0415 - only when something failed

    try:
        folder = home.data_folder()
    except Exception:  # noqa: BLE001 - without a data folder there is nowhere to complain
        return
    failures.record(folder, "hook", error)


def _limit(seconds: float) -> None:
    """Raise in this process once it has computed for so long, whatever it is doing."""
    import signal  # noqa: PLC0415 - most payloads end before

    def stop(_number: int, _frame: object) -> None:
        raise _TooSlowError

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)


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
