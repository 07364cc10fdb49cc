"""Dagster as ``resources-graph up`` runs it: real processes, a real graph, a small GitHub."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from resources_graph_core.config import load_settings
from resources_graph_core.graph import embedded
from resources_graph_core.memory import open_memory
from resources_graph_dagster import up_state
from resources_graph_dagster.up_files import Files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from resources_graph_core.memory import Memory
    from resources_graph_core.sandbox import Sandbox

LOCATION = {"repositoryName": "__repository__", "repositoryLocationName": "resources-graph"}
PATIENCE_SECONDS = 240
"""How long anything may take on a machine that does much else; nothing here measures speed."""


def eventually(what: str, found: Callable[[], Any], seconds: float = PATIENCE_SECONDS) -> Any:  # noqa: ANN401 - whatever is waited for
    """What ``found`` returns as soon as it is true."""
    deadline = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.2)
    return value


@dataclass
class Running:
    """One data folder, its graph, the GitHub it sweeps from, and Dagster over them."""

    home: Path
    sandbox: Sandbox
    environment: dict[str, str]

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run ``resources-graph`` with these arguments."""
        return subprocess.run(
            [Path(sys.executable).with_name("resources-graph"), *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def status(self) -> dict[str, Any]:
        """What ``up --status --json`` says."""
        files = Files(self.home / "dagster", self.home / "not-needed.sock")
        return up_state.status(files).model_dump()

    def pid(self, program: str) -> int:
        """The process of one of Dagster's programs."""
        (found,) = [one["pid"] for one in self.status()["programs"] if one["name"] == program]
        return int(found)

    def start(self) -> str:
        """Start Dagster in the background on any free port; the address of its pages."""
        done = self.command("up", "--detach", "--port", "0")
        assert done.returncode == 0, done.stderr
        return str(self.status()["url"])

    def end(self) -> None:
        """End Dagster and the graph."""
        done = self.command("up", "--stop")
        assert done.returncode == 0, done.stderr
        embedded.stop(self.home / "graph")

    @contextmanager
    def memory(self) -> Iterator[Memory]:
        """The memory that Dagster works on."""
        with open_memory(settings=load_settings(graph_url=f"embedded://{self.home}/graph")) as one:
            one.setup()
            yield one

    def ask(self, query: str, **variables: object) -> Any:  # noqa: ANN401 - what GraphQL answers
        """Ask Dagster's GraphQL, as its pages do."""
        port = int(self.status()["port"])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            body = json.dumps({"query": query, "variables": variables})
            connection.request("POST", "/graphql", body, {"Content-Type": "application/json"})
            told = json.load(connection.getresponse())
        finally:
            connection.close()
        assert not told.get("errors"), told["errors"]
        return told["data"]

    def set_sensor(self, *, on: bool) -> None:
        """Let the sensor tick, or not."""
        selector = {**LOCATION, "sensorName": "new_touches"}
        if on:
            self.ask(
                "mutation($s: SensorSelector!) {startSensor(sensorSelector: $s) {__typename}}",
                s=selector,
            )
            return
        query = (
            "query($s: SensorSelector!) {sensorOrError(sensorSelector: $s) {... on Sensor {id}}}"
        )
        found = self.ask(query, s=selector)["sensorOrError"]["id"]
        self.ask("mutation($id: String!) {stopSensor(id: $id) {__typename}}", id=found)

    def add_partitions(self, partitions: Sequence[str]) -> None:
        """Add partitions, as the dialog that launches runs does."""
        query = (
            "mutation($s: RepositorySelector!, $key: String!) {addDynamicPartition("
            'repositorySelector: $s, partitionsDefName: "repository", partitionKey: $key)'
            " {__typename}}"
        )
        for partition in partitions:
            self.ask(query, s=LOCATION, key=partition)

    def runs(self) -> list[dict[str, Any]]:
        """Every run, the newest first."""
        query = "{runsOrError {... on Runs {results {runId jobName status tags {key value}}}}}"
        found: list[dict[str, Any]] = self.ask(query)["runsOrError"]["results"]
        return found


def clean_environment(settings: Sequence[str], **added: str) -> dict[str, str]:
    """The environment without anybody's settings, and with these."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(tuple(settings))
    }
    return {**kept, **added}
