"""Blocks in bodies: read, edited, and everything else left byte for byte."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resources_graph_core.errors import BlockError, NoSuchEntry, UsageError
from resources_graph_core.github_memory.decision_comment import (
    TAG,
    read_decision,
    write_decision,
)
from resources_graph_core.github_memory.markdown import find_block
from resources_graph_core.github_memory.merging import changes_between, merge_fields, merge_lines
from resources_graph_core.github_memory.records import (
    TaskRecord,
    TaskState,
    TriageEntry,
    TriageVerdict,
)
from resources_graph_core.github_memory.roadmap_block import BEGIN, END, RoadmapBlock
from resources_graph_core.github_memory.roadmap_merge import merge_roadmap
from resources_graph_core.github_memory.slugs import slug, unique
from resources_graph_core.github_memory.task_line import DOING, pieces_of
from resources_graph_core.github_memory.triage_block import BEGIN as TRIAGE_BEGIN
from resources_graph_core.github_memory.triage_block import END as TRIAGE_END
from resources_graph_core.github_memory.triage_block import TriageBlock
from resources_graph_core.github_memory.triage_merge import merge_triage
from resources_graph_core.github_memory.versions import Edit, Version

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.github_memory.versions import Merged

FULL = "\r\n".join(
    [
        "Intro with $1, \\1 and <b>HTML</b>",
        "```markdown",
        BEGIN,
        "- [ ] An example, not a task",
        END,
        "```",
        f"The marks are `{BEGIN}` and `{END}`.",
        BEGIN,
        "Some words first",
        "- [ ] Alpha",
        "  - [ ] nested",
        "  more about it",
        "* [ ] another bullet",
        f"- [x] Beta {DOING}  ",
        f"- [X] Gamma\t{DOING}",
        "```",
        "- [ ] code",
        "```",
        "",
        f"- [ ] Delta {DOING}",
        "<!-- a comment -->",
        END,
        "The end $& \\g<0>",
    ]
)


def test_tasks_are_read_with_their_states() -> None:
    read = [(task.id, task.title, task.state) for task in RoadmapBlock(FULL).records]
    assert read == [
        ("alpha", "Alpha", TaskState.todo),
        ("beta", "Beta", TaskState.done),
        ("gamma", "Gamma", TaskState.done),
        ("delta", "Delta", TaskState.doing),
    ]


def changed_lines(before: str, after: str) -> tuple[list[str], list[str]]:
    """The lines (with their ends) only in one and only in the other."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    return [line for line in old if line not in new], [line for line in new if line not in old]


@pytest.mark.parametrize(
    ("edit", "gone", "new"),
    [
        (lambda b: b.change("alpha", state=TaskState.done), "- [ ] Alpha\r\n", "- [x] Alpha\r\n"),
        (
            lambda b: b.change("delta", state=TaskState.todo),
            f"- [ ] Delta {DOING}\r\n",
            "- [ ] Delta\r\n",
        ),
        (
            lambda b: b.change("beta", title="New $1 \\2"),
            f"- [x] Beta {DOING}  \r\n",
            '- [x] New $1 \\2 <!-- rg:task {"id": "beta"} -->  \r\n',
        ),
        (lambda b: b.remove("alpha"), "- [ ] Alpha\r\n", None),
        (lambda b: b.append("Last"), None, "- [ ] Last\r\n"),
        (
            lambda b: b.append("Last", TaskState.doing, {"pull": "o/r#1"}),
            None,
            f'- [ ] Last <!-- rg:task {{"metadata": {{"pull": "o/r#1"}}}} --> {DOING}\r\n',
        ),
    ],
)
def test_an_edit_changes_its_own_line_alone(
    edit: Callable[[RoadmapBlock], object], gone: str | None, new: str | None
) -> None:
    block = RoadmapBlock(FULL)
    edit(block)
    assert changed_lines(FULL, block.text) == ([gone] if gone else [], [new] if new else [])


def test_what_is_set_to_what_it_is_changes_no_byte() -> None:
    block = RoadmapBlock(FULL)
    for task in block.records:
        block.change(task.id, title=task.title, state=task.state, metadata=task.metadata)
    assert block.text == FULL


def test_ids_stay_when_titles_and_neighbours_change() -> None:
    block = RoadmapBlock("")
    ids = [block.append(title).id for title in ("Same", "Same", "Größe", "日本語", "!?", "same")]
    assert ids == ["same", "same-2", "größe", "日本語", "task", "same-3"]
    block.change("same-2", title="Quite another")
    block.remove("same")
    again = RoadmapBlock(block.text)
    assert [task.id for task in again.records] == ["same-2", "größe", "日本語", "task", "same-3"]
    assert again.append("same").id == "same"


def test_a_task_moves_with_what_is_nested_below_it() -> None:
    block = RoadmapBlock(f"{BEGIN}\n- [ ] a\n  - [ ] a1\n\n  text\n- [ ] b\n- [ ] c\n{END}")
    block.move("a", before="c")
    assert block.text == f"{BEGIN}\n- [ ] b\n- [ ] a\n  - [ ] a1\n\n  text\n- [ ] c\n{END}"
    block.move("b")
    assert [task.id for task in block.records] == ["a", "c", "b"]
    block.move("b", before="b")
    with pytest.raises(NoSuchEntry, match="no task 'x'; its tasks: a, c, b"):
        block.move("x")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", f"## Roadmap\n{BEGIN}\n- [ ] New\n{END}"),
        ("Words", f"Words\n\n## Roadmap\n{BEGIN}\n- [ ] New\n{END}"),
        ("Words\r\n", f"Words\r\n\r\n\r\n## Roadmap\r\n{BEGIN}\r\n- [ ] New\r\n{END}"),
        (f"{BEGIN}{END}", f"{BEGIN}\n- [ ] New\n{END}"),
        (f"{BEGIN} {END}", f"{BEGIN} \n- [ ] New\n{END}"),
        (f"{BEGIN}\n\n{END}", f"{BEGIN}\n\n- [ ] New\n{END}"),
        (f"{BEGIN} - [ ] Old {END} tail", f"{BEGIN} - [ ] Old \n- [ ] New\n{END} tail"),
        (f"{BEGIN}\nOnly words\n  {END}", f"{BEGIN}\nOnly words\n- [ ] New\n  {END}"),
    ],
)
def test_a_task_is_added_whatever_the_block_looks_like(text: str, expected: str) -> None:
    block = RoadmapBlock(text)
    assert block.append("New").id == "new"
    assert block.text == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"a\n{BEGIN}\n- [ ] x", "line 2: .* has no .*end"),
        (f"a\nb\n{END}", "line 3: .* has no .*begin"),
        (f"{END}\n{BEGIN}", "line 1: "),
        (f"{BEGIN}\n{END}\n{BEGIN}\n{END}", "line 3: a second"),
        (f"{BEGIN}\n{BEGIN}\n{END}", "line 2: a second"),
        (f"{BEGIN}\n{END}\n{END}", "line 3: a second"),
        (f"{BEGIN}\n\n- [ ] x <!-- rg:task {{no}} -->\n{END}", "line 3: .*not JSON"),
        (f"{BEGIN}\n- [ ] x <!-- rg:task 3 -->\n{END}", "line 2: .*needs a text as id"),
        (f"{BEGIN}\n```\n{END}", "line 1: "),
        (f'{BEGIN}\n- [ ] x <!-- rg:task {{"n": NaN}} -->\n{END}', "line 2: .*NaN is no number"),
        (f'{BEGIN}\n- [ ] x <!-- rg:task {{"n": 1e999}} -->\n{END}', "line 2: .*too large"),
    ],
)
def test_what_cannot_be_understood_says_where(text: str, message: str) -> None:
    with pytest.raises(BlockError, match=message):
        RoadmapBlock(text)


def test_no_block_is_put_into_a_fence_that_has_no_end() -> None:
    with pytest.raises(BlockError, match="line 2: this code fence has no end"):
        RoadmapBlock("a\n~~~\ncode").append("x")


@pytest.mark.parametrize("title", ["", " \n ", f"a {DOING}", f"a {END}", "<!-- rg:task {} --> b"])
def test_titles_that_would_be_read_otherwise_are_refused(title: str) -> None:
    block = RoadmapBlock(FULL)
    for attempt in (lambda: block.append(title), lambda: block.change("alpha", title=title)):
        with pytest.raises(UsageError):
            attempt()
    assert block.text == FULL
    assert block.append("fine").id == "fine"


quickly = settings(max_examples=300, deadline=None)

# Pieces that bodies are made of, the awkward ones among them.
pieces = st.sampled_from(
    [
        BEGIN,
        END,
        DOING,
        "- [ ] ",
        "- [x] ",
        "  - [ ] n",
        "```",
        "~~~",
        "\n",
        "\r\n",
        "\r",
        "\n\n",
        "a",
        "ä",
        "日",
        "$1",
        "\\",
        "`",
        "<!-- c -->",
        "<!-- rg:task {} -->",
        "  ",
        "\t",
        "> ",
        "task",
    ]
)
bodies = st.lists(pieces, max_size=25).map("".join)
inner = st.lists(
    pieces.filter(lambda piece: piece not in {BEGIN, END, "```", "~~~", "`"}), max_size=20
)
whole = st.builds(
    lambda before, inside, after: f"{before}\n{BEGIN}\n{inside}\n{END}\n{after}",
    st.text(alphabet="ab\n\r$\\é"),
    inner.map("".join),
    st.text(alphabet="ab\n\r$\\é"),
)
words = st.text(alphabet="aB ä日-$\\`[]x<>!#_*\u00a0\u2028\n\"'{}", max_size=12)
titles = words.filter(lambda title: title.strip())
states = st.sampled_from(list(TaskState))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=5,
)
metadatas = st.dictionaries(words, values, max_size=3)


def without_tasks(text: str) -> str:
    """All that is no task, without line breaks (a new line brings its own)."""
    lines = RoadmapBlock(text)._inside  # noqa: SLF001 - how it tells tasks from the rest
    place = find_block(text, BEGIN, END)
    start = place.start if place else len(text)
    whole = "".join(line.text for line in lines)
    rest = "".join(line.text for line in lines if not hasattr(line, "id"))
    before, after = text[:start], text[start + len(whole) :]
    assert before + whole + after == text
    return (before + rest + after).replace("\n", "").replace("\r", "")


@quickly
@given(body=bodies | whole, data=st.data())
def test_any_body_with_any_edits_round_trips(body: str, data: st.DataObject) -> None:
    """Everything but the edited lines stays in its order, and what was written is read back."""
    try:
        block = RoadmapBlock(body)
    except BlockError:
        return
    for _ in range(data.draw(st.integers(0, 4))):
        before, text = block.records, block.text
        ids = [task.id for task in before]
        assert len(set(ids)) == len(ids)
        kind = data.draw(st.sampled_from(["append", "change", "remove", "move"]))
        try:
            if kind == "append" or not ids:
                title, state = data.draw(titles), data.draw(states)
                metadata = data.draw(metadatas)
                made = block.append(title, state, metadata)
                assert (made.title, made.state, made.metadata) == (
                    " ".join(title.split()),
                    state,
                    metadata,
                )
                expected = [*before, made]
            else:
                chosen = data.draw(st.sampled_from(ids))
                if kind == "change":
                    new = block.change(chosen, state=data.draw(states), title=data.draw(titles))
                    expected = [new if task.id == chosen else task for task in before]
                elif kind == "remove":
                    block.remove(chosen)
                    expected = [task for task in before if task.id != chosen]
                else:
                    block.move(chosen)
                    moved = [task for task in before if task.id == chosen]
                    expected = [task for task in before if task.id != chosen] + moved
        except (UsageError, BlockError):
            assert block.text == text  # refused, and nothing of it was done
            continue
        assert block.records == expected == RoadmapBlock(block.text).records
        assert without_tasks(block.text).startswith(without_tasks(text))


@quickly
@given(body=bodies | whole)
def test_reading_changes_nothing(body: str) -> None:
    try:
        block = RoadmapBlock(body)
    except BlockError as error:
        line = error.line
    else:
        assert block.text == body
        return
    assert 1 <= line <= len(body.splitlines())


def entry(number: int, order: int = 0, **fields: object) -> TriageEntry:
    values: dict[str, object] = {"verdict": "fixable", "order": order, **fields}
    return TriageEntry(ref=f"o/r#{number}", **values)  # type: ignore[arg-type]


HAND_MADE = f"""Words
{TRIAGE_BEGIN}
[ {{"ref":"o/r#2", "verdict":"stale","order": 10,   "extra": [1.10, 2e3]}},
  "a note", {{"about": "nothing"}},
  {{"ref": "O/R#1", "verdict": "blocked", "order": "2", "rationale": "Ω"}} ]
{TRIAGE_END} more"""


def test_entries_are_read_in_their_order() -> None:
    read = TriageBlock(HAND_MADE).entries
    assert [(one.ref, one.verdict, one.order) for one in read] == [
        ("O/R#1", TriageVerdict.blocked, 2),
        ("o/r#2", TriageVerdict.stale, 10),
    ]


def test_an_entry_is_edited_and_every_other_byte_stays() -> None:
    block = TriageBlock(HAND_MADE)
    block.put(entry(1, 3, rationale="<!-- x --> \\1"))
    kept, new = HAND_MADE.split('{"ref": "O/R#1"', maxsplit=1)[0], block.text
    assert new.startswith(kept)
    assert new.endswith(f" ]\n{TRIAGE_END} more")
    assert TriageBlock(new).get("o/R#1") == TriageEntry(
        "O/R#1", TriageVerdict.fixable, 3, "<!-- x --> \\1"
    )
    block.put(entry(2, 10, verdict="stale", rationale="now"))
    assert '"extra": [\n      1.1,\n      2000.0\n    ]' in block.text
    block.remove("o/r#2")
    assert '"a note", {"about": "nothing"},' in block.text
    block.remove("o/r#1")
    assert TriageBlock(block.text).entries == []
    with pytest.raises(NoSuchEntry, match="it holds: none"):
        block.remove("o/r#1")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Words\r\n",
        f"{TRIAGE_BEGIN}{TRIAGE_END}",
        f"{TRIAGE_BEGIN}\n[]\n{TRIAGE_END}",
        f"{TRIAGE_BEGIN}\n```json\n[]\n```\n{TRIAGE_END}",
        f"{TRIAGE_BEGIN}\n```json\n```\n{TRIAGE_END}",
    ],
)
def test_an_entry_is_added_whatever_the_block_looks_like(text: str) -> None:
    block = TriageBlock(text)
    for number in (1, 2):
        block.put(entry(number, number))
    assert block.text.startswith(text[: text.find("[")] if "[" in text else text[:20].rstrip("`"))
    assert [one.ref for one in TriageBlock(block.text).entries] == ["o/r#1", "o/r#2"]


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        ("{}", "line 2: a JSON list is expected here"),
        ("[\n{]", r"line 3: this is not JSON: .* \(column 2\)"),
        ("[1 2]", "line 2: a comma or ] is expected here"),
        ("[1,]", "line 2: a value is expected after the comma"),
        ("[1", "line 3: the list has no end"),
        ("[] x", "line 2: nothing may stand after the list"),
        ("[" * 100_000, "line 2: this is nested too deeply"),
        ('[\n\n{"ref": "o/r#1", "verdict": "odd"}]', "line 4: the verdict of o/r#1 is 'odd'"),
        ('[{"ref": "o/r#1", "order": "x"}]', "line 2: the order of o/r#1 is 'x'"),
        ('[{"ref": "o/r#1", "metadata": []}]', "line 2: the metadata of o/r#1"),
        (f'[{{"ref": "o/r#1", "order": {2**60}}}]', "line 2: the order of o/r#1"),
        (f'[{{"ref": "o/r#1", "x": 1{"0" * 5000}}}]', "line 2: this is not JSON"),
        ('[{"ref": "o/r#1", "x": NaN}]', "line 2: this is not JSON: NaN"),
        ('[{"ref": "o/r#1", "x": -1e999}]', "line 2: this is not JSON: -1e999"),
    ],
)
def test_json_edited_by_hand_says_where_it_is_wrong(inside: str, message: str) -> None:
    with pytest.raises(BlockError, match=message):
        TriageBlock(f"{TRIAGE_BEGIN}\n{inside}\n{TRIAGE_END}")


@pytest.mark.parametrize("ref", ["", "o/r", "o/r#x", "o/r#1\n", "o r/x#1"])
def test_a_key_names_an_issue(ref: str) -> None:
    with pytest.raises(UsageError, match="names no issue"):
        TriageBlock("").put(TriageEntry(ref, TriageVerdict.stale))


entries = st.builds(
    TriageEntry,
    ref=st.sampled_from([f"o/r#{number}" for number in range(1, 6)]),
    verdict=st.sampled_from(list(TriageVerdict)),
    order=st.integers(-(2**40), 2**40),
    rationale=words,
    metadata=metadatas,
)


@settings(max_examples=40, deadline=None)
@given(puts=st.lists(entries, max_size=8), removed=st.sets(st.integers(1, 5)))
def test_a_backlog_reads_back_what_was_put(puts: list[TriageEntry], removed: set[int]) -> None:
    block, expected = TriageBlock("Before\n\nafter"), dict[str, TriageEntry]()
    for one in puts:
        block.put(one)
        expected[one.ref] = one
    for ref in [f"o/r#{number}" for number in removed]:
        if expected.pop(ref, None):
            block.remove(ref)
    in_order = sorted(expected.values(), key=lambda one: (one.order, one.ref))
    assert TriageBlock(block.text).entries == block.entries == in_order
    assert block.text.startswith("Before\n\nafter")


@quickly
@given(summary=titles, rationale=words, metadata=metadatas)
def test_a_decision_reads_back_what_was_written(
    summary: str, rationale: str, metadata: dict[str, object]
) -> None:
    read = read_decision(write_decision(summary, rationale, metadata))
    assert read is not None
    assert read.summary == " ".join(summary.split())
    assert read.metadata == metadata
    assert read.rationale == rationale.strip()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Just words", None),
        (f"> {TAG}\n> ### Decision: quoted", None),
        (f"```\n{TAG}\n### Decision: an example\n```", None),
        (f"see {TAG}", None),
        (f"{TAG}\r\n### Decision: Yes\r\n\r\nwhy", ("Yes", "why", {})),
        (f"{TAG}\n### Decision: Yes", ("Yes", "", {})),
        (f"{TAG}\nno heading", ("", "no heading", {})),
        (f"{TAG}\n### Decision: a\n\n```json\n{{\n```", ("a", "```json\n{\n```", {})),
        (f"{TAG}\n### Decision: a\n\n```json\n[1]\n```", ("a", "```json\n[1]\n```", {})),
        (f'{TAG}\n### Decision: a\nb\n```json\n{{"x": 1}}\n```\nc', ("a", "b\nc", {"x": 1})),
    ],
)
def test_comments_are_read(body: str, expected: tuple[str, str, dict[str, int]] | None) -> None:
    read = read_decision(body)
    assert (read and (read.summary, read.rationale, read.metadata)) == expected


def test_json_of_a_rationale_is_not_taken_for_metadata() -> None:
    rationale = 'As in\n```json\n{"a": 1}\n```'
    read = read_decision(write_decision("x", rationale))
    assert read is not None
    assert (read.rationale, read.metadata) == (rationale, {})


def put_together(
    merge: Callable[[Version, Version, Version], Merged], base: str, lost: str, now: str
) -> str:
    return merge(Version(base), Version(lost), Version(now)).text


texts = st.lists(st.sampled_from(["a", "b", "c", "d", "e\r", ""]), max_size=8).map("\n".join)


@quickly
@given(base=texts, other=texts)
def test_a_change_on_one_side_is_taken(base: str, other: str) -> None:
    assert merge_lines(base, base, other) == other
    assert merge_lines(base, other, base) == other
    assert merge_lines(base, other, other) == other


@pytest.mark.parametrize(
    ("base", "lost", "now", "merged"),
    [
        ("a\nb", "a\nx\nb", "a\ny\nb", "a\nx\ny\nb"),
        ("t\nend", "X\nend", "t\nnew\nend", "X\nnew\nend"),
        ("t\nend", "X\nend", "Y\nend", "X\nY\nend"),
        ("a\nb\nc", "a\nc", "a\nB\nc", "a\nB\nc"),
        ("a\nb\nc", "a\nB\nc", "a\nc", "a\nB\nc"),
        ("a\nb\nc", "b\nc", "a\nb", "b"),
        ("", "h\nB\nx\nE", "h\nB\ny\nE", "h\nB\nx\ny\nE"),
    ],
)
def test_changes_on_both_sides_are_put_together(
    base: str, lost: str, now: str, merged: str
) -> None:
    assert merge_lines(base, lost, now) == merged


@pytest.mark.parametrize(
    ("base", "lost", "now", "merged"),
    [
        ([" t"], ["xt"], ["~t"], ["~t"]),  # both changed it: the later one
        ([" t"], ["xt"], [" t", " u"], ["xt", " u"]),
        ([" t"], [], ["xt"], []),  # a removal outlives a change
        ([" t"], ["xt"], [], []),
        ([" t"], [], [" t", " u"], [" u"]),
        ([], [" t"], ["xt", " u"], ["xt", " u"]),  # both added it: the further one
        ([], ["xt"], [" t"], ["xt"]),
        ([" a", " b"], [" b", " a"], [" a", " b", " c"], [" b", " a", " c"]),
        ([" a", " b", " c"], [" a", "xb", " c"], [" c", " b", " a"], [" c", "xb", " a"]),
        ([" a"], [" a", " t", " v"], [" a", " u"], [" a", " t", " v", " u"]),
    ],
)
def test_roadmaps_are_put_together_task_by_task(
    base: list[str], lost: list[str], now: list[str], merged: list[str]
) -> None:
    def body(tasks: list[str]) -> str:
        marks = {" ": ("[ ]", ""), "x": ("[x]", ""), "~": ("[ ]", f" {DOING}")}
        lines = [f"- {marks[one[0]][0]} {one[1:]}{marks[one[0]][1]}" for one in tasks]
        return "\n".join(["Words", BEGIN, *lines, END, "more"])

    assert put_together(merge_roadmap, body(base), body(lost), body(now)) == body(merged)


roadmaps = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from([" ", "x"])),
    max_size=5,
    unique_by=lambda task: task[0],
).map(lambda tasks: "\n".join([BEGIN, *(f"- [{mark}] {name}" for name, mark in tasks), END]))


@quickly
@given(base=roadmaps, other=roadmaps)
def test_a_roadmap_changed_on_one_side_is_taken(base: str, other: str) -> None:
    assert put_together(merge_roadmap, base, base, other) == other
    assert sorted(put_together(merge_roadmap, base, other, base).split("\n")) == sorted(
        other.split("\n")
    )
    assert put_together(merge_roadmap, base, other, other) == other


@quickly
@given(base=roadmaps, lost=roadmaps, now=roadmaps)
def test_what_was_put_together_holds_what_was_lost(base: str, lost: str, now: str) -> None:
    """Putting it in once more changes nothing: so a writer knows that it is there."""
    merged = put_together(merge_roadmap, base, lost, now)
    again = put_together(merge_roadmap, base, lost, merged)
    assert sorted(again.split("\n")) == sorted(merged.split("\n"))
    assert {t.id for t in RoadmapBlock(merged).records} >= {
        t.id for t in RoadmapBlock(lost).records
    } - {t.id for t in RoadmapBlock(base).records}


@pytest.mark.parametrize(
    ("one", "other", "changes"),
    [
        ("- [ ] a\nb", "- [x] a\nb", 1),
        ("- [ ] a\nb", "b", 1),
        ("a\nb", "a\nc", 2),
        ("a\na", "a", 1),
        ("a\nb", "b\na", 0),
    ],
)
def test_a_task_that_changed_is_one_change(one: str, other: str, changes: int) -> None:
    assert changes_between(one, other) == changes_between(other, one) == changes


def test_backlogs_are_put_together_entry_by_entry() -> None:
    def with_entries(text: str, *several: TriageEntry) -> str:
        block = TriageBlock(text)
        for one in several:
            block.put(one)
        return block.text

    base = with_entries("Words", entry(1), entry(2), entry(3))
    lost = TriageBlock(with_entries(base, entry(4), entry(1, 5)).replace("Words", "Theirs"))
    lost.remove("o/r#3")
    now = with_entries(base, entry(5), entry(2, 7)) + "\nours"
    merged = put_together(merge_triage, base, lost.text, now)
    read = {one.ref: one.order for one in TriageBlock(merged).entries}
    assert read == {"o/r#1": 5, "o/r#2": 7, "o/r#4": 0, "o/r#5": 0}
    assert merged.startswith("Theirs")
    assert merged.endswith("ours")
    assert {
        one.ref for one in TriageBlock(put_together(merge_triage, "", lost.text, now)).entries
    } >= {"o/r#4"}


@pytest.mark.parametrize(
    ("base", "lost", "now", "merged"),
    [
        ({"a": 1}, {"a": 2}, {"a": 1}, {"a": 2}),
        ({"a": 1}, {"a": 2}, {"a": 3}, {"a": 3}),
        ({"a": 1}, {}, {"a": 1, "b": 1}, {"b": 1}),
        ({"a": 1}, {}, {"a": 2}, {"a": 2}),
        ({"a": 1}, {"a": 1, "b": 2}, {}, {"b": 2}),
        ({"a": 1}, {"a": True}, {"a": 1}, {"a": True}),
        ({}, {"a": None}, {}, {"a": None}),
        ({"a": [1]}, {"a": [1.0]}, {"a": [1]}, {"a": [1.0]}),
    ],
)
def test_fields_are_put_together_one_by_one(
    base: dict[str, Any], lost: dict[str, Any], now: dict[str, Any], merged: dict[str, Any]
) -> None:
    assert json.dumps(merge_fields(base, lost, now)) == json.dumps(merged)


def test_a_task_is_put_together_field_by_field() -> None:
    def body(line: str) -> str:
        return f"{BEGIN}\n{line}\n{END}"

    base = body('- [ ] Alpha <!-- rg:task {"metadata": {"a": 1, "b": 1}, "size": 3} -->')
    lost = body('- [x] Alpha <!-- rg:task {"metadata": {"a": 2}, "size": 4} -->')
    now = body('- [ ] Omega <!-- rg:task {"id": "alpha", "metadata": {"a": 1, "b": 1, "c": 1}} -->')
    merged = put_together(merge_roadmap, base, lost, now)
    assert RoadmapBlock(merged).records == [
        TaskRecord("alpha", "Omega", TaskState.done, {"a": 2, "c": 1})
    ]
    assert '"size"' not in merged  # both changed it: one took it out later


def test_an_entry_is_put_together_field_by_field() -> None:
    def body(*values: object) -> str:
        return f"{TRIAGE_BEGIN}\n{json.dumps(values)}\n{TRIAGE_END}"

    one = {"ref": "o/r#1", "verdict": "stale", "order": 1, "metadata": {"a": 1}, "more": "x"}
    base = body(one, "a note")
    lost = body({**one, "order": 5, "metadata": {"a": 1, "b": 2}, "more": "y"}, "another")
    now = body({**one, "verdict": "blocked", "rationale": "Waits"}, "a note")
    merged = put_together(merge_triage, base, lost, now)
    [entry_now] = TriageBlock(merged).entries
    assert entry_now == TriageEntry("o/r#1", TriageVerdict.blocked, 5, "Waits", {"a": 1, "b": 2})
    assert '"more": "y"' in merged
    assert TriageBlock(merged).others == ['"another"']


edit_ids = st.sampled_from(["00000a", "00000b", "00000c"])
edits = st.builds(
    Edit,
    edit_ids,
    st.lists(st.tuples(st.sampled_from(["a", "größe-2"]), st.sampled_from(["b", "日本語"]))).map(
        tuple
    ),
)


@quickly
@given(body=bodies | whole, made=st.lists(edits, max_size=4))
def test_a_text_tells_which_edits_are_in_it(body: str, made: list[Edit]) -> None:
    version = Version(body, tuple(made))
    try:
        written = version.body(BEGIN, END)
    except BlockError:
        return
    try:
        block = RoadmapBlock(body).records
    except BlockError:
        return
    assert RoadmapBlock(written).records == block
    if find_block(body, BEGIN, END) is not None:
        assert Version.of(written) == version


def test_a_comment_about_edits_in_code_is_text() -> None:
    body = "`<!-- rg:edits 00000a -->`\n```\n<!-- rg:edits 00000b -->\n```"
    assert Version.of(body) == Version(body)
    assert Version.of(f"{body}\n<!-- rg:edits 00000c.x -->") == Version(
        f"{body}\n", (Edit("00000c", (("x", "x"),)),)
    )


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Fix #42: the thing!", "fix-42-the-thing"),
        ("  Hello   World  ", "hello-world"),
        ("snake_case name", "snake-case-name"),
        ("!!", "task"),
        ("x" * 70, "x" * 60),
        ("Cafe\u0301", "café"),
    ],
)
def test_slugs(title: str, expected: str) -> None:
    assert slug(title) == expected


def test_duplicates_are_numbered() -> None:
    assert unique("a", {"a", "a-2"}) == "a-3"


def test_the_json_in_a_block_is_what_ge_reads() -> None:
    block = TriageBlock("")
    block.put(entry(1, rationale="--> <!-- ge:triage:end -->"))
    inside = block.text.split(TRIAGE_BEGIN)[1].split(TRIAGE_END)[0]
    assert json.loads(inside)[0]["rationale"] == "--> <!-- ge:triage:end -->"


def test_what_others_note_at_a_task_stays() -> None:
    first = '<!-- rg:task {"metadata": {"pull": 7}, "size": [1, "<b>"]} -->'
    second = '<!-- rg:task {"of": "another program"} -->'
    block = RoadmapBlock(f"{BEGIN}\n- [ ] Alpha {first} {second}\n{END}")
    block.change("alpha", state=TaskState.doing)
    [line] = [line for line in block.text.split("\n") if line.startswith("- [ ]")]
    assert line.endswith(f" {second} {DOING}")
    assert first in line
    block.change("alpha", metadata={"pull": 8})
    assert '"size": [1, "\\u003cb\\u003e"]' in block.text
    block.change("alpha", title="Omega", metadata={})
    [task] = RoadmapBlock(block.text).records
    assert (task.id, task.title, task.metadata) == ("alpha", "Omega", {})
    block = RoadmapBlock(
        f'{BEGIN}\n- [ ] A <!-- rg:task {{"metadata": {{"x": 1}}}} --> {second}\n{END}'
    )
    block.change("a", metadata={})
    assert f"- [ ] A <!-- rg:task {{}} --> {second}\n" in block.text
    block.change("a", metadata={"y": 2})
    assert f'- [ ] A <!-- rg:task {{"metadata": {{"y": 2}}}} --> {second}\n' in block.text


@pytest.mark.parametrize("depth", [65, 300, 900, 100_000])
def test_metadata_that_is_nested_too_deeply(depth: int) -> None:
    deep = '{"a": ' * depth + "1" + "}" * depth
    with pytest.raises(BlockError, match=r"line 2.*(deep|JSON)"):
        RoadmapBlock(f'{BEGIN}\n- [ ] A <!-- rg:task {{"metadata": {deep}}} -->\n{END}')
    for key in ("metadata", "unknown"):
        entry = f'[{{"ref": "o/r#1", "{key}": {deep}}}]'
        with pytest.raises(BlockError, match="deep"):
            TriageBlock(f"{TRIAGE_BEGIN}\n{entry}\n{TRIAGE_END}")
    read = read_decision(f"{TAG}\n### Decision: x\n\n```json\n{deep}\n```")
    assert read is not None
    assert (read.metadata, deep in read.rationale) == ({}, True)
    value: object = 1
    for _ in range(depth):
        value = {"a": value}
    for write in (
        lambda: RoadmapBlock("").append("A", metadata={"a": value}),
        lambda: TriageBlock("").put(TriageEntry("o/r#1", TriageVerdict.stale, 0, "", {"a": value})),
        lambda: write_decision("x", "", {"a": value}),
    ):
        with pytest.raises(UsageError):
            write()


def test_metadata_as_deep_as_may_be() -> None:
    value: object = 1
    for _ in range(63):
        value = [value]
    roadmap, triage = RoadmapBlock(""), TriageBlock("")
    roadmap.append("A", metadata={"a": value})
    triage.put(TriageEntry("o/r#1", TriageVerdict.stale, 0, "", {"a": value}))
    read = read_decision(write_decision("x", "", {"a": value}))
    assert read is not None
    assert RoadmapBlock(roadmap.text).records[0].metadata == {"a": value}
    assert TriageBlock(triage.text).entries[0].metadata == read.metadata == {"a": value}


_MARK = r"<!-- (?:ge:doing|rg:task (?:(?!-->).)*) -->"
_WHOLE_LINE = re.compile(
    r"(?P<head>- \[)(?P<check>[ xX])(?P<gap>\] )(?P<title>.*?)"
    rf"(?P<marks>(?:\s*{_MARK})*)(?P<tail>\s*)\Z"
)
"""What a task's line is, said in one pattern; very slow for some lines."""
_TOKENS = st.sampled_from(
    [
        *(DOING, "<!-- rg:task ", "<!-- rg:task {} -->", "-->", " -->", "<!-- ", "<!--", "--"),
        *(" ", "\t", "\u00a0", "\x1f", "a", "b c", "{}", "rg:task", "ge:doing", "- [ ] "),
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(" xX-"), st.lists(_TOKENS, max_size=9).map("".join))
def test_the_parts_of_a_line_are_those_that_its_pattern_gives(check: str, rest: str) -> None:
    line = f"- [{check}] {rest}"
    match, found = _WHOLE_LINE.match(line), pieces_of(line)
    assert (match and match.groups()) == (found and tuple(found))
    assert found is None or "".join(found) == line


@pytest.mark.parametrize("part", [" ", DOING, " <!-- rg:task ", "<!-- rg:task {} --> ", "- [ ] "])
def test_no_line_takes_long(part: str) -> None:
    """By a pattern that tries every place, the second of these took days."""
    long = part * (200_000 // len(part))
    (task,) = RoadmapBlock(f"{BEGIN}\n- [ ] a{long}x\n{END}").records
    assert task.title.startswith("a")


def test_thousands_of_equal_titles_are_told_apart() -> None:
    tasks = RoadmapBlock(f"{BEGIN}\n" + "- [ ] a\n" * 20_000 + END).records
    assert [task.id for task in tasks[:2]] == ["a", "a-2"]
    assert tasks[-1].id == "a-20000"
    pinned = '- [ ] b <!-- rg:task {"id": "a-2"} -->\n'
    block = RoadmapBlock(f"{BEGIN}\n" + "- [ ] a\n" * 3 + pinned + END)
    ids = [task.id for task in block.records]
    assert ids == ["a", "a-3", "a-4", "a-2"]


def test_half_a_character_in_metadata_hinders_no_verdict() -> None:
    """An escape can hold one, and whoever judges the issue did not write it."""
    held = '[{"ref": "o/r#1", "metadata": {"a": "\\ud800"}}]'
    block = TriageBlock(f"{TRIAGE_BEGIN}\n{held}\n{TRIAGE_END}")
    [known] = block.entries
    block.put(replace(known, verdict=TriageVerdict.stale))
    assert TriageBlock(block.text).entries == [replace(known, verdict=TriageVerdict.stale)]
    assert "\\ud800" in block.text
    block.text.encode()


@pytest.mark.parametrize("ref", ["o/r#0", "o/r#01", "o/r#\uff11", f"o/r#{'9' * 19}"])
def test_what_is_no_number_of_an_issue_is_no_ref(ref: str) -> None:
    with pytest.raises(UsageError, match="names no issue"):
        TriageBlock("").put(TriageEntry(ref, TriageVerdict.stale))


def test_an_order_that_not_everybody_reads_alike_is_refused() -> None:
    with pytest.raises(UsageError, match="the order of o/r#1 goes from"):
        TriageBlock("").put(TriageEntry("o/r#1", TriageVerdict.stale, 10**5000))


def test_what_is_noted_stays_to_the_byte_when_the_state_changes() -> None:
    """Numbers and letters can be written in more than one way."""
    notes = '{ "metadata": {"x":1.10,"n":0.12345678901234567890,"s":"é"},"other":1E2 }'
    text = f"{BEGIN}\n- [ ] Alpha <!-- rg:task {notes} -->\n{END}"
    block = RoadmapBlock(text)
    block.change("alpha", state=TaskState.done)
    assert block.text == text.replace("[ ]", "[x]")


def test_a_task_beside_the_marker_can_be_moved_to_a_line_of_its_own() -> None:
    block = RoadmapBlock(f"{BEGIN}  - [ ] Alpha{END}")
    block.move("alpha")
    assert block.text == f"{BEGIN}\n- [ ] Alpha\n{END}"


def test_what_stands_beside_the_marker_begins_no_fence() -> None:
    block = RoadmapBlock(f"{BEGIN}~~~{END}")
    block.append("New")
    assert block.text == f"{BEGIN}~~~\n- [ ] New\n{END}"


def test_a_rationale_that_ends_within_code_is_refused() -> None:
    """What comes after it, the metadata, would be code too."""
    with pytest.raises(UsageError, match="code fence that has no end"):
        write_decision("x", 'Why\n```json\n{"z": 1}')
