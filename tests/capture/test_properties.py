"""Whatever comes in: nothing is raised, and every Address survives its key and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from resources_graph_core import Address
from resources_graph_core.capture import (
    Context,
    capture_mcp,
    capture_prompt,
    capture_shell,
    capture_text,
    capture_url,
)
from resources_graph_core.capture.checkout import Checkout

if TYPE_CHECKING:
    from collections.abc import Callable

FILES = {
    "/w/.git/HEAD": "ref: refs/heads/main\n",
    "/w/.git/config": '[remote "origin"]\n\turl = git@github.com:octo-org/widgets.git\n',
}
CONTEXTS = [
    Context(),
    Context(
        cwd="/w",
        environment={"HOME": "/h", "GH_HOST": "ghe.corp.com"},
        hosts=frozenset(["ghe.corp.com"]),
        login="mona",
        checkout=Checkout(read=FILES.get),
    ),
    Context(cwd="/w", environment={"HOME": "/h"}, login="mona", checkout=Checkout(read=FILES.get)),
]

PIECES = st.sampled_from(
    [
        "gh",
        "issue",
        "pr",
        "list",
        "view",
        "diff",
        "checks",
        "search",
        "issues",
        "prs",
        "repo",
        "api",
        "graphql",
        "status",
        "-R",
        "--repo=",
        "-R=",
        "o/r\n",
        "",
        "",
        "",
        "octo-org/widgets",
        "5",
        "#5",
        "42",
        "'#5'",
        "-L",
        "10",
        "--limit=0",
        "-l",
        "bug",
        "--label",
        '"a,b"',
        "-A",
        "@me",
        "-s",
        "closed",
        "all",
        "--search\n",
        "",
        "",
        "",
        "'is:open",
        "crash'",
        "--state=OPEN",
        "--json",
        "title",
        "-q",
        ".x",
        "--web",
        "--help",
        "-X",
        "POST",
        "GET",
        "--method",
        "-f",
        "q=",
        "-F",
        "n=5\n",
        "",
        "",
        "",
        "--paginate",
        'query=\'{repository(owner:"o",name:"r"){issue(number:5){id}}}\'',
        "repos/o/r/issues/1\n",
        "",
        "",
        "",
        "repos/{owner}/{repo}/pulls?state=all",
        "https://api.github.com/repos/o/r/pulls?per_page=5\n",
        "",
        "",
        "",
        "https://github.com/o/r/issues/5",
        'https://github.com/o/r/issues?q=is:issue+label:"x+y"\n',
        "",
        "",
        "",
        "https://[github.com/o/r",
        "curl",
        "wget",
        "http",
        "xh",
        "-s",
        "-d",
        "@-",
        "-G",
        "--next",
        "|",
        "||",
        "&&",
        ";",
        "&",
        "(",
        ")",
        "{",
        "}",
        "$(",
        "`",
        '"',
        "'",
        "\\",
        "$N\n",
        "",
        "",
        "",
        "${N:-5}",
        "$((1+2))",
        "N=5",
        "for",
        "n",
        "in",
        "1",
        "2",
        "3",
        ";",
        "do",
        "done",
        "if",
        "then",
        "else",
        "fi",
        "while",
        "case",
        "esac",
        "<<EOF",
        "EOF",
        "<<<",
        "<",
        ">",
        "2>&1\n",
        "",
        "",
        "",
        "bash",
        "-c",
        "-lc",
        "eval",
        "xargs",
        "-I{}",
        "{}",
        "sudo",
        "env",
        "timeout",
        "9",
        "cd",
        "..",
        "~",
        "-",
        "echo",
        "printf",
        "'%s\\n'",
        "seq",
        "1",
        "3",
        "cat",
        "export\n",
        "",
        "",
        "",
        "GH_REPO=o/r",
        "GH_HOST=x",
        "unset",
        "f()",
        "return",
        "exit",
        "#",
        "\n",
        "\t",
        "*",
        "?",
        "[a-z]",
        "{1..3}",
        "{a,b}",
        "[[",
        "]]",
        "!",
        "time",
        "exec",
        "$'x\\0'\n",
        "",
        "",
        "",
        "o/r#5",
        "and/or#1",
        "GH-5",
        "github:o/r#5",
        "github:o/r/issues?state=open",
        "&quot;",
        "é",
        "🐛",
        "\u200b",
        "²",
        "%35",
    ]
)
COMMANDS = st.lists(PIECES, max_size=14).map(" ".join)
TEXTS = st.one_of(
    st.text(max_size=200),
    COMMANDS,
    st.lists(PIECES, max_size=8).map("".join),
    st.binary(max_size=100).map(lambda raw: raw.decode("utf-8", "surrogateescape")),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
ARGUMENT_NAMES = st.sampled_from(
    [
        "owner",
        "repo",
        "issue_number",
        "pullNumber",
        "pull_number",
        "method",
        "state",
        "labels",
        "query",
        "q",
        "perPage",
        "page",
        "sort",
        "order",
        "orderBy",
        "direction",
        "fields",
        "after",
    ]
)
ARGUMENTS = st.dictionaries(
    ARGUMENT_NAMES,
    st.one_of(
        JSON, st.sampled_from(["o", "r", "get", "open", "OPEN", "is:open x", 5, 30, ["bug"]])
    ),
    max_size=8,
)
TOOLS = st.sampled_from(
    [
        "issue_read",
        "pull_request_read",
        "list_issues",
        "list_pull_requests",
        "search_issues",
        "get_issue",
        "search_pull_requests",
        "get_pull_request_files",
        "add_issue_comment",
    ]
)


def check(addresses: list[Address]) -> None:
    for address in addresses:
        again = Address.from_key(address.key, limit=address.limit)
        assert again == address
        assert again.key == address.key
        assert again.limit == address.limit
        assert "@me" not in address.key
        assert "\0" not in address.key


@pytest.mark.parametrize("capture", [capture_shell, capture_url, capture_prompt, capture_text])
@given(text=TEXTS, context=st.sampled_from(CONTEXTS))
@example(text="gh issue list -R o/r -l '\x85'", context=CONTEXTS[0])
@example(text="gh issue list -R o/r -S '\x1f \u2028'", context=CONTEXTS[0])
@example(text="gh issue list -R o/r -l 'İ'", context=CONTEXTS[0])
@example(text="gh issue list -R o/r -m '\ud800'", context=CONTEXTS[0])
@example(text="gh issue list -R o/r -S '\udcff'", context=CONTEXTS[0])
@example(text="https://github.com/o/r/issues?q=is:issue+\udcff", context=CONTEXTS[0])
@settings(max_examples=400, deadline=None)
def test_any_text(
    capture: Callable[[str, Context], list[Address]], text: str, context: Context
) -> None:
    check(capture(text, context))


@given(
    prefix=st.sampled_from(["", "mcp__github__", "github-", "MCP:"]) | st.text(max_size=8),
    tool=TOOLS | st.text(max_size=12),
    arguments=ARGUMENTS | st.dictionaries(st.text(max_size=5), JSON, max_size=3),
    context=st.sampled_from(CONTEXTS),
)
@settings(max_examples=600, deadline=None)
def test_any_mcp_call(
    prefix: str, tool: str, arguments: dict[str, object], context: Context
) -> None:
    check(capture_mcp(prefix + tool, arguments, context))


@given(flags=st.lists(PIECES, max_size=6), text=st.text(max_size=40))
@settings(max_examples=400, deadline=None)
def test_any_flags_of_a_list(flags: list[str], text: str) -> None:
    quoted = text.replace("'", "")
    line = f"gh issue list -R o/r -S '{quoted}' -l '{quoted}' -m '{quoted}' {' '.join(flags)}"
    check(capture_shell(line, CONTEXTS[1]))


DEEP = 2000


@pytest.mark.parametrize(
    "text",
    [
        "$(" * DEEP + "gh issue view 5 -R o/r" + ")" * DEEP,
        "(" * DEEP + "gh issue view 5 -R o/r" + ")" * DEEP,
        "{ " * DEEP + "gh issue view 5 -R o/r" + "; }" * DEEP,
        "gh `" * DEEP,
        '"$(gh ' * DEEP,
        "gh " + "${a:-" * DEEP + "}" * DEEP,
        "gh " + "$((" * DEEP + "1" + "))" * DEEP,
        "gh " + "{a," * DEEP + "}" * DEEP,
        "gh " + "{a,b}" * DEEP,
        "gh x && " * DEEP + "true",
        "gh x || " * DEEP + "true",
        "gh x | " * DEEP + "cat",
        "gh x; " * DEEP,
        "if gh x; then " * DEEP + "fi;" * DEEP,
        "for a in 1 2 3 4 5 6 7 8 9; do " * 30 + "gh x; " + "done; " * 30,
        "for a in {1..999999}; do gh issue view $a -R o/r; done",
        "f() { f; f; gh x; }; f",
        "f() { f | f; }; f; gh x",
        "a=x; " + "a=$a$a$a$a; " * 40 + "gh $a",
        "eval " * 500 + "gh issue view 5 -R o/r",
        "sudo " * DEEP + "gh issue view 5 -R o/r",
        "cat <<EOF\n" * 200 + "gh",
        "echo " + "gh " * 20000,
        "gh api graphql -f query='" + "{a" * DEEP + "}" * DEEP + "'",
        "gh api graphql -f query='{a(b:" + "[" * DEEP + "]" * DEEP + ")}'",
        "gh api graphql -f query='{repository(owner:1){...A}} fragment A on R {...A ...A}'",
        "gh api graphql --input - <<'E'\n" + "[" * DEEP + "\nE",
        "https://github.com/o/r " * 1000,
        "https://github.com/" + "(" * DEEP,
        "[" * DEEP + "https://github.com/o/r" + "]" * DEEP,
        "o/r#5 " * 1000,
        "#5 " * 1000,
        "github:" * 1000,
        "gh \\" * DEEP,
        "gh '" * DEEP,
        "gh <<A\n" + "x\n" * DEEP,
        "x" * 1_000_000 + " gh",
        "gh " * 340_000,
        "gh " + "a" * 1_000_000,
        "https://github.com/" + "a/" * 500_000,
        "a/b#1" * 200_000,
        "a/" * 500_000 + "#1 github",
        "#" * 1_000_000,
        "https://" * 125_000 + "github",
    ],
    ids=lambda text: text[:20],
)
@pytest.mark.parametrize("capture", [capture_shell, capture_url, capture_prompt, capture_text])
def test_what_is_deep_or_long_ends(
    capture: Callable[[str, Context], list[Address]], text: str
) -> None:
    found = capture(text, CONTEXTS[2])
    check(found)
    assert len(found) <= 200


@given(
    letter=st.characters(categories=["Lu", "Ll", "Lt", "Nd"]),
    accents=st.text("\u0301\u0327", max_size=7),
)
def test_no_letter_beside_a_name_is_left_out_of_it(letter: str, accents: str) -> None:
    """What a letter or a digit stands beside is another name, or none."""
    for text in (f"{letter}{accents}octo/cat#5", f"octo/cat#5{letter}{accents}"):
        found = [str(address) for address in capture_prompt(text, Context())]
        assert "octo/cat#5" not in found
