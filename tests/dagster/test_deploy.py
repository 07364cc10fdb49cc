"""The configuration in ``deploy/``: valid by Dagster's own schemas, bounded, no secret in it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from dagster import DagsterInstance
from dagster._config import process_config
from dagster._core.instance.config import dagster_instance_config_schema
from dagster._core.workspace.load_target import WorkspaceFileTarget
from dagster_celery import celery_executor
from dagster_celery.launcher import CeleryRunLauncher
from dagster_docker import DockerRunLauncher
from dagster_k8s import K8sRunLauncher

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
INSTANCES = ("sqlite", "postgres", "celery", "docker", "k8s")
LAUNCHERS = {"celery": CeleryRunLauncher, "docker": DockerRunLauncher, "k8s": K8sRunLauncher}
SECRETS = re.compile(r"(?i)(password|token|secret)")


def read(*names: str) -> dict[str, Any]:
    """A YAML file of the folder."""
    found = yaml.safe_load(DEPLOY.joinpath(*names).read_text("utf-8"))
    assert isinstance(found, dict)
    return found


@pytest.fixture(autouse=True)
def variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every variable that one of the files reads."""
    for path in DEPLOY.glob("*/*.yaml"):
        for name in re.findall(r"env: (\w+)", path.read_text("utf-8")):
            monkeypatch.setenv(name, "5432" if name.endswith("PORT") else f"made-up-{name.lower()}")


@pytest.mark.parametrize("name", INSTANCES)
def test_an_instance_is_valid_by_dagsters_schema(name: str) -> None:
    config = read(name, "dagster.yaml")
    evaluated = process_config(dagster_instance_config_schema(), config)
    assert evaluated.success, evaluated.errors


@pytest.mark.parametrize("name", LAUNCHERS)
def test_a_launcher_is_valid_by_its_own_schema(name: str) -> None:
    config = read(name, "dagster.yaml")["run_launcher"]
    launcher = LAUNCHERS[name]
    assert config["class"] == launcher.__name__
    evaluated = process_config(launcher.config_type(), config["config"])
    assert evaluated.success, evaluated.errors
    wrong = process_config(launcher.config_type(), {**config["config"], "no_such_field": 1})
    assert not wrong.success


@pytest.mark.parametrize("name", ["docker", "k8s"])
def test_a_run_elsewhere_is_given_what_its_instance_reads(name: str) -> None:
    text = (DEPLOY / name / "dagster.yaml").read_text("utf-8")
    given = set(read(name, "dagster.yaml")["run_launcher"]["config"]["env_vars"])
    # Kubernetes' launcher takes it from a secret.
    assert set(re.findall(r"env: (\w+)", text)) <= given | {"DAGSTER_PG_PASSWORD"}


def test_what_the_workers_are_told_is_valid_and_names_the_same_broker() -> None:
    config = read("celery", "celery.yaml")["execution"]["config"]
    evaluated = process_config(celery_executor.config_schema.config_type, config)
    assert evaluated.success, evaluated.errors
    launcher = read("celery", "dagster.yaml")["run_launcher"]["config"]
    assert [launcher[name] for name in ("broker", "backend")] == [
        config[name] for name in ("broker", "backend")
    ]


def test_the_instances_agree_on_what_has_nothing_to_do_with_where_runs_are() -> None:
    for section in ("telemetry", "nux", "retention", "run_coordinator"):
        assert len({str(read(name, "dagster.yaml")[section]) for name in INSTANCES}) == 1
    for name in INSTANCES:
        config = read(name, "dagster.yaml")
        assert config["telemetry"] == config["nux"] == {"enabled": False}
        monitoring = config["run_monitoring"]
        assert monitoring["enabled"]
        assert monitoring["max_runtime_seconds"] == 3600
        assert monitoring["free_slots_after_run_end_seconds"] == 60
        assert config["concurrency"]["pools"]["granularity"] == "run"
        assert "run_retries" not in config  # would multiply with the retries of the sensor


def test_the_template_of_up_opens(tmp_path: Path) -> None:
    (tmp_path / "dagster.yaml").write_bytes((DEPLOY / "sqlite" / "dagster.yaml").read_bytes())
    with DagsterInstance.from_config(str(tmp_path)) as instance:
        assert instance.run_monitoring_enabled
        assert instance.run_monitoring_max_runtime_seconds == 3600
        assert not instance.nux_enabled
        assert not instance.telemetry_enabled
        assert instance.global_op_concurrency_default_limit == 2


def test_the_compose_file_checks_and_bounds_every_service() -> None:
    compose = read("compose", "compose.yaml")
    services = compose["services"]
    assert set(services) == {
        *("memgraph", "postgres", "redis"),
        *("code", "webserver", "daemon", "worker"),
    }
    for name, service in services.items():
        assert service["healthcheck"]["test"], name
        assert set(service["deploy"]["resources"]["limits"]) == {"cpus", "memory"}, name
        assert service["restart"] == "unless-stopped", name
        for port in service.get("ports", []):
            assert port.startswith(("127.0.0.1:", "${MEMGRAPH_BIND:-127.0.0.1}:")), name
        assert set(service.get("depends_on", {})) <= set(services), name
    assert services["worker"]["deploy"]["replicas"] == 2
    used = {volume.partition(":")[0] for one in services.values() for volume in one["volumes"]}
    assert used == set(compose["volumes"])


def test_the_compose_file_gives_what_the_configuration_reads() -> None:
    given = read("compose", "compose.yaml")["services"]["worker"]["environment"]
    for path in ("dagster.yaml", "celery.yaml"):
        read_there = re.findall(r"env: (\w+)", (DEPLOY / "celery" / path).read_text("utf-8"))
        assert set(read_there) <= set(given)


def test_no_secret_stands_in_the_folder() -> None:
    for path in DEPLOY.glob("*/*"):
        for line in path.read_text("utf-8").splitlines():
            name, separator, value = line.partition("=" if path.suffix == ".example" else ": ")
            if not line.lstrip().startswith("#") and SECRETS.search(name) and separator:
                value = value.strip()
                harmless = not value or value.startswith(("${", "false")) or "secret" in name
                assert harmless, line


def test_the_image_holds_the_files_it_copies() -> None:
    dockerfile = (DEPLOY / "compose" / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    for line in dockerfile.splitlines():
        if line.startswith("COPY "):
            for source in line.split()[1:-1]:
                assert (ROOT / source).exists(), source


def test_the_workspace_of_the_compose_file_is_readable() -> None:
    target = WorkspaceFileTarget([str(DEPLOY / "compose" / "workspace.yaml")])
    (origin,) = target.create_origins()
    assert origin.location_name == "resources-graph"
