"""REST answers kept with their ETag: asked for again, what did not change comes from here.

GitHub then answers 304, which costs nothing for a caller with a token:
https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Protocol

KEPT = 500
"""How many answers are kept in memory: the least recently used one goes first."""


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for: an address, what form was accepted, and whether with a token.

    A token's answers have other ETags than a stranger's.
    """

    url: str
    accept: str
    with_token: bool


@dataclass(frozen=True, slots=True)
class Remembered:
    """An answer: its ETag as GitHub wrote it, its body, and the address of the next page."""

    etag: str
    content: bytes
    next_url: str | None = None


class Answers(Protocol):
    """Where answers are kept; safe to use from several threads."""

    def get(self, request: Request) -> Remembered | None:
        """The answer to a request, or None when it is not kept."""

    def keep(self, request: Request, answer: Remembered) -> None:
        """Keep an answer, and let go of the ones that were not used for longest."""

    def forget(self, url: str) -> None:
        """Let go of all answers from an address and what is under it."""

    def close(self) -> None:
        """Let go of what was opened; it is opened again when used again."""


class RecentAnswers:
    """The ``most`` answers that were used last, in memory."""

    def __init__(self, most: int = KEPT) -> None:
        self._most = most
        self._lock = Lock()
        self._kept: OrderedDict[Request, Remembered] = OrderedDict()

    def get(self, request: Request) -> Remembered | None:
        """The answer to a request, or None when it is not kept."""
        with self._lock:
            if request not in self._kept:
                return None
            self._kept.move_to_end(request)
            return self._kept[request]

    def keep(self, request: Request, answer: Remembered) -> None:
        """Keep an answer, and let go of the one that was not used for longest."""
        with self._lock:
            self._kept[request] = answer
            self._kept.move_to_end(request)
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def forget(self, url: str) -> None:
        """Let go of all answers from an address and what is under it."""
        with self._lock:
            for request in list(self._kept):
                if is_under(request.url, url):
                    del self._kept[request]

    def close(self) -> None:
        """Nothing was opened."""


def is_under(url: str, other: str) -> bool:
    """Whether an address is ``other`` itself, a page of it, or something under it."""
    return url == other or url.startswith((f"{other}/", f"{other}?"))
