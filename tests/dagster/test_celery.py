"""Runs as Celery tasks: two real workers, a real broker, one graph, by the files in ``deploy/``."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from dagster import DagsterInstance, DagsterRunStatus

from tests.dagster.running import eventually
from tests.dagster.servers import postgres, postgres_programs, redis

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.memory import Memory
    from resources_graph_core.sandbox import Sandbox

DEPLOY = Path(__file__).parents[2] / "deploy"
PROGRAMS = Path(sys.executable).parent
REPOSITORIES = ("octo-org/widgets", "octo-org/gadgets")


@contextmanager
def worker(name: str, folder: Path, environment: dict[str, str]) -> Iterator[Path]:
    """A worker for one run at a time; its log."""
    log = folder / f"{name}.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [
                PROGRAMS / "dagster-celery",
                *("worker", "start", "--name", name, "--app", "dagster_celery.app"),
                *("--config-yaml", folder / "celery.yaml", "--", "--concurrency=1"),
            ],
            cwd=folder,
            env=environment,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        yield log
    finally:
        # The program is a wrapper that would leave the worker itself behind.
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(timeout=30)
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def launch(repository: str, folder: Path, environment: dict[str, str]) -> None:
    """Launch a run for one repository from the shell; it waits for a worker."""
    config = {"ops": {"sweep_all": {"config": {"repositories": [repository]}}}}
    subprocess.run(
        [
            PROGRAMS / "dagster",
            *("job", "launch", "--module-name", "resources_graph_dagster.definitions"),
            *("--job", "sweep_pending", "--config-json", json.dumps(config)),
        ],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
    )


@pytest.mark.system
def test_two_workers_share_the_runs(
    memory: Memory, github: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.touch_many([f"{one}#{number}" for one in REPOSITORIES for number in (1, 2)])
    config = yaml.safe_load((DEPLOY / "celery" / "dagster.yaml").read_text("utf-8"))
    # No daemon here: runs go to the workers at once.
    config["run_coordinator"] = {
        "module": "dagster.core.run_coordinator",
        "class": "DefaultRunCoordinator",
    }
    with ExitStack() as stack:
        programs = postgres_programs()
        if programs is not None:
            for name, value in stack.enter_context(postgres(programs)).items():
                monkeypatch.setenv(name, value)
        else:
            del config["storage"]  # SQLite will do for workers of one machine
        (tmp_path / "dagster.yaml").write_text(yaml.safe_dump(config), "utf-8")
        shutil.copy(DEPLOY / "celery" / "celery.yaml", tmp_path)
        broker = stack.enter_context(redis(tmp_path))
        monkeypatch.setenv("CELERY_BROKER_URL", f"{broker}/0")
        monkeypatch.setenv("CELERY_RESULT_BACKEND", f"{broker}/1")
        monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
        monkeypatch.setenv("PATH", f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}")
        environment = dict(os.environ)
        # Until both have begun GitHub answers so slowly that no worker could do both.
        github.faults.slow_down(5)
        for repository in REPOSITORIES:
            launch(repository, tmp_path, environment)
        logs = [stack.enter_context(worker(name, tmp_path, environment)) for name in ("one", "two")]
        instance = stack.enter_context(DagsterInstance.from_config(str(tmp_path)))

        def statuses() -> list[DagsterRunStatus]:
            return [run.status for run in instance.get_runs()]

        eventually("both runs", lambda: statuses() == [DagsterRunStatus.STARTED] * 2)
        github.faults.slow_down(0)
        eventually("their ends", lambda: all(run.is_finished for run in instance.get_runs()))
        assert statuses() == [DagsterRunStatus.SUCCESS] * 2
        for log in logs:
            assert log.read_text("utf-8").count("execute_job") >= 1
        assert memory.pending().touch_count == 0
        for repository in REPOSITORIES:
            assert memory.read(f"{repository}#1").outcome == "hit"
