"""What the sandbox was asked: counted, and each request kept without its token."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Request:
    """One request: ``name`` is a GraphQL operation's name, or a REST path with its query."""

    api: str
    name: str
    status: int
    points: int


class Requests:
    """All requests since the start or the last :meth:`clear`, safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: list[Request] = []
        self.in_flight = 0
        self.most_in_flight = 0

    def begin(self) -> None:
        """A request has come in."""
        with self._lock:
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)

    def end(self, request: Request) -> None:
        """It was answered."""
        with self._lock:
            self.in_flight -= 1
            self._kept.append(request)

    def clear(self) -> None:
        """Count from here on."""
        with self._lock:
            self._kept.clear()
            self.most_in_flight = self.in_flight

    @property
    def all(self) -> list[Request]:
        """Every request, in the order they were answered."""
        with self._lock:
            return list(self._kept)

    @property
    def total(self) -> int:
        """How many there were."""
        return len(self._kept)

    @property
    def points(self) -> int:
        """What they cost."""
        return sum(request.points for request in self.all)

    @property
    def by_name(self) -> Counter[str]:
        """How many there were of each GraphQL operation, and of REST."""
        return Counter(one.name if one.api == "graphql" else "rest" for one in self.all)
