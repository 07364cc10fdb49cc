"""Bad input and bad days: one line that says what to do, the right exit status, no Touch lost."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from resources_graph_core.sandbox import Sandbox
    from tests.cli.conftest import Ended, Run

FIRST = "octo-org/widgets#1"


def _is_one_line(ended: Ended, *parts: str) -> None:
    assert ended.out == ""
    assert ended.err.startswith("error: ")
    assert ended.err.count("\n") == 1
    assert ended.err.endswith("\n")
    for part in parts:
        assert part in ended.err


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


@pytest.mark.usefixtures("graph_url")
@pytest.mark.parametrize("address", ["nothing", "a b/c", "o/r#0", "https://example.org/o/r", ""])
@pytest.mark.parametrize("command", ["touch", "read"])
def test_an_address_that_names_nothing(run: Run, command: str, address: str) -> None:
    ended = run(command, address)
    assert ended.status == 2
    _is_one_line(ended, repr(address))


@pytest.mark.usefixtures("graph_url")
def test_one_bad_address_among_many_touches_nothing(run: Run) -> None:
    ended = run("touch", FIRST, "-", stdin=f"{FIRST}\nnothing\n")
    assert ended.status == 2
    _is_one_line(ended, "line 2 of stdin", "'nothing'", "nothing was touched")
    assert run("touches", "--json").json() == []
    assert run("touch", "-").status == 2


@pytest.mark.usefixtures("graph_url")
def test_a_limit_is_for_lists(run: Run) -> None:
    ended = run("touch", FIRST, "--limit", "5")
    assert ended.status == 2
    _is_one_line(ended, "no list")
    assert run("touches", "--json").json() == []


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("command", [["touch", FIRST], ["sweep"], ["read", FIRST], ["status"]])
def test_an_unreachable_graph(run: Run, command: list[str]) -> None:
    url = f"bolt://127.0.0.1:{_free_port()}"
    ended = run("--graph", url, *command)
    assert ended.status == 1
    _is_one_line(ended, url.removeprefix("bolt://"))


@pytest.mark.usefixtures("home")
def test_a_graph_that_is_none(run: Run) -> None:
    ended = run("--graph", "redis://me:hidden@host", "status")
    assert ended.status == 2
    assert "hidden" not in ended.err
    _is_one_line(ended)


@pytest.mark.usefixtures("graph_url")
def test_an_unreachable_github_loses_no_touch(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"http://127.0.0.1:{_free_port()}"
    monkeypatch.setenv("GITHUB_API_URL", url)
    run("touch", FIRST)
    ended = run("sweep")
    assert ended.status == 1
    _is_one_line(ended, url, "GITHUB_API_URL")
    assert run("sweep", "--json").json()["error"]["name"] == "GitHubUnavailable"
    assert [touch["status"] for touch in run("touches", "--json").json()] == ["pending"]


@pytest.mark.usefixtures("graph_url")
def test_a_wrong_token_loses_no_touch(
    run: Run, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sandbox.url
    monkeypatch.setenv("GITHUB_TOKEN", "wrong-one")
    run("touch", FIRST)
    ended = run("sweep")
    assert ended.status == 1
    _is_one_line(ended, "token")
    assert "wrong-one" not in ended.err
    assert [touch["status"] for touch in run("touches", "--json").json()] == ["pending"]
    monkeypatch.setenv("GITHUB_TOKEN", "made-up")
    assert run("sweep").status == 0
    assert [touch["status"] for touch in run("touches", "--json").json()] == ["resolved"]


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("text", ["", "{", "[]", '{"repo": "o/r"}', '{"repo": 1}', None])
def test_an_archive_that_is_not_one(run: Run, tmp_path: Path, text: str | None) -> None:
    archive = tmp_path / "archive.json"
    if text is not None:
        archive.write_text(text)
    ended = run("sandbox", "--archive", str(archive), "--port", "0")
    assert ended.status in {1, 2}
    _is_one_line(ended, str(archive))


@pytest.mark.usefixtures("home")
def test_a_port_in_use(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        ended = run("sandbox", "--port", port)
    assert ended.status == 2
    _is_one_line(ended, port, "--port")


@pytest.mark.usefixtures("home")
def test_a_token_to_check_against_must_be_there(run: Run) -> None:
    _is_one_line(run("sandbox", "--check-token"), "GITHUB_TOKEN")


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["swep"],
        ["read"],
        ["touch", "--limit", "many", FIRST],
        ["touch", "--limit", "0", FIRST],
        ["touches", "--status", "lost"],
        ["--colour"],
        ["graph", "nonsense"],
    ],
)
def test_wrong_usage(run: Run, arguments: list[str]) -> None:
    ended = run(*arguments)
    assert ended.status == 2
    _is_one_line(ended, "--help")


@pytest.mark.usefixtures("home")
def test_a_typing_error_is_answered_with_what_was_meant(run: Run) -> None:
    assert "'sweep'" in run("swep").err


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("arguments", "name", "status"),
    [
        (["read", "nothing", "--json"], "UsageError", 2),
        (["status", "--json", "--nonsense"], "UsageError", 2),
        (["--graph", "redis:", "status", "--json"], "ConfigError", 2),
    ],
)
def test_errors_as_json(run: Run, arguments: list[str], name: str, status: int) -> None:
    ended = run(*arguments)
    assert ended.status == status
    assert ended.err == ""
    document = ended.json()
    assert document["error"]["name"] == name
    assert document["error"]["message"]


@pytest.mark.usefixtures("home")
def test_something_unexpected(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        message = "a\x1b fault\nof two lines"
        raise RuntimeError(message)

    monkeypatch.setattr("resources_graph_core.config.config_path", fail)
    ended = run("config", "path")
    assert ended.status == 1
    _is_one_line(ended, "RuntimeError", "--debug")
    assert "\x1b" not in ended.err
    with pytest.raises(RuntimeError):
        run("--debug", "config", "path")


@pytest.mark.usefixtures("home")
def test_the_engine_commands_are_for_the_embedded_engine(run: Run) -> None:
    for command in ("start", "stop", "status"):
        ended = run("--graph", "bolt://host:1", "graph", command)
        assert ended.status == 2
        _is_one_line(ended, "bolt://host:1")
