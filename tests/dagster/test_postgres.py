"""Dagster's runs and events in a real PostgreSQL, by the configuration in ``deploy/``."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from dagster import DagsterInstance
from dagster_postgres import PostgresRunStorage

from tests.dagster.conftest import Daemon
from tests.dagster.servers import NO_POSTGRES, postgres, postgres_programs

if TYPE_CHECKING:
    from resources_graph_core.memory import Memory
    from resources_graph_core.sandbox import Sandbox

DEPLOY = Path(__file__).parents[2] / "deploy"
PROGRAMS = postgres_programs()


@pytest.mark.system
@pytest.mark.skipif(PROGRAMS is None, reason=NO_POSTGRES)
def test_sweeps_are_kept_in_postgresql(
    memory: Memory,
    github: Sandbox,  # noqa: ARG001 - its variables
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert PROGRAMS is not None
    shutil.copy(DEPLOY / "postgres" / "dagster.yaml", tmp_path)
    memory.touch_many(["octo-org/widgets#1", "octo-org/gadgets"])
    with postgres(PROGRAMS) as variables:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        with DagsterInstance.from_config(str(tmp_path)) as instance:
            (run,) = Daemon(instance).sweep()
            assert run.success
        with DagsterInstance.from_config(str(tmp_path)) as again:
            assert isinstance(again.run_storage, PostgresRunStorage)
            swept = Daemon(again).materialised("resources")
            assert swept == {"octo-org/widgets", "octo-org/gadgets"}
            assert again.get_run_by_id(run.run_id) is not None
            assert variables["DAGSTER_POSTGRES_PASSWORD"] not in again.info_str()
            again.event_log_storage.set_concurrency_slots("github_api", 1)
            claim = again.event_log_storage.claim_concurrency_slot("github_api", run.run_id, "a")
            assert claim.is_claimed
            other = again.event_log_storage.claim_concurrency_slot("github_api", run.run_id, "b")
            assert not other.is_claimed
