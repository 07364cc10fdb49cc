"""What was used of GitHub and what is left of its limits, as its answers tell."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING

from resources_graph_core.github.answers import reset_time
from resources_graph_core.github.source import Usage

if TYPE_CHECKING:
    from collections.abc import Mapping


class Meter:
    """Counts requests and points; safe to use from several threads.

    GitHub keeps separate limits for REST (``core``), GraphQL and search; ``resource`` is the one
    that ``usage`` tells about.
    """

    def __init__(self, resource: str) -> None:
        self._resource = resource
        self._lock = Lock()
        self._usage = Usage()

    @property
    def usage(self) -> Usage:
        """What was used so far."""
        return self._usage

    def count(self, headers: Mapping[str, str], *, points: int = 0) -> None:
        """Count one request, its points, and what its answer says is left."""
        with self._lock:
            used = self._usage
            self._usage = replace(used, requests=used.requests + 1, points=used.points + points)
            remaining = headers.get("x-ratelimit-remaining", "")
            resource = headers.get("x-ratelimit-resource", self._resource)
            if remaining.isdecimal() and resource == self._resource:
                self._usage = replace(
                    self._usage,
                    remaining=int(remaining),
                    reset_at=reset_time(headers) or self._usage.reset_at,
                )

    def charge(self, points: int, remaining: int, reset_at: str) -> None:
        """Count the points of a GraphQL document, as its answer tells them."""
        with self._lock:
            self._usage = replace(
                self._usage,
                points=self._usage.points + points,
                remaining=remaining,
                reset_at=reset_at,
            )
