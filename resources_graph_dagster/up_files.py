"""The files of ``up``: its own DAGSTER_HOME in the user's data folder, for the user alone."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from resources_graph_core import config
from resources_graph_core.graph.folders import private_folder, socket_path

if TYPE_CHECKING:
    from pathlib import Path

MODULE: Final = "resources_graph_dagster.definitions"
LOCATION: Final = "resources-graph"
"""What the code location is called on Dagster's pages."""

LONGEST_LOG_BYTES: Final = 5_000_000
"""A longer log is put aside, over the one before, when its program starts."""


@dataclass(frozen=True, slots=True)
class Files:
    """Where everything of ``up`` lies. ``home`` is Dagster's DAGSTER_HOME."""

    home: Path
    socket: Path
    """Where the code server listens, in a folder that only its owner can enter."""

    @property
    def workspace(self) -> Path:
        """The workspace that names the code server."""
        return self.home / "workspace.yaml"

    @property
    def state(self) -> Path:
        """What runs, for other processes."""
        return self.home / "up.json"

    @property
    def supervisor_lock(self) -> Path:
        """Held by the process that watches the programs, for as long as it lives."""
        return self.home / "up.lock"

    @property
    def programs_lock(self) -> Path:
        """Held by the programs themselves, so that those that outlive their supervisor are seen."""
        return self.home / "programs.lock"

    def log(self, program: str) -> Path:
        """What a program prints."""
        return self.home / "logs" / f"{program}.log"


def locate() -> Files:
    """Where the files are; makes the folder (mode 0700) and nothing in it.

    Raises GraphUnavailable where the data folder cannot be used.
    """
    home = private_folder(config.data_folder() / "dagster")
    return Files(home, socket_path(home))


def prepare(found: Files) -> None:
    """Write what Dagster needs. A ``dagster.yaml`` that is there already is the user's own."""
    instance = found.home / "dagster.yaml"
    if not instance.exists():
        template = files("resources_graph_dagster") / "dagster.yaml"
        write_private(instance, template.read_text("utf-8"))
    server = {"host": "localhost", "socket": str(found.socket), "location_name": LOCATION}
    # JSON is YAML.
    write_private(found.workspace, json.dumps({"load_from": [{"grpc_server": server}]}))
    private_folder(found.home / "logs")


def open_log(path: Path) -> int:
    """A descriptor at the end of a log, which is made for its owner only."""
    if path.exists() and path.stat().st_size > LONGEST_LOG_BYTES:
        path.replace(path.with_suffix(".log.old"))
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)


def last_line(path: Path) -> str:
    """The last line of a log that says something; empty when there is none."""
    if not path.exists():
        return ""
    lines = path.read_bytes()[-LONGEST_LOG_BYTES:].decode("utf-8", "replace").splitlines()
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def write_private(path: Path, text: str) -> None:
    """Write a file for its owner only, whole or not at all."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    draft.replace(path)
