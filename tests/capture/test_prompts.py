"""Prompts, and whatever else a person writes to name something."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.capture import capture_prompt, capture_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.capture import Context

U = "https://github.com/o/r/issues/5"

POINTS_AT_5 = [
    U,
    f"Look at {U}",
    f"Look at {U}.",
    f"Look at {U}, please",
    f"Is it {U}?",
    f"Wow {U}!",
    f"See {U}: it fails",
    f"See {U}; and more",
    f"({U})",
    f"(see {U}).",
    f"[{U}]",
    f"<{U}>",
    f'"{U}"',
    f"'{U}'",
    f"`{U}`",
    f"**{U}**",
    f"**{U}**and",
    f"*{U}*",
    f"_{U}_",
    f"~~{U}~~",
    f"| {U} |",
    f"|{U}|",
    f"[the bug]({U})",
    f'[the bug]({U} "title")',
    f"[{U}]({U})",
    f"![x]({U})",
    f"- {U}\n- x",
    f'<a href="{U}">x</a>',
    f"\u200b{U}\u200b",
    f"{U}\u200btext",
    f"{U}…",
    f"“{U}”",
    f"«{U}»",
    f"看{U}。",
    f"{U}请看",
    f"{U}\uff09",
    f"{U}#issuecomment-1",
    f"{U}#issuecomment-1.",
    f"{U}?x=1&y=2",
    f"{U}/",
    f"{U})",
    f"{U}\\n",
    f"{{{U}}}",
    "http://www.github.com/o/r/issues/5",
    "HTTPS://GITHUB.COM/o/r/issues/5",
    "github.com/o/r/issues/5",
    "see github.com/o/r/pull/5/files.",
    "www.github.com/o/r/issues/5",
    "https://redirect.github.com/o/r/issues/5",
    "https://api.github.com/repos/o/r/issues/5",
    "o/r#5",
    "Fix o/r#5",
    "Fix o/r#5.",
    "Fix o/r#5, please",
    "Is o/r#5 done?",
    "(o/r#5)",
    "[o/r#5]",
    "**o/r#5**",
    "`o/r#5`",
    '"o/r#5"',
    "<o/r#5>",
    "|o/r#5|",
    "O/R#5",
    "fixes o/r#5: crash",
    "o/r#5\nnext",
    "\u200bo/r#5",
    "github:o/r#5",
    "see github:o/r#5.",
]


@pytest.mark.parametrize("text", POINTS_AT_5)
def test_a_prompt_that_points_at_an_item(
    text: str, context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    assert shown(capture_prompt(text, context())) == ["o/r#5"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://github.com/o/r", ["o/r"]),
        ("read https://github.com/o/x.js.", ["o/x.js"]),
        ("https://github.com/o/x.js.git", ["o/x.js"]),
        ("vercel/next.js#12", ["vercel/next.js#12"]),
        ("SocialGouv/.kontinuous#3", ["socialgouv/.kontinuous#3"]),
        ("octo-org/my_repo.x#3 and octo-org/other#4", ["octo-org/my_repo.x#3", "octo-org/other#4"]),
        ("https://github.com/o/r/issues?q=is%3Aissue+is%3Aopen", ["o/r/issues?state=open [25]"]),
        (
            "https://github.com/o/r/issues?q=is:issue+label:🐛",
            ["o/r/issues?labels=%F0%9F%90%9B&state=all [25]"],
        ),
        ("github:o/r/pulls?state=merged", ["o/r/pulls?state=merged [all]"]),
        (f"{U} and {U} and o/r#5", ["o/r#5"]),
        (f"{U},https://github.com/o/r/pull/6", ["o/r#5", "o/r#6"]),
    ],
)
def test_what_else_a_prompt_points_at(
    text: str, expected: list[str], context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    assert shown(capture_prompt(text, context())) == expected


NOTHING = [
    "1/2#3",
    "",
    "#",
    "hello",
    "#5",  # no checkout
    "fix #5 please",
    "GH-5",
    "o/r",
    "o/r #5",
    "and/or#1",
    "either/or#2",
    "his/her#3",
    "src/foo.py#12",
    "src/thing#12",
    "docs/README.md#12",
    "foo/bar.ts#4",
    "./o/r#5",
    "../o/r#5",
    "/o/r#5",
    "~/o/r#5",
    "x/o/r#5",
    "C:\\o/r#5",
    "o/r#5/x",
    "o/r#5x",
    "o/r#5.2",
    "o/r#5-alpha",
    "o/r##5",
    "o/r#0",
    "o/r#05",
    "o/r#2147483648",
    "o/r#²",
    "o/r#five",
    "-o/r#5",
    "mona@o/r#5",
    "mona@example.com/r#5",
    "mailto:mona@example.com#5",
    "example.com/r#5",
    "https://example.com/o/r#5",
    "https://example.com/a/b#1?x=o/r#5",
    "https://gitlab.com/o/r/issues/5",
    "https://evil.com/?u=https://github.com/o/r/issues/5",
    "https://github.com.evil.com/o/r/issues/5",
    "notgithub.com/o/r/issues/5",
    "my.github.com.example/o/r/issues/5",
    "mona@github.com/o/r",
    "git@github.com:o/r.git",
    "https://[github.com/o/r",
    "https://github.com/features/actions",
    "https://github.com/copilot/x",
    "copilot/x#5",
    "issues/5#3",
    "https://raw.githubusercontent.com/o/r/main/x",
    "https://gist.github.com/o/abc",
    "https://github.com/o/r/issues/²",
    "github:o/r/issues?colour=red",
    "github:ghe.corp.com/o/r#5",
    "https://ghe.corp.com/o/r/issues/5",
    "a%2Fb#1",
    "x=o/r#5",
    "foo(a/b#1",
    "$o/r#5",
    "&o/r#5",
]


@pytest.mark.parametrize("text", [text for text in NOTHING if text != "foo(a/b#1"])
def test_a_prompt_that_points_at_nothing(text: str, context: Callable[..., Context]) -> None:
    assert capture_prompt(text, context()) == []


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("#5", [5]),
        ("fix #5", [5]),
        ("fix #5.", [5]),
        ("(#5)", [5]),
        ("[#5]", [5]),
        ("**#5**", [5]),
        ("`#5`", [5]),
        ("#5, #6 and #7", [5, 6, 7]),
        ("#5/6", []),
        ("GH-5", [5]),
        ("see GH-5.", [5]),
        ("XGH-5", []),
        ("#5x", []),
        ("#05", []),
        ("#0", []),
        ("x#5", []),
        ("#5.1", []),
        ("##5", []),
        ("# 5", []),
        ("C#5", []),
        ("&#39;", []),
        ("color: #333", []),
        ("background-color:#333333;", []),
        ("https://example.com/#5", []),
        ("https://github.com/features#5", []),
        ("mona@x.com#5", []),
        ("#2147483648 #5", [5]),
        ("octo/repo #5", []),
        ("[#5](https://gitlab.com/a/b/issues/9)", []),
        ("[fix #7](https://example.com/x) then #5", [5]),
        ("[octo #9](<https://gitlab.com/a/b/issues/9>)", []),
        ("[#5]: https://gitlab.com/a/b/issues/9", []),
        ('<a href="https://gitlab.com/a/b/issues/9">#7</a> #5', [5]),
        ("[#5](docs/notes.md)", [5]),
        ("- [ ] #5\n- [x] #6", [5, 6]),
    ],
)
def test_a_bare_number_in_a_checkout(
    text: str, numbers: list[int], context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    found = capture_prompt(text, context(cwd="/home/dev/widgets"))
    assert shown(found) == [f"octo-org/widgets#{number}" for number in numbers]


@pytest.mark.parametrize(
    "text",
    [
        "[#7](https://github.com/o/r/issues/5)",
        "[fix #7](https://github.com/o/r/pull/5)",
        "[p/q#7](https://github.com/o/r/issues/5)",
        "[https://github.com/p/q/issues/7](https://github.com/o/r/issues/5)",
        "[#7]: https://github.com/o/r/issues/5",
        '<a href="https://github.com/o/r/issues/5">#7</a>',
    ],
)
def test_a_links_text_is_about_what_it_leads_to(
    text: str, context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    found = capture_prompt(text, context(cwd="/home/dev/widgets"))
    assert shown(found) == ["o/r#5"]


def test_a_host_of_the_settings(
    context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    around = context(hosts=frozenset(["ghe.corp.com"]))
    text = "https://ghe.corp.com/o/r/issues/5 and github:ghe.corp.com/o/r#6"
    assert shown(capture_prompt(text, around)) == ["ghe.corp.com/o/r#5", "ghe.corp.com/o/r#6"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("o/r", ["o/r"]),
        (" o/r ", ["o/r"]),
        ("o/r#5", ["o/r#5"]),
        ("github:o/r#5", ["o/r#5"]),
        ("github:o/r", ["o/r"]),
        ("o/r/issues?state=open&labels=bug", ["o/r/issues?labels=bug&state=open [all]"]),
        (U, ["o/r#5"]),
        ("github.com/o/r", ["o/r"]),
        ("api.github.com/repos/o/r/issues/5", ["o/r#5"]),
        ("repos/o/r/issues/5", ["o/r#5"]),
        ("/repos/o/r/pulls?state=all", ["o/r/pulls?state=all [30]"]),
        ("search/issues?q=repo:o/r+is:pr", ["o/r/pulls?state=all [30]"]),
        ("gh issue view 5 -R o/r", ["o/r#5"]),
        ("gh pr list -R o/r -L 5", ["o/r/pulls?state=open [5]"]),
        ("gh api repos/o/r/issues/5", ["o/r#5"]),
        ("curl https://api.github.com/repos/o/r/issues/5", ["o/r#5"]),
        ("see o/r#5 and o/r#6", ["o/r#5", "o/r#6"]),
        (f"<{U}>", ["o/r#5"]),
        ("`o/r#5`", ["o/r#5"]),
        ("", []),
        ("nonsense", []),
        ("#5", []),
        ("github:nonsense", []),
        ("github:ghe.corp.com/o/r#5", []),
        ("repos/o/r/issues", []),
        ("https://example.com", []),
        ("gh auth login", []),
        ("src/foo.py#12", []),
        ("docs/site#12", ["docs/site#12"]),
    ],
)
def test_what_a_person_or_an_agent_would_write(
    text: str, expected: list[str], context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    assert shown(capture_text(text, context())) == expected


def test_a_bare_number_is_text_too(
    context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    around = context(cwd="/home/dev/widgets")
    assert shown(capture_text("#5", around)) == ["octo-org/widgets#5"]


def test_the_shells_host_is_not_the_prompts(
    context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    around = context(environment={"GH_HOST": "ghe.corp.com"}, hosts=frozenset(["ghe.corp.com"]))
    assert shown(capture_prompt("o/r#5", around)) == ["o/r#5"]
    assert shown(capture_text("o/r#5", around)) == ["o/r#5"]


@pytest.mark.parametrize(
    "text",
    [
        "éo/r#5",
        "o/r#5é",
        "e\u0301o/r#5",
        "\uff4fo/r#5",
        "o/r#5\uff15",
        "\u0451o/r#5",
        "\u0661o/r#5",
        "#5é",
        "https://github.com/o/r/issues/5é",
    ],
)
def test_a_part_of_a_longer_word_points_at_nothing(
    text: str, context: Callable[..., Context]
) -> None:
    assert capture_prompt(text, context()) == []


@pytest.mark.parametrize(
    "text",
    [
        "请看o/r#5的内容",
        "レビューo/r#5を",
        "ดูที่o/r#5",
        "o/r#5을",
        "https://github.com/o/r/issues/5を",
    ],
)
def test_scripts_without_spaces_stand_beside_what_they_point_at(
    text: str, context: Callable[..., Context], shown: Callable[..., list[str]]
) -> None:
    assert shown(capture_prompt(text, context())) == ["o/r#5"]
