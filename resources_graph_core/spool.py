"""Touches that could not reach the graph yet, in one append-only file of the user's.

What ``append`` acknowledged is neither lost nor torn, whichever process dies at whichever byte
(it outlives processes, not a power cut: a hook cannot wait for the disk). One JSON object per line:

- An appender holds ``spool.lock``, writes its lines in a single call, and cuts the file back when
  the disk took only a part. A line that a killed process left half written is closed by the next
  appender, so that it spoils no other.
- A drainer holds ``spool.drain.lock``, for which nobody waits. A line leaves in one step, by its
  first byte turning into ``DONE``, after the graph acknowledged its ``touch_id``; killed before
  that, the line stays and is written again, which the graph takes as the same Touch.
- When every line is done the file is emptied; when most of a long one is, it is rewritten.
- A line that is no Touch moves to ``spool.rejected``, with a line in the failure log.
"""

from __future__ import annotations

import os
import time

from resources_graph_core import failures
from resources_graph_core.errors import ResourcesGraphError
from resources_graph_core.lockfile import LockFile
from resources_graph_core.record import Record
from resources_graph_core.touch import Touch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

FILE_NAME = "spool.jsonl"
REJECTED_NAME = "spool.rejected"

LARGEST_FILE = 16 * 1024 * 1024
"""Bytes after which new Touches are refused."""

LARGEST_LINE = 16 * 1024
"""Bytes of one Touch; no Address comes near it."""

DONE = b"\x18"
"""The first byte of a line that is in the graph (ASCII CANCEL, which no JSON can hold)."""

BATCH = 100
"""Lines handed to the graph at a time."""

_APPEND_SECONDS = 1.0
"""How long an appender waits for the others; each holds the lock for well under a millisecond."""

_FORGET_SECONDS = 10.0
_WORTH_REWRITING = 1024 * 1024


class DrainReport(Record):
    """What a drain did, in lines: ``written`` left for the graph, ``rejected`` were no Touches.

    ``left`` are still in the spool. ``busy`` says that another process was draining.
    """

    written: int = 0
    rejected: int = 0
    left: int = 0
    busy: bool = False


_REQUIRED_TEXT = ("touch_id", "session_id", "user_id", "address", "at")
_OPTIONAL_TEXT = ("served_from", "tool_use_id", "agent_name")
_CHOICES = {
    "address_kind": ("repo", "item", "listing"),
    "provenance": ("FETCHED", "PROMPTED"),
    "outcome": (None, "hit", "subsumed", "miss"),
    "status": (None, "pending"),
}


class _Line(Record):
    """A line of the file: where it starts, and its bytes without the line's end."""

    offset: int
    content: bytes


class _Look(Record):
    """What is in the file: its first lines, and how many wait in all, in how many bytes."""

    size: int
    first: list[_Line]
    waiting: int
    waiting_bytes: int


class Spool:
    """The spool in one folder, the user's data folder."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = os.fspath(folder)
        self._path = self._inside(FILE_NAME)

    def _inside(self, name: str) -> str:
        return os.path.join(self._folder, name)  # noqa: PTH118 - pathlib costs a hook 8 ms

    def _append_lock(self, seconds: float = _APPEND_SECONDS) -> LockFile:
        return LockFile(self._inside("spool.lock"), seconds=seconds)

    def _drain_lock(self, seconds: float = 0) -> LockFile:
        return LockFile(self._inside("spool.drain.lock"), seconds=seconds)

    def append(self, touches: Iterable[Touch]) -> bool:
        """Keep the Touches, all or none. True once they are safely in the file.

        False, with a line in the failure log, when the spool or the disk is full, when the lock
        cannot be had in time, or when a Touch is larger than any can be.
        """
        lines = [encode(touch) for touch in touches]
        if any(len(line) > LARGEST_LINE for line in lines):
            self._complain(f"A Touch of more than {LARGEST_LINE} bytes was refused.")
            return False
        block = b"".join(lines)
        if not block:
            return True
        try:
            with self._append_lock() as lock:
                if not lock.held:
                    self._complain("The spool stayed locked; a Touch was lost.")
                    return False
                return self._write_block(block)
        except OSError as error:
            self._complain(error)
            return False

    def _write_block(self, block: bytes) -> bool:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        descriptor = os.open(self._path, flags, 0o600)
        try:
            size = os.fstat(descriptor).st_size
            if size + len(block) >= LARGEST_FILE:
                self._complain(
                    f"The spool is full ({size} bytes); a Touch was lost. "
                    "Start the graph and run: resources-graph status"
                )
                return False
            if size and os.pread(descriptor, 1, size - 1) != b"\n":
                block = b"\n" + block
            try:
                written = os.write(descriptor, block)
            except OSError:
                os.ftruncate(descriptor, size)
                raise
            if written < len(block):
                os.ftruncate(descriptor, size)
                self._complain("The disk is full; a Touch was lost. Make room on it.")
                return False
            return True
        finally:
            os.close(descriptor)

    def holds_anything(self) -> bool:
        """Whether the file is there and not empty: a look that costs microseconds."""
        return self.size() > 0

    def size(self) -> int:
        """The file's bytes, those of lines that are done too."""
        try:
            return os.stat(self._path).st_size  # noqa: PTH116 - pathlib costs a hook 8 ms
        except FileNotFoundError:
            return 0

    def pending(self) -> list[Touch]:
        """Every Touch that waits, oldest first. Raises OSError when the file cannot be read."""
        return [touch for line in _waiting(self._snapshot()) if (touch := decode(line.content))]

    def drain(
        self,
        write: Callable[[list[Touch]], Iterable[str]],
        *,
        limit: int | None = None,
        deadline: float | None = None,
    ) -> DrainReport:
        """Hand waiting Touches to ``write``, oldest first, and let go of what it acknowledges.

        ``write`` returns the ``touch_id`` of every Touch that is in the graph. At most ``limit``
        lines are handled, and no batch is begun after ``deadline`` (``time.monotonic()``). What
        ``write`` raises passes through, after what it had acknowledged is off the spool. Raises
        OSError when the files cannot be read or written.
        """
        if not self.holds_anything():
            return DrainReport()
        with self._drain_lock() as lock:
            if not lock.held:
                return DrainReport(busy=True)
            return self._drain(write, limit, deadline)

    def _drain(
        self,
        write: Callable[[list[Touch]], Iterable[str]],
        limit: int | None,
        deadline: float | None,
    ) -> DrainReport:
        look = self._look(limit)
        chosen = look.first
        written = rejected = 0
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return DrainReport()
        try:
            for start in range(0, len(chosen), BATCH):
                if deadline is not None and time.monotonic() >= deadline:
                    break
                batch = chosen[start : start + BATCH]
                rejected += self._reject(descriptor, batch)
                written += _write_batch(descriptor, batch, write)
        finally:
            os.close(descriptor)
            # Nearly: what was chosen may be left, and is short beside what is worth it.
            left = look.waiting_bytes - sum(len(line.content) + 1 for line in chosen)
            if left <= 0 or _is_worth_rewriting(look.size, left):
                self._tidy()
        return DrainReport(
            written=written, rejected=rejected, left=look.waiting - written - rejected
        )

    def _look(self, limit: int | None) -> _Look:
        """Look through the file: a hook hands on some lines of a long one, and keeps no others."""
        size = self._whole_lines()
        first: list[_Line] = []
        offset = waiting = waiting_bytes = 0
        try:
            with open(self._path, "rb") as file:  # noqa: PTH123 - pathlib costs a hook 8 ms
                for line in file:
                    if offset >= size:
                        break
                    if _is_waiting(line):
                        waiting += 1
                        waiting_bytes += len(line)
                        if limit is None or len(first) < limit:
                            content = line.removesuffix(b"\n")
                            first.append(_Line(offset=offset, content=content))
                    offset += len(line)
        except FileNotFoundError:
            pass
        return _Look(size=size, first=first, waiting=waiting, waiting_bytes=waiting_bytes)

    def _whole_lines(self) -> int:
        """The file's size at a moment when no living process is writing a line."""
        with self._append_lock(_FORGET_SECONDS) as lock:
            if not lock.held:
                raise ResourcesGraphError(f"{self._path} stays locked by another process.")
            return self.size()

    def _snapshot(self) -> bytes:
        """The file up to now, with no line half written by a living process."""
        size = self._whole_lines()
        try:
            with open(self._path, "rb") as file:  # noqa: PTH123 - pathlib costs a hook 8 ms
                return file.read(size)
        except FileNotFoundError:
            return b""

    def _reject(self, descriptor: int, batch: list[_Line]) -> int:
        """Move the lines that are no Touches out of the way, first to there and then from here."""
        rejects = [line for line in batch if decode(line.content) is None]
        if rejects:
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
            to = os.open(self._inside(REJECTED_NAME), flags, 0o600)
            try:
                _write_all(to, b"".join(line.content + b"\n" for line in rejects))
            finally:
                os.close(to)
            self._complain(
                f"{len(rejects)} lines of the spool are no Touches; "
                f"they are in {self._inside(REJECTED_NAME)} now."
            )
        for line in rejects:
            os.pwrite(descriptor, DONE, line.offset)
        return len(rejects)

    def _tidy(self) -> None:
        """Empty the file when all is done; rewrite it when that is worth it."""
        with self._append_lock() as lock:
            if not lock.held:
                return
            with open(self._path, "r+b") as file:  # noqa: PTH123 - pathlib costs a hook 8 ms
                content = file.read()
                left = b"".join(line.content + b"\n" for line in _waiting(content))
                if not left:
                    file.truncate(0)
            if left and _is_worth_rewriting(len(content), len(left)):
                _replace(self._path, left)

    def forget(self, session_id: str) -> int:
        """Remove everything of a session, also from what was rejected; how many lines that was.

        Raises ResourcesGraphError when another process keeps draining, and OSError.
        """
        import json  # noqa: PLC0415 - forgetting is never done in a hurry

        mark = json.dumps(session_id).encode()
        forgotten = 0
        with self._drain_lock(_FORGET_SECONDS) as drain, self._append_lock() as lock:
            if not (drain.held and lock.held):
                raise ResourcesGraphError(
                    "The spool is being drained by another process; try again in a moment."
                )
            for path in (self._path, self._inside(REJECTED_NAME)):
                try:
                    with open(path, "rb") as file:  # noqa: PTH123 - pathlib costs a hook 8 ms
                        content = file.read()
                except FileNotFoundError:
                    continue
                lines = list(_waiting(content))
                kept = [line.content for line in lines if not _is_of(line, session_id, mark)]
                forgotten += len(lines) - len(kept)
                _replace(path, b"".join(line + b"\n" for line in kept))
        return forgotten

    def _complain(self, error: BaseException | str) -> None:
        failures.record(self._folder, "spool", error)


def encode(touch: Touch) -> bytes:
    """The Touch as a line of the file, with its end. Fields at their default are left out."""
    import json  # noqa: PLC0415 - imported long before by a hook that has a Touch

    values = {
        name: value
        for name, value in touch.fields().items()
        if not hasattr(Touch, name) or value != getattr(Touch, name)
    }
    return json.dumps(values, separators=(",", ":")).encode() + b"\n"


def decode(line: bytes) -> Touch | None:
    """The Touch in a line, or None when it is not exactly one."""
    import json  # noqa: PLC0415 - the same

    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, dict) or not _is_touch(values):
        return None
    return Touch(**values)


def _is_touch(values: dict[str, object]) -> bool:
    limit = values.get("limit")
    return (
        values.keys() <= Touch.__annotations__.keys()
        and all(isinstance(values.get(name), str) and values[name] for name in _REQUIRED_TEXT)
        and all(isinstance(values.get(name), str | None) for name in _OPTIONAL_TEXT)
        and all(
            values.get(name, getattr(Touch, name, "")) in allowed
            for name, allowed in _CHOICES.items()
        )
        and isinstance(values.get("served_from_memory", False), bool)
        and (limit is None or (type(limit) is int and limit > 0))
    )


def _waiting(content: bytes) -> Iterator[_Line]:
    """The lines that are not done; blank ones are nobody's."""
    offset = 0
    for line in content.split(b"\n"):
        if _is_waiting(line):
            yield _Line(offset=offset, content=line)
        offset += len(line) + 1


def _is_waiting(line: bytes) -> bool:
    return not line.startswith(DONE) and bool(line.strip())


def _is_worth_rewriting(size: int, left: int) -> bool:
    """Whether so much of a file of ``size`` bytes is done that those ``left`` may as well move."""
    return size - left > max(_WORTH_REWRITING, left)


def _write_batch(
    descriptor: int,
    batch: list[_Line],
    write: Callable[[list[Touch]], Iterable[str]],
) -> int:
    """Write a batch's Touches, each once, and mark the acknowledged lines; how many they are."""
    touches = [(line, touch) for line in batch if (touch := decode(line.content)) is not None]
    unique = {touch.touch_id: touch for _, touch in touches}
    if not unique:
        return 0
    acknowledged = set(write(list(unique.values())))
    done = [line for line, touch in touches if touch.touch_id in acknowledged]
    for line in done:
        os.pwrite(descriptor, DONE, line.offset)
    return len(done)


def _is_of(line: _Line, session_id: str, mark: bytes) -> bool:
    touch = decode(line.content)
    return mark in line.content if touch is None else touch.session_id == session_id


def _write_all(descriptor: int, content: bytes) -> None:
    while content:
        content = content[os.write(descriptor, content) :]


def _replace(path: str, content: bytes) -> None:
    """Put new content in place of a file's, at once; the old one stays if that fails."""
    beside = f"{path}.new"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
    descriptor = os.open(beside, flags, 0o600)
    try:
        _write_all(descriptor, content)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.replace(beside, path)  # noqa: PTH105 - pathlib costs a hook 8 ms
