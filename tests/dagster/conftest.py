"""A memory on the run's engine, and a Dagster instance whose sensor and runs are in process."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from dagster import AssetKey, DagsterInstance, RunRequest, SensorResult, build_sensor_context

from resources_graph_core.memory import Memory, open_memory
from resources_graph_dagster.definitions import defs
from resources_graph_dagster.resources import GraphResource
from resources_graph_dagster.sensors import new_touches

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

    def sweep(self) -> list[ExecuteInProcessResult]:
        """Tick once and execute what the sensor asks for."""
        return [self.launch(request) for request in self.tick().run_requests or []]


@pytest.fixture
def daemon() -> Iterator[Daemon]:
    """A daemon over an instance of its own."""
    with DagsterInstance.ephemeral() as instance:
        yield Daemon(instance)
