"""Touches: recorded by hooks and the command line, resolved by the Sweep."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from resources_graph_core.graph.values import key_text
from resources_graph_core.store.batches import batches
from resources_graph_core.store.recording import record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from resources_graph_core.graph import Graph, Row

__all__ = [
    "PendingTouch",
    "SetAside",
    "by_session",
    "forget",
    "given_up",
    "is_forgotten",
    "of_user",
    "pending",
    "record",
    "resolve",
    "set_aside",
    "unresolved_reason",
]

_PENDING = """
MATCH (touch:Touch {status: 'pending'})
WHERE (touch.claimed_until IS NULL OR touch.claimed_until <= $now)
  AND ($planned_by IS NULL OR touch.planned_by = $planned_by)
RETURN touch.touch_id AS touch_id, touch.address AS address, touch.limit AS limit,
       touch.provenance AS provenance, touch.at AS at, touch.attempts AS attempts,
       touch.error AS error, touch.retry_at AS retry_at
ORDER BY at, touch_id
"""

_RATE_LIMITED = """
MATCH (touch:Touch {status: 'unresolved', reason: 'rate_limited'})
WHERE (touch.retry_at IS NULL OR touch.retry_at <= $now)
  AND ($planned_by IS NULL OR touch.planned_by = $planned_by)
RETURN touch.touch_id AS touch_id, touch.address AS address, touch.limit AS limit,
       touch.provenance AS provenance, touch.at AS at, touch.attempts AS attempts,
       touch.error AS error, touch.retry_at AS retry_at
ORDER BY at, touch_id
"""

_RESOLVE = """
MATCH (run:SweepRun {{run_id: $run_id}})
UNWIND $rows AS row
MATCH (touch:Touch {{touch_id: row.touch_id}})
MATCH (target:{target} {{{key}: row.target}})
WHERE target.fetched_at IS NOT NULL
SET touch.status = 'resolved', touch.reason = null, touch.retry_at = null, touch.error = null,
    touch.claimed_by = null, touch.claimed_until = null
MERGE (touch)-[:TOUCHED]->(target)
MERGE (touch)-[:SWEPT_BY]->(run)
RETURN count(touch) AS resolved
"""

_RESOLVE_TO_RESOURCES = _RESOLVE.format(target="Resource", key="node_id")

_RESOLVE_TO_LISTINGS = _RESOLVE.format(target="Listing", key="key")

_SET_ASIDE = """
MATCH (run:SweepRun {run_id: $run_id})
UNWIND $rows AS row
MATCH (touch:Touch {touch_id: row.touch_id})
WHERE touch.status <> 'resolved'
SET touch.status = row.status, touch.reason = row.reason, touch.error = row.error,
    touch.retry_at = row.retry_at, touch.attempts = row.attempts,
    touch.limited_account = row.limited_account,
    touch.claimed_by = CASE WHEN row.tried_again THEN touch.claimed_by END,
    touch.claimed_until = CASE WHEN row.tried_again THEN touch.claimed_until END
MERGE (touch)-[:SWEPT_BY]->(run)
"""

_LIST = """
MATCH (:User {user_id: $user_id})-[:HAD_SESSION]->(session:Session)<-[:IN_SESSION]-(touch:Touch)
WHERE ($session IS NULL OR session.session_id = $session)
  AND ($status IS NULL OR touch.status = $status)
RETURN touch {.*, session_id: session.session_id} AS touch, touch.at AS at, touch.touch_id AS id
ORDER BY at DESC, id
"""

_GIVEN_UP = """
MATCH (touch:Touch {reason: 'failed'})-[:IN_SESSION]->(:Session)
      <-[:HAD_SESSION]-(:User {user_id: $user})
WHERE touch.status = 'unresolved'
RETURN touch.address AS address, max(touch.attempts) AS attempts, max(touch.error) AS error,
       max(touch.at) AS at
ORDER BY at DESC, address
LIMIT $limit
"""

_BY_SESSION = """
UNWIND $touch_ids AS touch_id
MATCH (touch:Touch {touch_id: touch_id})-[:IN_SESSION]->(session:Session)
RETURN session.session_id AS session, count(touch) AS touches
"""

_OWNERS = """
MATCH (:Session {session_id: $session})<-[:HAD_SESSION]-(user:User)
RETURN user.user_id AS user
"""

_IS_FORGOTTEN = """
MATCH (forgotten:ForgottenSession {session_id: $session})
RETURN forgotten.session_id AS session_id
"""

_LATEST_OUTCOME = """
MATCH (touch:Touch {address: $address})-[:IN_SESSION]->(:Session)
      <-[:HAD_SESSION]-(:User {user_id: $user_id})
WHERE touch.status IS NOT NULL
RETURN touch.status AS status, touch.reason AS reason, touch.at AS at
ORDER BY at DESC LIMIT 1
"""

_FORGET = """
MERGE (forgotten:ForgottenSession {session_id: $session})
SET forgotten.at = $now
WITH forgotten
OPTIONAL MATCH (:Session {session_id: $session})<-[:IN_SESSION]-(touch:Touch)
WITH collect(touch) AS touches
FOREACH (touch IN touches | DETACH DELETE touch)
RETURN size(touches) AS forgotten
"""


@dataclass(frozen=True, slots=True)
class PendingTouch:
    """What a Sweep needs to know of a Touch that waits.

    ``error`` is why it was not resolved before, if it was tried; ``retry_at`` is set when that was
    a limit of GitHub's, and has passed.
    """

    touch_id: str
    address: str
    limit: int | None
    provenance: str
    at: str
    attempts: int
    error: str | None
    retry_at: str | None = None


@dataclass(frozen=True, slots=True)
class SetAside:
    """A Touch that could not be resolved: what it becomes, and why.

    ``status`` is ``unresolved``, or ``pending`` when a later Sweep is to try again.
    ``limited_account`` says whose limit it was, where it was one of GitHub's.
    """

    touch_id: str
    status: str
    attempts: int
    reason: str | None = None
    error: str | None = None
    retry_at: str | None = None
    limited_account: str | None = None

    @property
    def tried_again(self) -> bool:
        """Whether a later Sweep tries again; this one does not, and keeps its claim until then."""
        return self.status == "pending" or self.reason == "rate_limited"


def pending(graph: Graph, now: str, *, planned_by: str | None = None) -> list[PendingTouch]:
    """The Touches that a Sweep may take on at ``now``, oldest first; of one run's plan, or all.

    Rate-limited ones come back once their time has come; what a Sweep has claimed is its own.
    """
    asked = {"now": now, "planned_by": planned_by}
    rows = graph.query(_PENDING, **asked) + graph.query(_RATE_LIMITED, **asked)
    return [PendingTouch(**{**row, "attempts": row["attempts"] or 0}) for row in rows]


def given_up(graph: Graph, user: str, *, limit: int) -> list[Row]:
    """A user's own Addresses that are tried no more: ``attempts``, ``error``, ``at`` of the last.

    The latest first. Touching one again tries it again.
    """
    return graph.query(_GIVEN_UP, user=key_text(user), limit=limit)


def by_session(graph: Graph, touch_ids: Sequence[str]) -> dict[str, int]:
    """How many of these Touches each session made."""
    counts: dict[str, int] = {}
    for batch in batches(touch_ids):
        for row in graph.query(_BY_SESSION, touch_ids=list(batch)):
            counts[row["session"]] = counts.get(row["session"], 0) + int(row["touches"])
    return counts


def resolve(
    graph: Graph, targets: Mapping[str, str], *, run_id: str, listings: bool = False
) -> int:
    """Point Touches (by id) at what was stored for them: node ids, or keys of ``listings``.

    Returns how many were resolved: a Touch of what was withdrawn meanwhile stays as it is.
    """
    statement = _RESOLVE_TO_LISTINGS if listings else _RESOLVE_TO_RESOURCES
    rows = [{"touch_id": touch_id, "target": target} for touch_id, target in targets.items()]
    return sum(
        int(row["resolved"])
        for batch in batches(rows)
        for row in graph.query(statement, rows=list(batch), run_id=run_id)
    )


def set_aside(graph: Graph, touches: Sequence[SetAside], *, run_id: str) -> None:
    """Keep why Touches were not resolved; one that another Sweep resolved meanwhile stays so."""
    for batch in batches(touches):
        rows = [{**asdict(touch), "tried_again": touch.tried_again} for touch in batch]
        graph.query(_SET_ASIDE, rows=rows, run_id=run_id)


def of_user(
    graph: Graph,
    user: str,
    *,
    session: str | None = None,
    status: str | None = None,
    limit: int | None = None,
) -> list[Row]:
    """A user's own Touches, newest first; nobody else's. At most ``limit`` (None: all)."""
    narrowed = {
        "user_id": key_text(user),
        "session": None if session is None else key_text(session),
        "status": status,
    }
    if limit is None:
        rows = graph.query(_LIST, **narrowed)
    else:
        rows = graph.query(f"{_LIST} LIMIT $limit", **narrowed, limit=limit)
    return [row["touch"] for row in rows]


def is_forgotten(graph: Graph, session: str) -> bool:
    """Whether nothing is written for a session, since it was forgotten."""
    return bool(graph.query(_IS_FORGOTTEN, session=key_text(session)))


def unresolved_reason(graph: Graph, user: str, address: str) -> str | None:
    """Why the latest of a user's own Touches of an Address came to nothing; None when it did not.

    Reasons are those of ``Touch.reason``: ``not_found``, ``not_public`` and so on.
    """
    rows = graph.query(_LATEST_OUTCOME, user_id=key_text(user), address=address)
    return next((row["reason"] for row in rows if row["status"] == "unresolved"), None)


def owners(graph: Graph, session: str) -> list[str]:
    """Whose session this is; nobody's as long as nothing of it is in memory."""
    return [str(row["user"]) for row in graph.query(_OWNERS, session=key_text(session))]


def forget(graph: Graph, session: str, now: str) -> int:
    """Delete a session's Touches for good; later ones of that session are not written.

    Resources stay. Returns how many Touches went.
    """
    return int(graph.query(_FORGET, session=key_text(session), now=now)[0]["forgotten"])
