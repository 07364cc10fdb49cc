"""Every document that a test sends is one that GitHub's schema allows.

A conftest that imports ``every_document_is_valid`` has all its tests watched.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from graphql import build_schema, parse, validate

from resources_graph_core.github.documents import Ask
from resources_graph_core.github.transport import Transport

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from graphql import GraphQLSchema

    from resources_graph_core.github.documents import Operation
    from resources_graph_core.github.replies import GraphQLAnswer

PUBLISHED = Path(__file__).parents[2] / "shared" / "github" / "schema.graphql"
"""GitHub's own schema, where it is at hand."""

_valid: set[str] = set()


@pytest.fixture(autouse=True)
def every_document_is_valid(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail a test that sends a document which GitHub's schema does not allow."""
    sent: list[Operation] = []
    send = Transport.query

    def query(
        self: Transport, operation: Operation, what: str, *, again: bool = True
    ) -> GraphQLAnswer:
        sent.append(operation)
        return send(self, operation, what, again=again)

    monkeypatch.setattr(Transport, "query", query)
    yield
    check(sent)


def check(sent: Iterable[Operation]) -> None:
    """Fail when one of these is not allowed; what was looked at before is not looked at again."""
    texts = {text for operation in sent for text in _questions(operation)}
    for text in texts - _valid:
        assert validate(_schema(), parse(text)) == [], text
    _valid.update(texts)


def _questions(operation: Operation) -> Iterator[str]:
    """A document of each part alone; the same question is the same text whatever its alias."""
    for part in operation.parts:
        alone = part.known_as("n0") if isinstance(part, Ask) else part
        yield re.sub(r"(?<=_n)\d+\b", "0", replace(operation, parts=(alone,)).text)


@cache
def _schema() -> GraphQLSchema:
    own = files("resources_graph_core.sandbox") / "schema.graphql"
    text = PUBLISHED.read_text() if PUBLISHED.exists() else own.read_text()
    return build_schema(text, assume_valid_sdl=True)
