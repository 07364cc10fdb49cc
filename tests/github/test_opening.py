"""Which source is opened, and whose token it gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.errors import ConfigError
from resources_graph_core.github import open_source
from resources_graph_core.github.graphql_source import GraphQLSource
from resources_graph_core.github.rest_source import RestSource

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def gh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A gh that is logged in everywhere, and writes down that it was asked."""
    program = tmp_path / "gh"
    program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\necho made-up\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path / "asked"


@pytest.mark.parametrize(
    ("api_url", "host"),
    [
        (None, "github.com"),
        ("https://api.github.com", "github.com"),
        (None, "ghe.corp.com"),
        ("https://ghe.corp.com/api/v3", "ghe.corp.com"),
    ],
)
def test_the_login_of_gh_opens_graphql(gh: Path, api_url: str | None, host: str) -> None:
    with open_source(api_url, host=host) as source:
        assert isinstance(source, GraphQLSource)
    assert gh.read_text() == f"auth token --hostname {host}\n"


@pytest.mark.parametrize(
    "api_url",
    [
        "http://127.0.0.1:8462",
        "https://proxy.example",
        "http://api.github.com",
        "https://api.github.com.evil.example",
        "https://ghe.corp.com/api/v3",
    ],
)
def test_the_login_of_gh_goes_to_its_own_host_only(gh: Path, api_url: str) -> None:
    with open_source(api_url) as source:
        assert isinstance(source, RestSource)
    assert not gh.exists()


def test_a_configured_token_goes_where_it_is_configured(gh: Path) -> None:
    with open_source("http://127.0.0.1:8462", "made-up") as source:
        assert isinstance(source, GraphQLSource)
    assert not gh.exists()


@pytest.mark.parametrize("token", ["", "  "])
def test_an_empty_token_is_none(token: str) -> None:
    with open_source("http://127.0.0.1:8462", token) as source:
        assert isinstance(source, RestSource)


def test_a_malformed_address_is_refused() -> None:
    with pytest.raises(ConfigError):
        open_source("not an address")
