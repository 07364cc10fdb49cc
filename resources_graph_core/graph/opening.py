"""From a URL to an open Graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from resources_graph_core.errors import ConfigError
from resources_graph_core.graph import running

if TYPE_CHECKING:
    from resources_graph_core.graph.base import Graph

BOLT_SCHEMES: Final = frozenset({"bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc"})
"""See https://neo4j.com/docs/python-manual/current/connect-advanced/ ("Connection protocols")."""

_EXPECTED = (
    "Use embedded: for the graph in your data folder, embedded:///folder for one elsewhere, or "
    "bolt://host:7687 for a server."
)


def open_graph(
    url: str | None = None, *, user: str | None = None, password: str | None = None
) -> Graph:
    """Open the graph at a URL; None means ``embedded:``, the one in the user's data folder.

    The embedded engine is started when it does not run. Raises ConfigError for a URL that is none
    of these or holds a password, and GraphUnavailable when the engine cannot be started, reached
    or signed in to.
    """
    address = (url or "embedded:").strip()
    check_url(address)
    if _scheme(address) == "embedded":
        from resources_graph_core.graph.falkor import FalkorGraph  # noqa: PLC0415 - slow

        return FalkorGraph(embedded_folder(address))
    from resources_graph_core.graph.bolt import BoltGraph  # noqa: PLC0415 - slow

    return BoltGraph(address, user=user, password=password)


def check_url(url: str) -> None:
    """Raise ConfigError for a URL that ``open_graph`` would refuse. Opens nothing."""
    scheme = _scheme(url)
    if scheme == "embedded":
        embedded_folder(url)
    elif scheme in BOLT_SCHEMES:
        _check_server(url)
    else:
        raise ConfigError(f"{_shown(url)!r} is not a graph this project can open. {_EXPECTED}")


def embedded_folder(url: str | None = None) -> Path:
    """The data folder that an ``embedded:`` URL (None: ``embedded:``) stands for.

    Raises ConfigError when it is neither the default nor an absolute folder, or the user's data
    folder cannot be made.
    """
    try:
        path = running.folder_of(url or "embedded:")
    except OSError as error:
        raise ConfigError(
            f"The data folder {error.filename} cannot be made: {error.strerror}. Set "
            "RESOURCES_GRAPH_HOME to a folder of yours."
        ) from error
    if path is None:
        raise ConfigError(f"{_shown(url or '')!r} names no absolute folder. {_EXPECTED}")
    return Path(path)


def _scheme(url: str) -> str:
    return url.strip().partition(":")[0].lower()


def _shown(url: str) -> str:
    """A URL as it may be shown: what stands before an @ may be a password."""
    start, at, end = url.rpartition("@")
    return f"{start.partition(':')[0]}:…@{end}" if at else url


def _check_server(url: str) -> None:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, None
    if parts is not None and "@" in parts.netloc:
        raise ConfigError(
            f"The graph's URL for {host} holds a user or a password. Take them out of the URL and "
            "set them on their own (MEMGRAPH_USER and MEMGRAPH_PASSWORD)."
        )
    if not host:
        scheme = url.partition(":")[0]
        raise ConfigError(f"The graph's URL {scheme}:… names no host and port. {_EXPECTED}")
