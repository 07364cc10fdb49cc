"""From a URL to a graph, or to an error that says what to do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from resources_graph_core.errors import ConfigError
from resources_graph_core.graph import embedded, open_graph
from resources_graph_core.graph.opening import embedded_folder


@pytest.mark.parametrize("url", [None, "", "embedded:", "embedded://", "embedded:///", "EMBEDDED:"])
def test_the_default_is_in_the_data_folder(home: Path, url: str | None) -> None:
    with open_graph(url) as graph:
        assert graph.dialect == "falkordb"
        assert graph.query("RETURN 1 AS one") == [{"one": 1}]
        assert str(home) in repr(graph)
    assert embedded.status(home / "graph").running


def test_a_data_folder_that_cannot_be_made_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as changed:
        changed.setenv("RESOURCES_GRAPH_HOME", "/dev/null")
        with pytest.raises(ConfigError, match=r"/dev/null cannot be made: .* Set RESOURCES_GRAPH"):
            open_graph()


@pytest.mark.parametrize(
    ("url", "folder"),
    [
        ("embedded:///srv/graph", "/srv/graph"),
        ("embedded:/srv/graph", "/srv/graph"),
        ("embedded:///with%20space/ä", "/with space/ä"),
    ],
)
def test_a_folder_in_the_url(url: str, folder: str) -> None:
    assert embedded_folder(url) == Path(folder)


@pytest.mark.parametrize(
    "url",
    [
        *("http://localhost:7687", "redis://localhost", "localhost:7687", "/srv/graph", "bolt"),
        *("embedded:relative", "embedded://host/folder", "embedded:///a%00b"),
        *("bolt://", "bolt://:7687", "bolt://host:port", "bolt://host:99999", "bolt://[::1"),
    ],
)
def test_other_urls_say_what_to_use(home: Path, url: str) -> None:  # noqa: ARG001 - isolation
    with pytest.raises(ConfigError, match=r"bolt://host:7687") as caught:
        open_graph(url)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        *("bolt://ann:hunter2@host:7687", "bolt://:hunter2@host", "neo4j+s://hunter2@host:1"),
        *("bolt://ann:hunter2@host:port", "bolt://a:hunter2@[::1", "bolt:ann:hunter2@host"),
        *("http://ann:hunter2@host", "redis://:hunter2@host:6379", "ann:hunter2@host"),
        "embedded:ann:hunter2@host",
    ],
)
def test_a_password_in_the_url_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        open_graph(url)
    error: BaseException | None = caught.value
    while error is not None:
        assert "hunter2" not in repr(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def test_importing_the_package_imports_no_client() -> None:
    program = (
        "import sys, resources_graph_core.graph\n"
        "print(sorted({'neo4j', 'falkordb', 'redis', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
