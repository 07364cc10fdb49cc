"""From strangers' text to quoted lines and to data, through one answer's treatment."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from resources_graph_core.render_model.blocks import Line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from resources_graph_core.untrusted import Treatment

LONGEST_LINE = 2_000
"""Characters after which a quoted line goes on in the next, behind a mark of its own."""

LONGEST_LINE_BEYOND_ASCII = 600
"""The same for a line that may be of a script which costs a token for each character."""

MOST_NAMES = 20
"""Names of a list, such as labels, that are shown; the rest are counted."""


def quoted(treatment: Treatment, text: object) -> tuple[tuple[Line, ...], list[str]]:
    """A text's lines, and what is remarkable about it; nothing for an empty one."""
    given = str(text or "").strip("\r\n")
    if not given:
        return (), []
    treated = treatment.treat(given)
    lines = (cut for line in treated.text.split("\n") for cut in cut_line(line))
    return tuple(lines), list(treated.suspicions)


def cut_line(text: str) -> Iterator[Line]:
    """A line, in as many parts as it takes to fit any page."""
    step = LONGEST_LINE if text.isascii() else LONGEST_LINE_BEYOND_ASCII
    yield Line(text[:step])
    for start in range(step, len(text), step):
        yield Line(text[start : start + step], continues=True)


def aside(text: str) -> tuple[Line, ...]:
    """Treated text in lines that are no part of a block's own text: as data it stands elsewhere."""
    return tuple(replace(line, data={}) for line in cut_line(text)) if text else ()


def one_line(treatment: Treatment, text: object) -> str:
    """A text in one line."""
    return treatment.one_line(str(text if text is not None else "")).text


def remarked(treatment: Treatment, text: object) -> tuple[str, list[str]]:
    """A text in one line, and what is remarkable about it."""
    treated = treatment.one_line(str(text if text is not None else ""))
    return treated.text, list(treated.suspicions)


def joined(treatment: Treatment, values: object) -> str:
    """A list of names in one line; nothing for none."""
    if not isinstance(values, list | tuple):
        return ""
    names = [one_line(treatment, value) for value in values[:MOST_NAMES]]
    more = len(values) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def cautions(suspicions: list[str]) -> str:
    """What is remarkable, for a heading; nothing for nothing."""
    return f"caution: {'; '.join(dict.fromkeys(suspicions))}" if suspicions else ""


def without_nothing(data: Mapping[str, Any]) -> dict[str, Any]:
    """Data without what says nothing."""
    return {name: value for name, value in data.items() if value not in (None, "", [], {})}
