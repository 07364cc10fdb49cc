"""A memory on the run's engine, and a Dagster instance whose sensor and runs are in process."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from dagster import AssetKey, DagsterInstance, RunRequest, SensorResult, build_sensor_context

from resources_graph_core.memory import Memory, open_memory
from resources_graph_core.sandbox import Sandbox
from resources_graph_dagster.definitions import defs
from resources_graph_dagster.resources import GraphResource
from resources_graph_dagster.sensors import new_touches
from tests.conftest import SETTINGS
from tests.dagster.running import Running, clean_environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from dagster import ExecuteInProcessResult

    from resources_graph_core.graph import Graph

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@pytest.fixture
def memory(
    embedded_graph: Graph,  # noqa: ARG001 - it empties the graph
    engine_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Memory]:
    """An empty memory, where the settings say."""
    monkeypatch.setenv("RESOURCES_GRAPH_URL", f"embedded://{engine_folder}")
    with open_memory() as opened:
        yield opened


def archive(repository: str, *, issues: int) -> dict[str, Any]:
    """A repository with issues 1 … ``issues``, each with a comment, and one merged pull request."""
    moment = "2026-01-02T03:04:05Z"
    written = {"author": "octocat", "body": "Text", "createdAt": moment, "updatedAt": moment}
    item = {**written, "title": "A title", "labels": [], "assignees": []}
    return {
        "repo": repository,
        "labels": [],
        "issues": [
            {
                **item,
                "number": number,
                "id": f"I_{repository}_{number}",
                "state": "OPEN",
                "comments": [{**written, "id": f"C_{repository}_{number}"}],
            }
            for number in range(1, issues + 1)
        ],
        "pulls": [
            {
                **item,
                "number": issues + 1,
                "id": f"P_{repository}",
                "state": "MERGED",
                "mergedAt": moment,
                "closedAt": moment,
            }
        ],
    }


@pytest.fixture
def archives(tmp_path: Path) -> list[Path]:
    """Archives of ``octo-org/widgets`` (issues 1 to 9, #10 merged) and ``octo-org/gadgets``."""
    paths = []
    for repository, issues in (("octo-org/widgets", 9), ("octo-org/gadgets", 2)):
        path = tmp_path / f"{repository.replace('/', '-')}.json"
        path.write_text(json.dumps(archive(repository, issues=issues)), "utf-8")
        paths.append(path)
    return paths


@pytest.fixture
def github(archives: list[Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    """A GitHub that serves the archives."""
    with Sandbox(archives) as sandbox:
        monkeypatch.setenv("GITHUB_API_URL", sandbox.url)
        monkeypatch.setenv("GITHUB_TOKEN", "made-up")
        yield sandbox


@pytest.fixture
def unreachable_github(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GitHub where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    monkeypatch.setenv("GITHUB_API_URL", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("GITHUB_TOKEN", "made-up")


@dataclass
class Daemon:
    """What Dagster's daemon does, one tick at a time and in this process."""

    instance: DagsterInstance
    cursor: str | None = None

    def tick(self) -> SensorResult:
        """Evaluate the sensor, remember its cursor and add the partitions it asks for."""
        context = build_sensor_context(
            self.instance, cursor=self.cursor, resources={"graph": GraphResource()}
        )
        result = new_touches(context)
        assert isinstance(result, SensorResult)
        self.cursor = result.cursor
        for added in result.dynamic_partitions_requests or []:
            self.instance.add_dynamic_partitions(added.partitions_def_name, added.partition_keys)
        return result

    def launch(self, request: RunRequest) -> ExecuteInProcessResult:
        """Execute a run the sensor asked for."""
        assert request.job_name is not None
        return self.execute(
            request.job_name, request.partition_key, request.tags, request.run_config
        )

    def execute(
        self,
        job: str,
        partition: str | None = None,
        tags: Mapping[str, str] | None = None,
        run_config: Mapping[str, object] | None = None,
        assets: Sequence[str] = (),
    ) -> ExecuteInProcessResult:
        """Execute a job of the code location, or only some of its ``assets``."""
        return defs.resolve_job_def(job).execute_in_process(
            run_config={**(run_config or {}), **QUIET},
            partition_key=partition,
            tags=tags,
            instance=self.instance,
            raise_on_error=False,
            asset_selection=[AssetKey(asset) for asset in assets] or None,
        )

    def materialised(self, asset: str) -> set[str]:
        """The partitions of an asset that are materialised."""
        return self.instance.get_materialized_partitions(AssetKey(asset))

    def metadata(self, asset: str, partition: str) -> dict[str, Any]:
        """What the latest materialisation of a partition tells."""
        records = self.instance.fetch_materializations(AssetKey(asset), limit=100).records
        told = next(record for record in records if record.partition_key == partition)
        assert told.asset_materialization is not None
        return {name: one.value for name, one in told.asset_materialization.metadata.items()}

    def sweep(self) -> list[ExecuteInProcessResult]:
        """Tick once and execute what the sensor asks for."""
        return [self.launch(request) for request in self.tick().run_requests or []]


@pytest.fixture
def daemon() -> Iterator[Daemon]:
    """A daemon over an instance of its own."""
    with DagsterInstance.ephemeral() as instance:
        yield Daemon(instance)


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory, runtime_folder: Path) -> Iterator[Running]:
    """Dagster as ``up --detach`` starts it, for all tests that leave it as usable as it was."""
    folder = tmp_path_factory.mktemp("running")
    paths = []
    for repository, issues in (("octo-org/widgets", 9), ("octo-org/gadgets", 2)):
        path = folder / f"{repository.replace('/', '-')}.json"
        path.write_text(json.dumps(archive(repository, issues=issues)), "utf-8")
        paths.append(path)
    with Sandbox(paths) as sandbox:
        environment = clean_environment(
            SETTINGS,
            HOME=str(folder),
            RESOURCES_GRAPH_HOME=str(folder / "home"),
            XDG_RUNTIME_DIR=str(runtime_folder),
            GITHUB_API_URL=sandbox.url,
            GITHUB_TOKEN="made-up",
        )
        started = Running(folder / "home", sandbox, environment)
        try:
            started.start()
            yield started
        finally:
            started.end()
