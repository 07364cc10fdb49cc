"""The model behind an HTTP API, on a loopback server of the test's own."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from resources_graph_core.errors import ConfigError, EmbeddingFailed
from resources_graph_core.memory_graph import Embeddings, OpenAICompatible

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = "made-up-key"


class Server:
    """Answers every request with the same body."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.answer: tuple[int, object] = (200, {"data": []})
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                sent = {"path": self.path, "key": self.headers.get("Authorization")}
                outer.asked.append(sent | json.loads(body))
                status, answer = outer.answer
                self.send_response(status)
                self.end_headers()
                self.wfile.write(json.dumps(answer).encode())

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1/"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.close()


def test_texts_become_vectors_in_their_order(server: Server) -> None:
    server.answer = (
        200,
        {"data": [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0]}]},
    )
    model = OpenAICompatible(server.url, "small", 2, key=KEY, ask_dims=True)
    assert Embeddings(model).vectors(["a", "b"]) == [[1.0, 0.0], [0.0, 1.0]]
    assert server.asked == [
        {
            "path": "/v1/embeddings",
            "key": f"Bearer {KEY}",
            "model": "small",
            "input": ["a", "b"],
            "dimensions": 2,
        }
    ]
    assert KEY not in repr(model)


@pytest.mark.parametrize(
    ("answer", "part"),
    [
        ((500, {}), "status 500"),
        ((401, {}), "check the key"),
        ((200, {"error": "no"}), "something else"),
        ((200, {"data": []}), "0 vectors for 1"),
        ((200, {"data": [{"index": 0, "embedding": [1, 2, 3]}]}), "3 numbers"),
        ((200, {"data": [{"index": 0, "embedding": ["NaN", 1]}]}), "finite"),
    ],
)
def test_other_answers_are_refused(server: Server, answer: tuple[int, object], part: str) -> None:
    server.answer = answer
    with pytest.raises(EmbeddingFailed, match=part) as caught:
        Embeddings(OpenAICompatible(server.url, "small", 2, key=KEY)).vectors(["a"])
    assert KEY not in str(caught.value)


def test_nobody_there(server: Server) -> None:
    server.close()
    with pytest.raises(EmbeddingFailed, match="cannot be reached"):
        Embeddings(OpenAICompatible(server.url, "small", 2)).vectors(["a"])


def test_settings_that_cannot_be() -> None:
    for dims in (0, 10_000):
        with pytest.raises(ConfigError, match="numbers"):
            Embeddings(OpenAICompatible("http://localhost", "small", dims))
    with pytest.raises(ConfigError, match="character"):
        Embeddings(OpenAICompatible("http://localhost", "small", 2), characters=0)
