"""Which engine serves a data folder, found in about a millisecond; hooks ask before every fetch."""

from __future__ import annotations

import os

from resources_graph_core import home
from resources_graph_core.graph.resp import Connection, ServerError

STATE_NAME = "engine.json"
"""What the starter of an engine leaves for later processes; ``socket`` is where it listens."""

GRAPH_NAME = "resources"
"""The key that holds the graph inside the engine."""


def folder_of(url: str) -> str | None:
    """The data folder that an ``embedded:`` URL stands for; None when it is no absolute one.

    Raises OSError when the user's data folder cannot be made.
    """
    rest = url.strip().partition(":")[2]
    if rest in {"", "//", "///"}:
        return os.path.join(os.getcwd(), home.data_folder(), "graph")  # noqa: PTH118, PTH109 - see below
    from urllib.parse import unquote  # noqa: PLC0415 - only for a folder elsewhere

    path = unquote(rest.removeprefix("//"))
    return path if path.startswith("/") and "\x00" not in path else None


def state(folder: str) -> dict[str, str]:
    """What the engine's starter left in the folder; empty when there is nothing that is whole."""
    import json  # noqa: PLC0415 - a hook that gets here has it already

    try:
        with open(os.path.join(folder, STATE_NAME), encoding="utf-8") as file:  # noqa: PTH118, PTH123 - pathlib costs a hook 8 ms
            found = json.load(file)
        return {"socket": str(found["socket"]), "started_at": str(found["started_at"])}
    except (OSError, ValueError, KeyError, TypeError):
        return {}  # none yet, or cut short by a crash: the engine's lock decides


def connect(folder: str, *, timeout: float) -> Connection | None:
    """A connection to the engine that serves this data folder, or None when none answers.

    An engine that still reads its data does not answer. Never starts anything. ``timeout`` is in
    seconds, for each of two or three short exchanges.
    """
    path = state(folder).get("socket")
    if path is None:
        return None
    try:
        connection = Connection(path, timeout=timeout)
    except OSError:
        return None
    try:
        connection.call("PING")  # refused while it reads its data
        answer = connection.call("CONFIG", "GET", "dir")
    except (OSError, ServerError):
        answer = None
    if isinstance(answer, list) and answer[1:] == [os.path.realpath(folder)]:
        return connection
    connection.close()
    return None
