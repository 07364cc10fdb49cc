"""The embedded engine as a Graph: FalkorDB over its unix socket."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from falkordb import Edge, FalkorDB, Node, Path
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError
from redis.retry import Retry

from resources_graph_core.errors import GraphQueryError
from resources_graph_core.graph import embedded, failure
from resources_graph_core.graph.base import Dialect, Graph, Row
from resources_graph_core.graph.parameters import with_header
from resources_graph_core.graph.values import clean_parameters

if TYPE_CHECKING:
    import pathlib

_SOCKET_SECONDS = embedded.STATEMENT_TIMEOUT_SECONDS + 30
"""Longer than the engine's own limit, so that the engine is the one to give up and say so."""


_SCALARS = frozenset({str, int, float, bool, type(None)})


class FalkorGraph(Graph):
    """The graph in a data folder, its engine started when it does not run.

    Before each statement the engine is asked whether it is there, and started again when it is
    not. A statement that is cut off under way is *not* run again: it raises GraphUnavailable,
    because it may or may not have been stored, and only its caller knows whether a second run is
    harmless (the project's own statements are MERGEs, so for them it is).
    """

    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder
        self._graph: Any = None
        self._connect()

    @property
    def dialect(self) -> Dialect:
        """FalkorDB's."""
        return "falkordb"

    def query(self, statement: str, /, **parameters: object) -> list[Row]:
        """Run one statement; see the class about engines that end meanwhile."""
        # With its own header: several times as fast as the client's for a thousand keys.
        told = with_header(statement, clean_parameters(parameters)) if parameters else statement
        self._ensure_running()
        try:
            result = self._graph.query(told)
        except (RedisConnectionError, RedisTimeoutError) as error:
            raise failure.of_end(self._folder) from error
        except RedisError as error:
            raise GraphQueryError(f"The graph engine refused a statement: {error}") from error
        names = [column[1] for column in result.header]
        return [
            {
                name: value if type(value) in _SCALARS else _plain(value)
                for name, value in zip(names, record, strict=True)
            }
            for record in result.result_set
        ]

    def change_schema(self, statement: str, /) -> list[Row]:
        """Run a schema statement: Cypher, or a Redis command that starts with ``GRAPH.``."""
        if not statement.startswith("GRAPH."):
            return self.query(statement)
        self._ensure_running()
        try:
            self._database.execute_command(*statement.split())
        except (RedisConnectionError, RedisTimeoutError) as error:
            raise failure.of_end(self._folder) from error
        except RedisError as error:
            raise GraphQueryError(f"The graph engine refused {statement!r}: {error}") from error
        return []

    def close(self) -> None:
        """Hang up; the engine keeps running."""
        self._database.close()

    def __repr__(self) -> str:
        """Which folder it is."""
        return f"FalkorGraph({str(self._folder)!r})"

    def _connect(self) -> None:
        """Connect to the folder's engine, starting it when it does not run."""
        path = embedded.start(self._folder)
        try:
            self._database = FalkorDB(
                unix_socket_path=str(path),
                socket_timeout=_SOCKET_SECONDS,
                # The client would otherwise repeat statements on its own.
                retry=Retry(NoBackoff(), 0),
                connect_func=self._greet,
            )
        except RedisError as error:
            raise failure.of_end(self._folder) from error
        self._graph = self._database.select_graph(embedded.GRAPH_NAME)

    def _greet(self, connection: Any) -> None:  # noqa: ANN401 - the client's own, without types
        """Set up each new connection, and forget the names that the last engine gave numbers to.

        Answers carry property names as numbers, which a restarted engine may give out anew.
        """
        connection.on_connect()
        if self._graph is not None:
            self._graph.schema.clear()

    def _ensure_running(self) -> None:
        try:
            self._database.connection.ping()
        except (RedisConnectionError, RedisTimeoutError):
            self._database.close()
            self._connect()


def _plain(value: object) -> object:
    """A value as the client gives it, in plain Python: nodes and edges are their properties."""
    match value:
        case Node() | Edge():
            return {name: _plain(item) for name, item in (value.properties or {}).items()}
        case Path():
            return [_plain(item) for item in _steps(value)]
        case list():
            return [item if type(item) in _SCALARS else _plain(item) for item in value]
        case dict():
            return {name: _plain(item) for name, item in value.items()}
    return value


def _steps(path: Path) -> list[object]:
    """A path's nodes and edges in their order, starting and ending with a node."""
    steps: list[object] = [None] * (len(path.nodes()) + len(path.edges()))
    steps[::2] = path.nodes()
    steps[1::2] = path.edges()
    return steps
