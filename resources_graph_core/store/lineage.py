"""Lineage: the runs, Touches and requests that made something in memory what it is."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from resources_graph_core.store import listings, resources

if TYPE_CHECKING:
    from resources_graph_core.graph import Graph, Row

MOST_TOUCHES = 50
"""Touches shown, the latest."""

MOST_RUNS = 20
"""Runs shown, the latest."""

_RUN = """run.run_id AS run_id, run.kind AS kind, run.started_at AS started_at,
       run.ended_at AS ended_at, run.requests AS requests, run.points AS points,
       run.error AS error"""

_RUNS_OF_RESOURCE = f"""
MATCH (:Resource {{node_id: $id}})-[fetched:FETCHED_BY]->(run:SweepRun)
RETURN fetched.at AS at, {_RUN}
ORDER BY at DESC, run_id
LIMIT $limit
"""

_RUNS_OF_LISTING = f"""
MATCH (:Listing {{key: $id}})<-[:TOUCHED]-(touch:Touch)-[:SWEPT_BY]->(run:SweepRun)
WITH run, max(touch.at) AS at
RETURN at, {_RUN}
ORDER BY started_at DESC, run_id
LIMIT $limit
"""

_TOUCHES = """
MATCH (:User {user_id: $user})-[:HAD_SESSION]->(session:Session)<-[:IN_SESSION]-(touch:Touch)
WHERE touch.address IN $keys AND touch.status IS NOT NULL
OPTIONAL MATCH (touch)-[:SWEPT_BY]->(run:SweepRun)
WITH session, touch, collect(run.run_id) AS runs
RETURN touch.touch_id AS touch_id, session.session_id AS session_id, touch.address AS address,
       touch.provenance AS provenance, touch.agent_name AS agent_name, touch.status AS status,
       touch.reason AS reason, touch.error AS error, touch.at AS at, runs
ORDER BY at DESC, touch_id
LIMIT $limit
"""

_OTHERS = """
UNWIND $keys AS key
MATCH (touch:Touch {address: key})-[:IN_SESSION]->(:Session)<-[:HAD_SESSION]-(user:User)
WHERE user.user_id <> $user AND touch.status IS NOT NULL
RETURN count(touch) AS touches
"""


@dataclass(frozen=True, slots=True)
class Lineage:
    """Why something is in memory, or why it is not.

    ``kind`` is a Resource's, ``Listing``, or None for what is not in memory. ``run_id`` is of the
    run that stored its content; ``runs`` are all that fetched or checked it, the latest first;
    ``touches`` are the user's own, and ``touches_of_others`` how many there are besides.
    """

    address: str
    kind: str | None
    node_id: str | None
    fetched_at: str | None
    updated_at: str | None
    run_id: str | None
    runs: list[Row]
    touches: list[Row]
    touches_of_others: int

    def as_dict(self) -> dict[str, Any]:
        """All fields, for JSON."""
        return asdict(self)


def of_address(graph: Graph, asked: str, key: str, *, user: str) -> Lineage:
    """The lineage of what is at ``key``, asked for as ``asked`` (the same, or a former Address)."""
    kind, found, runs = _found(graph, key)
    keys = sorted({asked, key})
    return Lineage(
        address=key,
        kind=kind,
        node_id=found.get("node_id"),
        fetched_at=found.get("fetched_at"),
        updated_at=found.get("updated_at"),
        run_id=found.get("run_id"),
        runs=runs,
        touches=graph.query(_TOUCHES, user=user, keys=keys, limit=MOST_TOUCHES),
        touches_of_others=int(graph.query(_OTHERS, user=user, keys=keys)[0]["touches"]),
    )


def _found(graph: Graph, key: str) -> tuple[str | None, Row, list[Row]]:
    resource = resources.find(graph, key)
    if resource is not None:
        kind, properties = resource
        node_id = properties["node_id"]
        return kind, properties, graph.query(_RUNS_OF_RESOURCE, id=node_id, limit=MOST_RUNS)
    listing = listings.find(graph, key)
    if listing is not None:
        return "Listing", listing, graph.query(_RUNS_OF_LISTING, id=key, limit=MOST_RUNS)
    return None, {}, []
