"""How the sandbox misbehaves on demand: limits, outages, delays, cut answers.

What GitHub answers in each case:
https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api and
https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from resources_graph_core.sandbox.state import utc_now

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

Api = Literal["graphql", "rest"]

_Account = Literal["graphql", "rest", "anonymous"]
"""What points are counted on: requests without a token have an account of their own."""

GITHUBS_POINTS: dict[_Account, int] = {"graphql": 5000, "rest": 5000, "anonymous": 60}
"""Points an hour on GitHub itself, with a token and without one."""

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
class _BrokenConnection:
    error: str | None
    times: int


@dataclass(frozen=True, slots=True)
class Budget:
    """Hourly points of one API: ``used`` of ``limit`` until ``reset_at``."""

    limit: int
    used: int
    reset_at: datetime

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
        self._lost_answers = 0
        self._broken: dict[str, _BrokenConnection] = {}
        self._budgets: dict[_Account, Budget] = {}
        self._limit_points(dict.fromkeys(GITHUBS_POINTS, POINTS))

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

    def lose_answers(self, *, times: int = 1) -> None:
        """Do what the next ``times`` writes over REST ask, but answer 502."""
        with self._lock:
            self._lost_answers = times

    def points_left(
        self, points: int, *, api: Api, resets_in: float = HOUR.total_seconds()
    ) -> None:
        """Leave so many points of the hourly limit; more come in ``resets_in`` seconds."""
        accounts: tuple[_Account, ...] = ("graphql",) if api == "graphql" else ("rest", "anonymous")
        reset_at = self._clock() + timedelta(seconds=resets_in)
        with self._lock:
            for account in accounts:
                limit = self._budgets[account].limit
                self._budgets[account] = Budget(limit, limit - points, reset_at)

    def limit_as_github(self) -> None:
        """Count from zero against GitHub's own hourly limits: 60 REST requests without a token."""
        with self._lock:
            self._limit_points(GITHUBS_POINTS)

    def slow_down(self, seconds: float) -> None:
        """Delay every answer from now on."""
        self.latency_seconds = seconds

    def time_out_above(self, nodes: int | None) -> None:
        """Answer 502 to GraphQL documents of more possible nodes; None: to none."""
        self.heavy_above_nodes = nodes

    def break_connections(
        self, field: str, *, error: str | None = "RESOURCE_LIMITS_EXCEEDED", times: int = 1
    ) -> None:
        """Answer the next ``times`` GraphQL documents without the connections called ``field``.

        They are null, with an error of this type beside the data, or without any (None).
        """
        with self._lock:
            self._broken[field] = _BrokenConnection(error, times)

    def clear(self) -> None:
        """Behave again, with all points back."""
        with self._lock:
            self._planned.clear()
            self._lost_answers = 0
            self._broken.clear()
            self.latency_seconds = 0.0
            self.heavy_above_nodes = None
            self._limit_points(dict.fromkeys(GITHUBS_POINTS, POINTS))

    def broken_connections(self) -> dict[str, str | None]:
        """The connections that the document now to be answered lacks, and with which error."""
        with self._lock:
            now = {field: one.error for field, one in self._broken.items()}
            for field in now:
                self._broken[field].times -= 1
                if self._broken[field].times <= 0:
                    del self._broken[field]
            return now

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

    def lost_answer(self, method: str) -> Refusal | None:
        """The 502 that a write gets though it was done, if it gets one."""
        with self._lock:
            if method in {"GET", "HEAD"} or not self._lost_answers:
                return None
            self._lost_answers -= 1
        return Refusal(502, _HTML, "text/html")

    def too_heavy(self, nodes: int) -> Refusal | None:
        """The 502 that a document of so many possible nodes gets, if it gets one."""
        if self.heavy_above_nodes is not None and nodes > self.heavy_above_nodes:
            return Refusal(502, _HTML, "text/html")
        return None

    def charge(self, api: Api, points: int, *, anonymous: bool = False) -> tuple[Budget, bool]:
        """Charge ``points``, which may be given back; the budget then, and whether it sufficed."""
        account: _Account = "anonymous" if anonymous else api
        with self._lock:
            budget, now = self._budgets[account], self._clock()
            if now >= budget.reset_at:
                budget = Budget(budget.limit, 0, now + HOUR)
            enough = budget.remaining >= points
            if enough:
                budget = replace(budget, used=budget.used + points)
            self._budgets[account] = budget
            return budget, enough

    def _limit_points(self, limits: dict[_Account, int]) -> None:
        reset_at = self._clock() + HOUR
        self._budgets = {account: Budget(limit, 0, reset_at) for account, limit in limits.items()}
