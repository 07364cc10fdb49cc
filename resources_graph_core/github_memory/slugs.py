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
    return Uniquely(taken).name(wanted)


class Uniquely:
    """Gives names that are not ``taken``, which may only grow meanwhile, and none twice.

    It goes on counting where it was for the same name: thousands of equal titles take no longer.
    """

    def __init__(self, taken: Container[str]) -> None:
        self._taken = taken
        self._next: dict[str, int] = {}

    def name(self, wanted: str) -> str:
        """``wanted``, or the first of ``wanted-2``, ``wanted-3`` and so on that is free."""
        number = self._next.get(wanted, 1)
        while (found := wanted if number == 1 else f"{wanted}-{number}") in self._taken:
            number += 1
        self._next[wanted] = number + 1
        return found
