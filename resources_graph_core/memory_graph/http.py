"""The memory graph over HTTP: ``POST /graphs/<graph_id>/<operation>``, JSON in and JSON out.

Headers say who writes and how to embed; ``GET /openapi.json`` describes it all. A server without a
token listens on loopback only.
"""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import uvicorn
from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from resources_graph_core.errors import (
    AccessDenied,
    ConfigError,
    GraphUnavailable,
    Refused,
    ResourcesGraphError,
    UnknownId,
    UsageError,
)
from resources_graph_core.memory_graph import callers, embedding_headers
from resources_graph_core.memory_graph.accesses import LONGEST_WAIT_SECONDS, Accesses
from resources_graph_core.memory_graph.callers import Service, Unauthorized
from resources_graph_core.memory_graph.connections import Connections
from resources_graph_core.memory_graph.handle import MemoryGraph
from resources_graph_core.memory_graph.inputs import read_object
from resources_graph_core.memory_graph.openapi import ORIGIN_HEADER, document
from resources_graph_core.memory_graph.operations import OPERATIONS, dispatch

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from starlette.requests import Request

    from resources_graph_core.graph import Graph

MOST_CONNECTIONS = 4
"""Requests that are at the graph at the same time; others wait."""


def status_of(error: ResourcesGraphError) -> int:
    """The HTTP status that an error is told with."""
    match error:
        case Unauthorized():
            return 401
        case AccessDenied():
            return 403
        case UnknownId():
            return 404
        case UsageError():
            return 400
    return 500


class MemoryService:
    """The ASGI application's parts, over graphs that ``opening`` opens."""

    def __init__(self, opening: Callable[[], Graph], service: Service) -> None:
        self._service = service
        self._connections = Connections(opening, most=MOST_CONNECTIONS)
        self._accesses = Accesses()
        self._document = document(
            read_only=service.read_only, needs_token=service.token is not None
        )

    def application(self) -> Starlette:
        """The ASGI application."""
        return Starlette(
            routes=[
                Route("/openapi.json", self._describe, methods=["GET"]),
                *(
                    Route(f"/graphs/{{graph_id}}/{name}", self._operate, methods=["POST"])
                    for name in OPERATIONS
                ),
            ],
            exception_handlers={HTTPException: _of_protocol, Exception: _unexpected},
            lifespan=self._lifespan,
        )

    async def _describe(self, request: Request) -> Response:
        try:
            callers.check(request.headers, self._service)
        except ResourcesGraphError as error:
            return _failed(error)
        return _json(self._document)

    async def _operate(self, request: Request) -> Response:
        try:
            callers.check(request.headers, self._service)
            arguments = await self._arguments(request)
            answer = await to_thread.run_sync(self._run, request, arguments)
        except ResourcesGraphError as error:
            return _failed(error)
        return _json(answer)

    async def _arguments(self, request: Request) -> dict[str, Any]:
        """The body's JSON object; an empty one where there is no body.

        Raises UsageError, and Refused for too long a body.
        """
        most = self._service.most_bytes
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > most:
                raise Refused(f"The body is longer than {most} bytes; send it in parts.")
        if not body:
            return {}
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise UsageError("Send the request as JSON, with 'Content-Type: application/json'.")
        try:
            return read_object(body.decode())
        except UnicodeDecodeError:
            raise UsageError("The body is no UTF-8.") from None

    def _run(self, request: Request, arguments: dict[str, Any]) -> dict[str, Any]:
        """Run the operation that the path names, in a thread of its own."""
        graph_id, name = request.path_params["graph_id"], request.url.path.rpartition("/")[2]
        access = callers.access_of(request.headers, self._service)
        embeddings = embedding_headers.embeddings_of(request.headers, self._service)
        if OPERATIONS[name].writes:
            if access.origin is None and not access.read_only:
                raise UsageError(
                    f"A write needs an origin: say who it is by in the header {ORIGIN_HEADER}; "
                    "nothing was written."
                )
            access.writer()
        with self._connections.borrow() as graph:
            handle = MemoryGraph(
                graph,
                graph_id=graph_id,
                access=access,
                embeddings=embeddings,
                accesses=self._accesses,
            )
            return dispatch(handle, name, arguments)

    @asynccontextmanager
    async def _lifespan(self, _application: Starlette) -> AsyncIterator[None]:
        """Write access counts now and then, and at last; close the graphs at the end."""
        writing = asyncio.create_task(self._write_accesses())
        try:
            yield
        finally:
            writing.cancel()
            with suppress(asyncio.CancelledError):
                await writing
            with suppress(GraphUnavailable):  # then the counts are lost, as they are in a crash
                await to_thread.run_sync(self._write_waiting)
            self._connections.close()

    async def _write_accesses(self) -> None:
        while True:
            await asyncio.sleep(LONGEST_WAIT_SECONDS)
            with suppress(GraphUnavailable):  # they wait on, for when it is back
                await to_thread.run_sync(self._write_waiting)

    def _write_waiting(self) -> None:
        if self._accesses.is_waiting:
            with self._connections.borrow() as graph:
                self._accesses.write(graph)


def serve(
    opening: Callable[[], Graph],
    service: Service,
    *,
    host: str,
    port: int,
    announce: Callable[[str], None],
) -> None:
    """Serve in the foreground until interrupted; ``announce`` is told the URL when it listens.

    Raises ConfigError for a host beyond loopback without a token, and for a port that is taken.
    """
    if service.token is None and not callers.is_loopback(host):
        raise ConfigError(
            f"Beyond loopback, on {host}, a token is needed: set RESOURCES_GRAPH_MEMORY_TOKEN, or "
            "memory.token in the settings."
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=128)
    except OSError as error:
        raise ConfigError(
            f"The memory graph cannot listen on {host}:{port}: {error.strerror}; choose another "
            "--port"
        ) from None
    with listener:
        application = MemoryService(opening, service).application()
        config = uvicorn.Config(application, log_level="error", access_log=False, ws="none")
        shown = f"[{host}]" if family == socket.AF_INET6 else host
        announce(f"http://{shown}:{listener.getsockname()[1]}")
        uvicorn.Server(config).run(sockets=[listener])


def _json(
    document: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """JSON in ASCII, so that halves of characters, which have no UTF-8, can be told too."""
    text = json.dumps(document, allow_nan=False)
    return Response(text, status, headers, media_type="application/json")


def _failed(error: ResourcesGraphError) -> Response:
    status = status_of(error)
    headers = {"WWW-Authenticate": "Bearer"} if status == HTTPStatus.UNAUTHORIZED else None
    return _problem(type(error).__name__, str(error), status, headers)


def _problem(
    name: str, message: str, status: int, headers: Mapping[str, str] | None = None
) -> Response:
    return _json({"error": {"name": name, "message": message}}, status, headers)


async def _of_protocol(request: Request, error: Exception) -> Response:
    """A path or a method that is none."""
    if not isinstance(error, HTTPException):
        return await _unexpected(request, error)
    name = HTTPStatus(error.status_code).phrase.replace(" ", "")
    said = (
        f"POST to /graphs/<graph_id>/<operation>; an operation is one of {', '.join(OPERATIONS)}."
    )
    return _problem(name, said, error.status_code, error.headers)


async def _unexpected(_request: Request, error: Exception) -> Response:
    """A defect: told by its name only, the rest is on stderr."""
    return _problem(type(error).__name__, "This should not have happened.", 500)
