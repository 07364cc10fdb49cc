"""Nodes and edges read back from the graph, as of now or as of a moment. Indexed look-ups only."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter

from resources_graph_core.errors import Refused
from resources_graph_core.memory_graph import keys, times
from resources_graph_core.memory_graph.guards import json_text
from resources_graph_core.memory_graph.model import Edge, Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pydantic import JsonValue

    from resources_graph_core.graph import Graph, Row
    from resources_graph_core.memory_graph.filters import EdgeFilter

_CURRENT: Final = """
UNWIND $keys AS key
MATCH (node:MemoryNode {key: key})
RETURN node.id AS id, node.record AS record, node.origin AS origin, node.stamp AS stamp,
       node.first_stamp AS first_stamp
"""

_CURRENT_RECORDS: Final = """
UNWIND $keys AS key
MATCH (node:MemoryNode {key: key})
RETURN node.record AS record, node.origin AS origin
"""

_VERSION_KEYS_AS_OF: Final = """
UNWIND $keys AS key
MATCH (node:MemoryNode {key: key})-[:HAD_VERSION]->(version:MemoryVersion)
WHERE version.recorded_at <= $as_of AND version.graph_id = node.graph_id
RETURN node.key AS node_key, node.origin AS origin, max(version.key) AS key
"""

_VERSION: Final = "version.id AS id, version.record AS record, version.stamp AS stamp"

_VERSIONS: Final = f"""
UNWIND $keys AS key
MATCH (version:MemoryVersion {{key: key}})
RETURN key, {_VERSION}
"""

_HISTORY: Final = f"""
MATCH (node:MemoryNode {{key: $key}})-[:HAD_VERSION]->(version:MemoryVersion)
WHERE version.graph_id = node.graph_id
RETURN node.origin AS origin, {_VERSION}
ORDER BY stamp DESC
"""

_OBSERVED: Final = f"""
MATCH (node:MemoryNode {{key: $key}})-[:HAD_VERSION]->(version:MemoryVersion)
WHERE version.graph_id = node.graph_id AND version.provenance = 'observed'
RETURN node.origin AS origin, {_VERSION}
ORDER BY stamp DESC
LIMIT 1
"""

_HISTORIES: Final = f"""
UNWIND $keys AS key
MATCH (node:MemoryNode {{key: key}})-[:HAD_VERSION]->(version:MemoryVersion)
WHERE version.graph_id = node.graph_id
RETURN node.origin AS origin, {_VERSION}
ORDER BY stamp
"""

_EDGE: Final = "edge.record AS record, edge.superseded_at AS superseded_at"

_EDGES: Final = f"""
UNWIND $keys AS key
MATCH (edge:MemoryEdge {{key: key}})
RETURN {_EDGE}
"""

_RECORDS: Final = """
UNWIND $keys AS key
MATCH (edge:MemoryEdge {key: key})
RETURN edge.record AS record
"""

_SUPERSEDING: Final = f"""
UNWIND $keys AS key
MATCH (edge:MemoryEdge {{supersedes: key}})
RETURN {_EDGE}
"""


_NODES_READ: Final = TypeAdapter(list[Node])
_EDGES_READ: Final = TypeAdapter(list[Edge])


def node_of(row: Row, origin: str | None = None) -> Node:
    """A node from a row with its record."""
    record = json.loads(row["record"])
    return Node.model_validate({**record, "origin": row["origin"] if origin is None else origin})


def edge_of(row: Row, as_of: str | None = None) -> Edge:
    """An edge from a row with its record, as it was known at ``as_of``."""
    superseded_at = row["superseded_at"]
    if as_of is not None and superseded_at is not None and superseded_at > as_of:
        superseded_at = None
    return Edge.model_validate({**json.loads(row["record"]), "superseded_at": superseded_at})


def nodes_of(rows: Iterable[Row]) -> dict[str, Node]:
    """Nodes by id from rows with their records: many are read several times faster at once."""
    texts = (f'{row["record"][:-1]},"origin":{json.dumps(row["origin"])}}}' for row in rows)
    return {node.id: node for node in _NODES_READ.validate_json(f"[{','.join(texts)}]")}


def rows_of(graph: Graph, graph_id: str, ids: Iterable[str]) -> dict[str, Row]:
    """The current versions of memory nodes, as rows with their stamps, by id."""
    wanted = [keys.key_of(graph_id, one) for one in ids]
    return {row["id"]: row for row in graph.query(_CURRENT, keys=wanted)} if wanted else {}


def nodes(
    graph: Graph, graph_id: str, ids: Iterable[str], *, as_of: str | None = None
) -> dict[str, Node]:
    """Memory nodes by id, each as the version that was current at ``as_of`` (None: now).

    One that did not exist then is missing.
    """
    if as_of is None:
        wanted = [keys.key_of(graph_id, one) for one in ids]
        return nodes_of(graph.query(_CURRENT_RECORDS, keys=wanted)) if wanted else {}
    rows = rows_of(graph, graph_id, ids)
    found = nodes_of(row for row in rows.values() if _recorded(row["stamp"]) <= as_of)
    earlier = [
        keys.key_of(graph_id, name)
        for name, row in rows.items()
        if name not in found and first_recorded(row) <= as_of
    ]
    if earlier:
        then = graph.query(_VERSION_KEYS_AS_OF, keys=earlier, as_of=as_of)
        origins = {row["key"]: row["origin"] for row in then}
        for row in graph.query(_VERSIONS, keys=list(origins)):
            found[row["id"]] = node_of(row, origins[row["key"]])
    return found


def history(graph: Graph, graph_id: str, node_id: str, *, limit: int | None = None) -> list[Node]:
    """The versions of a node before its current one, newest first, at most ``limit``."""
    key = keys.key_of(graph_id, node_id)
    if limit is None:
        return [node_of(row) for row in graph.query(_HISTORY, key=key)]
    return [node_of(row) for row in graph.query(f"{_HISTORY} LIMIT $limit", key=key, limit=limit)]


def last_observed(graph: Graph, graph_id: str, node_id: str) -> Node | None:
    """The newest version of a node before its current one that was observed, or None."""
    rows = graph.query(_OBSERVED, key=keys.key_of(graph_id, node_id))
    return next(map(node_of, rows), None)


def histories(graph: Graph, graph_id: str, ids: Iterable[str]) -> dict[str, list[Node]]:
    """The versions of nodes before their current ones by id, oldest first."""
    wanted = [keys.key_of(graph_id, one) for one in ids]
    found: dict[str, list[Node]] = {}
    for row in graph.query(_HISTORIES, keys=wanted) if wanted else ():
        found.setdefault(row["id"], []).append(node_of(row))
    return found


def edges(
    graph: Graph, graph_id: str, ids: Sequence[str], *, as_of: str | None = None
) -> dict[str, Edge]:
    """Edges by id, those superseded too."""
    wanted = [keys.key_of(graph_id, one) for one in ids]
    rows = graph.query(_EDGES, keys=wanted) if wanted else []
    found = (edge_of(row, as_of) for row in rows)
    return {edge.id: edge for edge in found}


def edges_as_live(graph: Graph, graph_id: str, ids: Sequence[str]) -> dict[str, Edge]:
    """Edges by id as they were while they were live, whatever superseded them since."""
    wanted = [keys.key_of(graph_id, one) for one in ids]
    rows = graph.query(_RECORDS, keys=wanted) if wanted else []
    text = f"[{','.join(row['record'] for row in rows)}]"
    return {edge.id: edge for edge in _EDGES_READ.validate_json(text)}


def superseding(graph: Graph, graph_id: str, ids: Sequence[str]) -> list[Edge]:
    """The edges that superseded these."""
    wanted = [keys.key_of(graph_id, one) for one in ids]
    return [edge_of(row) for row in graph.query(_SUPERSEDING, keys=wanted)]


def edges_at(
    graph: Graph, graph_id: str, ids: Sequence[str], conditions: EdgeFilter, *, end: str
) -> list[Edge]:
    """The edges that meet conditions and have one of these nodes at their ``end``: src or dst."""
    where, parameters = conditions.where()
    statement = f"""
UNWIND $keys AS key
MATCH (edge:MemoryEdge {{{end}: key}})
WHERE {where}
RETURN {_EDGE}
"""
    wanted = [keys.key_of(graph_id, one) for one in ids]
    rows = graph.query(statement, keys=wanted, **parameters)
    return [edge_of(row, conditions.as_of) for row in rows]


def first_recorded(row: Row) -> str:
    """When a node, given as a row of :func:`rows_of`, was first recorded."""
    return _recorded(row["first_stamp"])


def _recorded(stamp: str) -> str:
    """When the version of a stamp was recorded."""
    return stamp.partition("|")[0]


def matching_edges(
    graph: Graph,
    graph_id: str,
    conditions: EdgeFilter,
    *,
    ids: Sequence[str] | None,
    src: str | None,
    dst: str | None,
    attrs: Mapping[str, JsonValue] | None,
    limit: int,
) -> list[Edge]:
    """The edges of a graph that meet conditions, newest first, at most ``limit``."""
    where, parameters = conditions.where()
    narrowing: dict[str, Any] = {"graph_id": graph_id}
    if ids is not None:
        narrowing["keys"] = [keys.key_of(graph_id, one) for one in ids]
    named = {"src": src, "dst": dst}
    pattern = ["graph_id: $graph_id"]
    for end, node_id in named.items():
        if node_id is not None:
            narrowing[end] = keys.key_of(graph_id, node_id)
            pattern.append(f"{end}: ${end}")
    for number, (name, value) in enumerate((attrs or {}).items()):
        # As it stands in the stored JSON, maybe deeper down: what is read is looked at once more.
        narrowing[f"entry{number}"] = json_entry(name, value)
        where += f" AND edge.attrs CONTAINS $entry{number}"
    begin = "" if ids is None else "UNWIND $keys AS key"
    if ids is not None:
        pattern.append("key: key")
    statement = f"""
{begin}
MATCH (edge:MemoryEdge {{{", ".join(pattern)}}})
WHERE {where}
RETURN {_EDGE}, edge.recorded_at AS recorded_at, edge.id AS id
ORDER BY recorded_at DESC, id
SKIP $skip
LIMIT $limit
"""
    found: list[Edge] = []
    skip = 0
    while len(found) < limit:
        rows = graph.query(statement, **narrowing, **parameters, skip=skip, limit=limit)
        read = (edge_of(row, conditions.as_of) for row in rows)
        found += [edge for edge in read if holds(edge.attrs, attrs)]
        if len(rows) < limit:
            break
        skip += limit
    return found[:limit]


def json_entry(name: str, value: JsonValue) -> str:
    """An attr as it stands in stored attrs."""
    return json_text({name: value})[1:-1]


def holds(attrs: Mapping[str, JsonValue], wanted: Mapping[str, JsonValue] | None) -> bool:
    """Whether attrs have these values."""
    return all(
        name in attrs and json_entry(name, attrs[name]) == json_entry(name, value)
        for name, value in (wanted or {}).items()
    )


def just_after(moment: str) -> str:
    """The moment a microsecond later. Raises Refused at the end of all times."""
    try:
        return times.stamp(datetime.fromisoformat(moment) + timedelta(microseconds=1))
    except OverflowError:
        raise Refused(f"Nothing can be recorded after {moment}.") from None
