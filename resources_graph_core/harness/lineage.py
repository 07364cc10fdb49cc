"""Which session a subagent's session belongs to, kept between hooks.

Some harnesses give a subagent a session id of its own and name its parent only once, when it
starts: that event and the subagent's later ones reach different processes. One small file per
subagent, named after a hash of its session's id, in a folder for its owner only.
"""

from __future__ import annotations

import os

FOLDER_NAME = "subagents"
MOST_FILES = 500
"""Subagents remembered; the oldest are forgotten first."""

_DEEPEST = 10


def remember(data_folder: str, child: str, parent: str) -> None:
    """Keep that the session ``child`` is a subagent's of ``parent``. Raises OSError."""
    folder = os.path.join(data_folder, FOLDER_NAME)  # noqa: PTH118 - pathlib costs a hook 8 ms
    if not os.path.isdir(folder):  # noqa: PTH112 - the same
        os.makedirs(folder, mode=0o700, exist_ok=True)  # noqa: PTH103 - the same
    path = _path(folder, child)
    beside = f"{path}.{os.getpid()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
    descriptor = os.open(beside, flags, 0o600)
    try:
        os.write(descriptor, parent.encode("utf-8", "surrogatepass"))
    finally:
        os.close(descriptor)
    os.replace(beside, path)  # noqa: PTH105 - the same
    _remove_oldest(folder)


def root_of(data_folder: str, session: str) -> str:
    """The session that ``session`` belongs to: itself unless it is a remembered subagent's."""
    folder = os.path.join(data_folder, FOLDER_NAME)  # noqa: PTH118 - pathlib costs a hook 8 ms
    for _ in range(_DEEPEST):
        try:
            with open(_path(folder, session), "rb") as file:  # noqa: PTH123 - the same
                parent = file.read().decode("utf-8", "surrogatepass")
        except (OSError, ValueError):
            return session
        if not parent or parent == session:
            return session
        session = parent
    return session


def forget(data_folder: str, session: str) -> None:
    """Remove whose subagent ``session`` is. Raises OSError.

    Its own subagents stay known as its own: they may still run, and what they reach for would
    otherwise be recorded as a session that nobody has forgotten.
    """
    folder = os.path.join(data_folder, FOLDER_NAME)  # noqa: PTH118 - pathlib costs a hook 8 ms
    _remove(_path(folder, session))


def _path(folder: str, session: str) -> str:
    import hashlib  # noqa: PLC0415 - only when there is a subagent

    name = hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return os.path.join(folder, name)  # noqa: PTH118 - pathlib costs a hook 8 ms


def _remove_oldest(folder: str) -> None:
    files = []
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                files.append((entry.stat().st_mtime_ns, entry.path))
            except FileNotFoundError:  # another hook is at it too
                continue
    for _, path in sorted(files)[:-MOST_FILES]:
        _remove(path)


def _remove(path: str) -> None:
    try:
        os.unlink(path)  # noqa: PTH108 - pathlib costs a hook 8 ms
    except FileNotFoundError:
        return  # another process was quicker
