"""Where things live: the user's data folder and the settings file, as plain paths.

Hooks ask before every fetch, so nothing is imported: the rules of ``platformdirs`` for Linux and
macOS are few, and whatever is out of the ordinary is left to it. A test pins that both agree.
"""

from __future__ import annotations

import os
import sys

APPLICATION = "resources-graph"
HOME_VARIABLE = "RESOURCES_GRAPH_HOME"
"""One folder for everything: data, and ``config.toml``."""


def data_folder() -> str:
    """Where the user's data lives: ``RESOURCES_GRAPH_HOME``, else the platform's data folder.

    Made when missing, for its owner only (mode 0700). Raises OSError when that is not possible.
    """
    folder = _own() or _platform("XDG_DATA_HOME", ".local/share", "user_data_dir")
    if not os.path.isdir(folder):  # noqa: PTH112 - pathlib costs a hook 8 ms
        os.makedirs(folder, mode=0o700, exist_ok=True)  # noqa: PTH103 - the same
    return folder


def config_file() -> str:
    """The settings file: in ``RESOURCES_GRAPH_HOME``, else in the platform's settings folder.

    Neither the file nor its folder needs to exist.
    """
    folder = _own() or _platform("XDG_CONFIG_HOME", ".config", "user_config_dir")
    return os.path.join(folder, "config.toml")  # noqa: PTH118 - pathlib costs a hook 8 ms


def _own() -> str:
    return os.path.expanduser(os.environ.get(HOME_VARIABLE, ""))  # noqa: PTH111 - the same


def _platform(variable: str, on_linux: str, name: str) -> str:
    """The folder of that name in platformdirs, from an XDG variable or beneath the home."""
    base = os.environ.get(variable, "")
    home = os.environ.get("HOME", "")
    if not base.startswith("/") and home.startswith("/"):
        below = "Library/Application Support" if sys.platform == "darwin" else on_linux
        base = f"{home.rstrip('/')}/{below}"
    if base.startswith("/"):
        return os.path.join(base, APPLICATION)  # noqa: PTH118 - pathlib costs a hook 8 ms
    import platformdirs  # noqa: PLC0415 - only for an account without a home directory

    folder: str = getattr(platformdirs, name)(APPLICATION)
    return folder
