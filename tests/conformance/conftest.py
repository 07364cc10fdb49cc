"""The engines at hand, and ``graph``: an empty graph on each of them in turn.

The embedded engine and ArcadeDB (a Bolt server that comes in a wheel) are always at hand;
Memgraph is when TEST_MEMGRAPH_URL names an empty one.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from resources_graph_core.errors import ConfigError, GraphQueryError, GraphUnavailable
from resources_graph_core.graph import embedded, open_graph
from resources_graph_core.graph.schema import setup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from resources_graph_core.graph import Graph

START_SECONDS = 120
MEMGRAPH_URL = os.environ.get("TEST_MEMGRAPH_URL")
ENGINES = ["embedded", "arcadedb", *(["memgraph"] if MEMGRAPH_URL else [])]


@dataclass(frozen=True)
class Engine:
    """How to open the graph of one engine."""

    name: str
    url: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)

    def open(self) -> Graph:
        """Open one more connection."""
        return open_graph(self.url, user=self.user, password=self.password)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


class ArcadeServer:
    """ArcadeDB as a server process on loopback, with one database and a made-up password."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._port = _free_port()
        password = secrets.token_hex(16)
        self.engine = Engine("arcadedb", f"bolt://127.0.0.1:{self._port}", "root", password)
        settings = {
            "server.rootPath": folder,
            "server.rootPassword": password,
            "server.defaultDatabases": "resources[root]",
            "server.plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin",
            "server.httpIncomingHost": "127.0.0.1",
            "server.httpIncomingPort": _free_port(),
            "bolt.host": "127.0.0.1",
            "bolt.port": self._port,
            "bolt.defaultDatabase": "resources",
        }
        spec = find_spec("arcadedb_embedded")
        assert spec is not None
        assert spec.origin is not None
        package = Path(spec.origin).parent
        self._java = package / "jre" / "bin" / "java"
        # In a file of the owner's, so that the password is in no list of processes.
        self._arguments = folder / "java.arguments"
        self._arguments.touch(mode=0o600)
        self._arguments.write_text(
            "\n".join(
                [
                    "-Xms64m -Xmx768m -XX:+UseSerialGC -XX:TieredStopAtLevel=1",
                    "--enable-native-access=ALL-UNNAMED --add-modules=jdk.incubator.vector",
                    "--add-opens=java.base/java.nio.channels.spi=ALL-UNNAMED",
                    "-Djava.awt.headless=true",
                    f'-cp "{package / "jars"}/*"',
                    *(f'"-Darcadedb.{name}={value}"' for name, value in settings.items()),
                    "com.arcadedb.server.ArcadeDBServer",
                ]
            )
        )

    def start(self) -> None:
        """Start the server and wait until it answers."""
        with (self._folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [str(self._java), f"@{self._arguments}"],
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                with self.engine.open() as graph:
                    graph.query("RETURN 1")
            except (GraphUnavailable, GraphQueryError, ConfigError):
                assert self._process.poll() is None, self._log()
                assert time.monotonic() < deadline, self._log()
                time.sleep(0.1)
            else:
                return

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End the server by its id and wait until it is gone."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(timeout=60)
            self._process = None

    def _log(self) -> str:
        return (self._folder / "server.log").read_text(errors="replace")[-2000:]


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
