"""``config``: what it shows, keeps and refuses."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

from resources_graph_core import config

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run

SECRET = "hidden-value"


def test_set_get_unset(run: Run, home: Path) -> None:
    assert run("config", "path").out == f"{home / 'config.toml'}\n"
    assert run("config", "get", "graph.url").out == "embedded:\n"
    assert run("config", "set", "graph.url", "bolt://host:1").status == 0
    assert run("config", "get", "graph.url").out == "bolt://host:1\n"
    assert "removed graph.url" in run("config", "unset", "graph.url").out
    assert "is not in" in run("config", "unset", "graph.url").out
    assert run("config", "get", "graph.url").out == "embedded:\n"


def test_a_secret_comes_from_stdin_and_is_never_shown(run: Run, home: Path) -> None:
    assert run("config", "get", "github.token").out == "not set\n"
    kept = run("config", "set", "github.token", stdin=f"{SECRET}\n")
    assert kept.status == 0
    assert config.load_settings().github_token == SECRET
    assert stat.S_IMODE((home / "config.toml").stat().st_mode) == 0o600
    assert run("config", "get", "github.token").out == "set\n"
    shown = [kept, run("config", "list"), run("config", "list", "--json")]
    shown += [run("config", "get", "github.token", "--json")]
    assert not [ended for ended in shown if SECRET in ended.out + ended.err]


def test_a_secret_as_an_argument_is_refused_with_why(run: Run, home: Path) -> None:
    ended = run("config", "set", "github.token", SECRET)
    assert ended.status == 2
    assert "arguments are seen by everyone" in ended.err
    assert SECRET not in ended.err
    assert not home.exists()


@pytest.mark.usefixtures("home")
def test_list_says_where_values_come_from(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMGRAPH_USER", "ada")
    listed = {row["name"]: row for row in run("config", "list", "--json").json()}
    assert list(listed) == [setting.name for setting in config.SETTINGS]
    assert listed["graph.user"] == {
        "name": "graph.user",
        "value": "ada",
        "secret": False,
        "origin": "environment",
        "where": "MEMGRAPH_USER",
    }
    assert "graph.user\tada\tenvironment\tMEMGRAPH_USER\n" in run("config", "list").out
    option = run("--graph", "bolt://x:1", "config", "get", "graph.url", "--json").json()
    assert (option["value"], option["origin"]) == ("bolt://x:1", "option")


@pytest.mark.usefixtures("home")
def test_a_note_when_the_environment_still_wins(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMGRAPH_URL", "bolt://other:1")
    assert "MEMGRAPH_URL" in run("config", "set", "graph.url", "bolt://host:1").err


@pytest.mark.parametrize(
    "arguments",
    [
        ["get", "nothing"],
        ["set", "nothing", "x"],
        ["unset", "nothing"],
        ["set", "dagster.url", "x"],
        ["set", "graph.url", "http://127.0.0.1:7687"],
        ["set", "graph.url", "bolt://"],
        ["set", "graph.url", "bolt://mona@host"],
        ["set", "graph.url", "embedded:relative/folder"],
        ["set", "github_memory.tools", "wirte"],
        ["set", "github_memory.write_pause", "fast"],
        ["set", "github_memory.roadmaps", "octo-org/widgets"],
        ["set", "github_memory.decisions", "octo-org/widgets#1, nonsense"],
        ["set", "github_memory.triage", "https://github.com/orgs/octo-org"],
    ],
)
def test_what_is_refused(run: Run, home: Path, arguments: list[str]) -> None:
    ended = run("config", *arguments)
    assert ended.status == 2
    assert ended.err.startswith("error: ")
    assert ended.err.count("\n") == 1
    assert not home.exists()


def test_an_empty_secret_is_refused(run: Run, home: Path) -> None:
    ended = run("config", "set", "github.token", stdin="\n")
    assert ended.status == 2
    assert ended.err == (
        "error: no value for github.token was typed or piped in, so nothing was changed; "
        "to remove it, run: resources-graph config unset github.token\n"
    )
    assert not home.exists()


@pytest.mark.parametrize("url", ["embedded:", "embedded:///srv/graph", "bolt+s://host:7687"])
def test_a_graph_that_can_be_opened_may_be_set(run: Run, url: str) -> None:
    assert run("config", "set", "graph.url", url).status == 0
    assert run("config", "get", "graph.url").out == f"{url}\n"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("github_memory.roadmaps", "octo-org/widgets#1, https://github.com/a/b/issues/2"),
        ("github_memory.triage", "https://github.com/orgs/octo-org/projects/3"),
    ],
)
@pytest.mark.usefixtures("home")
def test_stores_that_name_issues_may_be_set(run: Run, name: str, value: str) -> None:
    assert run("config", "set", name, value).status == 0
    assert run("config", "get", name).out == f"{value}\n"
