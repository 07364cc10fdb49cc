"""Sweep runs: which run did what, when, at what cost, and how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from resources_graph_core.graph import Graph, Row

_START = """
MERGE (run:SweepRun {run_id: $run_id})
ON CREATE SET run.kind = $kind, run.started_at = $now
"""

_END = """
MATCH (run:SweepRun {run_id: $run_id})
SET run.ended_at = $now, run.error = $error,
    run.requests = coalesce(run.requests, 0) + $requests,
    run.points = coalesce(run.points, 0) + $points
"""

_NOTE_FAILURE = """
MATCH (run:SweepRun {run_id: $run_id})
SET run.error = coalesce(run.error, $error), run.ended_at = coalesce(run.ended_at, $now)
"""

_LATEST = """
MATCH (run:SweepRun)
RETURN run, run.started_at AS started_at
ORDER BY started_at DESC
LIMIT $limit
"""


def start(graph: Graph, run_id: str, *, kind: str, now: str) -> None:
    """Write that a run began; a second start of the same run changes nothing."""
    graph.query(_START, run_id=run_id, kind=kind, now=now)


def end(
    graph: Graph, run_id: str, *, now: str, requests: int, points: int, error: str | None
) -> None:
    """Write that a run, or a step of it, ended; requests and points add up over its steps."""
    graph.query(_END, run_id=run_id, now=now, requests=requests, points=points, error=error)


def note_failure(graph: Graph, run_id: str, *, now: str, error: str) -> None:
    """Write why a run failed that could not do so itself; its own word stands."""
    graph.query(_NOTE_FAILURE, run_id=run_id, now=now, error=error)


def latest(graph: Graph, *, limit: int = 5) -> list[Row]:
    """The latest runs, newest first."""
    return [row["run"] for row in graph.query(_LATEST, limit=limit)]
