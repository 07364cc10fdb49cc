"""URLs of the web site and the API, as an agent fetches them or a person pastes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.capture import capture_url

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.capture import Context

G = "https://github.com"

CASES = [
    (f"{G}/o/r", "o/r"),
    (f"{G}/o/r/", "o/r"),
    (f"{G}/O/R", "o/r"),
    (f"{G}/o/r.git", "o/r"),
    (f"{G}/o/x.js", "o/x.js"),
    (f"{G}/o/x.js.git", "o/x.js"),
    (f"{G}/org/my.repo", "org/my.repo"),
    (f"{G}/SocialGouv/.kontinuous", "socialgouv/.kontinuous"),
    (f"{G}/o/.github", "o/.github"),
    (f"{G}/o/r?tab=readme-ov-file", "o/r"),
    (f"{G}/o/r#readme", "o/r"),
    ("http://github.com/o/r", "o/r"),
    ("https://www.github.com/o/r", "o/r"),
    ("https://WWW.GitHub.com/o/r", "o/r"),
    ("https://github.com:443/o/r", "o/r"),
    ("http://github.com:80/o/r", "o/r"),
    ("https://redirect.github.com/o/r/issues/5", "o/r#5"),
    (f"{G}/o/r/issues/5", "o/r#5"),
    (f"{G}/o/r/issues/5/", "o/r#5"),
    (f"{G}/O/R/ISSUES/5", "o/r#5"),
    (f"{G}/o/r/issues/%35", "o/r#5"),
    (f"{G}/o%2Dx/r/issues/5", "o-x/r#5"),
    (f"{G}/o/r/issues/5#issuecomment-99", "o/r#5"),
    (f"{G}/o/r/issues/5?foo=bar", "o/r#5"),
    (f"{G}/o/r/issues/5?utm_source=x#issue-1", "o/r#5"),
    (f"{G}//o/r//issues/5", "o/r#5"),
    (f"{G}/org/issues/issues/5", "org/issues#5"),
    (f"{G}/org/pull/pull/5", "org/pull#5"),
    (f"{G}/o/r/issues/2147483647", "o/r#2147483647"),
    (f"{G}/o/r/pull/5", "o/r#5"),
    (f"{G}/o/r/pull/5/files", "o/r#5"),
    (f"{G}/o/r/pull/5/files#r123", "o/r#5"),
    (f"{G}/o/r/pull/5/files/abc..def", "o/r#5"),
    (f"{G}/o/r/pull/5/changes", "o/r#5"),
    (f"{G}/o/r/pull/5/commits", "o/r#5"),
    (f"{G}/o/r/pull/5/commits/abc123", "o/r#5"),
    (f"{G}/o/r/pull/5/checks", "o/r#5"),
    (f"{G}/o/r/pull/5/checks?check_run_id=1", "o/r#5"),
    (f"{G}/o/r/pull/5.diff", "o/r#5"),
    (f"{G}/o/r/pull/5.patch", "o/r#5"),
    (f"{G}/o/r/pull/5#discussion_r1", "o/r#5"),
    (f"{G}/o/r/pull/5#pullrequestreview-1", "o/r#5"),
    ("https://user:secret@github.com/o/r/issues/5", "o/r#5"),
    (f"{G}/o/r/issues", "o/r/issues?state=open [25]"),
    (f"{G}/o/r/issues/", "o/r/issues?state=open [25]"),
    (f"{G}/o/r/issues?page=1", "o/r/issues?state=open [25]"),
    (f"{G}/o/r/pulls", "o/r/pulls?state=open [25]"),
    (
        f"{G}/o/r/issues?q=is%3Aissue+state%3Aopen+label%3Abug",
        "o/r/issues?labels=bug&state=open [25]",
    ),
    (
        f"{G}/o/r/issues?q=is:issue%20is:open%20label:bug",
        "o/r/issues?labels=bug&state=open [25]",
    ),
    (f"{G}/o/r/issues?q=is%3Aissue", "o/r/issues?state=all [25]"),
    (f"{G}/o/r/issues?q=is%3Aissue+is%3Aclosed", "o/r/issues?state=closed [25]"),
    (
        f'{G}/o/r/issues?q=is:issue+label:"good+first+issue"+label:ui',
        "o/r/issues?labels=good%20first%20issue,ui&state=all [25]",
    ),
    (
        f"{G}/o/r/issues?q=is:issue+author:Mona+assignee:hubot+milestone:%22v+1%22",
        "o/r/issues?assignee=hubot&author=mona&milestone=v%201&state=all [25]",
    ),
    (f"{G}/o/r/issues?q=is:issue+no:assignee+is:open", "o/r/issues?assignee=none&state=open [25]"),
    (f"{G}/o/r/issues?q=is:issue+no:milestone", "o/r/issues?milestone=none&state=all [25]"),
    (f"{G}/o/r/issues?q=is:issue+is:open+crash", "o/r/issues?state=open&q=crash [25]"),
    (f"{G}/o/r/issues?q=is:issue+-label:bug", "o/r/issues?state=all&q=-label:bug [25]"),
    (f"{G}/o/r/issues?q=is:issue+label:a,b", "o/r/issues?state=all&q=label:a,b [25]"),
    (f"{G}/o/r/issues?q=is:issue+sort:created-desc", "o/r/issues?state=all [25]"),
    (f"{G}/o/r/issues?q=is:issue+repo:o/r", "o/r/issues?state=all [25]"),
    (f"{G}/o/r/issues?q=is:pr+is:open", "o/r/pulls?state=open [25]"),
    (
        f"{G}/o/r/pulls?q=is%3Apr+is%3Aopen+author%3Amona",
        "o/r/pulls?author=mona&state=open [25]",
    ),
    (f"{G}/o/r/pulls?q=is:pr+is:merged", "o/r/pulls?state=merged [25]"),
    (f"{G}/o/r/pulls?q=is:pr+is:closed+draft:true", "o/r/pulls?state=closed&q=draft:true [25]"),
    (f"{G}/o/r/issues?labels=bug", "o/r/issues?labels=bug&state=open [25]"),
    (f"{G}/o/r/issues?labels=bug,ui&state=closed", "o/r/issues?labels=bug,ui&state=closed [25]"),
    (f"{G}/o/r/issues?milestone=3", "o/r/issues?milestone=%233&state=open [25]"),
    (f"{G}/o/r/issues?sort=created&direction=desc", "o/r/issues?state=open [25]"),
    (f"{G}/o/r/issues/created_by/mona", "o/r/issues?author=mona&state=open [25]"),
    (f"{G}/o/r/issues/assigned/mona", "o/r/issues?assignee=mona&state=open [25]"),
    (f"{G}/o/r/pulls/mona", "o/r/pulls?author=mona&state=open [25]"),
    ("https://api.github.com/repos/o/r", "o/r"),
    ("https://api.github.com/repos/o/r/issues/5", "o/r#5"),
    ("https://api.github.com:443/repos/o/r/issues/5", "o/r#5"),
    ("http://api.github.com/repos/O/R/issues/5", "o/r#5"),
    ("https://API.GITHUB.COM/repos/o/r/issues/%35", "o/r#5"),
    ("https://api.github.com/repos/o/r/issues/5/comments?page=2", "o/r#5"),
    ("https://api.github.com/repos/o/r/pulls/5/files", "o/r#5"),
    ("https://api.github.com/repos/o/r/pulls?state=all&per_page=50", "o/r/pulls?state=all [50]"),
    (
        "https://api.github.com/search/issues?q=repo:o/r+is:issue+is:open+label:bug",
        "o/r/issues?labels=bug&state=open [30]",
    ),
]


@pytest.mark.parametrize(("url", "expected"), CASES)
def test_what_is_read(
    url: str, expected: str, context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    assert shown(capture_url(url, context())) == [expected]


NOTHING = [
    "",
    "github.com",
    "https://github.com",
    f"{G}/",
    f"{G}/o",
    f"{G}/o?tab=repositories",
    f"{G}/issues",
    f"{G}/issues/assigned",
    f"{G}/issues?q=is:issue+repo:o/r",
    f"{G}/pulls",
    f"{G}/pulls/review-requested",
    f"{G}/search?q=repo:o/r&type=issues",
    f"{G}/orgs/o/repositories",
    f"{G}/orgs/o/projects/1",
    f"{G}/users/u/projects/1",
    f"{G}/copilot/x",
    f"{G}/features/actions",
    f"{G}/marketplace/x",
    f"{G}/settings/tokens",
    f"{G}/login/oauth",
    f"{G}/sponsors/mona",
    f"{G}/topics/python",
    f"{G}/trending/python",
    f"{G}/apps/dependabot",
    f"{G}/advisories/GHSA-aaaa-bbbb-cccc",
    f"{G}/user-attachments/assets",
    f"{G}/resources/articles",
    f"{G}/solutions/devops",
    f"{G}/issues/5/issues/5",
    f"{G}/o/r/discussions/5",
    f"{G}/o/r/wiki",
    f"{G}/o/r/actions/runs/5",
    f"{G}/o/r/releases/tag/v1",
    f"{G}/o/r/commit/abc",
    f"{G}/o/r/commits/main",
    f"{G}/o/r/tree/main",
    f"{G}/o/r/blob/main/README.md#L3",
    f"{G}/o/r/raw/main/README.md",
    f"{G}/o/r/compare/a...b",
    f"{G}/o/r/labels/bug",
    f"{G}/o/r/labels",
    f"{G}/o/r/milestone/3",
    f"{G}/o/r/milestones",
    f"{G}/o/r/archive/main.zip",
    f"{G}/o/r/security/advisories/GHSA-x",
    f"{G}/o/r/issues/new",
    f"{G}/o/r/issues/new/choose",
    f"{G}/o/r/issues/0",
    f"{G}/o/r/issues/2147483648",
    f"{G}/o/r/issues/²",
    f"{G}/o/r/issues/\u0665",
    f"{G}/o/r/issues/-5",
    f"{G}/o/r/issues/5x",
    f"{G}/o/r/issues/mentioned/mona",
    f"{G}/o/r/pull",
    f"{G}/o/r/pull/topic",
    f"{G}/o/r/pull/new/topic",
    f"{G}/o/r/pulls/5",
    f"{G}/o%2Fr/issues/5",
    f"{G}/../r",
    f"{G}/o/..",
    f"{G}/-o/r",
    f"{G}/o/.git",
    f"{G}/o/r/issues?q=label%3Abug",  # issues and pull requests mixed
    f"{G}/o/r/issues?q=",
    f"{G}/o/r/issues?page=2",
    f"{G}/o/r/issues?q=is:issue&page=2",
    f"{G}/o/r/issues?q=is:issue+sort:updated-desc",
    f"{G}/o/r/issues?q=is:issue+author:@me",
    f"{G}/o/r/issues?q=is:issue+(label:a+OR+label:b)",
    f"{G}/o/r/issues?q=is:issue+a+OR+b",
    f"{G}/o/r/issues?q=is:issue+is:pr",
    f"{G}/o/r/issues?q=is:issue+is:open+is:closed",
    f"{G}/o/r/issues?q=is:issue+author:a+author:b",
    f"{G}/o/r/issues?q=is:issue+repo:a/b",
    f"{G}/o/r/issues?q=is:issue+org:a",
    f"{G}/o/r/issues?q=is:issue+%22open",
    f"{G}/o/r/issues?q=is:issue+is:merged",
    f"{G}/o/r/issues?sort=updated",
    f"{G}/o/r/issues?milestone=x",
    f"{G}/o/r/issues?creator=mona",
    f"{G}/o/r/issues?q=%FF",
    "https://raw.githubusercontent.com/o/r/main/README.md",
    "https://codeload.github.com/o/r/zip/main",
    "https://gist.github.com/o/0123456789abcdef",
    "https://docs.github.com/en/rest",
    "https://o.github.io/r",
    "https://uploads.github.com/repos/o/r",
    "https://objects.githubusercontent.com/o/r",
    "https://github.com.evil.com/o/r/issues/5",
    "https://evil.com/github.com/o/r/issues/5",
    "https://github.com@evil.com/o/r/issues/5",
    "https://notgithub.com/o/r/issues/5",
    "https://xn--github-abc.com/o/r",
    "https://[github.com/o/r",
    "https://github.com]/o/r",
    "https://github.com:x/o/r",
    "https://github.com:99999999/o/r",
    "ftp://github.com/o/r",
    "git://github.com/o/r",
    "ssh://git@github.com/o/r",
    "file:///github.com/o/r",
    "javascript:github.com/o/r",
    "//github.com/o/r",
    "https://ghe.corp.com/o/r/issues/5",
    "https://ghe.corp.com/api/v3/repos/o/r/issues/5",
    "https://api.octo.ghe.com/repos/o/r/issues/5",
    "https://api.github.com/",
    "https://api.github.com/repos/o/r/issues",
    "https://api.github.com/repos/o/r/issues?state=open",
    "https://api.github.com/repos/o/r/",
    "https://api.github.com/api/v3/repos/o/r",
    "https://github.com/api/v3/repos/o/r/issues/5",
    "https://api.github.com/graphql",
    "https://api.github.com/repos/o/r/pulls?head=x:y",
    "https://api.github.com/repos/o/r/pulls?page=2",
    "https://github.com/o/r/issues/5" + "x" * 9000,
]


@pytest.mark.parametrize("url", NOTHING, ids=lambda url: url[:80])
def test_what_reads_nothing_an_address_names(url: str, context: Callable[..., Context]) -> None:
    assert capture_url(url, context()) == []


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://ghe.corp.com/o/r", "ghe.corp.com/o/r"),
        ("https://GHE.corp.com:443/o/r/issues/5", "ghe.corp.com/o/r#5"),
        ("https://ghe.corp.com/api/v3/repos/o/r/issues/5", "ghe.corp.com/o/r#5"),
        ("https://ghe.corp.com/o/r/pulls", "ghe.corp.com/o/r/pulls?state=open [25]"),
        ("https://octo.ghe.com/o/r/pull/5/files", "octo.ghe.com/o/r#5"),
        ("https://api.octo.ghe.com/repos/o/r/pulls/5", "octo.ghe.com/o/r#5"),
        ("https://ghe.corp.com:8443/o/r", "ghe.corp.com:8443/o/r"),
        ("https://github.com/o/r", "o/r"),
    ],
)
def test_a_host_of_the_settings(
    url: str, expected: str, context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    hosts = frozenset(["ghe.corp.com", "octo.ghe.com", "ghe.corp.com:8443"])
    assert shown(capture_url(url, context(hosts=hosts))) == [expected]


def test_me_in_a_query_is_the_login(
    context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    url = f"{G}/o/r/issues?q=is:issue+author:@me+is:open"
    assert shown(capture_url(url, context(login="mona"))) == [
        "o/r/issues?author=mona&state=open [25]"
    ]
