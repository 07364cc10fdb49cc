"""Settings: what can be set, where each value comes from, and where things live.

Strongest first: what the caller passes, the environment, the TOML file, the default. Hooks import
this, so only the standard library is loaded; ``platformdirs`` and ``tomlkit`` wait until needed.
"""

from __future__ import annotations

import os
import re

from resources_graph_core import home
from resources_graph_core.errors import ConfigError
from resources_graph_core.home import APPLICATION, HOME_VARIABLE
from resources_graph_core.record import Record

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
    "values_in_force",
]


class Setting(Record):
    """One thing that can be set.

    ``variables`` are its environment variables, strongest first. ``default`` is None for a setting
    that may be missing; ``default_note`` says what happens then. A ``secret`` is never shown, and
    ``web`` values must be http or https addresses.
    """

    name: str
    variables: tuple[str, ...]
    description: str
    default: str | None = None
    default_note: str = ""
    secret: bool = False
    web: bool = False

    @property
    def field_name(self) -> str:
        """Its name as an attribute of :class:`Settings`: ``graph.url`` is ``graph_url``."""
        return self.name.replace(".", "_")

    def check(self, value: str, where: str) -> str:
        """``value`` without surrounding white space; ConfigError, naming ``where``, for a bad one.

        A message about a secret never holds the value.
        """
        value = value.strip()
        if not value:
            raise ConfigError(f"{where}: {self.name} is empty; unset it instead")
        if not value.isprintable():
            raise ConfigError(f"{where}: {self.name} holds a control character; set it again")
        if self.secret and self.name.endswith(".token") and not _TOKEN.fullmatch(value):
            raise ConfigError(f"{where}: {self.name} is not a token; set it again")
        if _PASSWORD_IN_URL.match(value) and not self.secret:
            raise ConfigError(f"{where}: {self.name} holds a password; keep it in a secret setting")
        if self.web and not value.startswith(("http://", "https://")):
            raise ConfigError(f"{where}: {self.name} is {value!r}, not an http or https address")
        return value


_TOKEN = re.compile(r"[\x21-\x7e]+")
_PASSWORD_IN_URL = re.compile(r"[a-z0-9+.-]+://[^/?#@]*:[^/?#]*@", re.IGNORECASE)

SETTINGS: tuple[Setting, ...] = (
    Setting(
        name="graph.url",
        variables=("RESOURCES_GRAPH_URL", "MEMGRAPH_URL"),
        description="The graph: embedded:, embedded:///folder, or bolt://host:7687 for a team",
        default="embedded:",
    ),
    Setting(
        name="graph.user",
        variables=("MEMGRAPH_USER",),
        description="Who signs in to a shared graph",
    ),
    Setting(
        name="graph.password",
        variables=("MEMGRAPH_PASSWORD",),
        description="The password for it",
        secret=True,
    ),
    Setting(
        name="github.api_url",
        variables=("GITHUB_API_URL",),
        description="GitHub's API, or a sandbox of your own",
        default="https://api.github.com",
        web=True,
    ),
    Setting(
        name="github.token",
        variables=("GITHUB_TOKEN", "GH_TOKEN"),
        description="The token for GitHub",
        default_note="the gh login, else none",
        secret=True,
    ),
    Setting(
        name="github.hosts",
        variables=("RESOURCES_GRAPH_HOSTS",),
        description="Other GitHub hosts to remember, separated by commas",
    ),
    Setting(
        name="github.login",
        variables=("RESOURCES_GRAPH_LOGIN",),
        description="Your own login on GitHub, for @me",
    ),
    Setting(
        name="user",
        variables=("RESOURCES_GRAPH_USER",),
        description="Whose sessions these are",
        default_note="your login name",
    ),
    Setting(
        name="memory.token",
        variables=("RESOURCES_GRAPH_MEMORY_TOKEN",),
        description="The token that resources-graph memory serve demands",
        secret=True,
    ),
    Setting(
        name="dagster.url",
        variables=("RESOURCES_GRAPH_DAGSTER_URL",),
        description="Where Dagster's pages are, for links",
        web=True,
    ),
)
"""Every setting, in the order in which they are shown."""


class Settings(Record):
    """The settings in force. Secrets do not show in its repr."""

    graph_url: str
    user: str
    github_api_url: str
    graph_user: str | None = None
    graph_password: str | None = None
    github_token: str | None = None
    github_hosts: str | None = None
    github_login: str | None = None
    memory_token: str | None = None
    dagster_url: str | None = None

    @property
    def hosts(self) -> frozenset[str]:
        """The GitHub hosts besides github.com, lower-case."""
        named = (self.github_hosts or "").lower().split(",")
        return frozenset(host.strip() for host in named if host.strip())

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


def setting_named(name: str) -> Setting:
    """The setting called ``name``; ConfigError when there is none."""
    for setting in SETTINGS:
        if setting.name == name:
            return setting
    known = ", ".join(setting.name for setting in SETTINGS)
    raise ConfigError(f"{name!r} is not a setting; one of {known}")


def load_settings(**overrides: str | None) -> Settings:
    """The settings in force; an override that is None or empty does not count.

    Overrides are named as the fields of :class:`Settings`, for instance ``graph_url``. Raises
    ConfigError when a value or the file is malformed.
    """
    unknown = overrides.keys() - Settings.__annotations__.keys()
    if unknown:
        raise TypeError(f"load_settings() has no override {min(unknown)!r}")
    values = {found.setting.field_name: found.value for found in values_in_force(overrides)}
    return Settings(
        graph_url=values["graph_url"] or "",
        user=values["user"] or "",
        github_api_url=values["github_api_url"] or "",
        graph_user=values["graph_user"],
        graph_password=values["graph_password"],
        github_token=values["github_token"],
        github_hosts=values["github_hosts"],
        github_login=values["github_login"],
        memory_token=values["memory_token"],
        dagster_url=values["dagster_url"],
    )


def values_in_force(overrides: Mapping[str, str | None] | None = None) -> list[Value]:
    """Every setting's value and its origin, in the order of :data:`SETTINGS`.

    Raises ConfigError as :func:`load_settings` does.
    """
    stored = _stored_values()
    return [
        _resolve(setting, (overrides or {}).get(setting.field_name), stored) for setting in SETTINGS
    ]


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
    known = {setting.name: setting for setting in SETTINGS}
    values: dict[str, str] = {}
    for name, (value, line) in read_values(path).items():
        where = f"{path} line {line}"
        if name not in known:
            raise ConfigError(f"{where}: {name!r} is not a setting; correct or remove it")
        if not isinstance(value, str):
            raise ConfigError(f"{where}: {name} must be text in quotes")
        values[name] = known[name].check(value, where)
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
