"""The first line of the resource tool's answer says to a hook what it said to the tool."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources_graph_core.answer_line import AnswerLine, read, write

ITEM = "github:o/r#1"
LIST = "github:o/r/issues?state=open"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f"hit {ITEM}", AnswerLine(outcome="hit", key=ITEM, served_from=ITEM)),
        (f"hit {ITEM} · issue, open\nbody", AnswerLine(outcome="hit", key=ITEM, served_from=ITEM)),
        (
            f"hit {ITEM} by github:n/r#1",
            AnswerLine(outcome="hit", key=ITEM, served_from="github:n/r#1"),
        ),
        (f"subsumed {LIST} by {LIST}", AnswerLine(outcome="subsumed", key=LIST, served_from=LIST)),
        (f"miss {ITEM}", AnswerLine(outcome="miss", key=ITEM)),
        (f"miss {ITEM} by {LIST}", None),
        ("hit", None),
        ("hit o/r#1", None),
        (f"hit {ITEM} by o/r#1", None),
        (f"Hit {ITEM}", None),
        (f"I hit {ITEM}", None),
        ("", None),
    ],
)
def test_what_is_read(line: str, said: AnswerLine | None) -> None:
    assert read(line) == said


@given(
    st.sampled_from(["hit", "subsumed", "miss"]),
    st.sampled_from([ITEM, LIST]),
    st.none() | st.just("github:n/r#2"),
    st.text(),
)
def test_what_is_written_is_read_back(
    outcome: str, key: str, served_from: str | None, more: str
) -> None:
    line = write(outcome, key, served_from=served_from, more=more)  # type: ignore[arg-type]
    said = read(line)
    assert said is not None
    assert (said.outcome, said.key) == (outcome, key)
    assert said.served_from == (None if outcome == "miss" else served_from or key)


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    read(text)
