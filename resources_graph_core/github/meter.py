"""What was used of GitHub and what is left of its limits, as its answers tell."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from resources_graph_core.clock import now
from resources_graph_core.errors import RateLimited
from resources_graph_core.github.problems import reset_time
from resources_graph_core.github.source import Usage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from resources_graph_core.github.limits import Resource


@dataclass(frozen=True, slots=True)
class _Left:
    remaining: int
    reset_at: str


class Meter:
    """Counts requests and points; safe to use from several threads.

    ``usage`` tells what is left of ``resource``. Of every resource, ``reserve`` points are left for
    whoever else uses the same token.
    """

    def __init__(self, resource: Resource, *, reserve: int = 0) -> None:
        self._resource = resource
        self._reserve = reserve
        self._lock = Lock()
        self._requests = 0
        self._points = 0
        self._left: dict[str, _Left] = {}

    @property
    def usage(self) -> Usage:
        """What was used so far."""
        with self._lock:
            left = self._left.get(self._resource)
            return Usage(
                self._requests,
                self._points,
                left.remaining if left else None,
                left.reset_at if left else None,
            )

    def check(self, resource: Resource, points: int = 1) -> None:
        """Raise RateLimited when ``points`` more of ``resource`` would use of the reserve.

        GitHub's own refusal would count against whoever goes on asking.
        """
        with self._lock:
            left = self._left.get(resource)
        if left and left.remaining - points < self._reserve and left.reset_at > now():
            raise RateLimited(
                f"{left.remaining} points of GitHub's hourly limit are left, which are kept for "
                f"others; it starts anew at {left.reset_at}",
                left.reset_at,
            )

    def count(
        self, headers: Mapping[str, str], *, resource: Resource, points: int, requests: int = 1
    ) -> None:
        """Count a request, the points it costs, and what its answer says is left."""
        remaining = headers.get("x-ratelimit-remaining", "")
        reset_at = reset_time(headers)
        told = headers.get("x-ratelimit-resource", resource)
        with self._lock:
            self._requests += requests
            self._points += points
            if remaining.isdecimal() and reset_at:
                self._keep(told, _Left(int(remaining), reset_at))

    def charge(self, points: int, remaining: int, reset_at: str) -> None:
        """Count the points of a GraphQL document and what is left, as its answer tells them."""
        with self._lock:
            self._points += points
            self._keep("graphql", _Left(remaining, reset_at))

    def _keep(self, resource: str, left: _Left) -> None:
        """Keep the least that was told of an hour: answers can overtake each other."""
        known = self._left.get(resource)
        if known is None or known.reset_at != left.reset_at or left.remaining < known.remaining:
            self._left[resource] = left
