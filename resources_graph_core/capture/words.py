"""Words of a shell command: quotes, escapes and braces, after POSIX's shell language and bash.

A word in the making is text in which a few control characters stand for what is decided later:
what was quoted is no longer a brace, an unquoted expansion may still split the word.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from resources_graph_core.capture.flags import UNKNOWN

QUOTED, SPLIT = "\x05", "\x04"
_LITERAL = {"{": "\x01", "}": "\x02", ",": "\x03"}
_PROTECT = str.maketrans(_LITERAL)
_RESTORE = str.maketrans({mark: text for text, mark in _LITERAL.items()} | {QUOTED: None})
RESERVED = frozenset([UNKNOWN, QUOTED, SPLIT, *_LITERAL.values()])
"""Characters that a command must not hold to be read here."""

Unescape = Callable[[str], str]
"""What turns literal text with backslashes into what it stands for."""

_CHANGED = re.compile(
    r"([A-Za-z_]\w*)\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))|(?:\+\+|--)\s*([A-Za-z_]\w*)"
)
"""In arithmetic, a variable that is assigned, counted up or down."""

_MOST_WORDS = 200
_RANGE = re.compile(r"\{(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})(?:\.\.(-?[0-9]{1,9}))?\}")
_SET = re.compile(r"\{([^{}]*,[^{}]*)\}")
_ANSI_C = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))", re.DOTALL
)
_ANSI_C_NAMES = {
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}


def quoted(text: str) -> str:
    """Text that stood in quotes: nothing in it is special any more, and it is a word if empty."""
    return QUOTED + text.translate(_PROTECT)


def unquoted(text: str) -> str:
    """Text outside quotes: a backslash keeps what follows; ``*`` stands for names nobody knows."""
    if "\\" not in text:
        return text.replace("*", UNKNOWN)
    made: list[str] = []
    characters = iter(text)
    for character in characters:
        if character == "\\":
            following = next(characters, "")
            if following != "\n":
                made.append(quoted(following))
        else:
            made.append(UNKNOWN if character == "*" else character)
    return "".join(made)


def in_double_quotes(text: str) -> str:
    """Text between double quotes: a backslash counts before five characters only."""
    return re.sub(r'\\([$`"\\]|\n)', lambda match: match[1].strip("\n"), text)


def in_heredoc(text: str) -> str:
    """Text of a here-document without quotes: as in double quotes, but escaped quotes stay."""
    return re.sub(r"\\([$`\\]|\n)", lambda match: match[1].strip("\n"), text)


def ansi_c(text: str) -> str:
    """What ``$'…'`` (its inside) stands for; UNKNOWN for a code that is no character."""

    def character(match: re.Match[str]) -> str:
        code = match[1] or match[2] or match[3]
        number = int(code, 16) if code else int(match[4], 8) if match[4] else None
        if number is None:
            return _ANSI_C_NAMES.get(match[5], match[5])
        surrogate = 0xD800 <= number < 0xE000  # noqa: PLR2004 - Unicode's range of surrogates
        if number > 0x10FFFF or surrogate or chr(number) in RESERVED:  # noqa: PLR2004 - its end
            return UNKNOWN
        return chr(number)

    return _ANSI_C.sub(character, text)


def expanded(value: str) -> str:
    """The value of a variable outside quotes: it splits at white space, and has no braces."""
    if "*" in value:
        return UNKNOWN
    return SPLIT.join(value.translate(_PROTECT).split()) if value.strip() else ""


def finished(word: str) -> list[str]:
    """The words that one word in the making becomes: braces multiply it, expansions split it."""
    parts = [part for alternative in _braces(word) for part in alternative.split(SPLIT)]
    return [plain(part) for part in parts if part]


def plain(word: str) -> str:
    """A word in the making as text, without splitting it."""
    return word.replace(SPLIT, " ").translate(_RESTORE)


def _braces(word: str) -> list[str]:
    """Brace expansion, innermost braces first; UNKNOWN when it makes too many words."""
    done: list[str] = []
    pending = [word]
    while pending:
        if len(pending) + len(done) > _MOST_WORDS:
            return [UNKNOWN]
        current = pending.pop(0)
        match = _SET.search(current)
        choices = match[1].split(",") if match else None
        if match is None:
            match = _RANGE.search(current)
            choices = _range(match) if match else None
        if match is None or choices is None:
            done.append(current)
            continue
        pending[:0] = [current[: match.start()] + it + current[match.end() :] for it in choices]
    return done


def _range(match: re.Match[str]) -> list[str]:
    first, last, step = int(match[1]), int(match[2]), abs(int(match[3] or 1)) or 1
    if abs(last - first) // step >= _MOST_WORDS:
        return [UNKNOWN]
    width = max(len(match[1]), len(match[2]))
    padded = any(text.lstrip("-").startswith("0") and len(text) > 1 for text in match.groups()[:2])
    numbers = range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
    return [f"{number:0{width}d}" if padded else str(number) for number in numbers]


def changed(arithmetic: str) -> list[str]:
    """The variables that an arithmetic expression changes, such as ``n++`` or ``n += 2``."""
    return [before or behind for before, behind in _CHANGED.findall(arithmetic)]
