"""Settings: what can be set, where each value comes from, and where things live.

Strongest first: what the caller passes, the environment, the TOML file, the default. Hooks import
this, so only the standard library is loaded; ``platformdirs`` and ``tomlkit`` wait until needed.
"""

from __future__ import annotations

import os

from resources_graph_core import home
from resources_graph_core.errors import ConfigError
from resources_graph_core.home import APPLICATION, HOME_VARIABLE
from resources_graph_core.record import Record
from resources_graph_core.setting import (
    IN_FLIGHT,
    LONGEST_WAIT,
    RESERVE,
    SETTINGS,
    Setting,
    host_of,
    setting_named,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Literal

    Origin = Literal["option", "environment", "file", "default"]

__all__ = [
    "APPLICATION",
    "HOME_VARIABLE",
    "SETTINGS",
    "Host",
    "Setting",
    "Settings",
    "Value",
    "config_path",
    "data_folder",
    "load_settings",
    "login_name",
    "set_value",
    "setting_named",
    "unset_value",
    "value_in_force",
    "values_in_force",
]


class Host(Record):
    """A further GitHub host: where its API is and its own token, as far as they are set."""

    name: str
    api_url: str | None = None
    token: str | None = None

    def __repr__(self) -> str:
        """Which host, without its token."""
        return f"Host({self.name!r}, api_url={self.api_url!r})"


class Settings(Record):
    """The settings in force. Secrets do not show in its repr.

    ``github_host`` are the hosts that have settings of their own, each once.
    """

    graph_url: str
    user: str
    github_api_url: str
    graph_user: str | None = None
    graph_password: str | None = None
    github_token: str | None = None
    github_hosts: str | None = None
    github_enterprise_token: str | None = None
    github_reserve: int = RESERVE
    github_in_flight: int = IN_FLIGHT
    github_longest_wait: int = LONGEST_WAIT
    github_host: tuple[Host, ...] = ()
    github_login: str | None = None
    memory_token: str | None = None
    dagster_url: str | None = None
    github_memory_roadmaps: str | None = None
    github_memory_decisions: str | None = None
    github_memory_triage: str | None = None
    github_memory_allowed: str | None = None
    github_memory_write_pause: str = "1"
    github_memory_tools: str = "read"

    @property
    def hosts(self) -> frozenset[str]:
        """The GitHub hosts besides github.com, lower-case."""
        named = (self.github_hosts or "").lower().split(",")
        listed = {host.strip() for host in named if host.strip()}
        return frozenset(listed | {host.name for host in self.github_host})

    def __repr__(self) -> str:
        """Every setting but the secrets."""
        secret = {setting.field_name for setting in SETTINGS if setting.secret}
        shown = {name: value for name, value in self.fields().items() if name not in secret}
        return f"Settings({', '.join(f'{name}={value!r}' for name, value in shown.items())})"


class Value(Record):
    """A setting's value in force and where it comes from; ``where`` names the variable or file."""

    setting: Setting
    value: str | None
    origin: Origin
    where: str = ""

    def __repr__(self) -> str:
        """Which setting and from where, never the value."""
        return f"Value({self.setting.name!r}, origin={self.origin!r}, where={self.where!r})"

    @property
    def shown(self) -> str:
        """The value as it may be shown: a secret is only ``set`` or ``not set``."""
        if self.value is None:
            return "not set"
        return "set" if self.setting.secret else self.value


def load_settings(**overrides: str | None) -> Settings:
    """The settings in force; an override that is None or empty does not count.

    Overrides are named as the fields of :class:`Settings`, for instance ``graph_url``. Raises
    ConfigError when a value or the file is malformed.
    """
    unknown = overrides.keys() - {setting.field_name for setting in SETTINGS}
    if unknown:
        raise TypeError(f"load_settings() has no override {min(unknown)!r}")
    in_force = values_in_force(overrides)
    values = {found.setting.field_name: found.value for found in in_force}
    return Settings(
        graph_url=values["graph_url"] or "",
        user=values["user"] or "",
        github_api_url=values["github_api_url"] or "",
        graph_user=values["graph_user"],
        graph_password=values["graph_password"],
        github_token=values["github_token"],
        github_hosts=values["github_hosts"],
        github_enterprise_token=values["github_enterprise_token"],
        github_reserve=int(values["github_reserve"] or RESERVE),
        github_in_flight=int(values["github_in_flight"] or IN_FLIGHT),
        github_longest_wait=int(values["github_longest_wait"] or LONGEST_WAIT),
        github_host=_hosts(in_force),
        github_login=values["github_login"],
        memory_token=values["memory_token"],
        dagster_url=values["dagster_url"],
        github_memory_roadmaps=values["github_memory_roadmaps"],
        github_memory_decisions=values["github_memory_decisions"],
        github_memory_triage=values["github_memory_triage"],
        github_memory_allowed=values["github_memory_allowed"],
        github_memory_write_pause=values["github_memory_write_pause"] or "",
        github_memory_tools=values["github_memory_tools"] or "",
    )


def values_in_force(overrides: Mapping[str, str | None] | None = None) -> list[Value]:
    """Every setting's value and its origin, in the order of :data:`SETTINGS`, then of each host.

    Raises ConfigError as :func:`load_settings` does.
    """
    stored = _stored_values()
    of_hosts = [setting_named(name) for name in stored if host_of(name)]
    return [
        _resolve(setting, (overrides or {}).get(setting.field_name), stored)
        for setting in (*SETTINGS, *of_hosts)
    ]


def value_in_force(name: str, overrides: Mapping[str, str | None] | None = None) -> Value:
    """The value of one setting and its origin; ConfigError as :func:`load_settings` raises it."""
    setting = setting_named(name)
    return _resolve(setting, (overrides or {}).get(setting.field_name), _stored_values())


def _hosts(in_force: list[Value]) -> tuple[Host, ...]:
    """The hosts that have settings of their own."""
    found: dict[str, Host] = {}
    for one in in_force:
        name = host_of(one.setting.name)
        if name is not None:
            key = one.setting.name.rpartition(".")[2].lower()
            found[name] = found.get(name, Host(name=name)).changed(**{key: one.value})
    return tuple(found.values())


def _resolve(setting: Setting, override: str | None, stored: Mapping[str, str]) -> Value:
    if override and override.strip():
        value = setting.check(override, "option")
        return Value(setting=setting, value=value, origin="option")
    for variable in setting.variables:
        given = os.environ.get(variable, "")
        if given.strip():
            value = setting.check(given, variable)
            return Value(setting=setting, value=value, origin="environment", where=variable)
    if setting.name in stored:
        return Value(
            setting=setting,
            value=stored[setting.name],
            origin="file",
            where=home.config_file(),
        )
    default = login_name() if setting.name == "user" else setting.default
    return Value(setting=setting, value=default, origin="default")


def login_name() -> str:
    """The login name, or ``uid-1000`` for an account that has none (as in some containers)."""
    from getpass import getuser  # noqa: PLC0415 - only when no user is set

    try:
        return getuser()
    except (OSError, KeyError):  # KeyError until Python 3.13, when getpass made it OSError
        return f"uid-{os.getuid()}"


def data_folder() -> Path:
    """Where the user's data lives: ``RESOURCES_GRAPH_HOME``, else the platform's data folder.

    Made when missing, for its owner only (mode 0700).
    """
    from pathlib import Path  # noqa: PLC0415 - hooks ask ``home``, without the 8 ms for this

    return Path(home.data_folder())


def config_path() -> Path:
    """The settings file: in ``RESOURCES_GRAPH_HOME``, else in the platform's settings folder.

    Neither the file nor its folder needs to exist.
    """
    from pathlib import Path  # noqa: PLC0415 - the same

    return Path(home.config_file())


def _stored_values() -> dict[str, str]:
    """The file's values by setting name, each checked; ConfigError for what is not a setting."""
    if not os.path.lexists(home.config_file()):
        return {}
    from resources_graph_core.config_file import read_values  # noqa: PLC0415 - loads pathlib

    path = config_path()
    values: dict[str, str] = {}
    for name, (value, line) in read_values(path).items():
        where = f"{path} line {line}"
        try:
            setting = setting_named(name)
        except ConfigError:
            raise ConfigError(f"{where}: {name!r} is not a setting; correct or remove it") from None
        if type(value) is int and setting.least is not None:
            value = str(value)  # noqa: PLW2901 - written as a number or as text, it is the same
        if not isinstance(value, str):
            raise ConfigError(f"{where}: {name} must be text in quotes")
        values[name] = setting.check(value, where)
    return values


def set_value(name: str, value: str) -> None:
    """Write ``value`` for the setting ``name``, leaving the rest of the file as it is.

    The file is replaced in one step and only its owner can read it (0600, its folder 0700 when it
    is made here). Raises ConfigError for an unknown setting, a bad value or a malformed file.
    """
    from resources_graph_core.config_file import store_value  # noqa: PLC0415 - the same

    store_value(config_path(), name, setting_named(name).check(value, "this value"))


def unset_value(name: str) -> bool:
    """Remove the setting ``name`` from the file; False when it was not there.

    Raises ConfigError for an unknown setting or a malformed file.
    """
    from resources_graph_core.config_file import remove_value  # noqa: PLC0415 - the same

    return remove_value(config_path(), setting_named(name).name)
