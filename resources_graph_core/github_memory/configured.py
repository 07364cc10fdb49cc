"""The stores that the settings name, and what may be done with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from resources_graph_core.address import parse_address
from resources_graph_core.errors import ConfigError, UsageError
from resources_graph_core.github_memory.projects import ProjectAddress, parse_project

if TYPE_CHECKING:
    from resources_graph_core.address import Address
    from resources_graph_core.config import Settings

Kind = Literal["roadmap", "decisions", "triage"]


@dataclass(frozen=True, slots=True)
class StorePlace:
    """A store: which kind it is, and the issue, pull request or project that it is in."""

    kind: Kind
    where: Address | ProjectAddress

    @property
    def url(self) -> str:
        """Its page on GitHub."""
        where = self.where
        if isinstance(where, ProjectAddress):
            return str(where)
        return f"https://{where.host}/{where.name_with_owner}/issues/{where.number}"


def stores_in(settings: Settings) -> list[StorePlace]:
    """Every store that the settings name, each once. ConfigError for what names no issue."""
    named: list[tuple[Kind, str, str | None]] = [
        ("roadmap", "github_memory.roadmaps", settings.github_memory_roadmaps),
        ("decisions", "github_memory.decisions", settings.github_memory_decisions),
        ("triage", "github_memory.triage", settings.github_memory_triage),
    ]
    places = [
        StorePlace(kind, (kind == "triage" and parse_project(text)) or _issue(text, setting))
        for kind, setting, value in named
        for text in _several(value)
    ]
    return list(dict.fromkeys(places))


def allowed_logins(settings: Settings) -> frozenset[str]:
    """Whose decisions count without write access."""
    return frozenset(_several(settings.github_memory_allowed))


def write_pause(settings: Settings) -> float:
    """Seconds between two writes. ConfigError for what is no number of seconds."""
    try:
        seconds = float(settings.github_memory_write_pause)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise ConfigError(
            f"github_memory.write_pause is {settings.github_memory_write_pause!r}; make it a "
            "number of seconds, 0 or more"
        )
    return seconds


def tools_may_write(settings: Settings) -> bool:
    """Whether MCP tools may write. ConfigError for another word than read and write."""
    if settings.github_memory_tools not in {"read", "write"}:
        raise ConfigError(
            f"github_memory.tools is {settings.github_memory_tools!r}; make it read or write"
        )
    return settings.github_memory_tools == "write"


def _several(value: str | None) -> list[str]:
    return [part.strip() for part in (value or "").split(",") if part.strip()]


def _issue(text: str, setting: str) -> Address:
    try:
        found = parse_address(text)
    except UsageError as error:
        raise ConfigError(f"{setting}: {error}") from None
    if found.kind != "item":
        raise ConfigError(f"{setting}: {text!r} is no issue or pull request; write owner/repo#12")
    return found
