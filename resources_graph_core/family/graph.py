"""Our graph on the family's connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from resources_graph_core.graph import schema
from resources_graph_core.graph.bolt import BoltGraph

if TYPE_CHECKING:
    from memgraph_context_graph.adapters._identity import HookConfig
    from neo4j import Driver

    from resources_graph_core.graph import Graph

DEFAULT_URL = "bolt://localhost:7687"


class Client(Protocol):
    """A client of ``memgraph-toolbox``, as far as we use it."""

    driver: Driver
    database: str


class FamilyGraph:
    """What the hook runner makes, sets up, and hands to the connector.

    Over the runner's own client where it has one, else by connection arguments.
    """

    def __init__(
        self,
        client: Client | None = None,
        *,
        url: str | None = None,
        username: str | None = None,
        password: str | None = None,
        database: str | None = None,
    ) -> None:
        self.graph: Graph = (
            BoltGraph(DEFAULT_URL, database=client.database or None, driver=client.driver)
            if client is not None
            else BoltGraph(
                url or DEFAULT_URL, user=username, password=password, database=database or None
            )
        )

    def setup(self) -> None:
        """Add the indexes and unique constraints that are missing."""
        schema.setup(self.graph)


def of_config(config: HookConfig) -> BoltGraph:
    """The graph that the family's configuration names for its user."""
    from memgraph_context_graph.spaces import spaces_for  # noqa: PLC0415 - only where they are

    target = spaces_for(config).personal().target
    return BoltGraph(
        target.url, user=target.user, password=target.password, database=target.database or None
    )
