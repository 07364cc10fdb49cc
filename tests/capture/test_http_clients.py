"""``curl``, ``wget``, HTTPie and ``xh``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.capture import capture_shell

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.capture import Context

A = "https://api.github.com/repos/o/r"

READS_5 = [
    f"curl {A}/issues/5",
    f"curl -s {A}/issues/5",
    f"curl -sSL {A}/issues/5 | jq .title",
    f"curl -fsSL '{A}/issues/5'",
    f"curl -X GET {A}/issues/5",
    f"curl -XGET {A}/issues/5",
    f"curl --request GET {A}/issues/5",
    f"curl --url {A}/issues/5",
    f"curl --url={A}/issues/5".replace("--url=", "--url "),
    f"curl -H 'Accept: application/vnd.github+json' {A}/issues/5",
    f'curl -H "Authorization: Bearer $GITHUB_TOKEN" {A}/issues/5',
    f"curl -H'Accept: x' {A}/issues/5 -o out.json",
    f"curl -u user:$TOKEN {A}/issues/5",
    f"curl -sSLo out.json {A}/issues/5",
    f"curl -w '%{{http_code}}' -m 10 --retry 3 --compressed {A}/issues/5",
    f"curl -A agent -e ref -b c -x proxy -D - {A}/issues/5",
    f"curl {A}/issues/5/comments",
    f"curl '{A}/issues/5/comments?per_page=100&page=2'",
    f'curl "{A}/issues/5/comments?page=$P"',
    f"curl {A}/issues/5/timeline",
    f"curl {A}/pulls/5",
    f"curl {A}/pulls/5/files",
    "curl https://api.github.com:443/repos/o/r/issues/5",
    "curl https://api.github.com/repos/o/r/issues/%35",
    "curl https://api.github.com/repos/O/R/issues/5",
    "curl api.github.com/repos/o/r/issues/5",
    "curl https://github.com/o/r/issues/5",
    "curl -L github.com/o/r/pull/5.diff",
    "curl -sL https://github.com/o/r/pull/5.patch | git am",
    f"curl -G {A}/issues/5",
    f"curl -X GET -d state=closed {A}/issues/5",
    f"curl -- {A}/issues/5",
    f"curl {A}/issues/5 > x; cat x",
    f"B={A}; curl $B/issues/5",
    f'B={A}; curl "$B/issues/5"',
    f"for n in 5; do curl {A}/issues/$n; done",
    f"curl -g {A}/issues/5",
    f"/usr/bin/curl {A}/issues/5",
    f"timeout 9 curl {A}/issues/5",
    f"wget {A}/issues/5",
    f"wget -q {A}/issues/5",
    f"wget -qO- {A}/issues/5",
    f"wget -q -O - {A}/issues/5 | jq",
    f"wget -nv -O out.json --header='Accept: x' {A}/issues/5",
    f"wget --header 'Authorization: token x' -T 5 -t 2 {A}/issues/5",
    f"wget --method=GET {A}/issues/5",
    f"http {A}/issues/5",
    f"http GET {A}/issues/5",
    "http GET api.github.com/repos/o/r/issues/5",
    "https api.github.com/repos/o/r/issues/5",
    f"http --body {A}/issues/5 Accept:application/json",
    f'http GET {A}/issues/5 Authorization:"Bearer $T"',
    f"http -a user:pass {A}/issues/5",
    f"http {A}/issues/5/comments per_page==100 page==2",
    f"http -b --follow {A}/issues/5",
    f"xh {A}/issues/5",
    f"xh get {A}/issues/5",
    "xhs api.github.com/repos/o/r/issues/5",
    f"xh -b {A}/issues/5 Accept:x",
]


@pytest.mark.parametrize("command", READS_5)
def test_what_reads_an_item(
    command: str, context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    assert shown(capture_shell(command, context())) == ["o/r#5"]


LISTS = [
    (f"curl {A}/pulls", "pulls?state=open [30]"),
    (f"curl '{A}/pulls?state=all&per_page=100'", "pulls?state=all [100]"),
    (f"curl {A}/pulls?state=closed", "pulls?state=closed [30]"),
    (f"curl {A}/pulls?state=all&per_page=100", "pulls?state=all [30]"),  # the shell ends it at '&'
    (f"curl -G {A}/pulls -d state=closed -d per_page=5", "pulls?state=closed [5]"),
    (f"curl -G -d 'state=closed&per_page=5' {A}/pulls", "pulls?state=closed [5]"),
    (f"curl {A}/pulls --url-query state=all", "pulls?state=all [30]"),
    (f"curl -X GET -d state=closed {A}/pulls", "pulls?state=open [30]"),  # a body has no effect
    (
        (
            "curl -G https://api.github.com/search/issues"
            " --data-urlencode 'q=repo:o/r is:issue is:open label:bug'"
        ),
        "issues?labels=bug&state=open [30]",
    ),
    (
        "curl 'https://api.github.com/search/issues?q=repo:o/r+is:pr+is:open&per_page=10'",
        "pulls?state=open [10]",
    ),
    ("curl 'https://github.com/o/r/issues'", "issues?state=open [25]"),
    (f"wget -qO- '{A}/pulls?state=closed'", "pulls?state=closed [30]"),
    (f"http {A}/pulls state==closed per_page==5", "pulls?state=closed [5]"),
    (f"http GET {A}/pulls state==all", "pulls?state=all [30]"),
    (f"xh {A}/pulls state==all", "pulls?state=all [30]"),
    (
        "http https://api.github.com/search/issues q=='repo:o/r is:issue crash'",
        "issues?state=all&q=crash [30]",
    ),
]


@pytest.mark.parametrize(("command", "expected"), LISTS)
def test_what_lists(
    command: str, expected: str, context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    assert shown(capture_shell(command, context())) == [f"o/r/{expected}"]


NOTHING = [
    "curl https://example.com/github.com/o/r/issues/5",
    "curl https://github.com",
    f"curl -X POST {A}/issues/5/comments -d '{{}}'",
    f"curl -XPATCH {A}/issues/5",
    f"curl --request PATCH {A}/issues/5 -d x",
    f"curl -X DELETE {A}/issues/5/lock",
    f"curl -X PUT {A}/issues/5/lock",
    f"curl -X post {A}/issues/5",
    f"curl -d body=x {A}/issues/5/comments",
    f"curl --data '{{}}' {A}/issues/5",
    f"curl --data-raw '{{}}' {A}/issues/5",
    f"curl --json '{{}}' {A}/issues/5",
    f"curl -F x=y {A}/issues/5",
    f"curl -T file {A}/issues/5",
    f"curl -I {A}/issues/5",
    f"curl -sI {A}/issues/5",
    f"curl --head {A}/issues/5",
    f"curl -X HEAD {A}/issues/5",
    f"curl -K config {A}/issues/5",
    f"curl --config - {A}/issues/5",
    f"curl $OPTS {A}/issues/5",
    f"curl -X $METHOD {A}/issues/5",
    f"curl --not-an-option {A}/issues/5",
    f"curl {A}/issues/$N",
    f'curl "{A}/issues/$N/comments"',
    f"curl {A}/issues/[1-5]",
    f"curl '{A}/issues/{{1,2}}'",
    f"curl {A}/issues",
    f"curl '{A}/issues?state=open'",
    f'curl "{A}/pulls?state=$S"',
    f"curl '{A}/pulls?page=2'",
    f"curl '{A}/pulls?sort=updated'",
    f"curl -G {A}/pulls -d @params",
    f"curl -o {A}/issues/5",
    f"curl -H {A}/issues/5",
    f"curl -x {A}/issues/5 example.com",
    'curl -X POST https://api.github.com/graphql -d \'{"query":"{viewer{login}}"}\'',
    "curl https://raw.githubusercontent.com/o/r/main/README.md",
    "curl -L https://codeload.github.com/o/r/tar.gz/main",
    "curl -L https://github.com/o/r/archive/main.tar.gz",
    "curl https://ghe.corp.com/api/v3/repos/o/r/issues/5",
    "curl 'https://[github.com/o/r'",
    f"echo curl {A}/issues/5",
    f"wget --spider {A}/issues/5",
    f"wget --post-data=x {A}/issues/5",
    f"wget --method=PATCH {A}/issues/5",
    f"wget --method POST --body-data x {A}/issues/5",
    "wget -i github.com-urls",
    f"wget $OPTS {A}/issues/5",
    f"http POST {A}/issues/5",
    f"http PATCH {A}/issues/5 state=closed",
    f"http {A}/issues/5/comments body=x",
    f"http {A}/issues/5/comments labels:='[]'",
    f"http {A}/issues/5 @file",
    f"http HEAD {A}/issues/5",
    f"http --offline {A}/issues/5",
    f"http --raw x {A}/issues/5",
    f"echo '{{}}' | http {A}/issues/5",
    f"http $METHOD {A}/issues/5",
    f"xh post {A}/issues/5",
    f"xh {A}/issues/5 a=b",
    f"http {A}/issues",
    "http github.com",
]


@pytest.mark.parametrize("command", NOTHING)
def test_what_reads_nothing_an_address_names(command: str, context: Callable[..., Context]) -> None:
    assert capture_shell(command, context()) == []


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (f"curl {A}/issues/1 {A}/pulls/2", ["o/r#1", "o/r#2"]),
        (f"curl {A}/issues/1 https://example.com {A}/issues/2", ["o/r#1", "o/r#2"]),
        (f"curl {A}/issues/1 --next -d x {A}/issues/2 --next {A}/issues/3", ["o/r#1", "o/r#3"]),
        (f"curl {A}/issues/{{1,2}}", ["o/r#1", "o/r#2"]),  # the shell's braces, not curl's
        (f"wget -q {A}/issues/1 {A}/issues/2", ["o/r#1", "o/r#2"]),
        (f"curl -s {A} {A}/issues/1", ["o/r", "o/r#1"]),
    ],
)
def test_several_urls(
    command: str,
    expected: list[str],
    context: Callable[..., Context],
    shown: Callable[..., list[str]],
) -> None:
    assert shown(capture_shell(command, context())) == expected


def test_standard_input_does_not_count_when_it_is_ignored(
    context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    command = f"echo x | http --ignore-stdin {A}/issues/5"
    assert shown(capture_shell(command, context())) == ["o/r#5"]
