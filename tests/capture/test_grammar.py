"""The grammar is loaded without what it does not need, or as usual where that fails."""

from __future__ import annotations

import subprocess
import sys

import pytest

from resources_graph_core.capture import grammar


def parsed(source: bytes) -> str:
    return str(grammar.parser().parse(source).root_node)


def test_the_usual_way_parses_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    short = parsed(b"gh issue view 5 | head")
    monkeypatch.setattr(grammar, "_extension", lambda _package: None)
    assert parsed(b"gh issue view 5 | head") == short


def modules_after(statement: str) -> set[str]:
    code = (
        "import sys; before = set(sys.modules)\n"
        "from resources_graph_core.capture import *\n"
        f"{statement}\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}\n{code}"],
        check=True,
        capture_output=True,
        text=True,
    )
    return set(done.stdout.split()) - {"__future__"}


@pytest.mark.parametrize(
    "command", ["ls -la && pytest -q", "npm run weight", "git push # through", "echo highlight"]
)
def test_a_command_without_github_imports_nothing(command: str) -> None:
    loaded = modules_after(f"assert capture_shell({command!r}, Context()) == []")
    assert loaded == {
        "resources_graph_core",
        "resources_graph_core.capture",
        "resources_graph_core.capture.context",
        "resources_graph_core.capture.relevance",
        "resources_graph_core.record",
    }


@pytest.mark.parametrize(
    "statement",
    [
        "assert capture_shell('gh issue view 5 -R o/r', Context())",
        "assert capture_shell('curl https://api.github.com/repos/o/r/issues/5', Context())",
        "assert capture_url('https://github.com/o/r/issues/5', Context())",
        "assert capture_prompt('see o/r#5', Context())",
        "assert capture_text('o/r#5', Context())",
    ],
)
def test_what_is_captured_imports_nothing_slow(statement: str) -> None:
    slow = modules_after(statement) & {"pydantic", "httpx", "graphql", "tree_sitter_bash", "typer"}
    assert slow == set()
