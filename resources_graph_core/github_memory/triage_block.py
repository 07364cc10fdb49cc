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
from resources_graph_core.github_memory.json_text import DECODER, compact_json
from resources_graph_core.github_memory.markdown import find_block, lines_of, newline_of, with_block
from resources_graph_core.github_memory.merging import same
from resources_graph_core.github_memory.records import (
    MOST_ORDER,
    TriageEntry,
    TriageVerdict,
    check_order,
    plain,
    too_deep,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

BEGIN = "<!-- ge:triage:begin -->"
END = "<!-- ge:triage:end -->"
HEADER = "## Triage backlog"

_REF = re.compile(r"[^/\s]+/[^/\s#]+#[1-9][0-9]{0,17}")
_SPACE = re.compile(r"[ \t\r\n]*")


def is_ref(text: object) -> bool:
    """Whether ``text`` is ``owner/repo#N``."""
    return isinstance(text, str) and _REF.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class _Element:
    """A value of the list, and its text."""

    value: Any
    text: str


@dataclass(slots=True)
class _Parts:
    """The body in parts: what stands before and after the list, its values, and all between them.

    ``gaps`` has one more than there are elements: from the opening bracket to the first, between
    each two, and from the last to the closing bracket. A block without a list is all gap.
    """

    before: str
    gaps: list[str]
    elements: list[_Element]
    after: str

    @property
    def text(self) -> str:
        inner = (gap + element.text for gap, element in zip(self.gaps, self.elements, strict=False))
        return "".join((self.before, *inner, self.gaps[-1], self.after))

    def cut(self, at: int) -> None:
        """Take an element out of the list with the comma that goes with it."""
        del self.elements[at]
        if self.elements:
            del self.gaps[max(at, 1)]
        else:
            self.gaps = ["".join(self.gaps)]


class TriageBlock:
    """The backlog in ``text``, an issue's body; ``text`` is the body with every edit in it.

    Without a block there are no entries, and the first :meth:`put` adds one. Raises BlockError,
    which says where, for what is not JSON or no list, and for an entry with a wrong verdict, order,
    rationale or metadata.
    """

    def __init__(self, text: str) -> None:
        self._parts, self._entries = _parse(text)
        self._text = text
        self._edited = False

    @property
    def text(self) -> str:
        """The whole body. Raises BlockError when it would not read back as it was edited."""
        if self._edited and self._parts is not None:
            text = self._parts.text
            parts, entries = _parse(text)
            if entries != self._entries:
                raise BlockError("the block would not read back as it was edited; correct it", 1)
            self._parts, self._text, self._edited = parts, text, False
        return self._text

    @property
    def ids(self) -> None:
        """None: an entry is named by its issue."""
        return

    @property
    def entries(self) -> list[TriageEntry]:
        """The entries in the chosen order."""
        return sorted(self._entries.values(), key=lambda entry: (entry.order, entry.ref))

    def get(self, ref: str) -> TriageEntry | None:
        """The entry of an issue; owners and repositories compare without case, as on GitHub."""
        return self._entries.get(ref.lower())

    @property
    def values(self) -> dict[str, dict[str, Any]]:
        """What the list holds of each issue, keys that nobody here knows too; by ref in small."""
        elements = self._parts.elements if self._parts else []
        return {ref: one.value for one in elements if (ref := _ref_in(one.value)) is not None}

    @property
    def others(self) -> list[str]:
        """The texts of what the list holds besides entries."""
        elements = self._parts.elements if self._parts else []
        return [one.text for one in elements if _ref_in(one.value) is None]

    def put(self, entry: TriageEntry) -> TriageEntry:
        """Write an entry, in place of an older one of the same issue. UsageError for a bad ref."""
        if not is_ref(entry.ref):
            raise UsageError(f"{entry.ref[:80]!r} names no issue; write owner/repo#N")
        check_order(entry)
        known = self.get(entry.ref)
        if known is not None and same(_fields(known), _fields(entry)):
            return known
        held = self.values.get(entry.ref.lower(), {})
        ref = known.ref if known else entry.ref
        return self.put_value({**held, **_fields(entry), "ref": ref})

    def put_value(self, value: Mapping[str, Any]) -> TriageEntry:
        """Write all that the list is to hold of the issue that is the value's ``ref``."""
        elements = self._parts.elements if self._parts else []
        at = _place(elements, value["ref"])
        shown = self._shown(value)
        made = _Element(json.loads(shown), shown)
        if at is None:
            self._add(made)
        else:
            elements[at] = made
        self._edited = True
        read = _entry(made.value, 1)
        self._entries[read.ref.lower()] = read
        return read

    def add_other(self, text: str) -> None:
        """Add a value that is no entry, by its JSON text."""
        self._add(_Element(json.loads(text), text))
        self._edited = True

    def remove_other(self, text: str) -> None:
        """Take out the first value that is no entry and has this text."""
        if self._parts is not None:
            texts = [one.text for one in self._parts.elements]
            self._parts.cut(texts.index(text))
            self._edited = True

    def text_within(self, before: str, after: str) -> str:
        """The block, with every edit, within other text. Raises BlockError as :attr:`text` does."""
        place = find_block(self.text, BEGIN, END)
        inside = "" if place is None else self.text[place.start : place.end]
        return TriageBlock(f"{before}{inside}{after}").text

    def remove(self, ref: str) -> None:
        """Take an entry out. Raises NoSuchEntry."""
        if self.get(ref) is None:
            known = ", ".join(entry.ref for entry in self.entries) or "none"
            raise NoSuchEntry(f"the backlog has no {ref!r}; it holds: {known}")
        if self._parts is not None:
            while (at := _place(self._parts.elements, ref)) is not None:
                self._parts.cut(at)
        self._edited = True
        del self._entries[ref.lower()]

    def _shown(self, value: Mapping[str, Any]) -> str:
        text = compact_json(dict(value), indent=2)
        # The text stands in Markdown, where a comment's edges would end or hide the block.
        text = text.replace("<!--", "\\u003c!--").replace("-->", "--\\u003e")
        return text.replace("\n", f"{newline_of(self._text)}  ")

    def _add(self, made: _Element) -> None:
        newline = newline_of(self._text)
        if self._parts is None:
            self._parts = _parse(with_block(self._text, BEGIN, END, header=HEADER))[0]
        parts = self._parts
        if parts is None:
            raise BlockError("a block that is added here would not be seen; add it by hand", 1)
        if parts.elements:
            parts.gaps.insert(-1, f",{newline}  ")
        else:
            apart = "" if parts.gaps[0].strip() else newline  # there is no list yet
            parts.gaps = [f"{apart}[{newline}  ", f"{newline}]{apart}"]
        parts.elements.append(made)


def _place(elements: Sequence[_Element], ref: str) -> int | None:
    """Where the last element for an issue stands, which is the one that counts."""
    wanted = ref.lower()
    for at in range(len(elements) - 1, -1, -1):
        if _ref_in(elements[at].value) == wanted:
            return at
    return None


def _fields(entry: TriageEntry) -> dict[str, Any]:
    return {
        "ref": entry.ref,
        "verdict": entry.verdict.value,
        "order": entry.order,
        "rationale": entry.rationale,
        "metadata": plain(entry.metadata),
    }


def _parse(text: str) -> tuple[_Parts | None, dict[str, TriageEntry]]:
    block = find_block(text, BEGIN, END)
    if block is None:
        return None, {}
    start, end = _within_fence(text, block.start, block.end)
    began, ended, values = _read_list(text, start, end)
    entries: dict[str, TriageEntry] = {}
    gaps, elements, at = list[str](), list[_Element](), began
    for value, first, stop in values:
        gaps.append(text[at:first])
        elements.append(_Element(value, text[first:stop]))
        at = stop
        if _ref_in(value) is not None:
            entry = _entry(value, _line_at(text, first))
            entries[entry.ref.lower()] = entry
    gaps.append(text[at:ended])
    return _Parts(text[:began], gaps, elements, text[ended:]), entries


def _within_fence(text: str, start: int, end: int) -> tuple[int, int]:
    """The part that is JSON: all of it, or what stands in the code fence around it."""
    lines = [line for line in lines_of(text[start:end]) if line.text.strip()]
    if not lines or not lines[0].in_fence:
        return start, end
    first, last = lines[0], lines[-1]
    return start + first.start + len(first.text), start + last.start


def _read_list(text: str, start: int, end: int) -> tuple[int, int, list[tuple[Any, int, int]]]:
    """Where the list in ``text[start:end]`` begins and ends, and each value with its own place.

    BlockError for no list.
    """
    at = _skip(text, start)
    if at >= end:
        return start, end, []
    if text[at] != "[":
        raise _wrong(text, at, "a JSON list is expected here")
    began, values = at, list[tuple[Any, int, int]]()
    at = _skip(text, at + 1)
    within = text[:end]
    while at < end and text[at] != "]":
        value, stop = _decode(within, at)
        values.append((value, at, stop))
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
    return began, at + 1, values


def _decode(text: str, at: int) -> tuple[Any, int]:
    try:
        value, stop = DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise _wrong(text, error.pos, f"this is not JSON: {error.msg}") from None
    except ValueError as error:  # a number that cannot be
        raise _wrong(text, at, f"this is not JSON: {error}") from None
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
                f"the {name} of {fields['ref']} is {str(value)[:80]!r}; correct it", line
            ) from None

    return TriageEntry(
        ref=fields["ref"],
        verdict=read("verdict", "fixable", TriageVerdict),
        order=read("order", 0, _order),
        rationale=read("rationale", "", _text),
        metadata=read("metadata", {}, _mapping),
    )


def _order(value: Any) -> int:  # noqa: ANN401 - JSON
    order = int(value)
    if abs(order) > MOST_ORDER:
        raise OverflowError
    return order


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _mapping(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError
    return value
