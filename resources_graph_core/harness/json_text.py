"""Changes to a JSON file as text: one entry comes or goes, and every other byte stays.

Comments and trailing commas are understood, since some harnesses allow them. Taking out what was
put in gives the former text back, byte for byte: an entry goes after the last one, on a line of its
own, or right behind the bracket of a container that was empty. So a container whose only entry
stands on a line of its own was made together with it, and goes with it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from resources_graph_core.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLANK = re.compile(r"(?:[ \t\r\n\ufeff]|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_OTHER = re.compile(r"-?[0-9][0-9.eE+-]*|true|false|null")


class _MalformedError(ValueError):
    """The text is no JSON; ``line`` counts from 1."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands in the text, from ``start`` up to ``end``."""

    kind: Literal["object", "array", "scalar"]
    start: int
    end: int
    scalar: object = None
    entries: list[Entry] = field(default_factory=list)

    def member(self, key: str) -> Node | None:
        """The value of an object's member; of several with one key the last, as parsers do."""
        found = [entry.value for entry in self.entries if entry.key == key]
        return found[-1] if found else None

    def plain(self) -> object:
        """The value as Python has it."""
        if self.kind == "object":
            return {entry.key: entry.value.plain() for entry in self.entries}
        if self.kind == "array":
            return [entry.value.plain() for entry in self.entries]
        return self.scalar


@dataclass(frozen=True, slots=True)
class Entry:
    """A member of an object (with its ``key``) or an element of an array."""

    start: int
    value: Node
    key: str | None = None


def line_of(text: str, position: int) -> int:
    """The number of the line that holds a position, from 1."""
    return text.count("\n", 0, position) + 1


def parse(text: str, where: str) -> Node:
    """The value that the text of the file ``where`` is. Raises ConfigError when it is no JSON."""
    try:
        node = _value(text, _skip(text, 0))
        rest = _skip(text, node.end)
        if rest < len(text):
            raise _unexpected(text, rest)
    except _MalformedError as error:
        raise refusal(where, error.line, str(error)) from None
    except RecursionError:
        raise refusal(where, 1, "it is nested too deeply") from None
    return node


def refusal(where: str, line: int, reason: str) -> ConfigError:
    """The error for a file that cannot be changed."""
    return ConfigError(
        f"{where}, line {line}: {reason}. Nothing was changed; correct the file and try again."
    )


def _skip(text: str, position: int) -> int:
    found = _BLANK.match(text, position)
    return found.end() if found else position


def _unexpected(text: str, position: int) -> _MalformedError:
    if position >= len(text):
        return _MalformedError("the file ends too early", line_of(text, len(text)))
    return _MalformedError(f"{text[position]!r} is not expected there", line_of(text, position))


def _value(text: str, position: int) -> Node:
    opening = text[position : position + 1]
    if opening == "{":
        return _container(text, position, "object", "}")
    if opening == "[":
        return _container(text, position, "array", "]")
    found = _STRING.match(text, position) or _OTHER.match(text, position)
    if found is None:
        raise _unexpected(text, position)
    try:
        return Node("scalar", position, found.end(), json.loads(found.group()))
    except ValueError:
        raise _unexpected(text, position) from None


def _container(text: str, start: int, kind: Literal["object", "array"], closing: str) -> Node:
    entries: list[Entry] = []
    position = _skip(text, start + 1)
    while text[position : position + 1] != closing:
        entry = _entry(text, position, kind)
        entries.append(entry)
        position = _skip(text, entry.value.end)
        if text[position : position + 1] == ",":
            position = _skip(text, position + 1)
        elif text[position : position + 1] != closing:
            raise _unexpected(text, position)
    return Node(kind, start, position + 1, entries=entries)


def _entry(text: str, position: int, kind: Literal["object", "array"]) -> Entry:
    if kind == "array":
        return Entry(position, _value(text, position))
    key = _STRING.match(text, position)
    if key is None:
        raise _unexpected(text, position)
    colon = _skip(text, key.end())
    if text[colon : colon + 1] != ":":
        raise _unexpected(text, colon)
    try:
        name = json.loads(key.group())
    except ValueError:
        raise _unexpected(text, position) from None
    return Entry(position, _value(text, _skip(text, colon + 1)), name)


def add(text: str, container: Node, key: str | None, value: object) -> str:
    """The text with one more entry at the container's end; ``key`` is None in an array."""
    newline = newline_of(text)
    closing = container.end - 1
    if not container.entries:
        entry = render(key, value, _indentation(text, container.start) + unit_of(text), text)
        return text[: container.start + 1] + entry + text[container.start + 1 :]
    last = container.entries[-1]
    indentation = _indentation_of_entry(text, last.start)
    if indentation is None:
        indentation = _indentation(text, container.start) + unit_of(text)
    entry = newline + indentation + render(key, value, indentation, text)
    comma = _comma_after(text, last.value.end, closing)
    if comma is not None:
        place = _end_of_comments(text, comma + 1, closing)
        return f"{text[:place]}{entry},{text[place:]}"
    place = _end_of_comments(text, last.value.end, closing)
    return f"{text[: last.value.end]},{text[last.value.end : place]}{entry}{text[place:]}"


def remove(text: str, container: Node, index: int) -> tuple[str, bool]:
    """The text without one entry, and whether the container was made for it and is empty now."""
    entry = container.entries[index]
    closing = container.end - 1
    is_last = index == len(container.entries) - 1
    limit = closing if is_last else container.entries[index + 1].start
    comma = _comma_after(text, entry.value.end, limit)
    end = entry.value.end if comma is None else comma + 1
    if index == 0:
        start = _start_of_blank(text, container.start + 1, entry.start)
        shorter = text[:start] + text[end:]
        made = is_last and start < entry.start and not text[container.start + 1 : start]
        return shorter, made and not text[end:closing].strip()
    before = container.entries[index - 1].value.end
    previous_comma = _skip(text, before)
    start = _start_of_blank(text, previous_comma + 1, entry.start)
    if comma is not None:
        return text[:start] + text[end:], False
    return text[:previous_comma] + text[previous_comma + 1 : start] + text[end:], False


def replace(text: str, node: Node, value: object) -> str:
    """The text with another value in a node's place."""
    indentation = _indentation(text, node.start)
    return text[: node.start] + render(None, value, indentation, text) + text[node.end :]


def render(key: str | None, value: object, indentation: str, like: str) -> str:
    """An entry's text; its further lines begin with ``indentation``, in the style of ``like``."""
    body = json.dumps(value, indent=unit_of(like), ensure_ascii=False)
    if key is not None:
        body = f"{json.dumps(key, ensure_ascii=False)}: {body}"
    return body.replace("\n", newline_of(like) + indentation)


def newline_of(text: str) -> str:
    """How lines end in the text."""
    return "\r\n" if "\r\n" in text else "\n"


def unit_of(text: str) -> str:
    """What one level of indentation is: that of the first indented line, else two spaces."""
    found = re.search(r"[{\[,][ ]*(?://[^\r\n]*)?\r?\n([ \t]+)\S", text)
    return found.group(1) if found else "  "


def _indentation(text: str, position: int) -> str:
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _indentation_of_entry(text: str, start: int) -> str | None:
    """What stands before an entry on its line, or None when that is not only white space."""
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return line if not line.strip(" \t") and "\n" in text[:start] else None


def _comments(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    return _COMMENT.finditer(text, start, end)


def _end_of_comments(text: str, start: int, end: int) -> int:
    place = start
    for comment in _comments(text, start, end):
        place = comment.end()
    return place


def _comma_after(text: str, start: int, end: int) -> int | None:
    position = _skip(text, start)
    return position if position < end and text[position] == "," else None


def _start_of_blank(text: str, start: int, end: int) -> int:
    """Where the white space right before ``end`` begins, not before ``start``."""
    return start + len(text[start:end].rstrip(" \t\r\n"))
