"""The engines at hand, and ``graph``: an empty graph on each of them in turn.

The embedded engine and ArcadeDB (a Bolt server that comes in a wheel) are always at hand;
Memgraph is when TEST_MEMGRAPH_URL names an empty one.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from resources_graph_core.graph import embedded
from resources_graph_core.graph.schema import setup
from tests.engines import Engine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from resources_graph_core.graph import Graph
    from tests.engines import ArcadeServer

MEMGRAPH_URL = os.environ.get("TEST_MEMGRAPH_URL")
ENGINES = ["embedded", "arcadedb", *(["memgraph"] if MEMGRAPH_URL else [])]


@pytest.fixture(scope="session")
def memgraph() -> Iterator[Engine]:
    """The Memgraph of TEST_MEMGRAPH_URL, which must be empty and is left without nodes."""
    engine = Engine("memgraph", MEMGRAPH_URL or "")
    with engine.open() as graph:
        if graph.query("MATCH (n) RETURN count(n) AS nodes") != [{"nodes": 0}]:
            pytest.exit("TEST_MEMGRAPH_URL names a database that is not empty", returncode=2)
        setup(graph)
        yield engine
        graph.query("MATCH (n) DETACH DELETE n")


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each engine at hand in turn, with the schema set up."""
    match request.param:
        case "embedded":
            return Engine("embedded", f"embedded://{request.getfixturevalue('engine_folder')}")
        case "arcadedb":
            server: ArcadeServer = request.getfixturevalue("arcadedb")
            return server.engine
        case _:
            found: Engine = request.getfixturevalue("memgraph")
            return found


@pytest.fixture
def graph(engine: Engine) -> Iterator[Graph]:
    """An empty graph with its schema, on each engine at hand in turn."""
    with engine.open() as graph:
        graph.query("MATCH (n) DETACH DELETE n")
        yield graph


@pytest.fixture
def open_again(engine: Engine) -> Callable[[], Graph]:
    """Open one more connection to the engine of ``graph``."""
    return engine.open


@pytest.fixture
def address(engine: Engine) -> dict[str, str | None]:
    """What another process needs to open the graph of ``graph``: url, user, password."""
    return {"url": engine.url, "user": engine.user, "password": engine.password}


@pytest.fixture
def crash(request: pytest.FixtureRequest, engine: Engine) -> Callable[[], None]:
    """Something that kills the engine's server without warning and has it running again."""
    match engine.name:
        case "embedded":
            folder: Path = request.getfixturevalue("engine_folder")

            def kill_embedded() -> None:
                pid = embedded.status(folder).pid
                assert pid is not None
                os.kill(pid, signal.SIGKILL)
                embedded.start(folder)

            return kill_embedded
        case "arcadedb":
            server: ArcadeServer = request.getfixturevalue("arcadedb")

            def kill_arcadedb() -> None:
                server.end(signal.SIGKILL)
                server.start()

            return kill_arcadedb
        case _:
            pytest.skip("a server that the tests did not start is not theirs to kill")
