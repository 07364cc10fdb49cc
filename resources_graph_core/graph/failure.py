"""Why the embedded engine did not start, in words that say what to do."""

from __future__ import annotations

import errno
import re
from shutil import disk_usage
from typing import TYPE_CHECKING

from resources_graph_core.errors import GraphUnavailable

if TYPE_CHECKING:
    from pathlib import Path

# What the dynamic loader says of a missing library, on Linux (ld.so) and on macOS (dyld).
_MISSING_LIBRARY = re.compile(
    r"(?P<linux>\S+\.so[.\d]*): cannot open shared object file"
    r"|Library not loaded: (?:\S*/)?(?P<macos>\S+)"
)
_PACKAGES = {"libgomp": "libgomp1", "libssl": "libssl3", "libcrypto": "libssl3"}
"""Debian's and Ubuntu's names of the packages that bring what FalkorDB needs."""

_LITTLE_BYTES = 1_000_000

_ELSEWHERE = "or set RESOURCES_GRAPH_URL to a graph server, such as bolt://localhost:7687"


def of_start(folder: Path, log: str) -> GraphUnavailable:
    """The error for an engine that ended while it started, from what it wrote to its log."""
    library = _MISSING_LIBRARY.search(log)
    if library:
        name = library["linux"] or library["macos"]
        package = next((_PACKAGES[key] for key in _PACKAGES if name.startswith(key)), None)
        hint = f" (on Debian and Ubuntu: apt install {package})" if package else ""
        return GraphUnavailable(
            f"The embedded graph engine needs the system library {name}, which is missing. "
            f"Install it{hint}, {_ELSEWHERE}."
        )
    if "No space left on device" in log:
        return of_folder(folder, OSError(errno.ENOSPC, "No space left on device"))
    if "Permission denied" in log or "Read-only file system" in log:
        return of_folder(folder, OSError(errno.EACCES, "Permission denied"))
    if "reading the append only file" in log:
        return GraphUnavailable(
            f"The file that the embedded graph engine of {folder} keeps its statements in is "
            "damaged. This cuts off what cannot be read, and keeps a copy of the file: "
            "resources-graph graph repair"
        )
    last = next((line for line in reversed(log.splitlines()) if line.strip()), "it wrote nothing")
    return GraphUnavailable(
        f"The embedded graph engine of {folder} did not start: {last.strip()}. "
        f"See {folder / 'engine.log'}, {_ELSEWHERE}."
    )


def of_end(folder: Path) -> GraphUnavailable:
    """The error for an engine that ended, or was ended, while it ran a statement."""
    if disk_usage(folder).free < _LITTLE_BYTES:
        return GraphUnavailable(
            f"The disk that holds the graph's folder {folder} is full, so the last statement may "
            "not have been stored. What was stored before is safe. Free some space and try again."
        )
    return GraphUnavailable(
        f"The graph engine of {folder} ended while it ran a statement, which may or may not have "
        "been stored. The next statement starts it again; why it ended is in "
        f"{folder / 'engine.log'}."
    )


def of_folder(folder: Path, error: OSError) -> GraphUnavailable:
    """The error for a data folder that cannot be read or written."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return GraphUnavailable(
            f"The disk that holds the graph's folder {folder} is full. Free some space, or set "
            "RESOURCES_GRAPH_HOME to a folder on another disk."
        )
    return GraphUnavailable(
        f"The graph's folder {folder} cannot be used: {error.strerror or error}. Give yourself "
        "access to it, or set RESOURCES_GRAPH_HOME to a folder that you can write to."
    )


def of_program(program: Path, error: OSError) -> GraphUnavailable:
    """The error for an engine whose program cannot be run at all."""
    return GraphUnavailable(
        f"The embedded graph engine {program} cannot be run: {error.strerror or error}. Install "
        f"its package again, {_ELSEWHERE}."
    )
