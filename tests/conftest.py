"""What every test gets: an environment without anybody's settings, and an engine of its own.

Fixtures for other tests: ``home`` (an empty data folder, set as RESOURCES_GRAPH_HOME), and
``embedded_graph`` (an empty graph with its schema, on an engine that lives as long as the run).
``arcadedb`` is a Bolt server of the run's own. ``graph``, an empty graph on every engine at hand,
is in ``tests/conformance``.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from resources_graph_core import config
from resources_graph_core.graph import embedded, open_graph
from resources_graph_core.graph.schema import setup
from tests.engines import ArcadeServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.graph import Graph

SETTINGS = ("RESOURCES_GRAPH_", "MEMGRAPH_", "GITHUB_", "GH_", "XDG_", "DAGSTER_")
"""Beginnings of the names that hold somebody's own settings."""


def pytest_configure() -> None:
    """Undo what a shell does to a run in its background: it and all its children ignore SIGINT."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """How much to fuzz: a little by default, since the run is to stay short."""
    parser.addoption("--fuzz-payloads", type=int, default=3000, help="payloads in this process")
    parser.addoption("--renew-golden", action="store_true", help="write golden files anew")
    parser.addoption("--fuzz-processes", type=int, default=40, help="payloads to processes")
    parser.addoption(
        "--stateful-examples",
        type=int,
        default=None,
        help="new lives of a memory, so many; more than 100 take --timeout 0",
    )


def _end(folder: Path) -> None:
    """End the engine of a folder, if one runs there."""
    if (folder / "engine.json").exists():
        embedded.stop(folder)


@pytest.fixture(scope="session")
def runtime_folder() -> Iterator[Path]:
    """A short folder for sockets; pytest's own temporary paths are too long for them."""
    folder = Path(tempfile.mkdtemp(prefix="rg-"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(autouse=True)
def isolation(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
    runtime_folder: Path,
) -> Iterator[None]:
    """Hide the settings and the home of whoever runs the tests."""
    for name in os.environ:
        if name.startswith(SETTINGS):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("user")))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime_folder))
    yield
    _end(config.data_folder() / "graph")


@pytest.fixture
def home(isolation: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:  # noqa: ARG001 - for its order
    """An empty data folder, set as RESOURCES_GRAPH_HOME; an engine left in it is ended."""
    folder = tmp_path / "home"
    monkeypatch.setenv("RESOURCES_GRAPH_HOME", str(folder))
    yield folder
    _end(folder / "graph")


@pytest.fixture(scope="session")
def engine_folder(tmp_path_factory: pytest.TempPathFactory, runtime_folder: Path) -> Iterator[Path]:
    """The data folder of the run's own engine."""
    folder = tmp_path_factory.mktemp("engine")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(runtime_folder))
        embedded.start(folder)
        with open_graph(f"embedded://{folder}") as graph:
            setup(graph)
    yield folder
    _end(folder)


@pytest.fixture
def embedded_graph(engine_folder: Path) -> Iterator[Graph]:
    """An empty graph with its schema on the embedded engine."""
    with open_graph(f"embedded://{engine_folder}") as graph:
        graph.query("MATCH (n) DETACH DELETE n")
        yield graph


@pytest.fixture(scope="session")
def arcadedb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArcadeServer]:
    """The run's own ArcadeDB server."""
    server = ArcadeServer(tmp_path_factory.mktemp("arcadedb"))
    try:
        server.start()
        with server.engine.open() as graph:
            setup(graph)
        yield server
    finally:
        server.end(signal.SIGKILL)
