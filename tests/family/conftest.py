"""Programs of the context-graph family, installed for the run where pip can reach them.

They go into a folder of the run's own, not into the environment, and are seen only by the processes
that the tests start: two of them register the same names as this project does.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HUB = ("memgraph-context-graph==0.11.0", "memgraph-toolbox==0.2.2")
PUBLISHED = ("resources-graph==0.3.0",)
"""The program whose place this project takes; it owns the same entry points."""

INSTALL_SECONDS = 60


def _install(folder: Path, requirements: tuple[str, ...]) -> Path:
    """Install into a folder, without what our own environment has already."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-input"]
    command += ["--disable-pip-version-check", "--retries", "0", "--timeout", "10"]
    done = subprocess.run(
        [*command, "--target", str(folder), *requirements],
        capture_output=True,
        text=True,
        timeout=INSTALL_SECONDS,
        check=False,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        pytest.skip(f"pip cannot install {', '.join(requirements)} here: {last}")
    return folder


@pytest.fixture(scope="session")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that holds memgraph-context-graph."""
    return _install(tmp_path_factory.mktemp("hub"), HUB)


@pytest.fixture(scope="session")
def published(hub: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folders that hold resources-graph 0.3.0 and what it needs."""
    return _install(tmp_path_factory.mktemp("published"), PUBLISHED), hub


Run = "Callable[..., str]"


@pytest.fixture
def run_with() -> Callable[..., str]:
    """Run a program text in a process that sees some folders' packages, and return its output."""

    def run(
        program: str, *folders: Path, stdin: str = "", arguments: tuple[str, ...] = (), **env: str
    ) -> str:
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders)), **env},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
