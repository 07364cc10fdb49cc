"""The sandbox over HTTP: Starlette on uvicorn, on loopback unless told otherwise.

Tests in the same process change :class:`Sandbox`'s ``state`` and ``faults`` directly; others POST
JSON arguments to ``/_sandbox/state/METHOD`` and ``/_sandbox/faults/METHOD`` from the same machine,
and GET ``/_sandbox/requests``.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from dataclasses import asdict
from ipaddress import ip_address
from typing import TYPE_CHECKING, Self

import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from resources_graph_core.errors import ResourcesGraphError, UsageError
from resources_graph_core.sandbox.answering import GitHub, Incoming
from resources_graph_core.sandbox.archive import load_archive, packaged_archives
from resources_graph_core.sandbox.control import control
from resources_graph_core.sandbox.faults import Faults
from resources_graph_core.sandbox.graphql import published_schema
from resources_graph_core.sandbox.requests import Requests
from resources_graph_core.sandbox.state import State, utc_now

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path
    from types import TracebackType

    from starlette.requests import Request as HttpRequest
    from starlette.types import Receive, Scope, Send

    from resources_graph_core.sandbox.faults import Refusal

LOOPBACK = "127.0.0.1"
_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
_START_SECONDS = 30
_MOST_BYTES = 65_536
"""The longest body that controls the sandbox."""


class Sandbox:
    """A small GitHub, running while its ``with`` block does.

    ``archives`` are files; none means the packaged ones. ``token`` is the only one accepted, None
    accepts any. ``schema`` is a file with GitHub's own schema: documents that it does not allow are
    refused. Raises ArchiveError for a file that is not an archive, UsageError for one that is no
    schema.
    """

    def __init__(
        self,
        archives: Sequence[Path] = (),
        *,
        host: str = LOOPBACK,
        port: int = 0,
        token: str | None = None,
        schema: Path | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        files = archives or packaged_archives()
        self.state = State((load_archive(file) for file in files), clock=clock)
        self.faults = Faults(clock=clock)
        self.requests = Requests()
        self._github = GitHub(
            self.state, self.faults, token, published_schema(schema) if schema else None
        )
        self._host, self._port = host, port
        self._socket: socket.socket | None = None
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """Where it listens: what ``GITHUB_API_URL`` is set to."""
        return f"http://{self._host}:{self._port}"

    def __enter__(self) -> Self:
        """Start to serve, in a thread of its own."""
        self._bind()
        self._thread = threading.Thread(target=self._run, name="sandbox", daemon=True)
        self._thread.start()
        server = self._made()
        for _ in range(_START_SECONDS * 100):
            if server.started:
                return self
            if not self._thread.is_alive():
                break
            threading.Event().wait(0.01)
        raise UsageError(
            f"the sandbox did not start to listen within {_START_SECONDS} s; try again"
        )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop."""
        self._made().should_exit = True
        if self._thread is not None:
            self._thread.join()

    def serve(self, announce: Callable[[str], None]) -> None:
        """Serve in the foreground until interrupted; ``announce`` is told the URL."""
        self._bind()
        announce(self.url)
        self._run()

    def _bind(self) -> None:
        try:
            # Bound before anything is told, so that nobody asks too early.
            self._socket = socket.create_server((self._host, self._port), backlog=128)
        except OSError as error:
            raise UsageError(
                f"The sandbox cannot listen on {self._host}:{self._port}: {error.strerror}; "
                "choose another --port"
            ) from None
        self._port = self._socket.getsockname()[1]
        application = Starlette(
            routes=[
                Route("/_sandbox/{path:path}", self._controlled, methods=["GET", "POST"]),
                Route("/{path:path}", self._answer, methods=_METHODS),
            ]
        )
        config = uvicorn.Config(
            application, log_level="critical", access_log=False, lifespan="off", ws="none"
        )
        self._server = uvicorn.Server(config)

    def _made(self) -> uvicorn.Server:
        if self._server is None:
            raise UsageError("the sandbox does not run yet; use it in a with block")
        return self._server

    def _run(self) -> None:
        self._made().run(sockets=[self._socket] if self._socket else None)

    async def _answer(self, http: HttpRequest) -> Response:
        with self.requests.in_progress():
            return await self._answered(http)

    async def _answered(self, http: HttpRequest) -> Response:
        incoming = Incoming(
            method=http.method,
            path=http.url.path,
            query=dict(http.query_params),
            headers=dict(http.headers),
            body=await http.body(),
            base_url=f"{http.url.scheme}://{http.url.netloc}",
        )
        if self.faults.latency_seconds:
            await asyncio.sleep(self.faults.latency_seconds)
        answer = self._github.answer(incoming)
        self.requests.keep(answer.request)
        return _response(answer.refusal)

    async def _controlled(self, http: HttpRequest) -> Response:
        path = http.path_params["path"]
        if not _from_this_machine(http):
            return JSONResponse({"error": "only this machine may do that"}, status_code=403)
        if path == "requests":
            return JSONResponse([asdict(one) for one in self.requests.all])
        if http.method != "POST" or int(http.headers.get("content-length", "0")) > _MOST_BYTES:
            return JSONResponse({"error": "POST a small JSON object"}, status_code=400)
        try:
            result = control(self.state, self.faults, path, await http.body())
        except ResourcesGraphError as error:
            return JSONResponse({"error": str(error)}, status_code=400)
        return JSONResponse({"result": result})


def serve(
    archives: Sequence[Path] = (),
    *,
    host: str = LOOPBACK,
    port: int = 0,
    token: str | None = None,
    schema: Path | None = None,
    announce: Callable[[str], None],
) -> None:
    """Serve archives in the foreground until interrupted.

    ``announce`` is told the URL. Raises ArchiveError for a file that is not an archive, UsageError
    when the port is taken or ``schema``, a file with GitHub's own, is none.
    """
    Sandbox(archives, host=host, port=port, token=token, schema=schema).serve(announce)


def _from_this_machine(http: HttpRequest) -> bool:
    """Whether a program on this machine asks, and no page in its browser."""
    return (
        http.client is not None
        and ip_address(http.client.host).is_loopback
        and "origin" not in http.headers
    )


def _response(refusal: Refusal) -> Response:
    body = refusal.body.encode()
    headers = {**refusal.headers, "content-type": refusal.content_type}
    if refusal.cut:
        return _CutResponse(body or b'{"data": {"repository":', refusal.status, headers)
    return Response(body, refusal.status, headers)


class _CutResponse(Response):
    """Promises more than it sends, then lets go: uvicorn closes the connection."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI
        headers = [
            (name, value) for name, value in self.raw_headers if name.lower() != b"content-length"
        ]
        length = str(len(self.body) + 100).encode()
        await send(
            {
                "type": "http.response.start",
                "status": self.status_code,
                "headers": [*headers, (b"content-length", length)],
            }
        )
        await send({"type": "http.response.body", "body": bytes(self.body), "more_body": True})
