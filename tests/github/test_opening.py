"""Which source is opened, and whose token it gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.address import Address
from resources_graph_core.config import Host, Settings
from resources_graph_core.errors import ConfigError
from resources_graph_core.github import HostAccess, Limits, open_configured, open_source
from resources_graph_core.github.graphql_source import GraphQLSource
from resources_graph_core.github.hosts import HostsSource
from resources_graph_core.github.opening import ANSWERS_FILE, api_url_of, further_hosts
from resources_graph_core.github.pace import Pace
from resources_graph_core.github.rest_source import RestSource
from resources_graph_core.sandbox import Sandbox
from resources_graph_core.sandbox.archive import packaged_archives

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
        (None, "ada.ghe.com"),
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


def settings(**changed: object) -> Settings:
    given = {"graph_url": "embedded:", "user": "ada", "github_api_url": "http://127.0.0.1:8462"}
    return Settings(**(given | changed))


def test_the_settings_open_every_host_with_its_own_token(gh: Path) -> None:
    """An Enterprise Server has its own token, else the common one; ghe.com has that of gh."""
    own = (
        Host(name="own.corp.com", api_url="http://127.0.0.1:8463", token="own"),
        Host(name="common.corp.com", api_url="http://127.0.0.1:8464"),
    )
    configured = settings(
        github_token="ours",
        github_hosts="ada.ghe.com, listed.corp.com",
        github_host=own,
        github_enterprise_token="common",
    )
    assert further_hosts(configured) == {
        "ada.ghe.com": HostAccess(),
        "common.corp.com": HostAccess("http://127.0.0.1:8464", "common"),
        "listed.corp.com": HostAccess(None, "common"),
        "own.corp.com": HostAccess("http://127.0.0.1:8463", "own"),
    }
    with open_configured(configured) as source:
        assert isinstance(source, HostsSource)
    assert not gh.exists()


def test_the_settings_set_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Limits] = []
    monkeypatch.setattr(Pace, "__init__", lambda _self, limits, _timing: seen.append(limits))
    numbers = {"github_reserve": 7, "github_in_flight": 2, "github_longest_wait": 9}
    with open_configured(settings(github_token="ours", **numbers)):
        # Nobody shares what is allowed without a token.
        assert seen == [Limits(0, 2, 9), Limits(7, 2, 9)]


def test_the_settings_keep_answers_in_the_data_folder(home: Path) -> None:
    with Sandbox(packaged_archives()) as sandbox:
        for _ in range(2):
            with open_configured(settings(github_api_url=sandbox.url)) as source:
                (fetched,) = source.fetch([Address.of_repository("octo-org", "no-such")])
                assert fetched.reason == "not_found"
    assert (home / ANSWERS_FILE).exists()


def test_where_the_api_of_a_host_is() -> None:
    assert api_url_of("github.com") == "https://api.github.com"
    assert api_url_of("ada.ghe.com") == "https://api.ada.ghe.com"
    assert api_url_of("ghe.corp.com") == "https://ghe.corp.com/api/v3"
