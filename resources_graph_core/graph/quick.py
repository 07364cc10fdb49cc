"""The graph as a hook reaches it: at once or not at all, and without the slow clients.

The embedded engine is spoken to through ``hiredis``; a server through ``pymgclient`` where that is
installed and can do what the URL asks for, else through the ``neo4j`` driver. Rows hold only text,
whole numbers and None: a statement for here returns nothing else.
"""

from __future__ import annotations

import time

from resources_graph_core.errors import GraphQueryError, GraphUnavailable
from resources_graph_core.graph.values import clean_parameters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from resources_graph_core.graph.resp import Connection

    class QuickGraph(Protocol):
        """What every way to the graph offers."""

        def query(self, statement: str, /, **parameters: object) -> list[dict[str, object]]:
            """Run one statement. Raises GraphUnavailable and GraphQueryError."""


CONNECT_SECONDS = 0.3
"""After which a connection attempt is given up."""


class QuickEngine:
    """The embedded engine of one data folder; never started from here.

    ``deadline`` is the ``time.monotonic()`` at which whatever is under way is given up. Raises
    GraphUnavailable when no engine answers.
    """

    def __init__(self, folder: str, *, deadline: float) -> None:
        from resources_graph_core.graph import running  # noqa: PLC0415 - not for servers

        found = running.connect(folder, timeout=min(CONNECT_SECONDS, _left(deadline)))
        if found is None:
            raise GraphUnavailable(f"No graph engine serves {folder} now.")
        self._connection: Connection = found
        self._name = running.GRAPH_NAME
        self._deadline = deadline

    def query(self, statement: str, /, **parameters: object) -> list[dict[str, object]]:
        """Run one statement, which the engine undoes when it takes too long.

        After the deadline nothing is begun: GraphUnavailable.
        """
        if time.monotonic() >= self._deadline:
            raise GraphUnavailable("The time for the graph is used up.")
        from resources_graph_core.graph.parameters import with_header  # noqa: PLC0415 - see above
        from resources_graph_core.graph.resp import ServerError  # noqa: PLC0415 - the same

        text = with_header(statement, clean_parameters(parameters))
        left = _left(self._deadline)
        self._connection.allow(left)
        try:
            answer = self._connection.call(
                "GRAPH.QUERY", self._name, text, "TIMEOUT", max(1, int(left * 1000))
            )
        except ServerError as error:
            raise GraphQueryError(f"The graph engine refused a statement: {error}") from error
        except OSError as error:
            raise GraphUnavailable(f"The graph engine did not answer: {error}.") from error
        if not isinstance(answer, list) or len(answer) == 1:  # a statement that returns nothing
            return []
        names, rows = answer[0], answer[1]
        return [dict(zip(names, row, strict=True)) for row in rows]


class QuickServer:
    """A server over Bolt, through ``pymgclient``.

    Its calls cannot be interrupted: whoever uses this must be able to do without the process.
    Raises GraphUnavailable, and ImportError without ``pymgclient``.
    """

    def __init__(self, url: str, *, user: str | None, password: str | None) -> None:
        import mgclient  # noqa: PLC0415 - an extra

        scheme, host, port = _parts(url)
        credentials = {"username": user or "", "password": password or ""}
        mode = mgclient.MG_SSLMODE_REQUIRE if "+" in scheme else mgclient.MG_SSLMODE_DISABLE
        self._error: type[Exception] = mgclient.Error
        try:
            self._connection = mgclient.connect(
                host=host,
                port=port,
                sslmode=mode,
                client_name="resources-graph",
                **(credentials if user or password else {}),
            )
            self._connection.autocommit = True
        except mgclient.Error as error:
            raise GraphUnavailable(f"The graph at {host}:{port} refused: {error}") from error

    def query(self, statement: str, /, **parameters: object) -> list[dict[str, object]]:
        """Run one statement."""
        cursor = self._connection.cursor()
        try:
            cursor.execute(statement, clean_parameters(parameters))
            rows = cursor.fetchall()
        except self._error as error:
            raise GraphQueryError(f"The graph refused a statement: {error}") from error
        names = [column.name for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in rows]


class QuickDriver:
    """A server over Bolt, through the ``neo4j`` driver. As ``QuickServer``, and slow to import."""

    def __init__(self, url: str, *, user: str | None, password: str | None) -> None:
        import neo4j  # noqa: PLC0415 - takes a third of a second
        from neo4j.exceptions import DriverError, Neo4jError  # noqa: PLC0415 - the same

        self._errors = (DriverError, Neo4jError, OSError)
        self._driver = neo4j.GraphDatabase.driver(
            url,
            auth=(user or "", password or "") if user or password else None,
            connection_timeout=CONNECT_SECONDS,
            max_transaction_retry_time=0,
            telemetry_disabled=True,
            user_agent="resources-graph",
        )

    def query(self, statement: str, /, **parameters: object) -> list[dict[str, object]]:
        """Run one statement."""
        try:
            with self._driver.session() as session:
                return session.run(statement, clean_parameters(parameters)).data()
        except self._errors as error:
            raise GraphUnavailable(
                f"The graph did not take a statement ({type(error).__name__})."
            ) from error


def knock(url: str) -> None:
    """See whether anybody listens at a URL, which ``pymgclient`` would wait for without end.

    Raises GraphUnavailable.
    """
    import socket  # noqa: PLC0415 - not for the embedded engine

    _, host, port = _parts(url)
    try:
        socket.create_connection((host, port), timeout=CONNECT_SECONDS).close()
    except OSError as error:
        raise GraphUnavailable(f"The graph at {host}:{port} cannot be reached: {error}.") from error


def open_server(url: str, *, user: str | None, password: str | None) -> QuickGraph:
    """The server at a URL, by the quickest client that does what the URL asks for.

    ``pymgclient`` encrypts but does not check certificates, so ``bolt+s`` is the driver's.
    Call ``knock`` before. Raises GraphUnavailable.
    """
    verified = url.partition(":")[0].lower().endswith("+s")
    ways: list[Callable[..., QuickGraph]] = (
        [QuickDriver] if verified else [QuickServer, QuickDriver]
    )
    for way in ways[:-1]:
        try:
            return way(url, user=user, password=password)
        except ImportError:
            continue
    return ways[-1](url, user=user, password=password)


def _parts(url: str) -> tuple[str, str, int]:
    from urllib.parse import urlsplit  # noqa: PLC0415 - not for the embedded engine

    try:
        parts = urlsplit(url)
        return parts.scheme.lower(), parts.hostname or "", parts.port or 7687
    except ValueError:
        raise GraphUnavailable("The graph's URL is none; set graph.url again.") from None


def _left(deadline: float) -> float:
    """The seconds that are left; some are always, so that a timeout is never 0, which is none."""
    return max(0.01, deadline - time.monotonic())
