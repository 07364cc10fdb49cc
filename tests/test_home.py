"""Our own look for the user's folders agrees with platformdirs, on Linux and on macOS."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from platformdirs.macos import MacOS
from platformdirs.unix import Unix

from resources_graph_core import home

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("platform", ["linux", "darwin"])
@pytest.mark.parametrize("data", [None, "", "relative", "/elsewhere/data", "/elsewhere/data/"])
@pytest.mark.parametrize("config", [None, "relative", "/elsewhere/config"])
def test_the_rules_are_those_of_platformdirs(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    platform: str,
    data: str | None,
    config: str | None,
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(os, "makedirs", lambda *_, **__: None)
    monkeypatch.setenv("HOME", f"{tmp_path}/")
    for name, value in (("XDG_DATA_HOME", data), ("XDG_CONFIG_HOME", config)):
        if value is not None:
            monkeypatch.setenv(name, value)
    dirs = (MacOS if platform == "darwin" else Unix)(home.APPLICATION)
    assert os.path.normpath(home.data_folder()) == os.path.normpath(dirs.user_data_dir)
    assert os.path.dirname(home.config_file()) == os.path.normpath(dirs.user_config_dir)  # noqa: PTH120 - as text


def test_without_a_home_directory_platformdirs_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME")
    assert os.path.dirname(home.config_file()) == Unix(home.APPLICATION).user_config_dir  # noqa: PTH120 - as text


def test_a_home_of_its_own_holds_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RESOURCES_GRAPH_HOME", str(tmp_path / "new"))
    assert home.data_folder() == str(tmp_path / "new")
    assert home.config_file() == str(tmp_path / "new/config.toml")
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


def test_a_hook_loads_none_of_what_is_slow() -> None:
    """What takes longest to import stays out of a fetch with the grammar, settings and graph."""
    code = (
        "import sys; from resources_graph_core import config, home, spool, touch, address\n"
        "from resources_graph_core.graph import quick, running, parameters, resp\n"
        "from resources_graph_core.hook import errand, sightings\n"
        "from resources_graph_core.store import holdings, recording\n"
        "from resources_graph_core import listing_answers\n"
        "config.load_settings()\n"
        "slow = {'typing', 'dataclasses', 'pathlib', 'inspect', 'tomllib', 'platformdirs',"
        " 'subprocess', 'urllib.parse', 'pydantic', 'redis', 'neo4j', 'datetime'}\n"
        "print(sorted(slow & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
