"""Mend the embedded engine's append-only files, when one holds something the engine cannot read.

A file that only lacks its end the engine mends itself. One that holds something else (zeros that a
file system leaves after a power cut, a bad sector, an editor's work) it refuses; Redis has a
program for that, redis-check-aof, that does not come with the engine.

Of the format: https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/. The
manifest names a base file, written in one go, and the files appended to since, oldest first.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from resources_graph_core.errors import UsageError
from resources_graph_core.graph import embedded, failure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FOLDER = "appendonlydir"
_MANIFEST = "appendonly.aof.manifest"
_APPENDED = re.compile(r"file (?P<name>\S+) seq \d+ type i\b")
_COUNT = re.compile(rb"(?P<sign>[*$])(?P<count>\d{1,10})\r\n")
_LONGEST_LINE = 64
"""Bytes of a line that holds a count."""
_LONGEST_TEXT = 512 * 1024 * 1024
"""Bytes of one value, Redis' own limit (proto-max-bulk-len)."""


@dataclass(frozen=True, slots=True)
class Repair:
    """What was done to one data folder."""

    folder: Path
    kept_bytes: int
    """Of statements that the engine can read."""
    cut_bytes: int
    """Of what came after them; 0 when nothing was wrong."""
    copies: tuple[Path, ...]
    """The files as they were, one for each that was cut."""


def repair(folder: Path) -> Repair:
    """Cut the appended files off where the engine cannot read on, after copying them.

    What comes after something unreadable is cut off with it, for statements build on those before.
    Raises UsageError while the engine runs or where it never ran, and GraphUnavailable when the
    files cannot be read or written.
    """
    folder = folder.resolve()
    if not (folder / _FOLDER / _MANIFEST).is_file():
        raise UsageError(f"{folder} holds no embedded graph; there is nothing to repair.")
    with embedded.kept_from_starting(folder) as kept:
        if not kept:
            raise UsageError(
                f"The graph engine of {folder} runs, so its files are sound: it has read them. "
                "To check them anyway, run first: resources-graph graph stop"
            )
        try:
            return _repair(folder)
        except OSError as error:
            raise failure.of_folder(folder, error) from error


def _repair(folder: Path) -> Repair:
    kept = cut = 0
    copies: list[Path] = []
    for path in _appended(folder):
        whole = 0 if cut else _whole_bytes(path)
        unread = path.stat().st_size - whole
        if unread:
            copies.append(_copy(path))
            os.truncate(path, whole)
        kept += whole
        cut += unread
    return Repair(folder, kept, cut, tuple(copies))


def _appended(folder: Path) -> Iterator[Path]:
    """The appended files, oldest first."""
    manifest = (folder / _FOLDER / _MANIFEST).read_text("utf-8", "replace")
    for line in manifest.splitlines():
        named = _APPENDED.match(line)
        path = folder / _FOLDER / named["name"] if named else None
        if path and path.is_file():
            yield path


def _copy(path: Path) -> Path:
    """Copy a file beside it, under a name that no other copy has."""
    number = 1
    while (copy := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    shutil.copy2(path, copy)
    return copy


def _whole_bytes(path: Path) -> int:
    """How many bytes of a file are whole statements, and of transactions that were ended."""
    whole = 0
    in_transaction = False
    with path.open("rb") as file:
        while (name := _statement(file)) is not None:
            if name == b"MULTI":
                in_transaction = True
            elif name == b"EXEC":
                in_transaction = False
            if not in_transaction:
                whole = file.tell()
    return whole


def _statement(file: BinaryIO) -> bytes | None:
    """Read one statement: its first word in capitals, or None where there is no whole one."""
    parts = _count(file, b"*")
    first: bytes | None = None
    for _ in range(parts or 0):
        length = _count(file, b"$")
        if length is None or length > _LONGEST_TEXT:
            return None
        text = file.read(length)
        if len(text) < length or file.read(2) != b"\r\n":
            return None
        if first is None:
            first = text.upper()
    return first


def _count(file: BinaryIO, sign: bytes) -> int | None:
    """Read a line such as ``*3`` or ``$12``; None when it is something else."""
    line = _COUNT.fullmatch(file.readline(_LONGEST_LINE))
    return int(line["count"]) if line and line["sign"] == sign else None
