"""What a prompt points at: links, ``owner/repo#n``, and ``#n`` where a checkout says of what.

A false hit is worse than a miss, so what looks like a path, an e-mail address, a colour or a turn
of phrase (``and/or#1``) is passed over.
"""

from __future__ import annotations

import re
import unicodedata

from resources_graph_core.address import Address, parse_number
from resources_graph_core.capture import urls
from resources_graph_core.capture.context import GITHUB
from resources_graph_core.capture.repositories import Repository, current
from resources_graph_core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.capture.context import Context

LONGEST = 262_144
"""Characters of a prompt that are read."""

_ZERO_WIDTH = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad]")
_LINK = re.compile(
    r"""(?<![A-Za-z0-9@./:-])
    (?:[a-zA-Z][a-zA-Z0-9+.-]{1,20}://|(?<!_)(?<!://\[)(?=(?:[a-z]+\.)?github\.com/))
    (?:\[[0-9a-f:.]*\])?(?:(?![,;]https?://)[^\s<>"'`|\\^{}\[\]\u3000-\u303f\uff00-\uff65])+""",
    re.VERBOSE | re.IGNORECASE,
)
_LABEL = re.compile(
    r"""\[[^\[\]\n]{0,1000}\](?=\(\s*<?[a-z]+://|:[ \t]*<?[a-z]+://)
    |(?<=>)(?<!/a>)[^<>]{0,1000}(?=</a\s*>)""",
    re.VERBOSE | re.IGNORECASE,
)
"""The text of a link in Markdown or HTML: it is about what the link leads to, nothing else."""

_CLOSERS = {")": "(", "]": "["}
_OF_WORDS = frozenset(["Lu", "Ll", "Lt", "Nd", "Nl", "No"])
"""Unicode's categories of letters with capitals, and of digits."""
_MARKS = 8
"""Accents that are looked past at most, to the letter they are on."""
_TRAILING = "*~.,;:!?\u2026\u201d\u2019\u00bb"
_SHORT = re.compile(
    r"(?<![\w@./:#~\\%&=?+$-])([a-z0-9][a-z0-9_-]{0,62})/([a-z0-9._-]{1,100})#([0-9]{1,10})"
    r"(?![\w#/\\=-]|\.[\w])",
    re.IGNORECASE | re.ASCII,
)
_KEY = re.compile(r"(?<![\w@./:#-])github:[^\s<>\"'`|\\^{}\[\]()]+")
_BARE = re.compile(
    r"(?:(?<![^\s(\[{\"'`,;*|<>])#|(?<![\w/-])GH-)([0-9]{1,10})(?![\w#/\\=-]|\.[\w])"
)
_COLOUR = re.compile(
    r"(?:colou?r|background|border|fill|stroke|rgb|hex|theme)[\w\s:=\"'(-]{0,12}$", re.IGNORECASE
)
_NAMED_BEFORE = re.compile(r"[\w.-]+/[\w.-]+\s+$")
"""A repository, as it seems, that a number right behind it may belong to."""

_COLOUR_LENGTHS = frozenset([3, 6, 8])
_PHRASES = frozenset(
    [
        *("and/or", "either/or", "yes/no", "true/false", "on/off", "input/output", "read/write"),
        *("client/server", "he/she", "his/her", "him/her", "they/them", "pass/fail", "start/stop"),
        *("n/a", "w/o", "i/o", "tcp/ip", "ci/cd", "a/b", "x/y", "and/and", "or/and"),
    ]
)
_FOLDERS = frozenset(
    [
        *(
            "src",
            "lib",
            "libs",
            "test",
            "tests",
            "spec",
            "specs",
            "doc",
            "docs",
            "bin",
            "app",
            "apps",
        ),
        *("pkg", "cmd", "internal", "dist", "build", "out", "target", "packages", "examples"),
        *("scripts", "node_modules", "vendor", "include", "public", "static", "assets", "config"),
        *("components", "utils", "tools", "tmp", "usr", "etc", "var", "home", "opt", "dev"),
    ]
)
_CODE = re.compile(
    r"\.(?:py|pyi|ts|tsx|jsx|mjs|cjs|go|rs|c|h|cc|cpp|hpp|java|kt|rb|php|sh|bash|zsh|json|ya?ml|toml"
    r"|ini|cfg|txt|md|rst|html?|css|scss|xml|sql|proto|lock|tf|ipynb|csv|log|vue|svelte)$",
    re.IGNORECASE,
)


def addresses(text: str, context: Context) -> Iterator[Address]:
    """What ``text`` points at, in no particular order and perhaps more than once."""
    text = _LABEL.sub(" ", _ZERO_WIDTH.sub(" ", text[:LONGEST]))
    for match in _LINK.finditer(text):
        yield from _link(_trimmed(match[0], text[: match.start()][-1:]), context)
    text = _LINK.sub(" \0 ", text)  # what is inside a link is no reference of its own
    for match in _KEY.finditer(text):
        yield from _key(match[0].rstrip(_TRAILING), context)
    text = _KEY.sub(" \0 ", text)
    for match in _SHORT.finditer(text):
        before = text[max(0, match.start() - _MARKS) : match.start()]
        after = text[match.end() : match.end() + _MARKS]
        if not _goes_on(before[::-1]) and not _goes_on(after):
            yield from _short(match[1], match[2], match[3])
    yield from _bare(text, context)


def _goes_on(text: str) -> bool:
    """Whether the beginning of ``text`` is a part of the word before it: it is an é, or a digit.

    Not so in scripts that are written without spaces between words, and have no capitals.
    """
    for character in text:
        category = unicodedata.category(character)
        if not category.startswith("M"):
            return category in _OF_WORDS
    return False


def _trimmed(link: str, before: str) -> str:
    """The link without the punctuation of the sentence, or the Markdown, around it."""
    link = link.partition("**")[0]
    path = link.partition("?")[0]
    foreign = re.search(r"[^\x21-\x7e]", path)
    if foreign:  # a word of another script right behind the link; inside it, it is not GitHub's
        link = path[: foreign.start()]
        if link.endswith("/") or _goes_on(path[foreign.start() :]):
            return ""
    trailing = _TRAILING + ("_" if before == "_" else "")
    while link:
        last = link[-1]
        opener = _CLOSERS.get(last)
        if last not in trailing and (opener is None or link.count(last) <= link.count(opener)):
            break
        link = link[:-1]
    return link


def _link(link: str, context: Context) -> list[Address]:
    if "://" not in link:
        link = f"https://{link}"
    try:
        return urls.addresses(link, context)
    except UsageError:
        return []  # a link to something else


def _key(key: str, context: Context) -> list[Address]:
    try:
        address = Address.from_key(key)
    except UsageError:
        return []  # it only looks like a key
    return [address] if context.knows(address.host) else []


def is_file(owner: str, name: str) -> bool:
    """Whether ``owner/name`` is rather a file of a checkout, such as ``src/foo.py``."""
    return owner.lower() in _FOLDERS and _CODE.search(name) is not None


def _short(owner: str, name: str, number: str) -> list[Address]:
    if f"{owner}/{name}".lower() in _PHRASES or owner.lower() in _FOLDERS or _CODE.search(name):
        return []
    if owner.isdigit() and name.isdigit():  # a fraction, a date
        return []
    try:
        return [Repository(host=GITHUB, owner=owner, name=name).item(parse_number(number))]
    except UsageError:
        return []  # GitHub could not know it


def _bare(text: str, context: Context) -> Iterator[Address]:
    repository: Repository | None = None
    for match in _BARE.finditer(text):
        if _goes_on(text[match.end() : match.end() + _MARKS]):
            continue
        number = match[1]
        before = text[max(0, match.start() - 40) : match.start()]
        if len(number) in _COLOUR_LENGTHS and _COLOUR.search(before):
            continue
        if _NAMED_BEFORE.search(before):
            continue
        try:
            repository = repository or current(context)
            yield repository.item(parse_number(number))
        except UsageError:
            if repository is None:
                return  # no checkout says of which repository
