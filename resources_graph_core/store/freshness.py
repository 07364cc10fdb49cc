"""What is stored of what tells whether something changed, and renewing what did not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from resources_graph_core.store.batches import batches

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from resources_graph_core.graph import Graph

_STORED = """
UNWIND $node_ids AS node_id
MATCH (resource:Resource {node_id: node_id})
WHERE resource.fetched_at IS NOT NULL
RETURN node_id, labels(resource) AS labels, resource.address AS address,
       resource.updated_at AS updated_at, resource.comment_count AS comment_count,
       resource.review_count AS review_count, resource.review_thread_count AS review_thread_count,
       resource.stars AS stars, resource.pushed_at AS pushed_at
"""

_RENEW = """
MATCH (run:SweepRun {run_id: $run_id})
UNWIND $node_ids AS node_id
MATCH (resource:Resource {node_id: node_id})
WHERE resource.fetched_at IS NOT NULL
SET resource.fetched_at = $now
MERGE (resource)-[fetched:FETCHED_BY]->(run)
SET fetched.at = $now
RETURN count(resource) AS renewed
"""


@dataclass(frozen=True, slots=True)
class Stored:
    """Where a stored Resource is (the key), and what tells whether it is still what GitHub has.

    ``marks`` are the properties that tell, by name, as far as this kind has them; None stands for
    what whoever stored the content did not keep.
    """

    address: str | None
    marks: Mapping[str, str | int | None]


def stored(graph: Graph, node_ids: Sequence[str]) -> dict[str, Stored]:
    """What memory holds by these (stored) node ids."""
    return {
        row["node_id"]: Stored(
            row["address"], {name: row[name] for name in _marks_of(row["labels"])}
        )
        for batch in batches(node_ids)
        for row in graph.query(_STORED, node_ids=list(batch))
    }


def renew(graph: Graph, node_ids: Sequence[str], *, now: str, run_id: str) -> int:
    """Keep that these are, at ``now``, what GitHub has. Returns how many are in memory."""
    return sum(
        int(row["renewed"])
        for batch in batches(node_ids)
        for row in graph.query(_RENEW, node_ids=list(batch), now=now, run_id=run_id)
    )


def _marks_of(labels: Sequence[str]) -> tuple[str, ...]:
    if "PullRequest" in labels:
        return ("updated_at", "comment_count", "review_count", "review_thread_count")
    if "Issue" in labels:
        return ("updated_at", "comment_count")
    return ("updated_at", "pushed_at", "stars")
