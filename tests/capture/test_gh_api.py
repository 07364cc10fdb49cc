# ruff: noqa: E501 - a GraphQL query is easier to read on one line
"""``gh api``: REST paths, fields, placeholders, and GraphQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.capture import capture_shell

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.capture import Context

W = "octo-org/widgets"
Q = "query($o:String!,$r:String!,$n:Int!){repository(owner:$o,name:$r){issue(number:$n){title}}}"

CASES = [
    ("gh api repos/o/r/issues/1", "o/r#1"),
    ("gh api /repos/o/r/issues/1", "o/r#1"),
    ("gh api -H 'Accept: x' repos/o/r/issues/1", "o/r#1"),
    ("gh api repos/o/r/issues/1 -H 'Accept: x' -H 'X-GitHub-Api-Version: 2022-11-28'", "o/r#1"),
    ("gh api --method GET repos/o/r/issues/1", "o/r#1"),
    ("gh api --method=get repos/o/r/issues/1", "o/r#1"),
    ("gh api -X GET repos/o/r/issues/1", "o/r#1"),
    ("gh api -XGET repos/o/r/issues/1", "o/r#1"),
    ("gh api repos/o/r/issues/1 --jq '.title, .body'", "o/r#1"),
    ("gh api repos/o/r/issues/1 -q .title --cache 1h -i", "o/r#1"),
    ("gh api https://api.github.com/repos/o/r/issues/1", "o/r#1"),
    ("gh api repos/o/r/issues/1/comments", "o/r#1"),
    ("gh api repos/o/r/issues/1/comments --paginate", "o/r#1"),
    ("gh api 'repos/o/r/issues/1/comments?per_page=100&page=2'", "o/r#1"),
    ('gh api "repos/o/r/issues/1/comments?page=$P"', "o/r#1"),
    ("gh api repos/o/r/issues/1/timeline", "o/r#1"),
    ("gh api repos/o/r/issues/1/events", "o/r#1"),
    ("gh api repos/o/r/issues/1/sub_issues", "o/r#1"),
    ("gh api repos/o/r/pulls/1", "o/r#1"),
    ("gh api repos/o/r/pulls/1 -H 'Accept: application/vnd.github.diff'", "o/r#1"),
    ("gh api repos/o/r/pulls/1/files --paginate --jq '.[].filename'", "o/r#1"),
    ("gh api repos/o/r/pulls/1/reviews", "o/r#1"),
    ("gh api repos/o/r/pulls/1/comments", "o/r#1"),
    ("gh api repos/o/r/pulls/1/commits", "o/r#1"),
    ("gh api repos/O/R/issues/%35", "o/r#5"),
    ("gh api repos/o/r", "o/r"),
    ("gh api repos/o/x.js", "o/x.js"),
    ("gh api repos/o/r/pulls", "o/r/pulls?state=open [30]"),
    ("gh api 'repos/o/r/pulls?state=all&per_page=100'", "o/r/pulls?state=all [100]"),
    ("gh api repos/o/r/pulls?state=closed", "o/r/pulls?state=closed [30]"),
    ("gh api 'repos/o/r/pulls?per_page=500'", "o/r/pulls?state=open [100]"),
    ("gh api 'repos/o/r/pulls?sort=created&direction=desc'", "o/r/pulls?state=open [30]"),
    ("gh api --paginate 'repos/o/r/pulls?state=open'", "o/r/pulls?state=open [all]"),
    ("gh api repos/o/r/pulls --paginate --slurp", "o/r/pulls?state=open [all]"),
    ("gh api -X GET repos/o/r/pulls -f state=closed -F per_page=5", "o/r/pulls?state=closed [5]"),
    (
        "gh api -X GET search/issues -f q='repo:o/r is:issue is:open label:bug'",
        "o/r/issues?labels=bug&state=open [30]",
    ),
    ("gh api -XGET search/issues -fq='repo:o/r is:pr crash'", "o/r/pulls?state=all&q=crash [30]"),
    (
        "gh api 'search/issues?q=repo:o/r+is:issue+author:mona&per_page=10'",
        "o/r/issues?author=mona&state=all [10]",
    ),
    ("gh api 'search/issues?q=repo%3Ao%2Fr+type%3Apr+is%3Amerged'", "o/r/pulls?state=merged [30]"),
    (
        "gh api 'search/issues?q=repo:o/r+is:issue+x&sort=created&order=desc'",
        "o/r/issues?state=all&q=x%20sort:created-desc [30]",
    ),
    ("GH_REPO=o/r gh api repos/{owner}/{repo}/issues/1", "o/r#1"),
    ("GH_REPO=o/r gh api 'repos/:owner/:repo/issues/1'", "o/r#1"),
    ("GH_REPO=o/r gh api repos/{owner}/{repo}", "o/r"),
    ("cd /home/dev/widgets; gh api repos/{owner}/{repo}/issues/1", f"{W}#1"),
    ("cd /home/dev/widgets; gh api repos/{owner}/{repo}/pulls", f"{W}/pulls?state=open [30]"),
    ("N=7; gh api repos/o/r/issues/$N", "o/r#7"),
    ("N=7; gh api repos/o/r/issues/${N}/comments", "o/r#7"),
    (f"gh api graphql -f query='{Q}' -F o=o -F r=r -F n=5", "o/r#5"),
    (f"gh api /graphql -f query='{Q}' -f o=o -f r=r -F n=5", "o/r#5"),
    (f"gh api graphql -F o=o -F r=r -F n=5 -f query='{Q}' --jq .data", "o/r#5"),
    (
        f"cd /home/dev/widgets; gh api graphql -f query='{Q}' -F o={{owner}} -F r={{repo}} -F n=5",
        f"{W}#5",
    ),
    (
        """gh api graphql -f query='{repository(owner:"o",name:"r"){issue(number:5){title}}}'""",
        "o/r#5",
    ),
    (
        """gh api graphql -f query='query { repository(owner: "o", name: "r") { pullRequest(number: 5) { title } } }'""",
        "o/r#5",
    ),
    (
        """gh api graphql -f query='query Q($n: Int = 5) { repository(owner: "o", name: "r") { issueOrPullRequest(number: $n) { ... on Issue { title } } } }'""",
        "o/r#5",
    ),
    (
        """gh api graphql -f query='{ r: repository(name: "r", owner: "o") { a: issue(number: 5) { title } } } # x'""",
        "o/r#5",
    ),
    (
        """gh api graphql -f query='query { ...F } fragment F on Query { repository(owner: "o", name: "r") { ...G } } fragment G on Repository { issue(number: 5) { id } }'""",
        "o/r#5",
    ),
    (
        'gh api graphql -F query=@- <<\'EOF\'\n{ repository(owner: "o", name: "r") { issue(number: 5) { title } } }\nEOF',
        "o/r#5",
    ),
    (
        'gh api graphql -f query="$(cat <<\'EOF\'\n{ repository(owner: "o", name: "r") { issue(number: 5) { title } } }\nEOF\n)"',
        "o/r#5",
    ),
    (
        'gh api graphql -f query="{ repository(owner: \\"o\\", name: \\"r\\") { issue(number: 5) { title } } }"',
        "o/r#5",
    ),
    (
        'gh api graphql --input - <<\'EOF\'\n{"query": "query($n:Int!){repository(owner:\\"o\\",name:\\"r\\"){issue(number:$n){id}}}", "variables": {"n": 5}}\nEOF',
        "o/r#5",
    ),
    (
        'N=5; gh api graphql -f query="{repository(owner:\\"o\\",name:\\"r\\"){issue(number:$N){id}}}"',
        "o/r#5",
    ),
    (
        """gh api graphql -f query='{repository(owner:"o",name:"r"){description stargazerCount}}'""",
        "o/r",
    ),
    (
        """gh api graphql -f query='{repository(owner:"o",name:"r"){issues(first:10,states:[OPEN],orderBy:{field:CREATED_AT,direction:DESC}){nodes{title}}}}'""",
        "o/r/issues?state=open [10]",
    ),
    (
        """gh api graphql --paginate -f query='query($endCursor:String){repository(owner:"o",name:"r"){pullRequests(first:100,after:$endCursor,states:MERGED,labels:["bug"],orderBy:{field:CREATED_AT,direction:DESC}){nodes{title}}}}'""",
        "o/r/pulls?labels=bug&state=merged [all]",
    ),
    (
        """gh api graphql -f query='{repository(owner:"o",name:"r"){issues(first:10,filterBy:{createdBy:"mona",states:CLOSED},orderBy:{field:CREATED_AT,direction:DESC}){nodes{title}}}}'""",
        "o/r/issues?author=mona&state=closed [10]",
    ),
    (
        """gh api graphql -f query='{search(query:"repo:o/r is:pr is:open",type:ISSUE,first:20){nodes{id}}}'""",
        "o/r/pulls?state=open [20]",
    ),
    (
        """gh api graphql -f query='{resource(url:"https://github.com/o/r/pull/5"){__typename}}'""",
        "o/r#5",
    ),
]


@pytest.mark.parametrize(("command", "expected"), CASES)
def test_what_is_read(
    command: str, expected: str, context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    assert shown(capture_shell(command, context())) == [expected]


NOTHING = [
    "gh api",
    "gh api repos/o/r/issues",  # issues and pull requests mixed
    "gh api 'repos/o/r/issues?state=open&labels=bug'",
    "gh api repos/o/r/issues/comments/99",
    "gh api repos/o/r/pulls/comments/99",
    "gh api repos/o/r/issues/1/lock",
    "gh api repos/o/r/commits",
    "gh api repos/o/r/contents/README.md",
    "gh api repos/o/r/labels",
    "gh api repos/o/r/milestones",
    "gh api user",
    "gh api users/o/repos",
    "gh api orgs/o/repos",
    "gh api notifications",
    "gh api issues",
    "gh api repos/{owner}/{repo}/issues/1",  # outside a checkout
    "gh api repos/:owner/:repo",
    "cd /home/dev/inside; gh api repos/{owner}/{repo}/issues/1",
    "gh api repos/o/r/issues/1 -X PATCH -f title=x",
    "gh api -X POST repos/o/r/issues/1/comments -f body=x",
    "gh api repos/o/r/issues/1/comments -f body=x",
    "gh api repos/o/r/pulls -f state=closed",
    "gh api --method DELETE repos/o/r/issues/1/lock",
    "gh api --method PUT repos/o/r/issues/1/lock",
    "gh api -XPATCH repos/o/r/issues/1",
    "gh api repos/o/r/issues/1 --input body.json",
    "gh api -X HEAD repos/o/r/issues/1",
    "gh api repos/o/r/issues/$N",
    'gh api "repos/o/r/issues/$N/comments"',
    "gh api repos/$R/issues/1",
    "gh api repos/o/r/issues/1 --unknown",
    "gh api repos/o/r/issues/1 repos/o/r/issues/2",
    "gh api --hostname ghe.corp.com repos/o/r/issues/1",
    "gh api https://ghe.corp.com/api/v3/repos/o/r/issues/1",
    "gh api https://github.com/o/r/issues/1",
    "gh api repos/o/r/issues/0",
    "gh api repos/o/r/issues/01",
    "gh api repos/o/r/issues/2147483648",
    "gh api repos/o/r/issues/²",
    "gh api repos/o%2Fr/issues/1",
    "gh api repos/copilot/x",
    "gh api repositories/123",
    "gh api 'repos/o/r/pulls?head=mona:topic'",
    "gh api 'repos/o/r/pulls?base=main'",
    "gh api 'repos/o/r/pulls?sort=updated'",
    "gh api 'repos/o/r/pulls?direction=asc'",
    "gh api 'repos/o/r/pulls?page=2'",
    "gh api --paginate 'repos/o/r/pulls?page=2'",
    "gh api 'repos/o/r/pulls?per_page=0'",
    "gh api 'repos/o/r/pulls?per_page=x'",
    "gh api 'repos/o/r/pulls?state=merged'",
    "gh api 'repos/o/r/pulls?state=weird'",
    'gh api "repos/o/r/pulls?state=$S"',
    "gh api 'search/issues?q=repo:o/r'",  # mixed
    "gh api 'search/issues?q=is:issue+crash'",
    "gh api 'search/issues?q=repo:o/r+repo:a/b+is:issue'",
    "gh api 'search/issues?q=repo:o/r+is:issue&sort=updated'",
    "gh api 'search/issues?q=repo:o/r+is:issue+author:@me'",
    "gh api 'search/repositories?q=x'",
    "gh api graphql",
    "gh api graphql -f query='{viewer{login}}'",
    "gh api graphql -F query=@query.graphql",
    "gh api graphql -f query='nonsense('",
    "gh api graphql -X GET -f query='{viewer{login}}'",
    """gh api graphql -f query='mutation { addComment(input: {subjectId: "x", body: "y"}) { clientMutationId } }'""",
    """gh api graphql -f query='{repository(owner:"o",name:"r"){id}}'""",
    """gh api graphql -f query='{repository(owner:"o",name:"r"){issue(number:5) @include(if: false){id}}}'""",
    f"gh api graphql -f query='{Q}' -F o=o -F r=r",
    f"gh api graphql -f query='{Q}' -F o=o -F r=$R -F n=5",
    f"gh api graphql -f query='{Q}' -F o=o -F r=r -f n=5",  # text, where a number is asked for
    """gh api graphql -f query='{repository(owner:"o",name:"r"){discussion(number:5){title}}}'""",
    """gh api graphql -f query='{repository(owner:"o",name:"r"){issues(first:10){nodes{id}}}}'""",
    """gh api graphql -f query='{repository(owner:"o",name:"r"){issues(first:10,labels:["a","b"],orderBy:{field:CREATED_AT,direction:DESC}){nodes{id}}}}'""",
    """gh api graphql -f query='{repository(owner:"o",name:"r"){pullRequests(last:10,orderBy:{field:CREATED_AT,direction:DESC}){nodes{id}}}}'""",
    """gh api graphql -f query='{repository(owner:"o",name:"r"){pullRequests(first:10,states:CLOSED,orderBy:{field:CREATED_AT,direction:DESC}){nodes{id}}}}'""",
    """gh api graphql -f query='{repository(owner:"o",name:"r"){pullRequests(first:10,baseRefName:"main",orderBy:{field:CREATED_AT,direction:DESC}){nodes{id}}}}'""",
    """gh api graphql -f query='{node(id:"x"){id}}'""",
    """gh api graphql -f query='query A {a} query B {b}'""",
]


@pytest.mark.parametrize("command", NOTHING)
def test_what_reads_nothing_an_address_names(command: str, context: Callable[..., Context]) -> None:
    assert capture_shell(command, context()) == []


def test_several_aliases_are_several_items(
    context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    query = '{repository(owner:"o",name:"r"){a:issue(number:1){id} b:pullRequest(number:2){id}}}'
    assert shown(capture_shell(f"gh api graphql -f query='{query}'", context())) == [
        "o/r#1",
        "o/r#2",
    ]


def test_operation_name_chooses(
    context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    query = (
        'query A{repository(owner:"o",name:"r"){issue(number:1){id}}} '
        'query B{repository(owner:"o",name:"r"){issue(number:2){id}}}'
    )
    command = f"gh api graphql -f query='{query}' -f operationName=B"
    assert shown(capture_shell(command, context())) == ["o/r#2"]
