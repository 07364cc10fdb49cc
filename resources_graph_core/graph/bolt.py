"""A graph server as a Graph: Memgraph (or ArcadeDB, or Neo4j) over Bolt."""

from __future__ import annotations

import logging
import random
from contextlib import contextmanager
from time import sleep
from typing import TYPE_CHECKING, Final

from neo4j import GraphDatabase, ManagedTransaction
from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConfigurationError,
    DriverError,
    IncompleteCommit,
    Neo4jError,
)
from neo4j.graph import Node, Path, Relationship

from resources_graph_core.errors import ConfigError, GraphQueryError, GraphUnavailable
from resources_graph_core.graph.base import Dialect, Graph, Row
from resources_graph_core.graph.values import clean_parameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neo4j import Driver, Result, Session

CONNECT_SECONDS: Final = 3.0
"""How long a server may take to accept a connection."""

RETRY_SECONDS: Final = 6.0
"""How long the driver repeats a transaction that lost against another one, or its connection."""

_FIRST_RETRY_SECONDS = 0.05
_RETRY_GROWTH = 1.5

_UNIQUE_KEY_ATTEMPTS = 5

# How each engine names itself in the handshake ("server agent"), lower-cased. Memgraph presents
# itself as compatible with Neo4j too, so the order matters.
_AGENTS: Final[tuple[tuple[str, Dialect], ...]] = (
    ("memgraph", "memgraph"),
    ("arcadedb", "arcadedb"),
    ("neo4j", "neo4j"),
)

# What each engine says of a second node with a unique key: in its code or in its message.
_DUPLICATE_SIGNS: Final = (
    "constraintvalidationfailed",  # Neo4j's status code
    "unique constraint violation",  # Memgraph's message
    "duplicated key",  # ArcadeDB's message
)


class BoltGraph(Graph):
    """A graph behind a Bolt server.

    Each statement is one managed transaction. The driver repeats it when the server undid it (a
    conflict, a connection lost before the commit), and it is repeated here a few times when it
    lost the race for a unique key, because the MERGE then finds the other one's node. When the
    connection breaks during the commit nobody knows whether the statement was stored: it is not
    repeated, and raises GraphUnavailable.

    ``database`` is one of the server's, None for its default. A ``driver`` that another program has
    opened is used instead of one of our own, and left open.
    """

    def __init__(
        self,
        url: str,
        *,
        user: str | None = None,
        password: str | None = None,
        database: str | None = None,
        driver: Driver | None = None,
    ) -> None:
        logging.getLogger("neo4j").addHandler(logging.NullHandler())  # no log, no stderr
        self._url = url
        self._database = database
        self._is_shared = driver is not None
        self._driver = driver or _connected(url, user, password)
        try:
            with self._failures():
                agent = self._driver.get_server_info().agent
        except BaseException:
            self.close()
            raise
        self._dialect = _dialect(agent)

    @property
    def dialect(self) -> Dialect:
        """Who answers, by the name in the Bolt handshake; an unknown server counts as Neo4j."""
        return self._dialect

    def query(self, statement: str, /, **parameters: object) -> list[Row]:
        """Run one statement in one managed transaction; see the class about repetitions."""
        values = clean_parameters(parameters)

        def work(transaction: ManagedTransaction) -> list[Row]:
            return _rows(transaction.run(statement, values))

        with self._failures():
            for attempt in range(1, _UNIQUE_KEY_ATTEMPTS + 1):
                try:
                    with self._session() as session:
                        return session.execute_write(work)
                except ClientError as error:
                    taken = is_duplicate(error.code, error.message)
                    if not taken or attempt == _UNIQUE_KEY_ATTEMPTS:
                        raise
                sleep(random.uniform(0, 0.01 * attempt))  # noqa: S311 - spreads two rivals
        raise AssertionError("unreachable: the last attempt returns or raises")

    def change_schema(self, statement: str, /) -> list[Row]:
        """Run a schema statement, outside a managed transaction as Memgraph demands."""
        with self._failures(), self._session() as session:
            return _rows(session.run(statement))

    def close(self) -> None:
        """Close the connections, unless they are somebody else's."""
        if not self._is_shared:
            self._driver.close()

    def _session(self) -> Session:
        return self._driver.session(database=self._database)

    def __repr__(self) -> str:
        """Where it is, without user and password."""
        return f"BoltGraph({self._url!r})"

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """Turn the driver's errors into the project's; none of its messages holds the password."""
        try:
            yield
        except AuthError as error:
            raise ConfigError(
                f"The graph at {self._url} rejected the user or the password. Set MEMGRAPH_USER "
                "and MEMGRAPH_PASSWORD (or graph.user and graph.password in the settings)."
            ) from error
        except IncompleteCommit as error:
            raise GraphUnavailable(
                f"The connection to the graph at {self._url} broke while a statement was being "
                "stored; it may or may not have been. Run it again once the server is back."
            ) from error
        except Neo4jError as error:
            if error.is_retryable():
                raise GraphUnavailable(
                    f"The graph at {self._url} kept refusing a statement for {RETRY_SECONDS:g} "
                    f"seconds: {_in_one_line(error.message)}. Try again when it is less busy."
                ) from error
            raise GraphQueryError(
                f"The graph refused a statement: {_in_one_line(error.message)}"
            ) from error
        except (DriverError, OSError) as error:
            raise GraphUnavailable(
                f"The graph at {self._url} cannot be reached: {_in_one_line(error)}. Start it, or "
                "set RESOURCES_GRAPH_URL to where it is (embedded: needs no server)."
            ) from error


def _connected(url: str, user: str | None, password: str | None) -> Driver:
    try:
        return GraphDatabase.driver(
            url,
            auth=(user or "", password or "") if user or password else None,
            connection_timeout=CONNECT_SECONDS,
            connection_acquisition_timeout=2 * CONNECT_SECONDS,
            max_transaction_retry_time=RETRY_SECONDS,
            initial_retry_delay=_FIRST_RETRY_SECONDS,
            retry_delay_multiplier=_RETRY_GROWTH,
            max_connection_pool_size=4,
            telemetry_disabled=True,
            user_agent="resources-graph",
        )
    except (ConfigurationError, ValueError) as error:
        raise ConfigError(f"The graph's URL {url} cannot be used: {_in_one_line(error)}.") from None


def _rows(result: Result) -> list[Row]:
    return [
        {name: _plain(value) for name, value in zip(record.keys(), record.values(), strict=True)}
        for record in result
    ]


def _in_one_line(error: object) -> str:
    return " ".join(str(error).split()).rstrip(".")


def _dialect(agent: str) -> Dialect:
    lower = agent.lower()
    return next((dialect for sign, dialect in _AGENTS if sign in lower), "neo4j")


def is_duplicate(code: str | None, message: str | None) -> bool:
    """Whether a server's error says that a unique key is taken already."""
    text = f"{code} {message}".lower()
    return any(sign in text for sign in _DUPLICATE_SIGNS)


def _plain(value: object) -> object:
    """A value as the driver gives it, in plain Python: nodes and edges are their properties."""
    match value:
        case Node() | Relationship():
            return {name: _plain(value[name]) for name in value}
        case Path():
            steps: list[object] = [None] * (len(value.nodes) + len(value.relationships))
            steps[::2] = map(_plain, value.nodes)
            steps[1::2] = map(_plain, value.relationships)
            return steps
        case list() | tuple():
            return [_plain(item) for item in value]
        case dict():
            return {name: _plain(item) for name, item in value.items()}
    return value
