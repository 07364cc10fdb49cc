"""A Bolt server that is not there, that does not let us in, and that goes away."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from typing import Any

import pytest

from resources_graph_core.errors import ConfigError, GraphQueryError, GraphUnavailable
from resources_graph_core.graph import bolt, open_graph

SECRET = "hunter2-hunter2"


@pytest.fixture
def server(arcadedb: Any) -> Any:  # noqa: ANN401 - its class is in conftest.py
    return arcadedb.engine


def test_the_dialect_is_what_the_server_says(server: Any) -> None:  # noqa: ANN401 - as above
    with server.open() as graph:
        assert graph.dialect == "arcadedb"


@pytest.mark.parametrize(("user", "password"), [("root", SECRET), ("nobody", SECRET), (None, None)])
def test_a_wrong_password_says_which_setting(
    server: Any,  # noqa: ANN401 - as above
    user: str | None,
    password: str | None,
) -> None:
    with pytest.raises(ConfigError, match="MEMGRAPH_PASSWORD") as caught:
        open_graph(server.url, user=user, password=password)
    assert SECRET not in repr(caught.value)
    assert "\n" not in str(caught.value)


def test_a_password_is_in_no_representation(server: Any) -> None:  # noqa: ANN401 - as above
    with server.open() as graph:
        assert server.password not in repr(graph)
        assert server.url in repr(graph)


@pytest.mark.parametrize("host", ["127.0.0.1", "name.invalid"])
def test_a_server_that_is_not_there(host: str) -> None:
    with pytest.raises(GraphUnavailable, match="cannot be reached") as caught:
        open_graph(f"bolt://{host}:1", user="u", password=SECRET)
    assert SECRET not in repr(caught.value)
    assert "RESOURCES_GRAPH_URL" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_server_that_accepts_and_says_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        started = time.monotonic()
        with pytest.raises(GraphUnavailable, match="cannot be reached"):
            open_graph(f"bolt://127.0.0.1:{silent.getsockname()[1]}")
        assert time.monotonic() - started < 20 * bolt.CONNECT_SECONDS


def test_nothing_is_written_to_stderr(server: Any) -> None:  # noqa: ANN401 - as above
    program = (
        "import sys; from resources_graph_core.graph import open_graph\n"
        "url, password = sys.stdin.read().split()\n"
        "with open_graph(url, user='root', password=password) as graph:\n"
        "    graph.query('MATCH (n:NoSuchLabel) WHERE n.no_such_property = 1 RETURN n')\n"
        "    graph.query('MERGE (r:Resource {node_id: 1})')\n"
        "try: open_graph('bolt://127.0.0.1:1')\n"
        "except Exception as error: print(type(error).__name__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=f"{server.url} {server.password}",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("GraphUnavailable\n", "", 0)


@pytest.mark.parametrize(("pauses", "stored"), [(1, True), (4, True), (5, False)])
def test_a_lost_race_for_a_unique_key_is_repeated_a_few_times(
    server: Any,  # noqa: ANN401 - as above
    monkeypatch: pytest.MonkeyPatch,
    pauses: int,
    stored: bool,  # noqa: FBT001 - from the table
) -> None:
    """The rival holds the key until the given pause between two attempts."""
    with server.open() as graph, server.open() as rival:
        rival.query("MATCH (t:Touch) DETACH DELETE t")
        rival.query("CREATE (t:Touch {touch_id: 'taken', by: 'rival'})")
        left = iter(range(pauses - 1, -1, -1))

        def pause(_: float) -> None:
            if next(left) == 0:
                rival.query("MATCH (t:Touch) DELETE t")

        monkeypatch.setattr(bolt, "sleep", pause)
        create = "CREATE (t:Touch {touch_id: 'taken', by: 'us'})"
        if stored:
            graph.query(create)
        else:
            with pytest.raises(GraphQueryError, match="refused"):
                graph.query(create)
        owner = "us" if stored else "rival"
        assert rival.query("MATCH (t:Touch) RETURN t.by AS by") == [{"by": owner}]


@pytest.mark.parametrize(
    ("code", "message", "taken"),
    [
        (
            "Memgraph.ClientError.MemgraphError.MemgraphError",
            "Unable to commit due to unique constraint violation on :Touch(touch_id)",
            True,
        ),
        ("Neo.ClientError.Schema.ConstraintValidationFailed", "Node(1) already exists", True),
        ("Neo.ClientError.Statement.SyntaxError", "Invalid input", False),
        (None, None, False),
    ],
)
def test_what_counts_as_a_taken_key(code: str | None, message: str | None, taken: bool) -> None:  # noqa: FBT001 - from the table
    assert bolt.is_duplicate(code, message) is taken


def test_an_open_graph_outlives_its_server(arcadedb: Any) -> None:  # noqa: ANN401 - as above
    with arcadedb.engine.open() as graph:
        arcadedb.end(signal.SIGKILL)
        try:
            with pytest.raises(GraphUnavailable, match="cannot be reached"):
                graph.query("RETURN 1 AS one")
        finally:
            arcadedb.start()
        assert graph.query("RETURN 1 AS one") == [{"one": 1}]
