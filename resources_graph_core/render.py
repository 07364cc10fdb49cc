"""How what memory holds is shown to a person: pure functions from plain values to lines of text.

Text from GitHub is written by strangers. Nothing of it reaches a terminal before :func:`visible`
has made control characters, escape sequences, direction changes and invisible characters visible.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from resources_graph_core.clock import ago

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Style = Literal["title", "fact", "heading", "body", "prose", "faint"]
"""What a line is, for whoever gives it colours; ``prose`` is Markdown that somebody wrote."""

_ESCAPED_CATEGORIES = frozenset(["Cc", "Cf", "Co", "Cs", "Zl", "Zp"])
"""Controls, formats (directions, zero-width), private use, surrogates, line separators."""

# What else Unicode shows as nothing at all (DerivedCoreProperties.txt,
# Default_Ignorable_Code_Point), but for the two selectors that choose text or emoji looks.
_INVISIBLE_RANGES = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2065, 0x2065),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0D),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0xE0000, 0xE0FFF),
)


_KEPT = frozenset("\t\n")
_WITHOUT_KEPT = dict.fromkeys(map(ord, _KEPT))


@dataclass(frozen=True, slots=True)
class Line:
    """One line (a body may hold line breaks) and what it is."""

    text: str
    style: Style = "body"


def visible(text: str, *, line_breaks: bool = True) -> str:
    """``text`` with everything that hides or acts on a terminal written out, as in ``<U+001B>``.

    Tabs stay, and so do line breaks unless ``line_breaks`` is False: then they become spaces.
    """
    text = text.replace("\r\n", "\n")
    if not line_breaks:
        text = text.replace("\n", " ")
    if text.isascii() and text.translate(_WITHOUT_KEPT).isprintable():
        return text
    hidden = {ord(one): f"<U+{ord(one):04X}>" for one in set(text) - _KEPT if is_hidden(one)}
    return text.translate(hidden) if hidden else text


def is_hidden(character: str) -> bool:
    """Whether a character shows as nothing or acts on what is shown: controls, tabs too."""
    code = ord(character)
    if 0x20 <= code < 0x7F:  # noqa: PLR2004 - printable ASCII
        return False
    return unicodedata.category(character) in _ESCAPED_CATEGORIES or any(
        first <= code <= last for first, last in _INVISIBLE_RANGES
    )


def age(stamp: str, now: str) -> str:
    """How long before ``now`` that was, as in ``3 days ago``; no time comes back as it is."""
    try:
        return ago(stamp, now)
    except ValueError:
        return visible(stamp, line_breaks=False)


def read_lines(
    *,
    address: str,
    outcome: str,
    resource: Mapping[str, object] | None,
    comments: Sequence[Mapping[str, object]] = (),
    members: Sequence[Mapping[str, object]] = (),
    served_from: str | None = None,
    note: str | None = None,
    now: str,
) -> Iterator[Line]:
    """A Cache Read for a person: the facts first, then the content, then comments or members."""
    yield Line(f"{_one_line(address)} · {_one_line(outcome)}", "title")
    if outcome == "subsumed":
        keys = [_one_line(key).removeprefix("github:") for key in (served_from or "").split("+")]
        yield Line(f"from {' and '.join(keys)}", "fact")
    if note:
        yield Line(_one_line(note), "fact")
    if not resource:
        return
    yield from _times(resource, now)
    if resource.get("url"):
        yield Line(_one_line(resource["url"]), "fact")
    yield Line("")
    yield from content_lines(resource)
    for position, member in enumerate(members, start=1):
        state = _one_line(member.get("state")).lower()
        number = f"#{_one_line(member.get('number'))}"
        yield Line(f"{position:>4}  {number:<7} {state:<7} {_one_line(member.get('title'))}")
    for comment in comments:
        yield from _comment(comment, now)


def _times(resource: Mapping[str, object], now: str) -> Iterator[Line]:
    for label, name in (("fetched", "fetched_at"), ("updated", "updated_at")):
        stamp = resource.get(name)
        if stamp:
            yield Line(f"{label} {_one_line(stamp)} ({age(str(stamp), now)})", "fact")


def content_lines(resource: Mapping[str, object]) -> Iterator[Line]:
    """A Resource's title, what is known of it, and what its author wrote."""
    if "title" in resource:
        yield Line(f"#{_one_line(resource.get('number'))} {_one_line(resource['title'])}", "title")
    elif "name_with_owner" in resource:
        yield Line(_one_line(resource["name_with_owner"]), "title")
    for label, names in _FACTS:
        shown = [text for name in names if (text := _fact(resource.get(name)))]
        if shown:
            yield Line(f"{label}: {' · '.join(shown)}", "fact")
    for name in ("description", "body", "readme"):
        if resource.get(name):
            yield Line("")
            yield Line(visible(str(resource[name])), "prose")


_FACTS = (
    ("state", ("state", "state_reason")),
    ("author", ("author",)),
    ("created", ("created_at",)),
    ("labels", ("labels",)),
    ("assignees", ("assignees",)),
    ("milestone", ("milestone",)),
    ("stars", ("stars",)),
    ("default branch", ("default_branch",)),
    ("merged", ("merged_at",)),
    ("base", ("base_ref",)),
    ("head", ("head_ref",)),
    ("changed files", ("changed_files",)),
    ("members", ("member_count", "total_count")),
)


def _fact(value: object) -> str:
    if value is None or value in ("", []):
        return ""
    if isinstance(value, list | tuple):
        return ", ".join(_one_line(part) for part in value)
    return _one_line(value)


def _comment(comment: Mapping[str, object], now: str) -> Iterator[Line]:
    created = _one_line(comment.get("created_at"))
    facts = [
        _fact(comment.get("author")) or "unknown",
        _one_line(comment.get("kind") or "comment").replace("_", " "),
        _fact(comment.get("review_state")).lower(),
        _fact(comment.get("path")),
        f"{created} ({age(created, now)})" if created else "",
    ]
    yield Line("")
    yield Line(" · ".join(filter(None, facts)), "heading")
    yield Line(visible(str(comment.get("body") or "")), "prose")


def _one_line(value: object) -> str:
    return visible(str(value if value is not None else ""), line_breaks=False)


_BAR = 40
_AGES = (
    ("day", "within a day"),
    ("week", "within a week"),
    ("month", "within a month"),
    ("older", "before that"),
)


def freshness_lines(
    ages: Mapping[str, int], oldest: str | None, newest: str | None, now: str
) -> Iterator[Line]:
    """A picture of how old memory is: a bar for each age; nothing when it is empty.

    ``ages`` counts ``day``, ``week``, ``month`` and ``older``, each Resource once; the times are
    those of the oldest and the newest fetch.
    """
    most = max(ages.values(), default=0)
    if not most or not oldest or not newest:
        return
    yield Line("fetched", "heading")
    for age_name, label in _AGES:
        count = ages.get(age_name, 0)
        bar = "█" * (-(-count * _BAR // most))
        yield Line(f"  {label:<15}{count:>9,} {bar}".rstrip(), "fact")
    yield Line(f"  newest {age(newest, now)}, oldest {age(oldest, now)}", "faint")
