"""What every engine offers: one statement at a time, plain Python values in and out."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Literal

from resources_graph_core.closing import Closed

Row = dict[str, Any]
"""One row of an answer, by column name. Nodes come as dicts of their properties."""

Dialect = Literal["falkordb", "memgraph", "arcadedb", "neo4j"]
"""Who is on the other side; only ``graph.schema`` cares."""


class Graph(Closed):
    """One open connection to a graph, safe to use from one thread at a time.

    Every statement is one atomic write; there are no transactions over several statements.
    """

    @property
    @abstractmethod
    def dialect(self) -> Dialect:
        """Which engine answers."""

    @abstractmethod
    def query(self, statement: str, /, **parameters: object) -> list[Row]:
        """Run one Cypher statement and return its rows.

        Parameters are strings, numbers, booleans, None, and lists and string-keyed dicts of these
        (tuples count as lists). Raises GraphUnavailable when the engine is out of reach, and
        GraphQueryError when it refuses the statement or a value.
        """

    @abstractmethod
    def change_schema(self, statement: str, /) -> list[Row]:
        """Run one statement of the engine's own about indexes or constraints, or a look at them.

        For ``graph.schema`` only: no other statement is in one engine's dialect. Raises as
        ``query`` does.
        """

    @abstractmethod
    def close(self) -> None:
        """Let go of the connection. An embedded engine keeps running."""
