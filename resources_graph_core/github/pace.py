"""Keeping within GitHub's secondary limits: so many requests at once, and so much a minute.

GitHub does not tell what is left of these, so it is counted here. How long it works on a request is
taken from how long its answer takes, as its documentation advises, less what the quickest answer
took, which is the way there and back.
"""

from __future__ import annotations

import time
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING

from resources_graph_core.github.limits import PROCESSING_SECONDS, REQUESTS_A_MINUTE, Limits
from resources_graph_core.github.problems import SECONDARY_WAIT, secondary_limit, told_wait

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from resources_graph_core.github.limits import Resource

MINUTE = 60.0


@dataclass(frozen=True, slots=True)
class Timing:
    """The clocks that pauses are measured by, in seconds, and how to pause.

    ``time`` counts since 1970 and is the same in every process.
    """

    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    time: Callable[[], float] = time.time


@dataclass(frozen=True, slots=True)
class _Worked:
    resource: Resource
    began: float
    seconds: float


class Pace:
    """Lets requests through as fast as GitHub allows; one for all that share a token.

    Safe to use from several threads.
    """

    def __init__(self, limits: Limits | None = None, timing: Timing | None = None) -> None:
        limits = limits or Limits()
        self._longest_wait = limits.longest_wait
        self._timing = timing or Timing()
        self._slots = BoundedSemaphore(limits.in_flight)
        self._lock = Lock()
        self._began: dict[Resource, deque[float]] = {"core": deque(), "graphql": deque()}
        self._worked: deque[_Worked] = deque()
        self._quickest = float("inf")
        self._paused_until = 0.0
        self._waited = 0.0
        self._untold = 0

    @contextmanager
    def turn(self, resource: Resource) -> Iterator[None]:
        """Wait until one more request may be made, and count it; made within the block."""
        with self._slots:
            while (seconds := self._take_turn(resource)) > 0:
                self._timing.sleep(seconds)
            began = self._timing.monotonic()
            try:
                yield
            finally:
                self._count(resource, began, self._timing.monotonic() - began)

    def pause(self, headers: Mapping[str, str]) -> None:
        """Hold back all requests for as long as GitHub asks to: so its answer's headers say.

        When they do not say it is a minute, twice as long each time. Raises RateLimited when that
        would be more waiting than is allowed in all.
        """
        told = told_wait(headers)
        with self._lock:
            now = self._timing.monotonic()
            held = max(0.0, self._paused_until - now)
            if told is not None:
                seconds = told
            elif held:
                seconds = held  # others in flight are told of the same limit
            else:
                seconds = SECONDARY_WAIT * 2.0**self._untold
                self._untold += 1
            longer = max(0.0, seconds - held)
            if self._waited + longer > self._longest_wait:
                raise secondary_limit(seconds)
            self._waited += longer
            self._paused_until = max(self._paused_until, now + seconds)

    def _take_turn(self, resource: Resource) -> float:
        """Seconds to wait before asking again; none when the turn is taken."""
        with self._lock:
            now = self._timing.monotonic()
            began = self._began[resource]
            while began and began[0] <= now - MINUTE:
                began.popleft()
            while self._worked and self._worked[0].began <= now - MINUTE:
                self._worked.popleft()
            seconds = max(self._paused_until - now, self._until_rested(resource, now))
            if len(began) >= REQUESTS_A_MINUTE[resource]:
                seconds = max(seconds, began[0] + MINUTE - now)
            if seconds <= 0:
                began.append(now)
            return seconds

    def _until_rested(self, resource: Resource, now: float) -> float:
        """Seconds until GitHub has worked little enough for us within a minute."""
        if not self._worked:
            return 0.0
        graphql = sum(self._work(one) for one in self._worked if one.resource == "graphql")
        everything = sum(self._work(one) for one in self._worked)
        tired = everything >= PROCESSING_SECONDS["core"] or (
            resource == "graphql" and graphql >= PROCESSING_SECONDS["graphql"]
        )
        return self._worked[0].began + MINUTE - now if tired else 0.0

    def _work(self, one: _Worked) -> float:
        return one.seconds - self._quickest

    def _count(self, resource: Resource, began: float, seconds: float) -> None:
        with self._lock:
            self._quickest = min(self._quickest, seconds)
            self._worked.append(_Worked(resource, began, seconds))
