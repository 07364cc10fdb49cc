"""Git's config files, as far as remotes need them. The format is git-config(1)'s.

Only text goes in and values come out; which files there are is decided in ``checkout``.
"""

from __future__ import annotations

import re

from resources_graph_core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\"}


class Entry(Record):
    """One variable: section and name in lower case, the subsection as it is written."""

    section: str
    subsection: str
    name: str
    value: str


def entries(text: str) -> Iterator[Entry]:
    """Every variable of a config file, in order. A line that git would refuse ends the reading."""
    section = subsection = ""
    lines = iter(text.removeprefix("\ufeff").splitlines())
    for line in lines:
        rest = line.strip()
        if rest.startswith("["):
            header, closed, rest = _split_header(rest)
            if not closed:
                return
            section, subsection = header
            rest = rest.strip()
        if not rest or rest[0] in "#;":
            continue
        name, equals, value = rest.partition("=")
        if not equals:
            name = name.partition("#")[0].partition(";")[0]
            yield Entry(
                section=section, subsection=subsection, name=name.strip().lower(), value="true"
            )
            continue
        yield Entry(
            section=section,
            subsection=subsection,
            name=name.strip().lower(),
            value=_value(value, lines),
        )


def _split_header(line: str) -> tuple[tuple[str, str], bool, str]:
    """``[remote "origin"] rest`` as its two names, whether it was closed, and the rest."""
    quoted = escaped = False
    for at, character in enumerate(line):
        if escaped:
            escaped = False
        elif quoted and character == "\\":
            escaped = True
        elif character == '"':
            quoted = not quoted
        elif character == "]" and not quoted:
            return _header(line[1:at]), True, line[at + 1 :]
    return ("", ""), False, ""


def _header(text: str) -> tuple[str, str]:
    name, quote, subsection = text.partition('"')
    if quote:
        subsection = subsection.rstrip().removesuffix('"')
        return name.strip().lower(), re.sub(r"\\(.)", r"\1", subsection)
    section, _, old_style = text.strip().partition(".")
    return section.lower(), old_style.lower()


def _value(text: str, lines: Iterator[str]) -> str:
    """A value without its quotes, escapes and comment; a line ending in a backslash goes on."""
    kept: list[str] = []
    end = 0  # how much of ``kept`` stands before trailing blanks
    quoted = False
    characters = iter(text.lstrip())
    while True:
        character = next(characters, None)
        if character is None:
            break
        if character == "\\":
            following = next(characters, None)
            if following is None:
                characters = iter(next(lines, ""))
                continue
            kept.append(_ESCAPES.get(following, following))
            end = len(kept)
        elif character == '"':
            quoted = not quoted
        elif character in "#;" and not quoted:
            break
        else:
            kept.append(character)
            if quoted or not character.isspace():
                end = len(kept)
    return "".join(kept[:end])
