"""A sandbox of two small repositories, and a memory that sweeps from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.config import Settings
from resources_graph_core.memory import Memory
from resources_graph_core.sandbox import Sandbox
from tests.archives import archived, archived_comment, write_archive
from tests.sent_documents import every_document_is_valid

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from resources_graph_core.graph import Graph


__all__ = ["every_document_is_valid"]


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    comments = [archived_comment(f"comment {n}") for n in range(3)]
    first = write_archive(
        tmp_path,
        issues=[archived(1, comments=comments), archived(2), archived(3, state="CLOSED")],
        pulls=[archived(4, body="Fixes #1")],
    )
    second = write_archive(tmp_path, repo="octo-org/gadgets", issues=[archived(1, id="N_other")])
    with Sandbox([first, second], token="made-up") as running:
        yield running


@pytest.fixture
def memory(embedded_graph: Graph, sandbox: Sandbox) -> Memory:
    settings = Settings(
        graph_url="embedded:", user="mona", github_api_url=sandbox.url, github_token="made-up"
    )
    return Memory(embedded_graph, settings)
