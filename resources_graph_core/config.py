"""Settings and where things live. Standard library (and platformdirs) only: hooks import this."""

from __future__ import annotations

import os
from pathlib import Path

APPLICATION = "resources-graph"


def data_folder() -> Path:
    """Where the user's data lives: ``RESOURCES_GRAPH_HOME``, else the platform's data folder.

    Made when missing, for its owner only (mode 0700).
    """
    home = os.environ.get("RESOURCES_GRAPH_HOME")
    if home:
        folder = Path(home).expanduser()
    else:
        from platformdirs import user_data_path  # noqa: PLC0415 - not needed with a home set

        folder = user_data_path(APPLICATION)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
