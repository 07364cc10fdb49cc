"""What strangers wrote is shown without acting on the terminal, and facts come first."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources_graph_core.render import age, read_lines, visible

NOW = "2026-12-01T00:00:00Z"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text\twith a tab", "plain text\twith a tab"),
        ("\x1b[31mred\x1b[0m", "<U+001B>[31mred<U+001B>[0m"),
        ("\x1b]8;;https://evil\x07", "<U+001B>]8;;https://evil<U+0007>"),
        ("\x9b31m", "<U+009B>31m"),
        ("a\u202eb", "a<U+202E>b"),
        ("a\u200bb\u2060c\ufeff", "a<U+200B>b<U+2060>c<U+FEFF>"),
        ("tag\U000e0041", "tag<U+E0041>"),
        ("selector\U000e0101", "selector<U+E0101>"),
        ("filler\u3164", "filler<U+3164>"),
        ("\ud800", "<U+D800>"),
        ("a\r\nb\rc", "a\nb<U+000D>c"),
        ("naïve 日本語 😀 ⚠️", "naïve 日本語 😀 ⚠️"),
        ("[bold]not markup[/bold]", "[bold]not markup[/bold]"),
    ],
)
def test_what_hides_or_acts_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text())
def test_nothing_that_acts_gets_through(text: str) -> None:
    shown = visible(text)
    acting = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert not [c for c in shown if c not in "\n\t" and unicodedata.category(c) in acting]
    assert "\n" not in visible(text, line_breaks=False)
    assert visible(shown) == shown


@pytest.mark.parametrize(
    ("stamp", "words"),
    [
        ("2026-12-01T00:00:00Z", "just now"),
        ("2026-11-30T23:59:00Z", "1 minute ago"),
        ("2026-11-30T22:00:00Z", "2 hours ago"),
        ("2026-11-29T00:00:00Z", "2 days ago"),
        ("2020-11-30T00:00:00Z", "6 years ago"),
        ("2027-01-01T00:00:00Z", "just now"),
        ("2026-11-30", "1 day ago"),
        ("\x1bsoon", "<U+001B>soon"),
    ],
)
def test_ages(stamp: str, words: str) -> None:
    assert age(stamp, NOW) == words


def _text(**values: object) -> str:
    lines = read_lines(
        address="o/r#1",
        outcome="hit",
        resource={
            "number": 1,
            "title": "A title",
            "state": "OPEN",
            "labels": ["bug", "help wanted"],
            "author": "ada",
            "body": "The body",
            "fetched_at": "2026-11-30T23:00:00Z",
            "updated_at": "2026-11-01T00:00:00Z",
            **values,
        },
        comments=[
            {"author": "eve", "created_at": "2026-11-02T00:00:00Z", "body": "One\x1b[2J"},
            {"author": None, "kind": "review", "review_state": "APPROVED", "body": ""},
        ],
        now=NOW,
    )
    return "\n".join(line.text for line in lines)


def test_facts_come_before_content() -> None:
    text = _text()
    parts = [
        "o/r#1 · hit",
        "fetched 2026-11-30T23:00:00Z (1 hour ago)",
        "updated 2026-11-01T00:00:00Z (30 days ago)",
        "#1 A title",
        "state: OPEN",
        "labels: bug, help wanted",
        "The body",
        "eve · comment · 2026-11-02T00:00:00Z (29 days ago)",
        "One<U+001B>[2J",
        "review · approved",
    ]
    positions = [text.index(part) for part in parts]
    assert positions == sorted(positions)


def test_no_property_carries_an_escape_sequence() -> None:
    bad = "x\x1b[2J\u202e\ny"
    names = ["title", "state", "author", "milestone", "url", "fetched_at", "updated_at", "body"]
    text = _text(**dict.fromkeys(names, bad), labels=[bad], number=bad)
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_a_miss_says_so() -> None:
    lines = list(read_lines(address="o/r", outcome="miss", resource={}, note="Not here.", now=NOW))
    assert [line.text for line in lines] == ["o/r · miss", "Not here."]


def test_a_list_answered_by_others_says_which() -> None:
    lines = read_lines(
        address="o/r/issues?state=all",
        outcome="subsumed",
        resource={"fetched_at": NOW, "member_count": 0, "total_count": 0},
        served_from="github:o/r/issues?state=open+github:o/r/issues?state=closed",
        now=NOW,
    )
    texts = [line.text for line in lines]
    assert texts[0] == "o/r/issues?state=all · subsumed"
    assert texts[1] == "from o/r/issues?state=open and o/r/issues?state=closed"
