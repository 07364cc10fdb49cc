"""The failure log: what went wrong in hooks, which must stay silent, for ``doctor`` to show.

One JSON object per line in a file for its owner only, bounded in size. It holds no token, no query
string and no command line: the message of an error that is neither ours nor the system's may quote
what it choked on, so of those only the type and the place are kept.
"""

from __future__ import annotations

import os

from resources_graph_core.errors import ResourcesGraphError
from resources_graph_core.lockfile import LockFile
from resources_graph_core.record import Record

FILE_NAME = "failures.jsonl"
LARGEST_FILE = 256 * 1024
"""Bytes after which the older half goes."""

LONGEST_MESSAGE = 500
_LOCK_SECONDS = 0.3


class Failure(Record):
    """One line: when (ISO-8601 UTC), in which part, of what type, and what it said."""

    at: str
    where: str
    kind: str
    message: str


def record(folder: str | os.PathLike[str], where: str, error: BaseException | str) -> None:
    """Add a line to the log in ``folder``. Never raises: there is no further place to complain."""
    try:
        _append(os.fspath(folder), _line(where, error))
    except Exception:  # noqa: BLE001 - what records failures has nowhere to report its own
        return


def recent(folder: str | os.PathLike[str], count: int = 20) -> list[Failure]:
    """The latest ``count`` failures, oldest first; none when there is no log."""
    import json  # noqa: PLC0415 - a hook without failures needs none of it

    try:
        with open(os.path.join(folder, FILE_NAME), "rb") as file:  # noqa: PTH118, PTH123 - see above
            lines = file.read().splitlines()
    except FileNotFoundError:
        return []
    failures = []
    for line in lines:
        try:
            values = json.loads(line)
            failures.append(Failure(**{name: str(value) for name, value in values.items()}))
        except (ValueError, TypeError, AttributeError):
            continue
    return failures[-count:] if count > 0 else []


def masked(text: str) -> str:
    """The text on one line, without tokens, passwords and query strings, and not too long."""
    import re  # noqa: PLC0415 - a hook without failures needs none of it

    for pattern, replacement in (
        (r"\b(?:gh[a-z]_|github_pat_)\w+", "[token]"),
        (r"(?i)\b(bearer|token|basic|password|secret)([\s:=]+)\S+", r"\1\2[masked]"),
        (r"(?i)\b(authorization[\s:=]+)\S+(?:\s+\S+)?", r"\1[masked]"),
        (r"://[^/\s@]+@", "://[masked]@"),
        (r"(://[^\s?#'\"]+)[?#][^\s'\"]*", r"\1?[masked]"),
        (r"[\x00-\x20\x7f\u2028\u2029]+", " "),
    ):
        text = re.sub(pattern, replacement, text)
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]} …"


def _line(where: str, error: BaseException | str) -> bytes:
    import json  # noqa: PLC0415 - a hook without failures needs none of it
    import time  # noqa: PLC0415 - the same

    if isinstance(error, str):
        kind, message = "Note", masked(error)
    elif isinstance(error, ResourcesGraphError | OSError | ImportError):
        kind, message = type(error).__name__, masked(str(error))
    else:
        kind, message = type(error).__name__, _place(error)
    failure = Failure(
        at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        where=masked(where),
        kind=kind,
        message=message,
    )
    return json.dumps(failure.fields()).encode() + b"\n"


def _place(error: BaseException) -> str:
    """Where an error was raised: the file's name and the line, never its message."""
    step = error.__traceback__
    if step is None:
        return "raised nowhere known"
    while step.tb_next is not None:
        step = step.tb_next
    return f"raised in {os.path.basename(step.tb_frame.f_code.co_filename)}:{step.tb_lineno}"  # noqa: PTH119 - pathlib costs a hook 8 ms


def _append(folder: str, line: bytes) -> None:
    path = os.path.join(folder, FILE_NAME)  # noqa: PTH118 - pathlib costs a hook 8 ms
    with LockFile(f"{path}.lock", seconds=_LOCK_SECONDS) as lock:
        if not lock.held:
            return
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        descriptor = os.open(path, flags, 0o600)
        try:
            size = os.fstat(descriptor).st_size
            if size + len(line) > LARGEST_FILE:
                kept = os.pread(descriptor, LARGEST_FILE // 2, max(0, size - LARGEST_FILE // 2))
                os.ftruncate(descriptor, 0)
                line = kept[kept.find(b"\n") + 1 :] + line
            elif size and os.pread(descriptor, 1, size - 1) != b"\n":
                line = b"\n" + line
            os.write(descriptor, line)
        finally:
            os.close(descriptor)
