"""GitHub: transport, queries, and the sources that a Sweep fetches from.

``open_configured`` and ``open_source`` give a source; they are imported on first use, since they
load an HTTP client.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from resources_graph_core.github.hosts import HostAccess
    from resources_graph_core.github.limits import Limits
    from resources_graph_core.github.opening import open_configured, open_source
    from resources_graph_core.github.source import (
        Fetched,
        ListingIndex,
        OpenSource,
        Source,
        Usage,
        Version,
    )

_HOME = {
    "Fetched": "source",
    "HostAccess": "hosts",
    "Limits": "limits",
    "ListingIndex": "source",
    "OpenSource": "source",
    "Source": "source",
    "Usage": "source",
    "Version": "source",
    "open_configured": "opening",
    "open_source": "opening",
}

__all__ = [
    "Fetched",
    "HostAccess",
    "Limits",
    "ListingIndex",
    "OpenSource",
    "Source",
    "Usage",
    "Version",
    "open_configured",
    "open_source",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
