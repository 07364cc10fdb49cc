"""The JSON list of a tracking issue: entries edited one by one, every other byte kept as it is.

The list may stand in a ``json`` code fence. What is no entry (no ``owner/repo#N`` as ``ref``) is
left alone, and so are keys of entries that nobody here knows.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from resources_graph_core.errors import BlockError, NoSuchEntry, UsageError
from resources_graph_core.github_memory.markdown import find_block, lines_of, newline_of, with_block
from resources_graph_core.github_memory.records import TriageEntry, TriageVerdict, plain, too_deep

if TYPE_CHECKING:
    from collections.abc import Callable

BEGIN = "<!-- ge:triage:begin -->"
END = "<!-- ge:triage:end -->"
HEADER = "## Triage backlog"

_REF = re.compile(r"[^/\s]+/[^/\s#]+#\d+")
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def is_ref(text: object) -> bool:
    """Whether ``text`` is ``owner/repo#N``."""
    return isinstance(text, str) and _REF.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class _Element:
    """A value of the list, and where it stands in the text."""

    value: Any
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _List:
    """The list: where it begins and ends, and its values."""

    start: int
    end: int
    elements: tuple[_Element, ...] = ()


class TriageBlock:
    """The backlog in ``text``, an issue's body; ``text`` is the body with every edit in it.

    Without a block there are no entries, and the first :meth:`put` adds one. Raises BlockError,
    which says where, for what is not JSON or no list, and for an entry with a wrong verdict, order,
    rationale or metadata.
    """

    def __init__(self, text: str) -> None:
        self._list, self._entries = _parse(text)
        self._text = text

    @property
    def text(self) -> str:
        """The whole body."""
        return self._text

    @property
    def entries(self) -> list[TriageEntry]:
        """The entries in the chosen order."""
        return sorted(self._entries.values(), key=lambda entry: (entry.order, entry.ref))

    def get(self, ref: str) -> TriageEntry | None:
        """The entry of an issue; owners and repositories compare without case, as on GitHub."""
        return self._entries.get(ref.lower())

    def put(self, entry: TriageEntry) -> TriageEntry:
        """Write an entry, in place of an older one of the same issue. UsageError for a bad ref."""
        if not is_ref(entry.ref):
            raise UsageError(f"{entry.ref!r} names no issue; write owner/repo#N")
        known = self.get(entry.ref)
        if known == entry:
            return known
        if self._list is None:
            self._replace_text(with_block(self._text, BEGIN, END, header=HEADER))
        place = self._place(entry.ref)
        known_fields = place.value if place else {}
        ref = known.ref if known else entry.ref
        shown = self._shown({**known_fields, **_fields(entry), "ref": ref})
        if place is not None:
            self._splice(place.start, place.end, shown)
        else:
            self._add(shown)
        return self._entries[entry.ref.lower()]

    def remove(self, ref: str) -> None:
        """Take an entry out. Raises NoSuchEntry."""
        if self.get(ref) is None:
            known = ", ".join(entry.ref for entry in self.entries) or "none"
            raise NoSuchEntry(f"the backlog has no {ref!r}; it holds: {known}")
        while (place := self._place(ref)) is not None:
            self._cut(place)

    def _place(self, ref: str) -> _Element | None:
        """Where the last entry of an issue stands, which is the one that counts."""
        elements = self._list.elements if self._list else ()
        same = [one for one in elements if _ref_in(one.value) == ref.lower()]
        return same[-1] if same else None

    def _shown(self, value: dict[str, Any]) -> str:
        text = json.dumps(value, indent=2, ensure_ascii=False)
        # The text stands in Markdown, where a comment's edges would end or hide the block.
        text = text.replace("<!--", "\\u003c!--").replace("-->", "--\\u003e")
        return text.replace("\n", f"{newline_of(self._text)}  ")

    def _add(self, shown: str) -> None:
        found, newline = self._list or _List(0, 0), newline_of(self._text)
        if not found.elements:
            text = f"[{newline}  {shown}{newline}]"
            if not self._text[found.start : found.end].strip():  # there is no list yet
                text = f"{newline}{text}{newline}"
            self._splice(found.start, found.end, text)
        else:
            end = found.elements[-1].end
            self._splice(end, end, f",{newline}  {shown}")

    def _cut(self, place: _Element) -> None:
        """Take an element out of the list with the comma that goes with it."""
        elements = self._list.elements if self._list else ()
        at = elements.index(place)
        if at > 0:
            self._splice(elements[at - 1].end, place.end, "")
        elif len(elements) > 1:
            self._splice(place.start, elements[1].start, "")
        else:
            self._splice(place.start, place.end, "")

    def _splice(self, start: int, end: int, text: str) -> None:
        self._replace_text(self._text[:start] + text + self._text[end:])

    def _replace_text(self, text: str) -> None:
        self._list, self._entries = _parse(text)
        self._text = text


def _fields(entry: TriageEntry) -> dict[str, Any]:
    return {
        "ref": entry.ref,
        "verdict": entry.verdict.value,
        "order": entry.order,
        "rationale": entry.rationale,
        "metadata": plain(entry.metadata),
    }


def _parse(text: str) -> tuple[_List | None, dict[str, TriageEntry]]:
    block = find_block(text, BEGIN, END)
    if block is None:
        return None, {}
    start, end = _within_fence(text, block.start, block.end)
    found = _read_list(text, start, end)
    entries: dict[str, TriageEntry] = {}
    for element in found.elements:
        if _ref_in(element.value) is not None:
            entry = _entry(element.value, _line_at(text, element.start))
            entries[entry.ref.lower()] = entry
    return found, entries


def _within_fence(text: str, start: int, end: int) -> tuple[int, int]:
    """The part that is JSON: all of it, or what stands in the code fence around it."""
    lines = [line for line in lines_of(text[start:end]) if line.text.strip()]
    if not lines or not lines[0].in_fence:
        return start, end
    first, last = lines[0], lines[-1]
    return start + first.start + len(first.text), start + last.start


def _read_list(text: str, start: int, end: int) -> _List:
    """The list in ``text[start:end]``, its values with their places; BlockError for no list."""
    at = _skip(text, start)
    if at >= end:
        return _List(start, end)
    if text[at] != "[":
        raise _wrong(text, at, "a JSON list is expected here")
    began, elements = at, list[_Element]()
    at = _skip(text, at + 1)
    while at < end and text[at] != "]":
        value, stop = _decode(text[:end], at)
        elements.append(_Element(value, at, stop))
        at = _skip(text, stop)
        if at < end and text[at] == ",":
            at = _skip(text, at + 1)
            if at < end and text[at] == "]":
                raise _wrong(text, at, "a value is expected after the comma")
        elif at < end and text[at] != "]":
            raise _wrong(text, at, "a comma or ] is expected here")
    if at >= end:
        raise _wrong(text, end, "the list has no end")
    if _skip(text, at + 1) < end:
        raise _wrong(text, _skip(text, at + 1), "nothing may stand after the list")
    return _List(began, at + 1, tuple(elements))


def _decode(text: str, at: int) -> tuple[Any, int]:
    try:
        value, stop = _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise _wrong(text, error.pos, f"this is not JSON: {error.msg}") from None
    except RecursionError:
        raise _wrong(text, at, "this is nested too deeply") from None
    if _ref_in(value) is not None and any(map(too_deep, value.values())):
        raise _wrong(text, at, "this is nested too deeply")
    return value, stop


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _line_at(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _wrong(text: str, at: int, message: str) -> BlockError:
    column = at - text.rfind("\n", 0, at)
    return BlockError(f"{message} (column {column}); correct the block", _line_at(text, at))


def _ref_in(value: object) -> str | None:
    ref = value.get("ref") if isinstance(value, dict) else None
    return ref.lower() if isinstance(ref, str) and is_ref(ref) else None


def _entry(fields: dict[str, Any], line: int) -> TriageEntry:
    def read(name: str, default: object, kind: Callable[[Any], Any]) -> Any:  # noqa: ANN401 - JSON
        value = fields.get(name, default)
        try:
            return kind(default if value is None else value)
        except (ValueError, TypeError, OverflowError):
            raise BlockError(
                f"the {name} of {fields['ref']} is {value!r}; correct it", line
            ) from None

    return TriageEntry(
        ref=fields["ref"],
        verdict=read("verdict", "fixable", TriageVerdict),
        order=read("order", 0, int),
        rationale=read("rationale", "", _text),
        metadata=read("metadata", {}, _mapping),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _mapping(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError
    return value
