"""How the sandbox misbehaves on demand: limits, outages, delays, cut answers.

What GitHub answers in each case:
https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api and
https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from resources_graph_core.sandbox.state import utc_now

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

Api = Literal["graphql", "rest"]

POINTS = 100_000
"""Points an hour: generous, so that only who asks for limits meets them."""

HOUR = timedelta(hours=1)
_HTML = (
    "<!DOCTYPE html><html><head><title>Unicorn!</title></head>"
    "<body>This page is taking too long to load.</body></html>"
)
_SECONDARY = (
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer as it is sent. ``cut`` ends the body halfway, connection and all."""

    status: int = 200
    body: str = ""
    content_type: str = "application/json; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False


@dataclass(slots=True)
class _Planned:
    refusal: Refusal
    times: int
    api: Api | None


@dataclass(slots=True)
class Budget:
    """Hourly points of one API: ``used`` of ``limit`` until ``reset_at``."""

    limit: int
    used: int = 0
    reset_at: datetime | None = None

    @property
    def remaining(self) -> int:
        """What is left."""
        return max(0, self.limit - self.used)


class Faults:
    """What goes wrong, and how often. Everything may be called from any thread.

    ``latency_seconds`` delays every answer. GraphQL documents whose possible nodes exceed
    ``heavy_above_nodes`` get a 502, as when GitHub's ten seconds are over.
    """

    def __init__(self, *, clock: Callable[[], datetime] = utc_now) -> None:
        self.latency_seconds = 0.0
        self.heavy_above_nodes: int | None = None
        self._clock = clock
        self._lock = threading.Lock()
        self._planned: list[_Planned] = []
        self._budgets: dict[Api, Budget] = {"graphql": Budget(POINTS), "rest": Budget(POINTS)}

    def answer_next(self, refusal: Refusal, *, times: int = 1, api: Api | None = None) -> None:
        """Give this answer to the next ``times`` requests (of one API where named)."""
        with self._lock:
            self._planned.append(_Planned(refusal, times, api))

    def bad_gateway(self, *, times: int = 1, status: int = 502, api: Api | None = None) -> None:
        """Answer with an error of GitHub's front end, in HTML."""
        self.answer_next(Refusal(status, _HTML, "text/html"), times=times, api=api)

    def cut_body(self, *, times: int = 1, api: Api | None = None) -> None:
        """Hang up in the middle of the answer."""
        self.answer_next(Refusal(cut=True), times=times, api=api)

    def secondary_limit(
        self,
        *,
        retry_after: int | None = None,
        status: int = 403,
        times: int = 1,
        api: Api | None = None,
    ) -> None:
        """Say that a secondary limit is exceeded, with or without ``Retry-After`` (seconds)."""
        headers = {} if retry_after is None else {"retry-after": str(retry_after)}
        body = f'{{"message": "{_SECONDARY}", "documentation_url": "https://docs.github.com"}}'
        self.answer_next(Refusal(status, body, headers=headers), times=times, api=api)

    def points_left(
        self, points: int, *, api: Api, resets_in: float = HOUR.total_seconds()
    ) -> None:
        """Leave so many points of the hourly limit; more come in ``resets_in`` seconds."""
        with self._lock:
            budget = self._budgets[api]
            budget.used = budget.limit - points
            budget.reset_at = self._clock() + timedelta(seconds=resets_in)

    def clear(self) -> None:
        """Behave again."""
        with self._lock:
            self._planned.clear()
            self.latency_seconds = 0.0
            self.heavy_above_nodes = None
            for budget in self._budgets.values():
                budget.used, budget.reset_at = 0, None

    def planned(self, api: Api) -> Refusal | None:
        """The answer that was planned for this request, if one was."""
        with self._lock:
            for one in self._planned:
                if one.api in {None, api}:
                    one.times -= 1
                    if one.times <= 0:
                        self._planned.remove(one)
                    return one.refusal
        return None

    def too_heavy(self, nodes: int) -> Refusal | None:
        """The 502 that a document of so many possible nodes gets, if it gets one."""
        if self.heavy_above_nodes is not None and nodes > self.heavy_above_nodes:
            return Refusal(502, _HTML, "text/html")
        return None

    def charge(self, api: Api, points: int) -> tuple[Budget, bool]:
        """Charge ``points``; returns the budget after that and whether there were enough."""
        with self._lock:
            budget = self._budgets[api]
            now = self._clock()
            if budget.reset_at is None or now >= budget.reset_at:
                budget.used, budget.reset_at = 0, now + HOUR
            enough = budget.remaining >= points
            if enough:
                budget.used += points
            return Budget(budget.limit, budget.used, budget.reset_at), enough
