"""How fresh memory is, in numbers: looks at everything, for people and models who ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from resources_graph_core.graph import Graph, Row

_AGES = """
MATCH (resource:Resource)
WHERE resource.fetched_at IS NOT NULL
WITH CASE WHEN resource.fetched_at >= $day THEN 'day'
          WHEN resource.fetched_at >= $week THEN 'week'
          WHEN resource.fetched_at >= $month THEN 'month'
          ELSE 'older' END AS age
RETURN age, count(age) AS n
"""

_ENDS = """
MATCH (resource:Resource)
WHERE resource.fetched_at IS NOT NULL
RETURN min(resource.fetched_at) AS oldest, max(resource.fetched_at) AS newest
"""

_REPOSITORIES = """
MATCH (repository:Repository)
WHERE repository.fetched_at IS NOT NULL
OPTIONAL MATCH (repository)-[:HAS_ISSUE|HAS_PULL_REQUEST]->(item:Resource)
WHERE item.fetched_at IS NOT NULL
RETURN repository.address AS address, count(item) AS items,
       coalesce(max(item.fetched_at), max(repository.fetched_at)) AS newest,
       coalesce(min(item.fetched_at), max(repository.fetched_at)) AS oldest
ORDER BY items DESC, address
LIMIT $limit
"""


def by_age(graph: Graph, since: Mapping[str, str]) -> dict[str, int]:
    """How many Resources were fetched within the ``day``, ``week`` and ``month``, or are older.

    ``since`` says from when on each of the three counts (ISO-8601 UTC).
    """
    rows = graph.query(_AGES, day=since["day"], week=since["week"], month=since["month"])
    counted = {row["age"]: int(row["n"]) for row in rows}
    return {age: counted.get(age, 0) for age in ("day", "week", "month", "older")}


def ends(graph: Graph) -> tuple[str | None, str | None]:
    """When the oldest and the newest fetch was, of those in memory."""
    row = graph.query(_ENDS)[0]
    return row["oldest"], row["newest"]


def repositories(graph: Graph, *, limit: int) -> list[Row]:
    """The repositories with most items: ``address``, ``items``, ``newest`` and ``oldest`` fetch."""
    return graph.query(_REPOSITORIES, limit=limit)
