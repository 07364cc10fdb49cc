"""Where the token comes from, and that it shows nowhere."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import httpx
import pytest

from resources_graph_core.github import token as tokens
from resources_graph_core.github.token import Token, TokenAuth, account_at, find_token

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "ghp_MadeUpForTheTests"


@pytest.fixture
def gh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a program named ``gh`` may be put; there is no other."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path / "gh"


def write(program: Path, *lines: str) -> None:
    program.write_text("\n".join(["#!/bin/sh", *lines]) + "\n")
    program.chmod(0o755)


def test_the_configured_token_comes_first(gh: Path) -> None:
    write(gh, "echo other")
    found = find_token("github.com", f" {SECRET}\n")
    assert found is not None
    assert found.get_secret_value() == SECRET


def test_else_it_is_that_of_gh_for_the_host(gh: Path) -> None:
    write(gh, 'test "$*" = "auth token --hostname ghe.corp.com" && echo ' + SECRET)
    found = find_token("ghe.corp.com")
    assert found is not None
    assert found.get_secret_value() == SECRET
    assert find_token("github.com") is None


@pytest.mark.parametrize(
    "lines", [["echo no oauth token >&2; exit 1"], ["exit 0"], ["echo", "exit 0"]]
)
def test_a_gh_that_is_not_logged_in_means_no_token(gh: Path, lines: list[str]) -> None:
    write(gh, *lines)
    assert find_token("github.com") is None


def test_without_gh_there_is_no_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_token("github.com") is None


def test_a_gh_that_cannot_be_run_means_no_token(gh: Path, caplog: pytest.LogCaptureFixture) -> None:
    gh.write_bytes(b"\x7fELF, but not really")
    gh.chmod(0o755)
    assert find_token("github.com") is None
    assert "could not be run" in caplog.text


def test_a_keyring_that_hangs_means_no_token_and_says_why(
    gh: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    write(gh, "exec sleep 600")
    monkeypatch.setattr(tokens, "GH_SECONDS", 0.2)
    assert find_token("github.com") is None
    assert "keyring" in caplog.text


def test_a_token_shows_nowhere(gh: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(gh, f"echo {SECRET}")
    with caplog.at_level(logging.DEBUG):
        found = find_token("github.com")
    assert found is not None
    auth = TokenAuth(found, httpx.URL("https://api.github.com"))
    for shown in (repr(found), str(found), f"{found}", repr(auth), str(vars(auth)), caplog.text):
        assert SECRET not in shown


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("https://api.github.com/repos/o/r", True),
        ("http://api.github.com/repos/o/r", False),
        ("https://api.github.com:8443/repos/o/r", False),
        ("https://evil.example/repos/o/r", False),
        ("https://api.github.com.evil.example/", False),
    ],
)
def test_a_token_goes_to_its_own_origin_only(url: str, sent: bool) -> None:  # noqa: FBT001 - a table
    auth = TokenAuth(Token(SECRET), httpx.URL("https://api.github.com"))
    request = next(auth.auth_flow(httpx.Request("GET", url)))
    assert ("Authorization" in request.headers) is sent


def test_an_account_is_told_apart_without_its_token() -> None:
    url = "https://api.github.com"
    one, other = (account_at(url, Token(f"made-up-{number}")) for number in range(2))
    assert one == account_at(url, Token("made-up-0"))
    assert len({one, other, account_at(url, None), account_at("http://127.0.0.1:1", None)}) == 4
    assert "made-up" not in one
