"""Where an agent was when it reached for GitHub, as far as that decides what it reached for."""

from __future__ import annotations

from resources_graph_core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from resources_graph_core.capture.checkout import Checkout

GITHUB = "github.com"
ENVIRONMENT_NAMES = ("GH_REPO", "GH_HOST", "GIT_DIR", "HOME", "XDG_CONFIG_HOME")
"""The environment variables that decide what a command reaches for; none other is looked at."""


class Context(Record):
    """What surrounds a tool call or a prompt.

    - ``cwd`` is the absolute directory in which commands run; None when the harness does not say.
    - ``environment`` holds those of ENVIRONMENT_NAMES that are set.
    - ``hosts`` are the hosts besides github.com that the settings name; anything on another host is
      never captured.
    - ``login`` is the user's own GitHub login, for ``@me``; None when it is not configured.
    - ``checkout`` reads which repository a directory is a checkout of; None when nobody may look.
    """

    cwd: str | None = None
    environment: Mapping[str, str] = {}
    hosts: frozenset[str] = frozenset()
    login: str | None = None
    checkout: Checkout | None = None

    def at(self, cwd: str | None, environment: Mapping[str, str]) -> Context:
        """The same, in another directory and environment."""
        return Context(
            cwd=cwd,
            environment=environment,
            hosts=self.hosts,
            login=self.login,
            checkout=self.checkout,
        )

    @property
    def default_host(self) -> str:
        """The host that ``gh`` asks when nothing else names one."""
        return self.environment.get("GH_HOST", "").lower() or GITHUB

    def knows(self, host: str) -> bool:
        """Whether ``host`` (lower-case) is github.com or one that the settings name."""
        return host == GITHUB or host in self.hosts
