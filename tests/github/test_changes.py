"""What becomes of an Address after renames, transfers, deletions and changes of who may see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.address import Address
from resources_graph_core.errors import NotPublic
from resources_graph_core.github import Fetched, open_source
from resources_graph_core.model import Issue, PullRequest, Repository
from resources_graph_core.sandbox import Sandbox
from resources_graph_core.sandbox.archive import load_archive, packaged_archives

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.github import OpenSource

SMALL, LARGE = sorted(packaged_archives(), key=lambda path: path.stat().st_size)
FIRST, SECOND = load_archive(LARGE).repo, load_archive(SMALL).repo
NUMBER = min(issue.number for issue in load_archive(LARGE).issues)


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(packaged_archives()) as running:
        yield running


@pytest.fixture(params=["made-up", None], ids=["graphql", "rest"])
def source(sandbox: Sandbox, request: pytest.FixtureRequest) -> Iterator[OpenSource]:
    with open_source(sandbox.url, request.param) as opened:
        yield opened


def item(number: int = NUMBER, repository: str = FIRST) -> Address:
    owner, _, name = repository.partition("/")
    return Address.of_item(owner, name, number)


def fetch(source: OpenSource, address: Address) -> Fetched:
    (fetched,) = source.fetch([address])
    return fetched


def test_a_renamed_repository_is_followed(sandbox: Sandbox, source: OpenSource) -> None:
    before = fetch(source, item()).content
    assert isinstance(before, Issue | PullRequest)
    sandbox.state.rename_repository(FIRST, "else/where")
    after = fetch(source, item())
    assert after.address == item()
    assert isinstance(after.content, Issue | PullRequest)
    assert after.content.address == item(repository="else/where")
    assert after.content.repository_id == before.repository_id
    repository = fetch(source, item().repository).content
    assert isinstance(repository, Repository)
    assert repository.name_with_owner == "else/where"


def test_a_transferred_issue_is_followed_to_its_new_place(
    sandbox: Sandbox, source: OpenSource
) -> None:
    before = fetch(source, item()).content
    assert isinstance(before, Issue)
    number = sandbox.state.transfer_item(FIRST, NUMBER, SECOND)
    fetched = fetch(source, item())
    assert isinstance(fetched.content, Issue)
    assert fetched.address == item()
    assert fetched.content.address == item(number, SECOND)
    assert fetched.content.node_id != before.node_id
    assert [one.body for one in fetched.content.comments] == [one.body for one in before.comments]


def test_a_chain_of_moves_is_followed(sandbox: Sandbox, source: OpenSource) -> None:
    number = sandbox.state.transfer_item(FIRST, NUMBER, SECOND)
    sandbox.state.rename_repository(SECOND, "else/where")
    back = sandbox.state.transfer_item("else/where", number, FIRST)
    content = fetch(source, item()).content
    assert isinstance(content, Issue)
    assert content.address == item(back)


@pytest.mark.parametrize("how", ["deleted", "discussion"])
def test_what_is_deleted_is_not_found(sandbox: Sandbox, source: OpenSource, how: str) -> None:
    sandbox.state.delete_item(FIRST, NUMBER, how)  # type: ignore[arg-type]  # one of its words
    assert fetch(source, item()).reason == "not_found"


def test_a_deleted_repository_is_not_found(sandbox: Sandbox, source: OpenSource) -> None:
    sandbox.state.delete_repository(FIRST)
    assert fetch(source, item()).reason == "not_found"
    assert fetch(source, item().repository).reason == "not_found"


@pytest.mark.parametrize("visibility", ["PRIVATE", "INTERNAL"])
def test_what_only_the_token_may_see_is_not_public(sandbox: Sandbox, visibility: str) -> None:
    sandbox.state.set_visibility(FIRST, visibility)  # type: ignore[arg-type]  # one of its words
    listing = Address.of_listing(item().owner, item().name, "issues")
    with open_source(sandbox.url, "made-up") as source:
        assert fetch(source, item()).reason == "not_public"
        assert fetch(source, item().repository).reason == "not_public"
        with pytest.raises(NotPublic):
            source.index(listing)


@pytest.mark.parametrize("visibility", ["PRIVATE", "INTERNAL"])
def test_a_stranger_cannot_tell_private_from_missing(sandbox: Sandbox, visibility: str) -> None:
    sandbox.state.set_visibility(FIRST, visibility)  # type: ignore[arg-type]  # one of its words
    with open_source(sandbox.url) as source:
        assert fetch(source, item()).reason == "not_found"


def test_a_private_place_is_not_followed_to(sandbox: Sandbox) -> None:
    sandbox.state.transfer_item(FIRST, NUMBER, SECOND)
    sandbox.state.set_visibility(SECOND, "PRIVATE")
    with open_source(sandbox.url, "made-up") as source:
        assert fetch(source, item()).reason == "not_public"


def test_what_single_sign_on_keeps_from_tokens_is_read_without(
    sandbox: Sandbox, source: OpenSource
) -> None:
    sandbox.state.set_access(FIRST, "saml")
    fetched = fetch(source, item())
    assert isinstance(fetched.content, Issue), fetched
    assert isinstance(fetch(source, item().repository).content, Repository)


def test_what_nobody_may_see_is_not_there(sandbox: Sandbox, source: OpenSource) -> None:
    sandbox.state.set_access(FIRST, "hidden")
    assert fetch(source, item()).reason == "not_found"
    assert fetch(source, item().repository).reason == "not_found"


def test_a_new_comment_is_fetched(sandbox: Sandbox, source: OpenSource) -> None:
    sandbox.state.add_comment(FIRST, NUMBER, "one more")
    content = fetch(source, item()).content
    assert isinstance(content, Issue)
    assert content.comments[-1].body == "one more"
