"""Settings: where each value comes from, what is refused, and how the file is kept."""

from __future__ import annotations

import stat
import subprocess
import sys
from getpass import getuser
from typing import TYPE_CHECKING

import pytest

from resources_graph_core import config
from resources_graph_core.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "hidden-value"


def _file(home: Path, text: str) -> Path:
    home.mkdir()
    path = home / "config.toml"
    path.write_text(text, "utf-8")
    return path


def test_defaults(home: Path) -> None:
    assert config.load_settings() == config.Settings(
        graph_url="embedded:", user=getuser(), github_api_url="https://api.github.com"
    )
    assert config.config_path() == home / "config.toml"


def test_without_a_home_the_platform_says_where_the_file_is() -> None:
    path = config.config_path()
    assert path.name == "config.toml"
    assert path.parent.name == config.APPLICATION


def test_strongest_first(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _file(home, '[graph]\nurl = "bolt://file:1"\n')
    assert config.load_settings().graph_url == "bolt://file:1"
    monkeypatch.setenv("MEMGRAPH_URL", "bolt://family:1")
    assert config.load_settings().graph_url == "bolt://family:1"
    monkeypatch.setenv("RESOURCES_GRAPH_URL", "bolt://own:1")
    assert config.load_settings().graph_url == "bolt://own:1"
    assert config.load_settings(graph_url="bolt://option:1").graph_url == "bolt://option:1"


@pytest.mark.parametrize("setting", config.SETTINGS, ids=lambda setting: setting.name)
def test_an_empty_variable_counts_as_unset(
    home: Path, monkeypatch: pytest.MonkeyPatch, setting: config.Setting
) -> None:
    before = config.load_settings()
    for variable in setting.variables:
        monkeypatch.setenv(variable, " ")
    assert config.load_settings(**{setting.field_name: ""}) == before
    assert not home.exists()


@pytest.mark.parametrize("setting", config.SETTINGS, ids=lambda setting: setting.name)
def test_each_variable_is_read(
    home: Path, monkeypatch: pytest.MonkeyPatch, setting: config.Setting
) -> None:
    assert not home.exists()
    for variable in reversed(setting.variables):
        value = f"https://{variable.lower()}" if setting.web else variable.lower()
        value = value if setting.least is None else str(setting.least + 7)
        value = "7.5" if setting.seconds else value
        value = setting.choices[-1] if setting.choices else value
        monkeypatch.setenv(variable, f" {value}\n")
        assert str(getattr(config.load_settings(), setting.field_name)) == value


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("github.reserve", "-1", "'-1', not a whole number: 0 or more"),
        ("github.reserve", "1.5", "'1.5', not a whole number: 0 or more"),
        ("github.in_flight", "0", "'0', not a whole number: 1 to 100"),
        ("github.in_flight", "101", "'101', not a whole number: 1 to 100"),
        ("github.longest_wait", "a minute", "'a minute', not a whole number: 0 or more"),
        ("github_memory.write_pause", "fast", "'fast', not a number of seconds: 0 or more"),
        ("github_memory.write_pause", "-0.5", "'-0.5', not a number of seconds: 0 or more"),
        ("github_memory.write_pause", "inf", "'inf', not a number of seconds: 0 or more"),
        ("github_memory.write_pause", "nan", "'nan', not a number of seconds: 0 or more"),
        ("github_memory.tools", "wirte", "'wirte'; make it read or write"),
    ],
)
def test_what_is_not_one_of_its_values_is_refused(
    home: Path, name: str, value: str, said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        config.set_value(name, value)
    assert said in str(caught.value)
    assert not home.exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("github_memory.write_pause", "0"),
        ("github_memory.write_pause", "1.5"),
        ("github_memory.tools", "write"),
    ],
)
def test_a_value_that_can_be_is_kept(home: Path, name: str, value: str) -> None:
    config.set_value(name, value)
    assert config.value_in_force(name).value == value
    assert home.exists()


def test_a_number_in_the_file_needs_no_quotes(home: Path) -> None:
    _file(home, "[github]\nreserve = 500\nin_flight = '7'\n")
    settings = config.load_settings()
    assert (settings.github_reserve, settings.github_in_flight) == (500, 7)


def test_hosts_have_an_address_and_a_token_of_their_own(home: Path) -> None:
    text = '[github.host."GHE.corp.com"]\napi_url = "https://api.corp.com"\n'
    path = _file(home, 'github.hosts = "ghe.example, ghe.corp.com"\n' + text)
    config.set_value("github.host.ghe.corp.com.token", SECRET)
    config.set_value("github.host.other.example:8443.token", "another")
    settings = config.load_settings()
    assert settings.github_host == (
        config.Host(name="ghe.corp.com", api_url="https://api.corp.com", token=SECRET),
        config.Host(name="other.example:8443", token="another"),
    )
    assert settings.hosts == {"ghe.example", "ghe.corp.com", "other.example:8443"}
    assert SECRET not in repr(settings)
    shown = {value.setting.name: value.shown for value in config.values_in_force()}
    assert shown["github.host.ghe.corp.com.token"] == "set"
    assert shown["github.host.GHE.corp.com.api_url"] == "https://api.corp.com"
    assert config.unset_value("github.host.ghe.corp.com.token")
    assert SECRET not in path.read_text()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[github.host."ghe.corp.com"]\napi_url = "ghe"\n', "not an http or https address"),
        ('[github.host."ghe.corp.com"]\ntoken = "a b"\n', "is not a token"),
        ('[github.host."ghe.corp.com"]\nlogin = "ada"\n', "is not a setting"),
        ('[github.host."no_host"]\ntoken = "a"\n', "is not a setting"),
    ],
)
def test_what_a_host_cannot_have_is_refused(home: Path, text: str, said: str) -> None:
    _file(home, text)
    with pytest.raises(ConfigError, match=said) as caught:
        config.load_settings()
    assert "line 2" in str(caught.value)


def test_origins(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _file(home, 'user = "ada"\n')
    monkeypatch.setenv("GH_TOKEN", SECRET)
    found = {value.setting.name: value for value in config.values_in_force({"graph_url": "bolt:"})}
    assert (found["graph.url"].origin, found["graph.url"].shown) == ("option", "bolt:")
    assert (found["user"].origin, found["user"].where) == ("file", str(path))
    assert (found["github.token"].origin, found["github.token"].where) == (
        "environment",
        "GH_TOKEN",
    )
    assert found["github.token"].shown == "set"
    assert found["graph.password"].shown == "not set"


def test_no_repr_holds_a_secret(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not home.exists()
    monkeypatch.setenv("GITHUB_TOKEN", SECRET)
    monkeypatch.setenv("MEMGRAPH_PASSWORD", SECRET)
    assert SECRET not in repr(config.load_settings())
    assert SECRET not in repr(config.values_in_force())


@pytest.mark.parametrize(
    ("text", "line", "about"),
    [
        ("[graph\n", 1, "not TOML"),
        ('user = "ada"\nuser = "eve"\n', 2, "not TOML"),
        ("# a comment\n\n[graph]\nurl = 7687\n", 4, "text in quotes"),
        ('[graph]\nurl = "embedded:"\nuri = "bolt://x:1"\n', 3, "'graph.uri' is not a setting"),
        ('graph.url = ""\n', 1, "empty"),
        ('[github]\napi_url = "api.github.com"\n', 2, "not an http or https address"),
        ('\n["github"]\n"token" = ["a"]\n', 3, "text in quotes"),
        ('[github]\ntoken = "two words"\n', 2, "not a token"),
        ('graph = { url = "bolt://me:secret@host:1" }\n', 1, "holds a password"),
        ('user = "a\\u0007b"\n', 1, "control character"),
    ],
)
def test_a_malformed_file_is_one_line_naming_file_and_line(
    home: Path, text: str, line: int, about: str
) -> None:
    path = _file(home, text)
    with pytest.raises(ConfigError) as caught:
        config.load_settings()
    message = str(caught.value)
    assert message.startswith(f"{path} line {line}")
    assert about in message
    assert "\n" not in message
    assert "secret" not in message.replace("secret setting", "")
    assert "two words" not in message


def test_a_file_that_is_not_text(home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="not UTF-8"):
        config.load_settings()


def test_a_bad_variable_is_named_and_a_secret_value_is_not(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not home.exists()
    monkeypatch.setenv("GITHUB_TOKEN", f"{SECRET}\x00x".replace("\x00", "\n"))
    with pytest.raises(ConfigError, match="GITHUB_TOKEN") as caught:
        config.load_settings()
    assert SECRET not in str(caught.value)


def test_setting_keeps_comments_and_order(home: Path) -> None:
    path = _file(home, "# mine\n[graph]\nurl = 'embedded:'  # here\n\n[github] # there\n")
    config.set_value("graph.url", "bolt://host:1")
    config.set_value("github.token", SECRET)
    config.set_value("user", "ada")
    text = path.read_text("utf-8")
    assert "# mine" in text
    assert 'url = "bolt://host:1"  # here' in text
    assert "[github] # there" in text
    assert config.load_settings().github_token == SECRET
    assert config.load_settings().user == "ada"


def test_the_file_and_its_folder_are_the_owners_alone(home: Path) -> None:
    config.set_value("github.token", SECRET)
    assert stat.S_IMODE((home / "config.toml").stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert [path.name for path in home.iterdir()] == ["config.toml"]


def test_a_file_that_others_could_read_is_closed(home: Path) -> None:
    path = _file(home, "")
    path.chmod(0o644)
    config.set_value("github.token", SECRET)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_linked_file_stays_a_link(home: Path, tmp_path: Path) -> None:
    home.mkdir()
    kept = tmp_path / "kept.toml"
    kept.write_text("")
    (home / "config.toml").symlink_to(kept)
    config.set_value("user", "ada")
    assert (home / "config.toml").is_symlink()
    assert kept.read_text() == 'user = "ada"\n'


def test_a_bad_value_can_be_set_right(home: Path) -> None:
    _file(home, "[graph]\nurl = 1\n")
    config.set_value("graph.url", "embedded:")
    assert config.load_settings().graph_url == "embedded:"


def test_unsetting(home: Path) -> None:
    path = _file(home, '[graph]\nurl = "bolt://host:1" # gone\n# stays\nuser = "ada"\n')
    assert config.unset_value("graph.url")
    assert not config.unset_value("graph.url")
    assert not config.unset_value("github.token")
    assert "# stays" in path.read_text()
    assert config.load_settings().graph_user == "ada"


@pytest.mark.parametrize("name", ["graph", "graph.uri", "", "github.token.x"])
def test_unknown_settings_are_refused(home: Path, name: str) -> None:
    for change in (lambda: config.set_value(name, "x"), lambda: config.unset_value(name)):
        with pytest.raises(ConfigError, match="is not a setting"):
            change()
    assert not home.exists()


def test_a_value_in_the_way_of_a_table(home: Path) -> None:
    _file(home, 'graph = "x"\n')
    with pytest.raises(ConfigError, match="'graph' is not a table"):
        config.set_value("graph.url", "embedded:")


def test_a_failed_write_leaves_the_file_alone(home: Path) -> None:
    path = _file(home, "[graph\n")
    with pytest.raises(ConfigError, match="line 1 is not TOML"):
        config.set_value("user", "ada")
    assert path.read_text() == "[graph\n"


def test_an_unknown_override_is_a_programming_error(home: Path) -> None:
    assert not home.exists()
    with pytest.raises(TypeError, match="colour"):
        config.load_settings(colour="red")


def test_importing_it_loads_the_standard_library_only() -> None:
    program = (
        "import sys, resources_graph_core.config;"
        "print([m for m in ('platformdirs', 'tomlkit', 'tomllib', 'pydantic', 'typer')"
        " if m in sys.modules])"
    )
    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == "[]"
