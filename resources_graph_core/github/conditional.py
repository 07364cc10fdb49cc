"""REST answers kept with their ETag: asked for again, what did not change comes from here.

GitHub then answers 304, which costs nothing for a caller with a token:
https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import MutableMapping
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

KEPT = 500
"""How many answers are kept in memory: the least recently used one goes first."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """An answer: its ETag as GitHub wrote it, its body, and the address of the next page."""

    etag: str
    content: bytes
    next_url: str | None = None


Answers = MutableMapping[str, Remembered]
"""Where answers are kept, by a text that names the request."""


class RecentAnswers(MutableMapping[str, Remembered]):
    """The ``most`` answers that were used last, in memory; safe to use from several threads."""

    def __init__(self, most: int = KEPT) -> None:
        self._most = most
        self._lock = Lock()
        self._kept: OrderedDict[str, Remembered] = OrderedDict()

    def __getitem__(self, request: str) -> Remembered:
        """The answer to a request; KeyError when it is not kept."""
        with self._lock:
            self._kept.move_to_end(request)
            return self._kept[request]

    def __setitem__(self, request: str, answer: Remembered) -> None:
        """Keep an answer, and let go of the one that was not used for longest."""
        with self._lock:
            self._kept[request] = answer
            self._kept.move_to_end(request)
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def __delitem__(self, request: str) -> None:
        """Let go of an answer; KeyError when it is not kept."""
        with self._lock:
            del self._kept[request]

    def __iter__(self) -> Iterator[str]:
        """The requests, the least recently used one first."""
        with self._lock:
            return iter(list(self._kept))

    def __len__(self) -> int:
        """How many answers are kept."""
        return len(self._kept)
