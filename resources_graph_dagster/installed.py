"""Whether the extra is there that a command needs; light, since ``--help`` loads the commands."""

from __future__ import annotations

from importlib.util import find_spec

from resources_graph_core.errors import ConfigError


def check(command: str, module: str) -> None:
    """Raise ConfigError, which says what to install, when ``command`` cannot import ``module``."""
    if find_spec(module) is None:
        raise ConfigError(
            f"{command} needs Dagster, which is not installed: "
            "pip install 'resources-graph-dagster[dagster]'"
        )
