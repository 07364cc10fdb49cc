"""What the assets need: the graph and GitHub, as the settings say when a run starts.

Nothing here is opened, and no setting is read, while definitions load. Neither resource has a
field for a secret: passwords and tokens come from the environment or the settings file, so that
Dagster's pages never show them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagster import ConfigurableResource
from pydantic import Field

from resources_graph_core.config import load_settings
from resources_graph_core.memory import open_memory

if TYPE_CHECKING:
    from resources_graph_core.github.source import OpenSource
    from resources_graph_core.memory import Memory


class GraphResource(ConfigurableResource[None]):
    """The graph that holds memory."""

    url: str | None = Field(
        default=None,
        description=(
            "embedded:, embedded:///folder, or bolt://host:7687. Empty: RESOURCES_GRAPH_URL, else "
            "the settings file, else the embedded graph in your data folder."
        ),
    )

    def open(self) -> Memory:
        """Open memory, its schema in place; use it in a ``with`` block.

        Raises GraphUnavailable when the graph cannot be reached, ConfigError for a bad setting.
        """
        memory = open_memory(settings=load_settings(graph_url=self.url))
        try:
            memory.setup()
        except BaseException:
            memory.close()
            raise
        return memory


class GitHubResource(ConfigurableResource[None]):
    """GitHub, where content comes from."""

    api_url: str | None = Field(
        default=None,
        description=(
            "GitHub's API, or a sandbox of your own. Empty: GITHUB_API_URL, else the settings "
            "file, else https://api.github.com."
        ),
    )

    def open(self, *, reserve: int | None = None) -> OpenSource:
        """Open GitHub as the settings say, further hosts too; use it in a ``with`` block.

        ``reserve`` points of GitHub's hourly limit are left for others. Raises ConfigError for a
        bad setting.
        """
        from resources_graph_core.github import open_configured  # noqa: PLC0415 - loads httpx

        settings = load_settings(github_api_url=self.api_url)
        if reserve is not None:
            settings = settings.changed(github_reserve=reserve)
        return open_configured(settings)
