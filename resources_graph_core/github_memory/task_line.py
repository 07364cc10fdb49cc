"""One line of a roadmap: what ``ge`` takes for a task, and the comments at its end."""

from __future__ import annotations

import re
from typing import NamedTuple

from resources_graph_core.github_memory.json_text import read_json
from resources_graph_core.github_memory.slugs import slug

DOING = "<!-- ge:doing -->"
"""The mark of a task that is being done."""

NOTES = re.compile(r"<!-- rg:task (?P<json>(?:(?!-->).)*) -->")
"""The comment that holds what else is known of a task."""

_HEAD = re.compile(r"(?P<head>- \[)(?P<check>[ xX])(?P<gap>\] )")
_NOTES_BEGIN, _COMMENT_END = "<!-- rg:task ", "-->"


class Pieces(NamedTuple):
    """The parts of a task's line, which together are the line without its end."""

    head: str
    check: str
    gap: str
    title: str
    marks: str
    tail: str


def pieces_of(content: str) -> Pieces | None:
    """The parts of a line that begins as a task does; None for another.

    The marks are looked for from the end, since anybody's line may hold very many of them: each
    part of it is looked at once.
    """
    match = _HEAD.match(content)
    if match is None:
        return None
    rest = content[match.end() :]
    end = at = len(rest.rstrip())
    while (begin := _mark_before(rest, at)) is not None:
        at = begin
        while at and rest[at - 1].isspace():
            at -= 1
    title = rest[:at].rstrip()
    marks, tail = rest[len(title) : end], rest[end:]
    return Pieces(match["head"], match["check"], match["gap"], title, marks, tail)


def _mark_before(text: str, end: int) -> int | None:
    """Where the mark begins that ends at ``end``: a comment of ours, as long as it can be."""
    if not text.endswith(f" {_COMMENT_END}", 0, end):
        return None
    closed = text.rfind(_COMMENT_END, 0, end - len(_COMMENT_END))
    after = 0 if closed < 0 else closed + len(_COMMENT_END)
    begin = text.find(_NOTES_BEGIN, after, end)
    if begin >= 0 and end - begin > len(_NOTES_BEGIN) + len(_COMMENT_END):
        return begin
    begin = end - len(DOING)
    return begin if begin >= after and text.startswith(DOING, begin) else None


def task_key(line: str) -> str | None:
    """The id that a line gives its task, whatever else is edited in it; None when it is no task."""
    pieces = pieces_of(line)
    if pieces is None:
        return None
    return f"task {_pinned(pieces.marks) or slug(pieces.title)}"


def _pinned(marks: str) -> str | None:
    """The id that the comment of a task gives it; None for a comment that cannot be read, too."""
    notes = NOTES.search(marks)
    try:
        held = read_json(notes["json"]) if notes else None
    except (ValueError, RecursionError):
        return None
    pinned = held.get("id") if isinstance(held, dict) else held
    return pinned if isinstance(pinned, str) else None
