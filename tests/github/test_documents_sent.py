"""Whatever both sources send is a document that GitHub's own schema allows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import httpx
import pytest

from resources_graph_core.address import Address, Filters
from resources_graph_core.errors import UsageError
from resources_graph_core.github import open_source, queries
from resources_graph_core.github.documents import Ask, Operation, Variable
from resources_graph_core.sandbox import Sandbox
from resources_graph_core.sandbox.archive import load_archive, packaged_archives
from tests.sent_documents import PUBLISHED, check

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ARCHIVE = load_archive(max(packaged_archives(), key=lambda path: path.stat().st_size))
OWNER, _, NAME = ARCHIVE.repo.partition("/")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """A sandbox that refuses what GitHub's schema does not allow."""
    if not PUBLISHED.exists():
        pytest.skip("GitHub's published schema is not at hand")
    with Sandbox(packaged_archives(), schema=PUBLISHED) as running:
        yield running


def test_every_operation_is_sent_and_allowed(sandbox: Sandbox) -> None:
    items = [
        Address.of_item(OWNER, NAME, item.number) for item in (*ARCHIVE.issues, *ARCHIVE.pulls)
    ]
    lists = [
        Address.of_listing(OWNER, NAME, kind, filters, query=query)
        for kind in ("issues", "pulls")
        for filters, query in ((Filters(state="all"), None), (Filters(milestone="#1"), "a"))
    ]
    with open_source(sandbox.url, "made-up") as source:
        contents = [fetched.content for fetched in source.fetch([*items, items[0].repository])]
        assert None not in contents
        for address in lists:
            source.index(address)
        stored = {content.node_id: content.address for content in contents if content}
        assert None not in dict(source.versions(stored)).values()
    assert sandbox.requests.by_name.keys() - {"rest"} == set(queries.OPERATIONS)


def test_what_the_schema_does_not_allow_is_refused(sandbox: Sandbox) -> None:
    body = {"query": "query Wrong { viewer { shoeSize } }"}
    answer = httpx.post(f"{sandbox.url}/graphql", json=body, headers={"Authorization": "bearer x"})
    (error,) = answer.json()["errors"]
    assert "shoeSize" in error["message"]


@pytest.mark.parametrize(
    "part",
    [
        Ask("viewer", {}, (Ask("shoeSize"),)),
        Ask("repository", {"owner": "o"}, (Ask("id"),)),
        Ask("repository", {"owner": "o", "name": Variable("name_n0", "Int!", 5)}, (Ask("id"),)),
    ],
)
def test_a_test_that_sends_another_document_fails(part: Ask) -> None:
    """Each conftest that watches what its tests send does so with this check."""
    wrong = Operation(queries.ITEMS, (queries.item(Address.of_item("o", "r", 1)).part("n0"), part))
    with pytest.raises(AssertionError):
        check([wrong])
    check([replace(wrong, parts=wrong.parts[:1])])


def test_a_file_that_is_no_schema_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "schema.graphql"
    for text in ("nonsense", "type Query { a: Missing }"):
        file.write_text(text)
        with pytest.raises(UsageError, match=r"schema\.graphql"):
            Sandbox(packaged_archives(), schema=file)
        file = file.with_name("other-schema.graphql")
