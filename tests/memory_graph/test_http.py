"""The memory graph over real HTTP: operations, permissions, errors, bounds, and its document."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from resources_graph_core.errors import ConfigError
from resources_graph_core.memory_graph import OPERATIONS
from resources_graph_core.memory_graph.callers import Service
from resources_graph_core.memory_graph.http import serve
from tests.memory_graph.serving import served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from resources_graph_core.graph import Graph

ADA = {"Memory-Origin": "ada"}
TOKEN = "made-up-token"


@pytest.fixture
def client(embedded_graph: Graph, engine_folder: Path) -> Iterator[httpx.Client]:
    """A client of an open server, on an empty graph."""
    assert embedded_graph.query("MATCH (n) RETURN count(n) AS n") == [{"n": 0}]
    with served(engine_folder, Service()) as client:
        yield client


def error_of(answer: httpx.Response) -> tuple[int, str]:
    assert set(answer.json()) == {"error"}
    assert set(answer.json()["error"]) == {"name", "message"}
    return answer.status_code, answer.json()["error"]["name"]


def put(client: httpx.Client, name: str, graph: str = "main", **more: Any) -> httpx.Response:  # noqa: ANN401
    body = {"id": name, "kind": "task", **more}
    return client.post(f"/graphs/{graph}/put", json=body, headers=ADA)


def test_a_walk_over_http_comes_in_short_unless_asked_in_full(client: httpx.Client) -> None:
    assert put(client, "a").json()["node"]["origin"] == "ada"
    put(client, "b", label="\ud800".encode("utf-8", "surrogatepass").decode(errors="replace"))
    link = client.post(
        "/graphs/main/link", json={"src": "a", "dst": "b", "rel": "needs"}, headers=ADA
    )
    assert link.json()["edge"]["provenance"] == "claimed"
    found = client.post("/graphs/main/recall", json={"ids": ["a"]}).json()
    assert [hit["id"] for hit in found["hits"]] == ["a", "b"]
    assert "attrs" not in found["nodes"][0]
    full = client.post("/graphs/main/recall", json={"ids": ["a"], "project": "full"}).json()
    assert full["nodes"][0]["attrs"] == {}


@pytest.mark.parametrize(
    "attrs", ['{"a": "\\ud800"}', '{"\\ud800": 1}', '{"a": [{"b\\udc00": []}]}']
)
def test_half_a_character_is_refused(client: httpx.Client, attrs: str) -> None:
    body = f'{{"id": "a", "kind": "task", "attrs": {attrs}}}'
    headers = {**ADA, "Content-Type": "application/json"}
    answer = client.post("/graphs/main/put", content=body, headers=headers)
    assert error_of(answer) == (400, "UsageError")
    assert client.post("/graphs/main/stats", json={}).json()["nodes"] == 0


def test_graphs_are_apart(client: httpx.Client) -> None:
    put(client, "a", graph="one")
    assert error_of(client.post("/graphs/two/get", json={"id": "a"})) == (404, "UnknownId")
    assert client.post("/graphs/one/get", json={"id": "a"}).status_code == 200
    assert error_of(client.post("/graphs/~hidden/stats", json={})) == (400, "UsageError")


def test_each_error_has_its_status(client: httpx.Client) -> None:
    without = client.post("/graphs/main/put", json={"id": "a", "kind": "task"})
    assert error_of(without) == (400, "UsageError")
    assert "in the header Memory-Origin" in without.json()["error"]["message"]
    assert error_of(put(client, "a", label=f"token ghp_{'a' * 36}")) == (400, "Refused")
    assert error_of(client.post("/graphs/main/get", json={"id": 1})) == (400, "UsageError")
    assert error_of(client.post("/graphs/main/get", content=b"{}")) == (400, "UsageError")
    drop = client.post("/graphs/main/drop", json={"confirm": True}, headers=ADA)
    assert error_of(drop) == (403, "AccessDenied")
    nothing = client.post("/graphs/main/nothing", json={})
    assert error_of(nothing) == (404, "NotFound")
    assert f"one of {', '.join(OPERATIONS)}." in nothing.json()["error"]["message"]
    assert client.get("/graphs/main/get").status_code == 405


@pytest.mark.parametrize("headers", [{}, {"Content-Type": "application/json"}])
def test_no_body_asks_for_nothing_in_particular(
    client: httpx.Client, headers: dict[str, str]
) -> None:
    for name in ("stats", "dump", "match"):
        assert client.post(f"/graphs/main/{name}", headers=headers).status_code == 200, name
    needed = client.post("/graphs/main/get", headers=headers)
    assert error_of(needed) == (400, "UsageError")
    assert needed.json()["error"]["message"] == "get: it needs id"
    paths = client.get("/openapi.json").json()["paths"]
    required = {
        path.rpartition("/")[2]: one["post"]["requestBody"]["required"]
        for path, one in paths.items()
    }
    assert (required["stats"], required["get"]) == (False, True)


def test_a_field_that_is_misspelt_is_told(client: httpx.Client) -> None:
    told = put(client, "a", lable="A")
    assert error_of(told) == (400, "UsageError")
    said = "put: it takes no 'lable' (did you mean 'label'?); it takes: id, kind, label, attrs"
    assert told.json()["error"]["message"].startswith(said)


def test_a_page_in_a_browser_gets_nothing(client: httpx.Client) -> None:
    for header in ({"Origin": "https://example.com"}, {"Host": "rebound.example.com"}):
        answer = client.post("/graphs/main/stats", json={}, headers=header)
        assert error_of(answer) == (403, "AccessDenied")


def test_a_token_is_demanded_everywhere(embedded_graph: Graph, engine_folder: Path) -> None:  # noqa: ARG001 - empties it
    with served(engine_folder, Service(token=TOKEN)) as client:
        for header in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}):
            answer = client.post("/graphs/main/stats", json={}, headers=header)
            assert error_of(answer) == (401, "Unauthorized")
            assert client.get("/openapi.json", headers=header).status_code == 401
        right = {"Authorization": f"Bearer {TOKEN}"}
        assert client.post("/graphs/main/stats", json={}, headers=right).status_code == 200
        elsewhere = {
            "Memory-Embed-Url": "http://127.0.0.1:9/v1",
            "Memory-Embed-Model": "m",
            "Memory-Embed-Dims": "3",
        }
        denied = client.post("/graphs/main/stats", json={}, headers=right | elsewhere)
        assert error_of(denied) == (403, "AccessDenied")


def test_a_model_that_is_away_is_told_and_costs_no_write(client: httpx.Client) -> None:
    embedding = {
        "Memory-Embed-Url": "http://127.0.0.1:9/v1",
        "Memory-Embed-Model": "m",
        "Memory-Embed-Dims": "3",
    }
    stored = client.post(
        "/graphs/main/put", json={"id": "a", "kind": "task", "label": "A"}, headers=ADA | embedding
    )
    assert stored.json()["embedded"] is False
    asked = client.post("/graphs/main/match", json={"semantic": "A"}, headers=embedding)
    assert error_of(asked) == (500, "EmbeddingFailed")
    some = client.post("/graphs/main/match", json={}, headers={"Memory-Embed-Model": "m"})
    assert error_of(some) == (400, "UsageError")


@pytest.mark.parametrize(
    "url", ["file:///etc/hosts", "http://[::1", "http://", "http://h:99999", "ftp://h/v1", "x"]
)
def test_what_is_no_address_of_a_model_is_refused(client: httpx.Client, url: str) -> None:
    embedding = {"Memory-Embed-Url": url, "Memory-Embed-Model": "m", "Memory-Embed-Dims": "3"}
    asked = client.post("/graphs/main/match", json={"semantic": "A"}, headers=embedding)
    assert error_of(asked) == (400, "UsageError")


def test_many_who_write_the_same_node_at_once_all_get_their_turn(client: httpx.Client) -> None:
    def write(number: int) -> list[int]:
        return [put(client, "a", attrs={"by": number, "n": n}).status_code for n in range(10)]

    with ThreadPoolExecutor(6) as pool:
        assert {one for all_of in pool.map(write, range(6)) for one in all_of} == {200}
    versions = client.post("/graphs/main/trace", json={"id": "a"}).json()["versions"]
    assert len(versions) == 60


def test_a_read_only_server_writes_nothing(embedded_graph: Graph, engine_folder: Path) -> None:  # noqa: ARG001 - empties it
    with served(engine_folder, Service(read_only=True)) as client:
        assert error_of(put(client, "a")) == (403, "AccessDenied")
        paths = client.get("/openapi.json").json()["paths"]
        reading = {name for name, one in OPERATIONS.items() if not one.writes}
        assert {path.rpartition("/")[2] for path in paths} == reading


def test_a_body_is_bounded(embedded_graph: Graph, engine_folder: Path) -> None:  # noqa: ARG001 - empties it
    with served(engine_folder, Service(most_bytes=1000)) as client:
        assert error_of(put(client, "a", label="x" * 1000)) == (400, "Refused")
        assert put(client, "a", label="x" * 100).status_code == 200


def test_reads_are_counted_by_the_end(embedded_graph: Graph, engine_folder: Path) -> None:
    with served(engine_folder, Service()) as client:
        put(client, "a")
        for _ in range(3):
            client.post("/graphs/main/get", json={"id": "a"})
    rows = embedded_graph.query("MATCH (n:MemoryNode) RETURN n.accesses AS accesses")
    assert rows == [{"accesses": 3}]


def test_beyond_loopback_a_token_is_needed() -> None:
    def never() -> Graph:
        raise AssertionError

    with pytest.raises(ConfigError, match="token"):
        serve(never, Service(), host="0.0.0.0", port=0, announce=print)  # noqa: S104 - what is refused


def test_the_command_says_where_it_listens(home: Path) -> None:
    script = "import sys; from resources_graph_core.cli import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", script, "memory", "serve", "--port", "0"],
        env={**os.environ, "RESOURCES_GRAPH_HOME": str(home)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["listening"]
        assert httpx.post(f"{url}/graphs/main/stats", json={}, timeout=60).status_code == 200
    finally:
        process.send_signal(signal.SIGTERM)
        rest, _ = process.communicate(timeout=60)
    assert rest == ""


NO_MODEL = "http://127.0.0.1:9/v1"
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
]


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
@pytest.mark.parametrize("name", list(OPERATIONS))
def test_what_is_served_is_what_the_document_says(
    name: str, mode: GenerationMode, fuzzed: httpx.Client
) -> None:
    schema = schemathesis.openapi.from_dict(fuzzed.get("/openapi.json").json())
    operation = schema[f"/graphs/{{graph_id}}/{name}"]["POST"]

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=25,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def holds(case: schemathesis.Case) -> None:
        url = case.headers.get("Memory-Embed-Url")
        if url is not None and (mode.is_positive or url.startswith("http")):
            case.headers["Memory-Embed-Url"] = NO_MODEL  # none elsewhere is ever asked
        answer = case.call(base_url=str(fuzzed.base_url))
        case.validate_response(answer, checks=_checks(case, answer))

    holds()


def _checks(case: schemathesis.Case, answer: schemathesis.Response) -> list[Any]:
    """What must hold of an answer."""
    embedding = {name for name in case.headers if name.startswith("Memory-Embed-")}
    unread = embedding and not embedding & {"Memory-Embed-Model", "Memory-Embed-Dims"}
    failed = answer.status_code == 500 and answer.json()["error"]["name"] == "EmbeddingFailed"
    return [
        check
        for check in CHECKS
        if not (unread and check is negative_data_rejection)  # no model is named, so none is used
        and not (failed and check is not_a_server_error)  # how a model that is away is told
    ]


@pytest.fixture(scope="module")
def fuzzed(engine_folder: Path) -> Iterator[httpx.Client]:
    """A client of a server that allows everything."""
    with served(engine_folder, Service(trusted=True, privileged=True)) as client:
        yield client
