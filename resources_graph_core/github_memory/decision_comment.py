"""A decision as a comment: written as ``ge`` writes it, read whoever wrote it."""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING, Any

from resources_graph_core.errors import UsageError
from resources_graph_core.github_memory.json_text import read_json
from resources_graph_core.github_memory.markdown import lines_of
from resources_graph_core.github_memory.merging import same
from resources_graph_core.github_memory.records import Decision, plain, too_deep

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from resources_graph_core.github_memory.markdown import Line

TAG = "<!-- ge:decision -->"
_HEADING = "### Decision:"
_FENCE = "```json"


def new_mark() -> str:
    """What tells one posting from another of the same words: 32 spaces and tabs, at random.

    They end the heading, where Markdown and ``ge`` take white space for nothing: ``ge`` would read
    anything else, even in an HTML comment, as a part of the summary or the rationale.
    """
    return f"{secrets.randbits(32):032b}".replace("0", " ").replace("1", "\t")


def write_decision(
    summary: str,
    rationale: str = "",
    metadata: Mapping[str, Any] | None = None,
    *,
    mark: str = "",
) -> str:
    """The comment for a decision; ``mark`` is a :func:`new_mark`.

    Raises UsageError for a summary without words, and for a rationale that would not read back:
    metadata after JSON that has no end would be a part of it.
    """
    clean = " ".join(summary.split())
    if not clean:
        raise UsageError("a decision needs a summary")
    parts = [f"{TAG}\n{_HEADING} {clean}{mark}"]
    if rationale.strip():
        parts.append(rationale.strip())
    kept = plain(metadata or {})
    # A rationale's own JSON would be taken for metadata if nothing came after it.
    if kept or _FENCE in rationale:
        parts.append(f"{_FENCE}\n{json.dumps(kept, indent=2)}\n```")
    text = "\n\n".join(parts)
    read = read_decision(text)
    if read is None or read.rationale != rationale.strip() or not same(read.metadata, kept):
        raise UsageError("the rationale holds a code fence that has no end; close it")
    return text


def read_decision(body: str) -> Decision | None:
    """The decision in a comment; None when its tag does not stand on a line of its own.

    A tag in a quotation or in code makes no decision. Metadata is the JSON object in the fence that
    ends the comment, else in the first such fence; JSON that cannot be read stays in the rationale.
    """
    lines = lines_of(body)
    tag = next((line for line in lines if not line.in_fence and line.content.strip() == TAG), None)
    if tag is None:
        return None
    rest = [line for line in lines if line is not tag]
    summary = ""
    first = next((at for at, line in enumerate(rest) if line.text.strip()), None)
    if first is not None and rest[first].content.lstrip().startswith(_HEADING):
        summary = rest[first].content.strip().removeprefix(_HEADING).strip()
        rest = rest[first + 1 :]
    metadata: dict[str, Any] = {}
    found = _metadata(rest)
    if found is not None:
        metadata, start, end = found
        rest = rest[:start] + rest[end:]
    return Decision(summary, "".join(line.text for line in rest).strip(), metadata)


def _metadata(lines: Sequence[Line]) -> tuple[dict[str, Any], int, int] | None:
    """The metadata, and which lines it takes up."""
    fences = _json_fences(lines)
    at_end = [one for one in fences if not any(line.text.strip() for line in lines[one[1] :])]
    for start, end in [*at_end, *fences]:
        try:
            value = read_json("".join(line.text for line in lines[start + 1 : end - 1]))
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and not too_deep(value):
            return value, start, end
    return None


def _json_fences(lines: Sequence[Line]) -> list[tuple[int, int]]:
    """Where fences of JSON begin and end, the lines of the fences included."""
    found: list[tuple[int, int]] = []
    start: int | None = None
    for at, line in enumerate(lines):
        text = line.content.strip()
        if start is None and line.in_fence and text == _FENCE:
            start = at
        elif start is not None and text == "```":
            found.append((start, at + 1))
            start = None
    return found
