"""The statements that write the memory graph, each atomic and safe to repeat.

A node is a ``MemoryNode`` with its current version's properties; earlier versions hang on it as
``MemoryVersion``. An edge is a ``MemoryEdge`` node of its own: only nodes have unique keys on every
engine. ``src`` and ``dst`` hold its ends' keys, by which walks find it through an index (five times
as fast as along relationships, which for people and other programs are there too). ``record`` is
all that never changes of a version or an edge in one JSON text, and ``arc`` what a walk needs of an
edge: one long value is read several times faster than many short ones.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from resources_graph_core.memory_graph import keys
from resources_graph_core.memory_graph.guards import json_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.graph import Graph, Row
    from resources_graph_core.memory_graph.keys import Place
    from resources_graph_core.memory_graph.model import Edge, Node


@dataclass(frozen=True, slots=True)
class Statement:
    """One Cypher statement with its parameters."""

    text: str
    parameters: dict[str, Any]

    def run(self, graph: Graph) -> list[Row]:
        """Run it."""
        return graph.query(self.text, **self.parameters)


VERSION_NAMES: Final = (
    *("graph_id", "id", "kind", "label", "attrs", "flagged"),
    *("writer", "provenance", "recorded_at", "stamp", "record"),
)
"""The properties of a version, on the node that it is current of or on its own."""

# Makes the node when it is missing, then puts the version at its place in the history: in front,
# with the one so far archived, or behind. ``expected`` is the stamp that the writer decided on:
# empty for no node, null for whatever is there; another one, and nothing is written, nor is it when
# the node meanwhile is of another origin than was decided on.
RECORD_VERSIONS: Final = f"""
UNWIND $rows AS row
OPTIONAL MATCH (present:MemoryNode {{key: row.key}})
FOREACH (_ IN CASE WHEN present IS NULL AND coalesce(row.expected, '') = '' THEN [1] ELSE [] END |
  CREATE (:MemoryNode {{key: row.key, graph_id: row.version.graph_id, id: row.version.id,
                        origin: row.origin, first_stamp: row.first_stamp, stamp: ''}}))
WITH row
MATCH (node:MemoryNode {{key: row.key}})
WHERE row.expected IS NULL OR (node.stamp = row.expected AND node.origin = row.origin)
OPTIONAL MATCH (known:MemoryVersion {{key: row.version_key}})
WITH row, node, known, node.stamp AS before
FOREACH (_ IN CASE WHEN before <> '' AND before < row.version.stamp THEN [1] ELSE [] END |
  CREATE (node)-[:HAD_VERSION]->(:MemoryVersion {{key: row.key + '|' + before,
    {", ".join(f"{name}: node.{name}" for name in VERSION_NAMES)}}}))
FOREACH (_ IN CASE WHEN before > row.version.stamp AND known IS NULL THEN [1] ELSE [] END |
  CREATE (node)-[:HAD_VERSION]->(:MemoryVersion {{key: row.version_key,
    {", ".join(f"{name}: row.version.{name}" for name in VERSION_NAMES)}}}))
FOREACH (_ IN CASE WHEN row.first_stamp < node.first_stamp THEN [1] ELSE [] END |
  SET node.first_stamp = row.first_stamp, node.origin = row.origin)
FOREACH (_ IN CASE WHEN before < row.version.stamp THEN [1] ELSE [] END |
  SET node += row.version)
"""

_RECORDED: Final = """
RETURN row.key AS key,
       CASE WHEN known IS NULL AND before <> row.version.stamp THEN 1 ELSE 0 END AS made
"""

_CREATE_EDGE: Final = """
CREATE (edge:MemoryEdge {key: row.key})
CREATE (edge)-[:SRC]->(src)
CREATE (edge)-[:DST]->(dst)
SET edge += row.properties
"""

_STAMP_OLD: Final = """
SET old.superseded_at =
  CASE WHEN old.superseded_at IS NULL OR old.superseded_at > $at THEN $at ELSE old.superseded_at END
"""

_DROP: Final = """
OPTIONAL MATCH (edge:MemoryEdge {graph_id: $graph_id})
WITH collect(edge) AS edges
OPTIONAL MATCH (version:MemoryVersion {graph_id: $graph_id})
WITH edges, collect(version) AS versions
OPTIONAL MATCH (vector:MemoryVector {graph_id: $graph_id})
WITH edges, versions, collect(vector) AS vectors
OPTIONAL MATCH (node:MemoryNode {graph_id: $graph_id})
WITH edges, versions, vectors, collect(node) AS nodes
FOREACH (vector IN vectors | DETACH DELETE vector)
FOREACH (edge IN edges | DETACH DELETE edge)
FOREACH (version IN versions | DETACH DELETE version)
FOREACH (node IN nodes | DETACH DELETE node)
RETURN size(nodes) AS nodes, size(edges) AS edges
"""


def stamp_of(node: Node) -> str:
    """What tells a version from all others of its node, and sorts as they were recorded."""
    content = json.dumps(
        [node.id, node.kind, node.label, json_text(node.attrs), node.writer, node.provenance]
    )
    return f"{node.recorded_at}|{sha256(content.encode()).hexdigest()[:16]}"


def version_row(graph_id: str, node: Node, expected: str | None = None) -> Row:
    """A row of :data:`RECORD_VERSIONS`."""
    stamp = stamp_of(node)
    key = keys.key_of(graph_id, node.id)
    return {
        "key": key,
        "version_key": f"{key}|{stamp}",
        "origin": node.origin,
        "first_stamp": stamp,
        "expected": expected,
        "version": version_properties(graph_id, node),
    }


def version_properties(graph_id: str, node: Node) -> Row:
    """A version's own properties, :data:`VERSION_NAMES`."""
    return {
        "graph_id": graph_id,
        "id": node.id,
        "kind": node.kind,
        "label": node.label,
        "attrs": json_text(node.attrs),
        "flagged": node.flagged,
        "writer": node.writer,
        "provenance": node.provenance,
        "recorded_at": node.recorded_at,
        "stamp": stamp_of(node),
        "record": node.model_dump_json(exclude={"origin"}),
    }


def record_versions(
    graph_id: str, nodes: Sequence[Node], *, expected: str | None = None
) -> Statement:
    """Record versions, of different nodes; see :data:`RECORD_VERSIONS` about ``expected``.

    Answers ``key`` and ``made`` (1 or 0) for each that could be; none for one not as expected.
    """
    rows = [version_row(graph_id, node, expected) for node in nodes]
    return Statement(RECORD_VERSIONS + _RECORDED, {"rows": rows})


def edge_row(graph_id: str, edge: Edge) -> Row:
    """An edge as a row to be created from."""
    arc = [edge.id, edge.rel, edge.src, edge.dst, edge.cost, edge.directed]
    properties = edge.model_dump(exclude={"src", "dst", "attrs", "supersedes"}) | {
        "record": edge.model_dump_json(exclude={"superseded_at"}),
        "arc": json.dumps(arc),
        "graph_id": graph_id,
        "src": keys.key_of(graph_id, edge.src),
        "dst": keys.key_of(graph_id, edge.dst),
        "attrs": json_text(edge.attrs),
        "supersedes": None if edge.supersedes is None else keys.key_of(graph_id, edge.supersedes),
    }
    return {
        "key": keys.key_of(graph_id, edge.id),
        "src": keys.place_of(graph_id, edge.src)[1],
        "dst": keys.place_of(graph_id, edge.dst)[1],
        "properties": properties,
    }


def ends_of(graph_id: str, edge: Edge) -> tuple[Place, Place]:
    """Where an edge's ends are kept: edges of the same places fit in one statement."""
    return keys.place_of(graph_id, edge.src)[0], keys.place_of(graph_id, edge.dst)[0]


def record_edges(graph_id: str, edges: Sequence[Edge]) -> Statement:
    """Record edges with different ids whose ends are in the same places.

    Answers the ``key`` of each recorded: of those whose ends exist and whose ids are free.
    """
    src, dst = ends_of(graph_id, edges[0])
    text = f"""
UNWIND $rows AS row
{_match_ends(src, dst)}
OPTIONAL MATCH (present:MemoryEdge {{key: row.key}})
WITH row, src, dst, present
WHERE present IS NULL
{_CREATE_EDGE}
RETURN row.key AS key
"""
    return Statement(text, {"rows": [edge_row(graph_id, edge) for edge in edges]})


def supersede(
    graph_id: str, edge_id: str, at: str, new: Edge | None, *, only_live_of: str | None = None
) -> Statement:
    """Stamp an edge as superseded at ``at`` (or before, when it is), and record the new one.

    With ``only_live_of``, an origin, only an edge that is live and of that origin. Answers the
    ``key`` of the old edge, or nothing when there was nothing to do.
    """
    parameters: dict[str, Any] = {"key": keys.key_of(graph_id, edge_id), "at": at}
    condition = "WHERE old.superseded_at IS NULL AND old.origin = $origin"
    if only_live_of is None:
        condition = ""
    else:
        parameters["origin"] = only_live_of
    recording = ""
    if new is not None:
        src, dst = ends_of(graph_id, new)
        parameters["row"] = edge_row(graph_id, new)
        recording = f"""
WITH old, $row AS row
{_match_ends(src, dst)}
OPTIONAL MATCH (present:MemoryEdge {{key: row.key}})
WITH old, row, src, dst, present
WHERE present IS NULL
{_CREATE_EDGE}"""
    text = f"""
MATCH (old:MemoryEdge {{key: $key}})
{condition}
{recording}
{_STAMP_OLD}
RETURN old.key AS key
"""
    return Statement(text, parameters)


def drop(graph_id: str) -> Statement:
    """Remove a graph. Answers how many ``nodes`` and ``edges`` went."""
    return Statement(_DROP, {"graph_id": graph_id})


def _match_ends(src: Place, dst: Place) -> str:
    return (
        f"MATCH (src:{src.label} {{{src.key}: row.src}})\n"
        f"MATCH (dst:{dst.label} {{{dst.key}: row.dst}})"
    )
