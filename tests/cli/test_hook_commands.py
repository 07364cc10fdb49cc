"""``install``, ``uninstall``, ``hook`` and ``doctor``, and commands as Addresses."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from resources_graph_core import checkup, failures
from resources_graph_core.harness import targets
from resources_graph_core.spool import Spool

if TYPE_CHECKING:
    from resources_graph_core.graph import Graph
    from resources_graph_core.sandbox import Sandbox
    from tests.cli.conftest import Run


@pytest.fixture(autouse=True)
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A hook program on the PATH, and a project to be in."""
    path = tmp_path / "bin" / targets.HOOK_PROGRAM
    path.parent.mkdir()
    path.touch(mode=0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin/python"))
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return path


def test_install_shows_what_it_writes_and_uninstall_takes_it_out(run: Run) -> None:
    looked = run("install", "claude-code", "--dry-run")
    assert looked.status == 0
    assert "+++ " in looked.out
    assert looked.out.endswith("nothing was changed\n")
    settings = Path.home() / ".claude/settings.json"
    assert not settings.exists()
    assert run("install", "claude-code", "--yes").out.endswith("installed\n")
    assert targets.HOOK_PROGRAM in settings.read_text()
    assert run("install", "claude-code", "--yes").out == "nothing to do: it is installed already\n"
    assert run("uninstall", "claude-code", "--json").status == 2
    assert settings.exists()
    assert run("uninstall", "claude-code", "--yes", "--json").json()["changed"] is True
    assert not settings.exists()


def test_install_for_a_project(run: Run) -> None:
    assert run("install", "cursor", "--project", "--yes").status == 0
    assert Path(".cursor/hooks.json").exists()
    assert not (Path.home() / ".cursor").exists()


def test_nothing_is_written_where_nobody_can_be_asked(run: Run) -> None:
    ended = run("install", "codex")
    assert ended.status == 2
    assert "--yes" in ended.err
    assert not (Path.home() / ".codex").exists()


def test_an_unknown_harness_is_named(run: Run) -> None:
    ended = run("install", "emacs")
    assert ended.status == 2
    assert "claude-code" in ended.err


def test_hook_does_what_the_lean_program_does(
    run: Run, graph_url: str, embedded_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert graph_url
    payload = {
        "hook_event_name": "PreToolUse",
        "session_id": "s1",
        "tool_name": "WebFetch",
        "tool_input": {"url": "https://github.com/o/r/issues/5"},
    }
    monkeypatch.setattr("resources_graph_core.hook.SECONDS", None)

    class Typed(io.StringIO):
        """A stdin with bytes below it."""

        buffer = io.BytesIO(json.dumps(payload).encode())

    monkeypatch.setattr("tests.cli.conftest.io.StringIO", Typed)
    ended = run("hook", "claude-code")
    assert (ended.status, ended.out) == (0, "")
    found = embedded_graph.query("MATCH (touch:Touch) RETURN touch.address AS address")
    assert found == [{"address": "github:o/r#5"}]


def test_a_command_is_an_address(run: Run, graph_url: str) -> None:
    assert graph_url
    command = "gh issue view 5 -R o/r && gh pr view 6 -R o/r"
    touched = run("touch", command, "--json").json()
    assert [touch["address"] for touch in touched] == ["github:o/r#5", "github:o/r#6"]
    ended = run("read", command)
    assert ended.status == 2
    assert "2 things" in ended.err
    assert run("read", "gh api repos/o/r/issues/5", "--json").json()["address"] == "github:o/r#5"


def states(run: Run) -> dict[str, str]:
    ended = run("doctor", "--json")
    return {finding["name"]: finding["state"] for finding in ended.json()["findings"]}


def test_doctor_finds_everything_well(run: Run, graph_url: str, sandbox: Sandbox) -> None:
    assert graph_url
    assert sandbox.url
    assert run("install", "claude-code", "--yes").status == 0
    ended = run("doctor", "--json")
    assert ended.status == 0, ended.out
    found = {one["name"]: one for one in ended.json()["findings"]}
    wrong = [one for one in found.values() if one["state"] == "failed"]
    assert wrong == []
    assert found["graph"]["state"] == found["schema"]["state"] == found["spool"]["state"] == "ok"
    assert found["claude-code"]["detail"].startswith("installed (user)")
    assert found["codex"]["detail"].startswith("not installed (user)")


def test_doctor_looks_at_what_a_sweep_leaves_to_others_and_at_every_host(
    run: Run, graph_url: str, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert graph_url
    monkeypatch.setenv("RESOURCES_GRAPH_HOSTS", "ghe.corp.com")
    run("config", "set", "github.host.ghe.corp.com.api_url", f"{sandbox.url}/api/v3")
    sandbox.faults.points_left(100, api="graphql")
    found = {one["name"]: one for one in run("doctor", "--json").json()["findings"]}
    assert found["github limits"]["state"] == "warning"
    assert "leaves the last 100 to others" in found["github limits"]["detail"]
    assert found["ghe.corp.com login"]["state"] == "warning"
    assert "gh auth login --hostname ghe.corp.com" in found["ghe.corp.com login"]["detail"]
    assert found["ghe.corp.com limits"]["state"] == "ok"


def test_doctor_says_what_is_wrong(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch, program: Path
) -> None:
    monkeypatch.setenv("RESOURCES_GRAPH_URL", "bolt://127.0.0.1:1")
    monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:1")
    monkeypatch.setattr(checkup, "OTHER_DISTRIBUTION", "pytest")  # one that is surely there
    home.mkdir()
    failures.record(home, "hook", "The graph did not answer in time.")
    assert run("install", "claude-code", "--yes").status == 0
    moved = program.parent.with_name("elsewhere")
    program.parent.rename(moved)
    monkeypatch.setattr(sys, "executable", str(moved / "python"))
    found = states(run)
    assert found["graph"] == "failed"
    assert found["github"] == "note"
    assert found["failure log"] == found["claude-code"] == found["installation"] == "warning"
    assert run("doctor").status == 1


@pytest.mark.usefixtures("graph_url")
def test_doctor_looks_at_the_login_that_a_sweep_would_use(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gh = tmp_path / "gh"
    gh.write_text('#!/bin/sh\ntest "$*" = "auth token --hostname github.com" && echo made-up\n')
    gh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")  # GitHub itself is not to be reached
    for name in ("GITHUB_API_URL", "GITHUB_TOKEN", "GH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    found = states(run)
    assert "github login" not in found, "it is not said that there is no token"
    assert found["github"] == "note"


def test_doctor_names_settings_that_cannot_be_read(run: Run, home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text("nonsense")
    ended = run("doctor", "--json")
    assert ended.status == 1
    assert ended.json()["findings"][0]["name"] == "settings"
    assert not Spool(home).holds_anything()


@pytest.mark.usefixtures("graph_url", "sandbox")
def test_doctor_names_stores_that_name_no_issue(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RESOURCES_GRAPH_ROADMAPS", "octo-org/widgets#1")
    assert states(run)["settings"] == "ok"
    monkeypatch.setenv("RESOURCES_GRAPH_TRIAGE", "octo-org/widgets")
    first, *others = run("doctor", "--json").json()["findings"]
    assert (first["name"], first["state"]) == ("settings", "failed")
    assert "github_memory.triage" in first["detail"]
    assert "graph" in [one["name"] for one in others], "the rest is looked at all the same"
