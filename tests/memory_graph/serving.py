"""The memory graph served over real HTTP, in a thread of the tests' own."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import httpx
import uvicorn

from resources_graph_core.graph import open_graph
from resources_graph_core.memory_graph.http import MemoryService

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from resources_graph_core.memory_graph.callers import Service


@contextmanager
def served(folder: Path, service: Service) -> Iterator[httpx.Client]:
    """A client of a server on the engine of a folder."""
    listener = socket.create_server(("127.0.0.1", 0))
    application = MemoryService(lambda: open_graph(f"embedded://{folder}"), service).application()
    server = uvicorn.Server(uvicorn.Config(application, log_level="error", ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with httpx.Client(base_url=url, timeout=60) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
