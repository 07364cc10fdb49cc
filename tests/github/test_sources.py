"""Both sources against the sandbox: what they fetch is what its archives hold, all of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from resources_graph_core.address import Address, Filters
from resources_graph_core.errors import (
    GitHubUnavailable,
    NotFound,
    RateLimited,
    UsageError,
)
from resources_graph_core.github import open_source
from resources_graph_core.github.source import Version
from resources_graph_core.model import Issue, PullRequest, Repository
from resources_graph_core.sandbox import Sandbox
from resources_graph_core.sandbox.archive import packaged_archives

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.github import OpenSource

TOKEN = "made-up"
PACKAGED = max(packaged_archives(), key=lambda path: path.stat().st_size)
REAL = Path(__file__).parents[3] / "shared" / "github" / "tls-esni-2025.json"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(packaged_archives()) as running:
        yield running


@pytest.fixture
def source(sandbox: Sandbox) -> Iterator[OpenSource]:
    """GraphQL, as with a token."""
    with open_source(sandbox.url, TOKEN) as opened:
        yield opened


@pytest.fixture
def rest(sandbox: Sandbox) -> Iterator[OpenSource]:
    """REST, as without one."""
    with open_source(sandbox.url) as opened:
        yield opened


@pytest.fixture(scope="module")
def archive() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(PACKAGED.read_text())
    return loaded


def items_of(archive: dict[str, Any]) -> dict[int, dict[str, Any]]:
    return {item["number"]: item for item in (*archive["issues"], *archive["pulls"])}


def address(archive: dict[str, Any], number: int) -> Address:
    owner, _, name = archive["repo"].partition("/")
    return Address.of_item(owner, name, number)


def listing(archive: dict[str, Any], kind: str, **named: Any) -> Address:  # noqa: ANN401 - filters
    owner, _, name = archive["repo"].partition("/")
    query, limit = named.pop("query", None), named.pop("limit", None)
    return Address.of_listing(owner, name, kind, Filters(**named), query=query, limit=limit)  # type: ignore[arg-type]


def fetch(source: OpenSource, archive: dict[str, Any]) -> dict[int, Issue | PullRequest]:
    addresses = [address(archive, number) for number in items_of(archive)]
    contents = {}
    for fetched in source.fetch(addresses):
        assert isinstance(fetched.content, Issue | PullRequest), fetched
        contents[fetched.content.number] = fetched.content
    return contents


@dataclass(frozen=True)
class Listed:
    """What a list holds: how many match, and its members whole, in its order."""

    total_count: int
    members: list[Issue | PullRequest]


def fetch_listed(source: OpenSource, where: Address) -> Listed:
    index = source.index(where)
    addresses = [entry.address for entry in index.entries]
    contents = {fetched.address: fetched.content for fetched in source.fetch(addresses)}
    members = [contents[each] for each in addresses]
    return Listed(
        index.total_count, [each for each in members if isinstance(each, Issue | PullRequest)]
    )


def comment_count(archived: dict[str, Any]) -> int:
    """Comments, reviews and review comments; what is pending is its author's alone."""
    reviews = [each for each in archived.get("reviews", ()) if each["state"] != "PENDING"]
    return len(archived["comments"]) + sum(1 + len(each["comments"]) for each in reviews)


def compare(content: Issue | PullRequest, archived: dict[str, Any], repository: str) -> None:
    assert content.node_id == archived["id"]
    assert content.repository == repository
    assert content.title == archived["title"]
    assert content.body == archived["body"]
    assert content.state == archived["state"]
    assert content.updated_at == archived["updatedAt"]
    assert content.author == (archived["author"] or "ghost").removesuffix("[bot]")
    assert {label.lower() for label in content.labels} == {
        each.lower() for each in archived["labels"]
    }
    assert list(content.assignees) == archived["assignees"]
    assert content.comment_count == len(archived["comments"])
    assert len(content.comments) == comment_count(archived)
    bodies = sorted(each.body for each in content.comments if each.kind == "comment")
    assert bodies == sorted(each["body"] for each in archived["comments"])
    assert [each.created_at for each in content.comments] == sorted(
        each.created_at for each in content.comments
    )


def test_every_item_of_the_packaged_archive_whole(
    source: OpenSource, archive: dict[str, Any]
) -> None:
    contents = fetch(source, archive)
    assert contents.keys() == items_of(archive).keys()
    for number, archived in items_of(archive).items():
        compare(contents[number], archived, archive["repo"])


def test_every_item_of_a_real_archive_in_few_requests() -> None:
    if not REAL.exists():
        pytest.skip("the real archive is not at hand")
    archive = json.loads(REAL.read_text())
    with Sandbox([REAL]) as sandbox, open_source(sandbox.url, TOKEN) as source:
        contents = fetch(source, archive)
        for number, archived in items_of(archive).items():
            compare(contents[number], archived, archive["repo"])
        assert source.usage.requests <= 60


def test_both_sources_tell_the_same(
    source: OpenSource, rest: OpenSource, archive: dict[str, Any]
) -> None:
    """But for what REST does not know."""
    only_graphql = {"closes", "issue_type"}
    comment_fields = {"resolved", "outdated", "minimized_reason", "updated_at", "line"}
    by_rest = fetch(rest, archive)
    for number, content in fetch(source, archive).items():
        other = by_rest[number].model_dump(exclude=only_graphql | {"comments"})
        assert other == content.model_dump(exclude=only_graphql | {"comments"})
        assert [each.model_dump(exclude=comment_fields) for each in by_rest[number].comments] == [
            each.model_dump(exclude=comment_fields) for each in content.comments
        ]


def test_every_field_is_somewhere_not_empty(source: OpenSource, archive: dict[str, Any]) -> None:
    contents = list(fetch(source, archive).values())
    for field in (Issue.model_fields | PullRequest.model_fields).keys() - {"issue_type"}:
        values = [getattr(content, field, None) for content in contents]
        assert any(values), f"{field} is empty everywhere"
    comments = [comment for content in contents for comment in content.comments]
    for field in type(comments[0]).model_fields:
        assert any(getattr(comment, field) for comment in comments), f"{field} is empty everywhere"


@pytest.mark.parametrize("api", ["source", "rest"])
def test_a_repository(api: str, request: pytest.FixtureRequest, archive: dict[str, Any]) -> None:
    opened: OpenSource = request.getfixturevalue(api)
    where = address(archive, 1).repository
    (fetched,) = opened.fetch([where])
    repository = fetched.content
    assert isinstance(repository, Repository)
    facts = archive["repository"]
    assert repository.name_with_owner == archive["repo"]
    assert repository.readme == facts["readme"]["text"]
    assert list(repository.topics) == facts["topics"]
    assert repository.licence == facts["licence"]
    assert repository.description == facts["description"]
    assert repository.address == where


@pytest.mark.parametrize("api", ["source", "rest"])
def test_what_does_not_exist_is_not_found(
    api: str, request: pytest.FixtureRequest, archive: dict[str, Any]
) -> None:
    opened: OpenSource = request.getfixturevalue(api)
    wanted = [
        address(archive, 2_000_000),
        address(archive, 1),
        Address.of_item("nobody", "nothing", 1),
        Address.of_repository("nobody", "nothing"),
    ]
    reasons = {fetched.address: fetched.reason for fetched in opened.fetch(wanted)}
    assert reasons == dict(zip(wanted, ["not_found", None, "not_found", "not_found"], strict=True))


@pytest.mark.parametrize("api", ["source", "rest"])
def test_another_host_and_lists_are_refused(
    api: str, request: pytest.FixtureRequest, archive: dict[str, Any]
) -> None:
    opened: OpenSource = request.getfixturevalue(api)
    (fetched,) = opened.fetch([Address.of_item("o", "r", 1, host="ghe.corp.com")])
    assert fetched.reason == "failed"
    with pytest.raises(UsageError):
        list(opened.fetch([listing(archive, "issues")]))
    assert opened.usage.requests == 0


def expected(archive: dict[str, Any], kind: str, states: set[str], labels: set[str]) -> list[int]:
    chosen = [
        item
        for item in archive[kind]
        if item["state"] in states and labels <= {label.lower() for label in item["labels"]}
    ]
    return [each["number"] for each in sorted(chosen, key=lambda i: i["createdAt"], reverse=True)]


@pytest.mark.parametrize(
    ("kind", "state", "states"),
    [
        ("issues", "open", {"OPEN"}),
        ("issues", "closed", {"CLOSED"}),
        ("issues", "all", {"OPEN", "CLOSED"}),
        ("pulls", "open", {"OPEN"}),
        ("pulls", "closed", {"CLOSED", "MERGED"}),
        ("pulls", "merged", {"MERGED"}),
    ],
)
def test_lists_by_state(
    source: OpenSource, archive: dict[str, Any], kind: str, state: str, states: set[str]
) -> None:
    listed = fetch_listed(source, listing(archive, kind, state=state))
    numbers = expected(archive, kind, states, set())
    assert [member.number for member in listed.members] == numbers
    assert listed.total_count == len(numbers)
    for member in listed.members:
        compare(member, items_of(archive)[member.number], archive["repo"])


def test_a_limit_is_kept_and_the_total_told(source: OpenSource, archive: dict[str, Any]) -> None:
    listed = fetch_listed(source, listing(archive, "issues", state="all", limit=3))
    assert len(listed.members) == 3
    assert listed.total_count == len(archive["issues"])


def test_several_labels_mean_all_of_them(source: OpenSource, archive: dict[str, Any]) -> None:
    labelled = next(item for item in archive["issues"] if len(item["labels"]) > 1)
    labels = {label.lower() for label in labelled["labels"][:2]}
    listed = fetch_listed(source, listing(archive, "issues", state="all", labels=tuple(labels)))
    numbers = expected(archive, "issues", {"OPEN", "CLOSED"}, labels)
    assert labelled["number"] in numbers
    assert sorted(member.number for member in listed.members) == sorted(numbers)


@pytest.mark.parametrize("kind", ["issues", "pulls"])
def test_lists_by_people_and_milestone(
    source: OpenSource, archive: dict[str, Any], kind: str
) -> None:
    numbers = {each["title"]: each["number"] for each in archive["milestones"]}
    item = next(each for each in archive[kind] if each.get("milestone"))
    same = sorted(
        each["number"] for each in archive[kind] if each.get("milestone") == item["milestone"]
    )
    for milestone in (item["milestone"], f"#{numbers[item['milestone']]}"):
        listed = fetch_listed(source, listing(archive, kind, state="all", milestone=milestone))
        assert sorted(member.number for member in listed.members) == same
    author = next(each["author"] for each in archive[kind] if each["author"])
    listed = fetch_listed(source, listing(archive, kind, state="all", author=author))
    assert sorted(member.number for member in listed.members) == sorted(
        each["number"] for each in archive[kind] if each["author"] == author
    )
    listed = fetch_listed(source, listing(archive, kind, state="all", assignee="none"))
    assert sorted(member.number for member in listed.members) == sorted(
        each["number"] for each in archive[kind] if not each["assignees"]
    )


def test_a_list_of_a_repository_that_is_not_there(source: OpenSource) -> None:
    for filters in (Filters(), Filters(labels=("a", "b"))):
        with pytest.raises(NotFound):
            source.index(Address.of_listing("nobody", "nothing", "issues", filters))


def version_of(content: Issue | PullRequest) -> Version:
    reviews = threads = 0
    if isinstance(content, PullRequest):
        reviews, threads = content.review_count, content.review_thread_count
    return Version(
        content.node_id,
        content.address,
        content.updated_at,
        comment_count=content.comment_count,
        review_count=reviews,
        review_thread_count=threads,
    )


def test_versions_are_those_of_what_was_fetched(
    source: OpenSource, archive: dict[str, Any]
) -> None:
    contents = fetch(source, archive).values()
    before = source.usage.requests
    stored = {content.node_id: content.address for content in contents}
    versions = dict(source.versions({**stored, "I_unknown": address(archive, 1)}))
    assert source.usage.requests - before == -(-len(versions) // 100)
    assert versions.pop("I_unknown") is None
    assert versions == {content.node_id: version_of(content) for content in contents}


def test_without_a_token_issues_are_checked_one_by_one(
    rest: OpenSource, archive: dict[str, Any]
) -> None:
    """A pull request is not checked: that takes as many requests as fetching it does."""
    contents = list(fetch(rest, archive).values())
    before = rest.usage.requests
    stored = {content.node_id: content.address for content in contents}
    versions = dict(rest.versions({**stored, "I_other": contents[0].address}))
    assert rest.usage.requests - before == len(stored) + 1
    assert versions.pop("I_other") is None
    assert versions == {
        content.node_id: version_of(content) if isinstance(content, Issue) else None
        for content in contents
    }


@pytest.mark.parametrize("api", ["source", "rest"])
def test_the_version_of_a_repository(
    api: str, request: pytest.FixtureRequest, archive: dict[str, Any]
) -> None:
    opened: OpenSource = request.getfixturevalue(api)
    where = address(archive, 1).repository
    (fetched,) = opened.fetch([where])
    assert isinstance(fetched.content, Repository)
    node_id = fetched.content.node_id
    assert dict(opened.versions({node_id: where})) == {
        node_id: Version(
            node_id,
            where,
            fetched.content.updated_at,
            stars=fetched.content.stars,
            pushed_at=fetched.content.pushed_at,
        )
    }


@pytest.mark.parametrize("kind", ["issues", "pulls"])
@pytest.mark.parametrize("query", [None, "sort:created-desc"], ids=["list", "search"])
def test_an_index_tells_what_changed_without_fetching_it(
    source: OpenSource, archive: dict[str, Any], kind: str, query: str | None
) -> None:
    where = listing(archive, kind, state="all", query=query)
    members = fetch_listed(source, where).members
    before = source.usage.requests
    index = source.index(where)
    scope = 1 if query else 0
    assert source.usage.requests - before == scope + -(-len(archive[kind]) // 100)
    assert index.repository == where.repository
    assert index.total_count == len(archive[kind])
    assert list(index.entries) == [version_of(member) for member in members]
    assert source.index(where.with_limit(2)).entries == index.entries[:2]


def test_an_index_is_of_a_list_on_this_host(source: OpenSource, archive: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        source.index(address(archive, 1))
    with pytest.raises(GitHubUnavailable, match=r"ghe\.corp\.com"):
        source.index(Address.of_listing("o", "r", "issues", host="ghe.corp.com"))


def test_without_a_token_lists_wait(rest: OpenSource, archive: dict[str, Any]) -> None:
    with pytest.raises(RateLimited, match="gh auth login") as caught:
        rest.index(listing(archive, "issues"))
    assert caught.value.retry_at is None
    assert rest.usage.requests == 0


def test_a_source_that_nobody_serves(archive: dict[str, Any]) -> None:
    with Sandbox(packaged_archives()) as gone:
        url = gone.url
    for token in (TOKEN, None):
        with (
            open_source(url, token) as opened,
            pytest.raises(GitHubUnavailable, match="GITHUB_API_URL"),
        ):
            list(opened.fetch([address(archive, 1), address(archive, 2)]))
