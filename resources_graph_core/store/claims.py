"""Claims: which Sweep works on which pending Touches, for as long as its lease lasts.

Touches are claimed by Address, all those of one together, so that two Sweeps never ask GitHub for
the same thing. A claim is ``claimed_by`` and ``claimed_until`` on a pending Touch, written and
checked in one statement; once its time is over anybody may claim the Touch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from resources_graph_core.store.batches import batches
from resources_graph_core.store.touches import PendingTouch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.address import AddressKind
    from resources_graph_core.graph import Graph

# An Address is of a host when its first part has a dot: the name of an owner has none.
_HOST = """
CASE WHEN split(substring(touch.address, 7), '/')[0] CONTAINS '.'
  THEN split(substring(touch.address, 7), '/')[0] ELSE 'github.com' END"""

_KIND = """
CASE WHEN touch.address CONTAINS '?' THEN 'listing'
  WHEN touch.address CONTAINS '#' THEN 'item' ELSE 'repo' END"""

_IN_SCOPE = f"""
  (size($kinds) = 0 OR {_KIND} IN $kinds)
  AND ($planned_by IS NULL OR touch.planned_by = $planned_by)
  AND NOT {_HOST} IN $closed_hosts
  AND (size($repositories) = 0 OR size([repository IN $repositories
    WHERE touch.address = repository OR touch.address STARTS WITH (repository + '#')
      OR touch.address STARTS WITH (repository + '/')]) > 0)"""

# What came after this Sweep began waits for the next one, since its Address may be done already. A
# clock that is ahead of ours is not believed.
_CLAIM = f"""
MATCH (touch:Touch {{status: 'pending'}})
WHERE {_IN_SCOPE}
WITH touch.address AS address,
  collect(CASE WHEN coalesce(touch.at, '') <= $before OR touch.at > $now THEN touch END) AS touches,
  min(coalesce(touch.at, '')) AS first,
  sum(CASE WHEN touch.claimed_by = $claimant OR touch.claimed_until > $now THEN 1 ELSE 0 END)
    AS claimed
WHERE claimed = 0 AND size(touches) > 0
WITH address, touches, first
ORDER BY first, address
LIMIT $addresses
UNWIND touches AS touch
SET touch.claimed_by = $claimant, touch.claimed_until = $until
RETURN touch.touch_id AS touch_id, touch.address AS address, touch.limit AS limit,
       touch.provenance AS provenance, touch.at AS at, touch.attempts AS attempts,
       touch.error AS error, touch.retry_at AS retry_at
"""

_RENEW = """
MATCH (touch:Touch {claimed_by: $claimant})
WHERE touch.status = 'pending'
SET touch.claimed_until = $until
RETURN count(touch) AS renewed
"""

_RELEASE = """
MATCH (touch:Touch {claimed_by: $claimant})
SET touch.claimed_by = null, touch.claimed_until = null
"""

_CLAIMANTS = """
MATCH (touch:Touch {status: 'pending'})
WHERE touch.claimed_by IS NOT NULL
RETURN DISTINCT touch.claimed_by AS claimant
"""

_HOLDERS = """
MATCH (touch:Touch {status: 'pending'})
WHERE touch.claimed_until > $now
RETURN DISTINCT touch.claimed_by AS claimant
"""

_PLAN = """
UNWIND $touch_ids AS touch_id
MATCH (touch:Touch {touch_id: touch_id})
WHERE touch.status <> 'resolved'
SET touch.planned_by = $run_id
"""

_LIMITED = f"""
MATCH (touch:Touch {{reason: 'rate_limited'}})
WHERE touch.status = 'unresolved' AND touch.retry_at > $now
RETURN {_HOST} AS host, touch.limited_account AS account, max(touch.retry_at) AS retry_at,
       count(touch) AS touches
"""

_REOPEN = f"""
MATCH (touch:Touch {{reason: 'rate_limited'}})
WHERE touch.status = 'unresolved' AND NOT {_HOST} IN $closed_hosts
SET touch.status = 'pending', touch.reason = null
"""

_LEFT = f"""
MATCH (touch:Touch {{status: 'pending'}})
WHERE {_IN_SCOPE}
  AND (touch.claimed_until IS NULL OR touch.claimed_until <= $now OR touch.claimed_by = $claimant)
RETURN count(touch) AS left
"""

_LEFT_LIMITED = f"""
MATCH (touch:Touch {{reason: 'rate_limited'}})
WHERE touch.status = 'unresolved' AND {_IN_SCOPE}
RETURN count(touch) AS left
"""


@dataclass(frozen=True, slots=True)
class Scope:
    """Which Touches a Sweep takes on: all, or those of some repositories (keys) or kinds.

    ``planned_by`` narrows it to what that run has planned, ``closed_hosts`` are left alone.
    """

    repositories: tuple[str, ...] = ()
    kinds: tuple[AddressKind, ...] = ()
    closed_hosts: tuple[str, ...] = ()
    planned_by: str | None = None

    @property
    def parameters(self) -> dict[str, object]:
        """As the statements take them."""
        return {
            "repositories": list(self.repositories),
            "kinds": list(self.kinds),
            "closed_hosts": list(self.closed_hosts),
            "planned_by": self.planned_by,
        }


@dataclass(frozen=True, slots=True)
class HostLimit:
    """Until when (ISO-8601 UTC) a host answers an account nothing more; ``touches`` wait for it.

    ``account`` is None for a limit of unknown origin, which is taken to be everybody's.
    """

    host: str
    retry_at: str
    account: str | None
    touches: int


def claim(
    graph: Graph,
    claimant: str,
    scope: Scope,
    *,
    now: str,
    until: str,
    before: str,
    addresses: int,
) -> list[PendingTouch]:
    """Claim the pending Touches of the ``addresses`` Addresses that wait longest; oldest first.

    An Address of which somebody holds a claim is left to them, and so is one that ``claimant`` has
    claimed already: it comes once. Touches later than ``before`` are left for later.
    """
    rows = graph.query(
        _CLAIM,
        claimant=claimant,
        now=now,
        until=until,
        before=before,
        addresses=addresses,
        **scope.parameters,
    )
    rows.sort(key=lambda row: (row["at"] or "", row["touch_id"]))
    return [PendingTouch(**{**row, "attempts": row["attempts"] or 0}) for row in rows]


def plan(graph: Graph, touch_ids: Sequence[str], *, run_id: str) -> None:
    """Keep which run means to deal with these Touches; a plan is no claim."""
    for batch in batches(touch_ids):
        graph.query(_PLAN, touch_ids=list(batch), run_id=run_id)


def renew(graph: Graph, claimant: str, *, until: str) -> int:
    """Extend the lease of what ``claimant`` still holds; returns how many Touches that is."""
    return int(graph.query(_RENEW, claimant=claimant, until=until)[0]["renewed"])


def release(graph: Graph, claimant: str) -> None:
    """Let go of what ``claimant`` holds: others may claim it at once."""
    graph.query(_RELEASE, claimant=claimant)


def claimants(graph: Graph) -> list[str]:
    """Who holds claims on pending Touches."""
    return [str(row["claimant"]) for row in graph.query(_CLAIMANTS)]


def holders(graph: Graph, now: str) -> list[str]:
    """Who holds claims whose lease is not over at ``now``."""
    return [str(row["claimant"]) for row in graph.query(_HOLDERS, now=now)]


def limits(graph: Graph, now: str) -> list[HostLimit]:
    """The limits of GitHub's that put Touches off until after ``now``, by host and account."""
    return [HostLimit(**row) for row in graph.query(_LIMITED, now=now)]


def reopen(graph: Graph, closed_hosts: Sequence[str]) -> None:
    """Make rate-limited Touches pending again, but for those of ``closed_hosts``."""
    graph.query(_REOPEN, closed_hosts=list(closed_hosts))


def left(graph: Graph, claimant: str, scope: Scope, *, now: str) -> int:
    """How many Touches wait for a later Sweep, besides those that somebody else works on."""
    parameters = scope.parameters
    pending = graph.query(_LEFT, claimant=claimant, now=now, **parameters)[0]["left"]
    limited = graph.query(_LEFT_LIMITED, **parameters)[0]["left"]
    return int(pending) + int(limited)
