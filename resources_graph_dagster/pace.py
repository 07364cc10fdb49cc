"""When to launch what: a pure decision from what is pending and what was launched before.

- Touches that nobody has tried yet go into one run, whatever their repositories.
- A repository where something went wrong is tried again in a run of its own, later each time.
- Nothing is launched for a host while its limit lasts, nothing at all while the last run still
  sweeps, or for a while after it failed: the pause doubles with each failure in a row.
- Touches that wait for a login are looked at again once in a while.

A run key is what makes a launch idempotent: it holds what is swept and the number of the launch, so
that a repeated tick launches nothing twice and yet the same Touches can be swept again later.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel

from resources_graph_dagster.outcome import by_repository

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from resources_graph_core.store.touches import PendingTouch
    from resources_graph_core.sweep import Plan

FIRST_PAUSE_SECONDS = 30
LONGEST_PAUSE_SECONDS = 3600
WAITING_PAUSE_SECONDS = 1800
"""Between two looks at Touches that wait for a login."""
MOST_RETRIES = 3
"""Repositories tried again on their own in one tick."""

End = Literal["running", "succeeded", "failed"]
"""How a launched run stands; one that never started has failed."""


class Retry(BaseModel):
    """A repository that is tried again: ``attempts`` is what its Touches have behind them."""

    attempts: int
    not_before: str


class Pace(BaseModel):
    """What the sensor remembers from tick to tick, as its cursor.

    ``launches`` numbers the runs. ``run_key`` is of the last run for many repositories until its
    end was seen; ``failures`` counts those that failed in a row. Times are ISO-8601 UTC.
    """

    launches: int = 0
    run_key: str | None = None
    failures: int = 0
    not_before: str = ""
    waiting_not_before: str = ""
    retries: dict[str, Retry] = {}


@dataclass(frozen=True, slots=True)
class Launch:
    """A run to launch; ``alone`` means a run of the one repository's own partition."""

    run_key: str
    repositories: tuple[str, ...]
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """What to launch now, why not more, and what to remember."""

    pace: Pace
    launches: tuple[Launch, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The pending Touches of one repository."""

    touches: tuple[PendingTouch, ...]

    @property
    def attempts(self) -> int:
        """How often at most one of them was tried in vain."""
        return max(touch.attempts for touch in self.touches)

    @property
    def has_new(self) -> bool:
        """Whether one was not tried yet, or its limit is over."""
        return any(
            not touch.attempts and (touch.error is None or touch.retry_at is not None)
            for touch in self.touches
        )


def decide(
    pace: Pace,
    plan: Plan,
    *,
    now: str,
    last: End | None,
    limited_hosts: Mapping[str, str],
) -> Decision:
    """What to launch at ``now`` for what is in ``plan``.

    ``last`` is how the run of ``pace.run_key`` stands; None when there is none. ``limited_hosts``
    are left alone until the times they stand for.
    """
    pace = _after(pace, last, now)
    within_limits = [one for one in plan.entries if one.address.host not in limited_hosts]
    waiting = {
        repository: Waiting(tuple(touch for entry in entries for touch in entry.touches))
        for repository, entries in by_repository(within_limits).items()
    }
    limited = {one.address.host for one in plan.entries} & limited_hosts.keys()
    limits = [
        f"the limit of {host} is used up until {limited_hosts[host]}" for host in sorted(limited)
    ]
    reason = _hold(pace, waiting, now=now, last=last, limits=limits)
    if reason is not None:
        return Decision(pace, reason=reason)
    new = [repository for repository, found in waiting.items() if found.has_new]
    failing = {
        repository: found.attempts
        for repository, found in waiting.items()
        if found.attempts and not found.has_new
    }
    logins = [
        repository
        for repository, found in waiting.items()
        if not found.attempts and not found.has_new
    ]
    if logins and now >= pace.waiting_not_before:
        new += logins
        pace = _with(pace, waiting_not_before=shifted(now, WAITING_PAUSE_SECONDS))
    pace, due = _due(pace, failing, now)
    groups = [(tuple(new), False)] * bool(new) + [((one,), True) for one in due]
    launches = tuple(
        Launch(_run_key(number, waiting, repositories), repositories, alone=alone)
        for number, (repositories, alone) in enumerate(groups, start=pace.launches)
    )
    pace = _with(pace, launches=pace.launches + len(launches))
    if new:
        pace = _with(pace, run_key=launches[0].run_key)
    return Decision(pace, launches, "" if launches else _why_none(pace, logins))


def _hold(
    pace: Pace,
    waiting: dict[str, Waiting],
    *,
    now: str,
    last: End | None,
    limits: Sequence[str],
) -> str | None:
    """Why nothing at all is launched now; None when something may be."""
    if not waiting:
        return "; ".join(limits) or "nothing is pending"
    if last == "running":
        return "the last run is still sweeping"
    if now < pace.not_before:
        return f"the last run failed; the next one starts at {pace.not_before}"
    return None


def _why_none(pace: Pace, logins: list[str]) -> str:
    reasons = []
    if pace.retries:
        soonest = min(retry.not_before for retry in pace.retries.values())
        reasons.append(f"repositories that failed are tried again from {soonest}")
    if logins:
        reasons.append(f"{len(logins)} repositories wait for a GitHub login")
    return "; ".join(reasons)


def shifted(moment: str, seconds: float) -> str:
    """The time ``seconds`` after ``moment``, both ISO-8601 UTC as GitHub writes them."""
    later = datetime.fromisoformat(moment) + timedelta(seconds=seconds)
    return later.strftime("%Y-%m-%dT%H:%M:%SZ")


def pause(failures: int) -> int:
    """Seconds to wait after so many failures in a row."""
    doublings = min(max(failures - 1, 0), 16)
    return min(FIRST_PAUSE_SECONDS << doublings, LONGEST_PAUSE_SECONDS)


def _after(pace: Pace, last: End | None, now: str) -> Pace:
    """What to remember once the last run has ended."""
    if last == "succeeded":
        return _with(pace, run_key=None, failures=0, not_before="")
    if last == "failed":
        failures = pace.failures + 1
        return _with(
            pace, run_key=None, failures=failures, not_before=shifted(now, pause(failures))
        )
    return pace


def _due(pace: Pace, failing: dict[str, int], now: str) -> tuple[Pace, list[str]]:
    """The failing repositories whose time has come; each failure puts the next attempt further off.

    A repository is put off again as it is launched, so that a run that changes nothing, or never
    starts, does not come back at once.
    """
    retries = {
        repository: found
        if (found := pace.retries.get(repository)) and found.attempts == attempts
        else Retry(attempts=attempts, not_before=shifted(now, pause(attempts)))
        for repository, attempts in failing.items()
    }
    due = [one for one, retry in retries.items() if retry.not_before <= now][:MOST_RETRIES]
    for repository in due:
        attempts = failing[repository]
        retries[repository] = Retry(attempts=attempts, not_before=shifted(now, pause(attempts + 1)))
    return _with(pace, retries=retries), due


def _run_key(launch: int, waiting: dict[str, Waiting], repositories: Iterable[str]) -> str:
    touches = sorted(
        f"{touch.touch_id}:{touch.attempts}"
        for repository in repositories
        for touch in waiting[repository].touches
    )
    return f"sweep-{launch}-{sha256(chr(10).join(touches).encode()).hexdigest()[:16]}"


def _with(pace: Pace, **changes: Any) -> Pace:  # noqa: ANN401 - checked by none, named in Pace
    return pace.model_copy(update=changes)
