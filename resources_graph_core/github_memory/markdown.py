"""Where a marked block stands in an issue's text: lines, code fences, markers.

Pure, and nothing is changed: positions are given, so that all else can be kept byte for byte. Code
is told apart as in https://spec.commonmark.org/0.31.2/#fenced-code-blocks, but for indentation: a
fence may be indented as deeply as list items are nested.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from resources_graph_core.errors import BlockError

if TYPE_CHECKING:
    from collections.abc import Iterator

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_OPENING = re.compile(
    r"[ \t]*(?:>[ \t]*)*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<fence>`{3,}(?=[^`]*\Z)|~{3,})"
)
_CLOSING = re.compile(r"[ \t]*(?:>[ \t]*)*(?P<fence>`{3,}|~{3,})[ \t]*\Z")


@dataclass(frozen=True, slots=True)
class Line:
    """A line with its end: where it begins in the text, and whether it is code in a fence."""

    number: int
    start: int
    text: str
    in_fence: bool

    @property
    def content(self) -> str:
        """The line without its end."""
        return self.text.rstrip("\r\n")

    @property
    def ending(self) -> str:
        """What ends the line; nothing where the text ends without a line break."""
        return self.text[len(self.content) :]


@dataclass(frozen=True, slots=True)
class Block:
    """What stands between two markers: ``text[start:end]``, which begins on line ``line``."""

    start: int
    end: int
    line: int


def lines_of(text: str, *, first: int = 1, within_line: bool = False) -> list[Line]:
    """The lines of ``text``, numbered from ``first``; the lines of fences themselves are code.

    With ``within_line`` it begins in the middle of a line, where no fence can begin.
    """
    return _scan(text, first, within_line=within_line)[0]


def newline_of(text: str) -> str:
    """The line break to write in ``text``: the one it uses."""
    return "\r\n" if "\r\n" in text else "\n"


def find_block(text: str, begin: str, end: str) -> Block | None:
    """The block between the markers ``begin`` and ``end``; None when ``text`` has none.

    Markers in fences and in code spans are text about markers. Raises BlockError for markers that
    do not pair up, and for a second block.
    """
    opened: tuple[int, int] | None = None
    found: Block | None = None
    for line, at, marker in _markers(text, begin, end):
        if found is not None:
            raise BlockError(f"a second {marker}; keep one block in an issue", line)
        if opened is None:
            if marker == end:
                raise BlockError(f"{end} has no {begin} before it; add it, or remove this", line)
            opened = line, at + len(begin)
        elif marker == begin:
            raise BlockError(f"a second {begin} within the block; remove it", line)
        else:
            found = Block(opened[1], at, opened[0])
    if opened is not None and found is None:
        raise BlockError(f"{begin} has no {end} after it; add it on a line of its own", opened[0])
    return found


def without_block(text: str, begin: str, end: str, *, header: str) -> str:
    """``text`` without its block, the ``header`` above it, and the empty lines before that."""
    block = find_block(text, begin, end)
    if block is None:
        return text
    before = text[: block.start - len(begin)].rstrip()
    if f"\n{before}".endswith(f"\n{header}"):
        before = before.removesuffix(header).rstrip()
    return before + text[block.end + len(end) :]


def with_block(text: str, begin: str, end: str, *, header: str) -> str:
    """``text`` with an empty block at its end, below ``header``.

    Raises BlockError when ``text`` ends within a code fence, where a block would be code.
    """
    open_since = _scan(text, 1)[1]
    if open_since:
        raise BlockError("this code fence has no end; close it first", open_since)
    newline = newline_of(text)
    apart = "" if not text or text.endswith(newline * 2) else newline * 2
    return f"{text}{apart}{header}{newline}{begin}{newline}{end}"


def _scan(text: str, first: int, *, within_line: bool = False) -> tuple[list[Line], int]:
    """The lines, and the number of the line whose fence is still open at the end (0: none is)."""
    found: list[Line] = []
    fence, since = "", 0
    for number, match in enumerate(_LINE.finditer(text), start=first):
        line = match[0]
        edge = (_CLOSING if fence else _OPENING).match(line.rstrip("\r\n"))
        if within_line and number == first:
            edge = None
        found.append(Line(number, match.start(), line, bool(fence or edge)))
        if not fence and edge:
            fence, since = edge["fence"], number
        elif fence and edge and edge["fence"].startswith(fence):
            fence, since = "", 0
    return found, since


def outside_code(text: str, wanted: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Where ``wanted`` is found in ``text``, within a line and neither in a fence nor in a span."""
    return (match for _, match in _found(text, wanted))


def _markers(text: str, begin: str, end: str) -> Iterator[tuple[int, int, str]]:
    """Every marker outside code: its line, where it stands, and which it is."""
    either = re.compile(f"{re.escape(begin)}|{re.escape(end)}")
    return ((line.number, match.start(), match[0]) for line, match in _found(text, either))


def _found(text: str, wanted: re.Pattern[str]) -> Iterator[tuple[Line, re.Match[str]]]:
    for line in lines_of(text):
        if line.in_fence:
            continue
        for match in wanted.finditer(text, line.start, line.start + len(line.text)):
            in_code_span = text.count("`", line.start, match.start()) % 2 == 1
            if not in_code_span:
                yield line, match
