"""REST answers of the sandbox: content, pages, filters, and what became of what is not there."""

from __future__ import annotations

import base64
import re
from typing import Any

import pytest

from resources_graph_core.sandbox.archive import load_archive, packaged_archives
from resources_graph_core.sandbox.nodes import PullRequest
from resources_graph_core.sandbox.rest import RestAnswer, RestRequest, answer
from resources_graph_core.sandbox.state import State

BASE = "http://127.0.0.1:1234"
WIDGETS = "/repos/octo-org/widgets"
GADGETS = "/repos/octo-org/gadgets"
ARCHIVES = [load_archive(path) for path in packaged_archives()]


@pytest.fixture
def state() -> State:
    return State(ARCHIVES)


def get(
    state: State, path: str, *, token: bool = False, method: str = "GET", **headers: str
) -> RestAnswer:
    """``path`` may have a query; header names have ``_`` for ``-``."""
    path, _, text = path.partition("?")
    query = dict(pair.split("=", 1) for pair in text.split("&") if pair)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return answer(state, RestRequest(method, path, query, named, token, BASE))


def body(state: State, path: str, *, token: bool = False) -> Any:  # noqa: ANN401 - JSON
    found = get(state, path, token=token)
    assert found.status == 200, found
    return found.body


def links(found: RestAnswer) -> dict[str, str]:
    header = found.headers.get("link", "")
    return {relation: url for url, relation in re.findall(r'<([^>]+)>; rel="(\w+)"', header)}


def all_pages(state: State, path: str) -> list[Any]:
    found = get(state, path)
    things = list(found.body)
    while "next" in links(found):
        found = get(state, links(found)["next"].removeprefix(BASE))
        things += found.body
    return things


def numbers(state: State, path: str) -> list[int]:
    return [each["number"] for each in all_pages(state, path)]


def test_a_repository(state: State) -> None:
    shape = body(state, WIDGETS)
    facts = ARCHIVES[0].repository
    assert shape["node_id"] == facts.id
    assert shape["id"] == state.repositories[0].database_id
    assert (shape["full_name"], shape["html_url"], shape["url"]) == (
        "octo-org/widgets",
        "https://github.com/octo-org/widgets",
        BASE + WIDGETS,
    )
    assert (shape["private"], shape["visibility"], shape["archived"]) == (False, "public", False)
    assert shape["topics"] == facts.topics
    assert shape["license"]["spdx_id"] == "MIT"
    assert shape["owner"]["type"] == "Organization"
    assert "parent" not in shape
    assert body(state, GADGETS)["parent"]["full_name"] == ARCHIVES[1].repository.fork_parent
    assert body(state, f"/repositories/{shape['id']}") == shape


def test_names_are_in_any_case(state: State) -> None:
    assert body(state, "/repos/Octo-Org/WIDGETS/issues/1")["number"] == 1


@pytest.mark.parametrize(
    ("path", "name"), [(WIDGETS, "README.md"), (GADGETS, "docs/readme.rst")], ids=["md", "rst"]
)
def test_a_readme_as_json_and_raw(state: State, path: str, name: str) -> None:
    shape = body(state, f"{path}/readme")
    text = base64.b64decode(shape["content"]).decode()
    assert (shape["path"], shape["name"]) == (name, name.rpartition("/")[2])
    assert shape["size"] == len(text.encode())
    for accept in ("application/vnd.github.raw+json", "application/vnd.github.v3.raw"):
        raw = get(state, f"{path}/readme", accept=accept)
        assert raw.body == text
        assert raw.content_type.startswith("application/vnd.github.raw")
    state.repositories[0].readme_path = None
    assert get(state, f"{WIDGETS}/readme").status == 404


def test_every_item_is_served_whole(state: State) -> None:
    for repository in state.repositories:
        for item in repository.items.values():
            path = f"/repos/{repository.name_with_owner}/issues/{item.number}"
            shape = body(state, path)
            assert (shape["node_id"], shape["id"]) == (item.id, item.database_id)
            assert (shape["title"], shape["body"] or "") == (item.title, item.body)
            assert shape["state"] == ("open" if item.state == "OPEN" else "closed")
            assert [label["name"] for label in shape["labels"]] == [one.name for one in item.labels]
            assert ("pull_request" in shape) == isinstance(item, PullRequest)
            assert shape["comments"] == len(item.comments)
            assert [one["node_id"] for one in all_pages(state, f"{path}/comments")] == [
                comment.id for comment in item.comments
            ]


def test_what_only_issues_have(state: State) -> None:
    issue = body(state, f"{WIDGETS}/issues/7")
    assert issue["type"]["name"] == "Feature"
    assert issue["sub_issues_summary"] == {"total": 3, "completed": 1, "percent_completed": 33}
    assert issue["milestone"]["title"] == "1.1"
    assert (issue["reactions"]["total_count"], issue["reactions"]["+1"]) == (35, 31)
    reasons = {body(state, f"{WIDGETS}/issues/{n}")["state_reason"] for n in (1, 6, 8, 24, 5)}
    assert reasons == {"completed", "not_planned", "duplicate", "reopened", None}
    assert body(state, f"{WIDGETS}/issues/6")["active_lock_reason"] == "spam"
    assert body(state, f"{WIDGETS}/issues/34")["active_lock_reason"] == "too heated"
    assert get(state, f"{WIDGETS}/pulls/7").status == 404


def test_what_only_pull_requests_have(state: State) -> None:
    pull = body(state, f"{WIDGETS}/pulls/9")
    assert (pull["merged"], pull["state"], pull["merged_by"]["login"]) == (True, "closed", "mona")
    assert (pull["base"]["ref"], pull["head"]["ref"]) == ("main", "skip-colourless")
    assert pull["head"]["label"] == "octo-org:skip-colourless"
    assert body(state, f"{WIDGETS}/pulls/33")["draft"] is True
    assert body(state, f"{WIDGETS}/pulls/51")["head"]["repo"] is None
    for part, count in (("review_comments", "comments"), ("changed_files", "files")):
        assert pull[part] == len(all_pages(state, f"{WIDGETS}/pulls/9/{count}"))
    files = all_pages(state, f"{WIDGETS}/pulls/9/files")
    assert {file["status"] for file in files} == {"added", "modified", "removed", "renamed"}
    assert len(all_pages(state, f"{WIDGETS}/pulls/15/files")) == 120


def test_reviews_and_their_comments(state: State) -> None:
    reviews = {one["id"]: one for one in all_pages(state, f"{WIDGETS}/pulls/9/reviews")}
    comments = {one["id"]: one for one in all_pages(state, f"{WIDGETS}/pulls/9/comments")}
    assert {"APPROVED", "CHANGES_REQUESTED", "COMMENTED", "DISMISSED"} == {
        review["state"] for review in reviews.values()
    }
    assert all(one["pull_request_review_id"] in reviews for one in comments.values())
    replies = [one for one in comments.values() if "in_reply_to_id" in one]
    assert replies
    for reply in replies:
        assert comments[reply["in_reply_to_id"]]["path"] == reply["path"]
    outdated = [one for one in comments.values() if one["line"] is None]
    assert outdated
    assert all(one["original_line"] for one in outdated)


def test_a_pending_review_is_nobody_elses(state: State) -> None:
    before = body(state, f"{WIDGETS}/pulls/9")["review_comments"]
    pull = state.item("octo-org/widgets", 9)
    assert isinstance(pull, PullRequest)
    pull.reviews[0].state = "PENDING"
    assert len(all_pages(state, f"{WIDGETS}/pulls/9/reviews")) == len(pull.reviews) - 1
    after = all_pages(state, f"{WIDGETS}/pulls/9/comments")
    assert len(after) == body(state, f"{WIDGETS}/pulls/9")["review_comments"] == before - 2


def test_bots_and_deleted_accounts(state: State) -> None:
    bot = body(state, f"{WIDGETS}/issues/11")["user"]
    assert (bot["login"], bot["type"]) == ("renovate[bot]", "Bot")
    ghost = body(state, f"{WIDGETS}/issues/3")["user"]
    assert (ghost["login"], ghost["type"]) == ("ghost", "User")
    reviewers = [one["user"] for one in all_pages(state, f"{WIDGETS}/pulls/9/reviews")]
    assert None in reviewers


def test_a_timeline_tells_who_mentions_an_item(state: State) -> None:
    events = all_pages(state, f"{WIDGETS}/issues/1/timeline")
    assert [one["created_at"] for one in events] == sorted(one["created_at"] for one in events)
    sources = [one["source"]["issue"] for one in events if one["event"] == "cross-referenced"]
    assert {source["html_url"] for source in sources} == {
        "https://github.com/octo-org/widgets/pull/9",
        "https://github.com/octo-org/gadgets/issues/2",
    }
    assert all(source["repository"]["private"] is False for source in sources)
    state.set_visibility("octo-org/gadgets", "PRIVATE")
    for token, count in ((False, 1), (True, 2)):
        events = body(state, f"{WIDGETS}/issues/1/timeline?per_page=100", token=token)
        assert sum(one["event"] == "cross-referenced" for one in events) == count


def test_pages_lead_to_each_other(state: State) -> None:
    path = f"{WIDGETS}/issues/7/comments"
    first = get(state, path)
    assert len(first.body) == 30
    assert links(first) == {
        "next": f"{BASE}{path}?page=2",
        "last": f"{BASE}{path}?page=5",
    }
    middle = get(state, f"{path}?per_page=50&page=2")
    assert links(middle) == {
        relation: f"{BASE}{path}?per_page=50&page={number}"
        for relation, number in {"prev": 1, "next": 3, "last": 3, "first": 1}.items()
    }
    last = get(state, f"{path}?per_page=50&page=3")
    assert (len(last.body), set(links(last))) == (30, {"prev", "first"})
    assert get(state, f"{path}?page=9").body == []
    assert len(get(state, f"{path}?per_page=1000").body) == 100
    assert len(get(state, f"{path}?per_page=0&page=x").body) == 30
    assert links(get(state, f"{WIDGETS}/issues/1/comments")) == {}


def test_issue_lists_hold_pull_requests_and_newest_come_first(state: State) -> None:
    listed = all_pages(state, f"{WIDGETS}/issues?per_page=100")
    assert {"pull_request" in one for one in listed} == {True, False}
    assert all(one["state"] == "open" for one in listed)
    created = [one["created_at"] for one in listed]
    assert created == sorted(created, reverse=True)
    assert len(numbers(state, f"{WIDGETS}/issues?state=all")) == 65
    assert len(numbers(state, f"{WIDGETS}/pulls?state=all")) == 20


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("labels=area: sync,speed", {7, 10}),
        ("labels=AREA: SYNC,bug", {1, 9, 24}),
        ("creator=renovate[bot]", {11, 16, 52, 65}),
        ("creator=MONA&state=closed", {1}),
        ("assignee=yuki-mori", {17}),
        ("assignee=*&milestone=2", {1, 9}),
        ("milestone=none&labels=platform: windows", {19}),
        ("milestone=1", {24}),
        ("milestone=2", {1, 4, 9, 14}),
        ("type=bug", {1, 3}),
        ("since=2024-11-07T00:00:00Z", {65}),
        ("labels=no such label", set()),
    ],
)
def test_issue_lists_are_filtered(state: State, query: str, expected: set[int]) -> None:
    wanted = query if "state=" in query else f"{query}&state=all"
    found = set(numbers(state, f"{WIDGETS}/issues?{wanted}"))
    assert found == expected


def test_lists_are_sorted_as_asked(state: State) -> None:
    by_comments = numbers(state, f"{WIDGETS}/issues?state=all&sort=comments")
    assert by_comments[:3] == [7, 56, 12]
    assert numbers(state, f"{WIDGETS}/issues?state=all&direction=asc") == list(range(1, 66))
    updated = all_pages(state, f"{WIDGETS}/pulls?state=all&sort=updated")
    times = [one["updated_at"] for one in updated]
    assert times == sorted(times)
    assert numbers(state, f"{WIDGETS}/pulls?state=all")[-1] == 4


def test_pull_lists_are_filtered_by_branch(state: State) -> None:
    assert numbers(state, f"{WIDGETS}/pulls?state=all&base=release-1.0") == [48]
    assert numbers(state, f"{WIDGETS}/pulls?state=all&head=lou-tremblay:readme-order") == [4]
    assert len(numbers(state, f"{WIDGETS}/pulls?state=all&head=readme-order")) == 20
    assert 9 in numbers(state, f"{WIDGETS}/pulls?state=closed")


def test_a_milestone_that_is_no_number_is_refused(state: State) -> None:
    assert get(state, f"{WIDGETS}/issues?milestone=1.0").status == 422


def test_a_search_counts_and_pages(state: State) -> None:
    found = get(state, "/search/issues?q=repo:octo-org/widgets is:pr&per_page=15")
    assert (found.body["total_count"], len(found.body["items"])) == (20, 15)
    assert found.body["incomplete_results"] is False
    assert "next" in links(found)
    least = body(state, "/search/issues?q=repo:octo-org/widgets is:issue&sort=comments&order=desc")
    assert least["items"][0]["number"] == 7
    assert get(state, "/search/issues").status == 422
    assert get(state, "/search/issues?q=widgets&per_page=100&page=11").status == 422
    state.set_visibility("octo-org/widgets", "PRIVATE")
    assert body(state, "/search/issues?q=repo:octo-org/widgets")["total_count"] == 0


def test_who_asks(state: State) -> None:
    assert body(state, "/user", token=True)["login"] == "octocat"
    assert get(state, "/user").status == 401


@pytest.mark.parametrize(
    "path",
    [
        "/repos/nobody/nothing",
        "/repos/octo-org",
        "/repositories/1",
        "/elsewhere",
        f"{WIDGETS}/issues/66",
        f"{WIDGETS}/issues/66/comments",
        f"{WIDGETS}/issues/x",
        f"{WIDGETS}/issues/99999999999999999999",
        f"{WIDGETS}/issues/1/unheard",
        f"{WIDGETS}/pulls/1/files",
        f"{WIDGETS}/unheard",
    ],
)
def test_what_is_not_there(state: State, path: str) -> None:
    found = get(state, path)
    assert found.status == 404
    assert found.body == {
        "message": "Not Found",
        "documentation_url": "https://docs.github.com/rest",
        "status": "404",
    }


def test_nothing_is_written(state: State) -> None:
    assert get(state, WIDGETS, method="DELETE", token=True).status == 404
    assert get(state, WIDGETS, method="HEAD").status == 200


def test_a_renamed_repository_is_redirected_to_its_id(state: State) -> None:
    state.rename_repository("octo-org/widgets", "else/where")
    moved = get(state, f"{WIDGETS}/issues?state=all&per_page=5")
    assert moved.status == 301
    number = state.repositories[-1].database_id
    location = moved.headers["location"]
    assert location == f"{BASE}/repositories/{number}/issues?state=all&per_page=5"
    assert moved.body["message"] == "Moved Permanently"
    issues = body(state, location.removeprefix(BASE))
    assert issues[0]["repository_url"] == f"{BASE}/repos/else/where"


def test_a_transferred_issue_is_redirected_and_nothing_below_it(state: State) -> None:
    number = state.transfer_item("octo-org/widgets", 3, "octo-org/gadgets")
    moved = get(state, f"{WIDGETS}/issues/3")
    assert moved.status == 301
    issue = body(state, moved.headers["location"].removeprefix(BASE))
    assert (issue["number"], issue["repository_url"]) == (number, BASE + GADGETS)
    for part in ("comments", "timeline"):
        assert get(state, f"{WIDGETS}/issues/3/{part}").status == 404
    state.set_visibility("octo-org/gadgets", "PRIVATE")
    assert get(state, f"{WIDGETS}/issues/3").status == 404
    assert get(state, f"{WIDGETS}/issues/3", token=True).status == 301
    state.delete_repository("octo-org/gadgets")
    assert get(state, f"{WIDGETS}/issues/3", token=True).status == 404


def test_what_was_deleted_is_gone(state: State) -> None:
    state.delete_item("octo-org/widgets", 3)
    gone = get(state, f"{WIDGETS}/issues/3")
    assert (gone.status, gone.body["message"]) == (410, "This issue was deleted")
    assert get(state, f"{WIDGETS}/issues/3/comments").status == 404
    state.repositories[0].has_issues_enabled = False
    assert get(state, f"{WIDGETS}/issues").status == 410


@pytest.mark.parametrize("visibility", ["PRIVATE", "INTERNAL"])
def test_a_private_repository_needs_a_token(state: State, visibility: Any) -> None:  # noqa: ANN401
    state.set_visibility("octo-org/widgets", visibility)
    for part in ("", "/issues/1", "/issues", "/readme"):
        assert get(state, WIDGETS + part).status == 404
        assert get(state, WIDGETS + part, token=True).status == 200
    shape = body(state, WIDGETS, token=True)
    assert (shape["private"], shape["visibility"]) == (True, visibility.lower())


def test_a_hidden_repository_is_not_there_for_anybody(state: State) -> None:
    state.set_access("octo-org/widgets", "hidden")
    assert [get(state, WIDGETS, token=token).status for token in (True, False)] == [404, 404]
    state.rename_repository("octo-org/widgets", "else/where")
    assert get(state, WIDGETS, token=True).status == 404


def test_single_sign_on_keeps_tokens_out(state: State) -> None:
    state.set_access("octo-org/widgets", "saml")
    refused = get(state, f"{WIDGETS}/issues/1", token=True)
    assert refused.status == 403
    assert "SAML" in refused.body["message"]
    assert refused.headers["x-github-sso"].startswith("required; url=https://")
    assert get(state, f"{WIDGETS}/issues/1").status == 200


def test_what_did_not_change_is_not_sent_again(state: State) -> None:
    first = get(state, f"{WIDGETS}/issues/1")
    tag = first.headers["etag"]
    same = get(state, f"{WIDGETS}/issues/1", if_none_match=f'"other", {tag}')
    assert (same.status, same.body, same.headers["etag"]) == (304, None, tag)
    assert get(state, f"{WIDGETS}/issues/1", if_none_match=tag.removeprefix("W/")).status == 304
    assert get(state, f"{WIDGETS}/issues/2", if_none_match=tag).status == 200
    state.edit_item("octo-org/widgets", 1, title="Another title")
    changed = get(state, f"{WIDGETS}/issues/1", if_none_match=tag)
    assert (changed.status, changed.body["title"]) == (200, "Another title")
    state.delete_item("octo-org/widgets", 1)
    assert get(state, f"{WIDGETS}/issues/1", if_none_match="*").status == 410
