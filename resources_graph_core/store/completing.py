"""Owners, repositories and numbers in memory that begin as somebody has begun to write."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from resources_graph_core.graph import Graph

_REPOSITORIES = """
MATCH (repository:Repository)
WHERE repository.fetched_at IS NOT NULL AND repository.address STARTS WITH $start
RETURN repository.address AS address
ORDER BY address
LIMIT $limit
"""

_NUMBERS = """
MATCH (:Resource {address: $repository})-[:HAS_ISSUE|HAS_PULL_REQUEST]->(item:Resource)
WHERE item.fetched_at IS NOT NULL AND toString(item.number) STARTS WITH $start
RETURN item.number AS number, item.updated_at AS updated_at
ORDER BY updated_at DESC
LIMIT $limit
"""

_ALL = 10_000


def values(
    graph: Graph, name: str, begun: str, known: Mapping[str, str], *, limit: int
) -> list[str]:
    """At most ``limit`` values for ``owner``, ``repo`` or ``number``; [] for other names.

    ``known`` holds what was written before: a ``repo`` needs its ``owner``, a ``number`` both.
    """
    owner, repository = known.get("owner", "").lower(), known.get("repo", "").lower()
    begun = begun.lower()
    match name:
        case "owner":
            rows = graph.query(_REPOSITORIES, start=f"github:{begun}", limit=_ALL)
            owners = [_path(row["address"])[0] for row in rows]
            return list(dict.fromkeys(owners))[:limit]
        case "repo" if owner:
            rows = graph.query(_REPOSITORIES, start=f"github:{owner}/{begun}", limit=limit)
            return [_path(row["address"])[-1] for row in rows]
        case "number" if owner and repository:
            key = f"github:{owner}/{repository}"
            rows = graph.query(_NUMBERS, repository=key, start=begun, limit=limit)
            return [str(row["number"]) for row in rows]
    return []


def _path(address: str) -> list[str]:
    return address.removeprefix("github:").split("/")
