"""The embedded engine's two folders: its data, and the short one that holds its socket."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from pathlib import Path

from resources_graph_core.errors import GraphUnavailable

_LONGEST_SOCKET_PATH = 100
"""Bytes: ``sun_path`` of unix(7) takes 108 with its NUL on Linux and 104 on macOS."""


def private_folder(folder: Path) -> Path:
    """Make a folder that only its owner can enter (mode 0700), and return its absolute path.

    A folder of ours that others may enter is closed to them. Raises GraphUnavailable where it
    cannot be made, used or is somebody else's.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = folder.resolve()
        found = folder.stat()
        if found.st_uid != os.getuid():
            raise GraphUnavailable(
                f"The folder {folder} belongs to another user; the graph's data must be in one of "
                "your own. Set RESOURCES_GRAPH_HOME to a folder of yours."
            )
        if stat.S_IMODE(found.st_mode) != stat.S_IRWXU:
            folder.chmod(stat.S_IRWXU)
    except OSError as error:
        raise GraphUnavailable(
            f"The graph's folder {folder} cannot be used: {error.strerror or error}. Set "
            "RESOURCES_GRAPH_HOME to a folder that you can write to."
        ) from error
    return folder


def socket_path(data: Path) -> Path:
    """Where the engine of a data folder listens: short, private, the same for every process.

    In ``XDG_RUNTIME_DIR`` where that is set and short enough, else in the temporary directory.
    Raises GraphUnavailable where both are too deep for a unix socket.
    """
    name = hashlib.sha256(os.fsencode(data)).hexdigest()[:16] + ".sock"
    candidates = [Path(tempfile.gettempdir()) / f"resources-graph-{os.getuid()}"]
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and Path(runtime).is_dir() and os.access(runtime, os.W_OK):
        candidates.insert(0, Path(runtime) / "resources-graph")
    for folder in candidates:
        if len(os.fsencode(folder / name)) <= _LONGEST_SOCKET_PATH:
            return _refuse_link(folder) / name
    raise GraphUnavailable(
        f"The temporary directory {tempfile.gettempdir()} has too long a path to hold the graph "
        "engine's socket. Set TMPDIR to a short one, such as /tmp."
    )


def _refuse_link(folder: Path) -> Path:
    """Make the socket's folder; in a directory shared by all, a planted link must not lead it."""
    if folder.is_symlink():
        raise GraphUnavailable(
            f"{folder} is a link, and the graph engine's socket must be in a folder of your own. "
            "Remove the link."
        )
    private_folder(folder)
    return folder
