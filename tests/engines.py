"""The engines that tests run against, and ArcadeDB as a Bolt server of their own."""

from __future__ import annotations

import secrets
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from resources_graph_core.errors import ConfigError, GraphQueryError, GraphUnavailable
from resources_graph_core.graph import open_graph

if TYPE_CHECKING:
    from resources_graph_core.graph import Graph

START_SECONDS = 120


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
