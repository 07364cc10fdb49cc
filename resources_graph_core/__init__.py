"""A shared memory of what coding agents read on GitHub.

Everything public is named in ``__all__`` and imported on first use, so that a hook script pays only
for what it calls.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which alone takes as long to import as a bare interpreter
if TYPE_CHECKING:
    from resources_graph_core.address import Address, Filters, parse_address
    from resources_graph_core.errors import (
        ConfigError,
        GitHubAuthError,
        GitHubUnavailable,
        GraphUnavailable,
        NotFound,
        NotPublic,
        RateLimited,
        ResourcesGraphError,
        UsageError,
    )
    from resources_graph_core.graph import open_graph
    from resources_graph_core.memory import Memory, open_memory

_HOME = {
    "Address": "address",
    "ConfigError": "errors",
    "Filters": "address",
    "GitHubAuthError": "errors",
    "GitHubUnavailable": "errors",
    "GraphUnavailable": "errors",
    "Memory": "memory",
    "NotFound": "errors",
    "NotPublic": "errors",
    "RateLimited": "errors",
    "ResourcesGraphError": "errors",
    "UsageError": "errors",
    "open_graph": "graph",
    "open_memory": "memory",
    "parse_address": "address",
}

__all__ = [
    "Address",
    "ConfigError",
    "Filters",
    "GitHubAuthError",
    "GitHubUnavailable",
    "GraphUnavailable",
    "Memory",
    "NotFound",
    "NotPublic",
    "RateLimited",
    "ResourcesGraphError",
    "UsageError",
    "open_graph",
    "open_memory",
    "parse_address",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - a hook that asks for nothing skips it

    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
