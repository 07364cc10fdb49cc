"""What can be set: each setting's name, where it comes from and what it may hold.

Hooks import this, so only the standard library is loaded.
"""

from __future__ import annotations

import re

from resources_graph_core.errors import ConfigError
from resources_graph_core.record import Record

RESERVE = 100
"""Points of GitHub's hourly 5,000 that are left to whoever else uses the same token, as ``gh``."""

IN_FLIGHT = 4
"""Requests at once by default; GitHub allows 100, and advises one."""

MOST_IN_FLIGHT = 100
"""Requests at once, REST and GraphQL together, before GitHub refuses."""

LONGEST_WAIT = 120
"""Seconds waited in all, by default, when GitHub asks for a pause."""


class Setting(Record):
    """One thing that can be set.

    ``variables`` are its environment variables, strongest first. ``default`` is None for a setting
    that may be missing; ``default_note`` says what happens then. A ``secret`` is never shown,
    ``web`` values must be http or https addresses, one with ``choices`` is one of them, one of
    ``seconds`` a number from 0 on, and one with a ``least`` a whole number from that on, up to
    ``most`` where given.
    """

    name: str
    variables: tuple[str, ...]
    description: str
    default: str | None = None
    default_note: str = ""
    secret: bool = False
    web: bool = False
    choices: tuple[str, ...] = ()
    seconds: bool = False
    least: int | None = None
    most: int | None = None

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
        if self.secret and self.name.endswith("token") and not _TOKEN.fullmatch(value):
            raise ConfigError(f"{where}: {self.name} is not a token; set it again")
        if _PASSWORD_IN_URL.match(value) and not self.secret:
            raise ConfigError(f"{where}: {self.name} holds a password; keep it in a secret setting")
        if self.web and not value.startswith(("http://", "https://")):
            raise ConfigError(f"{where}: {self.name} is {value!r}, not an http or https address")
        if self.choices and value not in self.choices:
            raise ConfigError(
                f"{where}: {self.name} is {value!r}; make it {' or '.join(self.choices)}"
            )
        if self.seconds and not _is_seconds(value):
            raise ConfigError(
                f"{where}: {self.name} is {value!r}, not a number of seconds: 0 or more"
            )
        if self.least is not None and not self._in_range(value):
            most = f" to {self.most}" if self.most is not None else " or more"
            raise ConfigError(
                f"{where}: {self.name} is {value!r}, not a whole number: {self.least}{most}"
            )
        return value

    def _in_range(self, value: str) -> bool:
        if not _WHOLE_NUMBER.fullmatch(value):
            return False
        return (self.least or 0) <= int(value) <= (int(value) if self.most is None else self.most)


def _is_seconds(value: str) -> bool:
    try:
        return 0 <= float(value) < float("inf")
    except ValueError:
        return False


_WHOLE_NUMBER = re.compile(r"[0-9]{1,9}")
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
        name="github.enterprise_token",
        variables=("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"),
        description="The token for Enterprise Servers without one of their own",
        default_note="the gh login there, else none",
        secret=True,
    ),
    Setting(
        name="github.reserve",
        variables=("RESOURCES_GRAPH_RESERVE",),
        description="Points of GitHub's hourly limit that a sweep leaves to others, such as gh",
        default=str(RESERVE),
        least=0,
    ),
    Setting(
        name="github.in_flight",
        variables=("RESOURCES_GRAPH_IN_FLIGHT",),
        description="Requests to GitHub at once",
        default=str(IN_FLIGHT),
        least=1,
        most=MOST_IN_FLIGHT,
    ),
    Setting(
        name="github.longest_wait",
        variables=("RESOURCES_GRAPH_LONGEST_WAIT",),
        description="Seconds a sweep waits in all when GitHub asks for pauses",
        default=str(LONGEST_WAIT),
        least=0,
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
        name="github_memory.roadmaps",
        variables=("RESOURCES_GRAPH_ROADMAPS",),
        description="Roadmap issues to keep in memory, owner/repo#N, separated by commas",
    ),
    Setting(
        name="github_memory.decisions",
        variables=("RESOURCES_GRAPH_DECISIONS",),
        description="Issues or pull requests whose decisions to keep in memory",
    ),
    Setting(
        name="github_memory.triage",
        variables=("RESOURCES_GRAPH_TRIAGE",),
        description="Tracking issues or GitHub Projects whose triage backlogs to keep in memory",
    ),
    Setting(
        name="github_memory.allowed",
        variables=("RESOURCES_GRAPH_ALLOWED",),
        description="Logins whose decisions count besides those with write access",
    ),
    Setting(
        name="github_memory.write_pause",
        variables=("RESOURCES_GRAPH_WRITE_PAUSE",),
        description="Seconds between two writes to GitHub",
        default="1",
        seconds=True,
    ),
    Setting(
        name="github_memory.tools",
        variables=("RESOURCES_GRAPH_MEMORY_TOOLS",),
        description="What MCP tools may do with these stores: read, or write",
        default="read",
        choices=("read", "write"),
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
"""Every setting but those of a host, in the order in which they are shown."""

_OF_A_HOST = re.compile(
    r"github\.host\.(?P<host>[a-z0-9][a-z0-9.-]*(?::[0-9]{1,5})?)\.(?P<key>token|api_url)",
    re.IGNORECASE,
)


def setting_named(name: str) -> Setting:
    """The setting called ``name``; ConfigError when there is none.

    Each further host has two of its own: ``github.host.HOST.token`` and ``.api_url``.
    """
    for setting in SETTINGS:
        if setting.name == name:
            return setting
    found = _OF_A_HOST.fullmatch(name)
    if found is None:
        known = ", ".join(setting.name for setting in SETTINGS)
        raise ConfigError(
            f"{name!r} is not a setting; one of {known}, github.host.HOST.api_url and "
            "github.host.HOST.token"
        )
    if found["key"].lower() == "token":
        return Setting(
            name=name, variables=(), description=f"The token for {found['host']}", secret=True
        )
    return Setting(
        name=name, variables=(), description=f"Where the API of {found['host']} is", web=True
    )


def host_of(name: str) -> str | None:
    """The host, in lower case, that the setting called ``name`` is about; None for any other."""
    found = _OF_A_HOST.fullmatch(name)
    return found["host"].lower() if found else None
