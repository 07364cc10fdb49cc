"""What the package promises to those who import it, and what importing it costs."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import resources_graph_core

NAMES = [
    "Address",
    "ConfigError",
    "Filters",
    "GitHubAuthError",
    "GitHubUnavailable",
    "GraphUnavailable",
    "Memory",
    "NotFound",
    "NotPublic",
    "RateLimited",
    "ResourcesGraphError",
    "UsageError",
    "open_graph",
    "open_memory",
    "parse_address",
]
HEAVY = ["falkordb", "httpx", "neo4j", "pydantic", "rich", "typer", "dagster"]


def test_the_exported_names() -> None:
    assert resources_graph_core.__all__ == NAMES
    assert dir(resources_graph_core) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_name_resolves(name: str) -> None:
    assert getattr(resources_graph_core, name).__name__ == name


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing_of_ours"):
        _ = resources_graph_core.nothing_of_ours  # type: ignore[attr-defined]


def _loaded_by(statement: str) -> list[str]:
    program = (
        f"import sys, json; {statement};"
        f"print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    )
    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded: list[str] = json.loads(shown.stdout)
    return loaded


@pytest.mark.parametrize(
    "statement",
    [
        "import resources_graph_core",
        "from resources_graph_core import Address, parse_address; parse_address('o/r#1')",
        "import resources_graph_core.config as config; config.load_settings()",
        "import resources_graph_core.graph.embedded",
    ],
)
def test_what_a_hook_imports_is_light(statement: str) -> None:
    assert _loaded_by(statement) == []


def test_the_core_works_without_dagster() -> None:
    program = "import resources_graph_core.cli.application, resources_graph_core.memory"
    assert "dagster" not in _loaded_by(program)
