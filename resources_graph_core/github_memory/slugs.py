"""Ids of tasks, made of their titles: the same as ``ge`` makes for titles in ASCII."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container

LONGEST = 60
"""Characters of a slug, before a number that tells duplicates apart."""

_APART = re.compile(r"[\W_]+")


def slug(title: str) -> str:
    """``title`` in lower case, its words joined by hyphens; ``task`` when it has none.

    Letters and digits of every script count, so that no two languages end in the same id.
    """
    words = _APART.sub("-", unicodedata.normalize("NFC", title).lower()).strip("-")
    return words[:LONGEST] or "task"


def unique(wanted: str, taken: Container[str]) -> str:
    """``wanted``, or the first of ``wanted-2``, ``wanted-3`` and so on that is not ``taken``."""
    found, number = wanted, 2
    while found in taken:
        found, number = f"{wanted}-{number}", number + 1
    return found
