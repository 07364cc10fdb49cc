"""What agents keep on GitHub, as nodes: Tasks, Decisions and Verdicts, and what they are about.

GitHub stays the source of truth: what is no longer there goes. An edge to a Resource that is not in
memory yet is drawn when it is, by its address; until then its beginning is marked by ``awaiting``.
``recorded_at`` is when memory first had an entry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from resources_graph_core.clock import now
from resources_graph_core.graph.values import key_text
from resources_graph_core.store.batches import batches
from resources_graph_core.store.moves import LONGEST_CHAIN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from resources_graph_core.graph import Graph, Row

Label = Literal["Task", "Decision", "Verdict"]

LABELS: tuple[Label, ...] = ("Task", "Decision", "Verdict")

_KEEP = """
UNWIND $rows AS row
MERGE (kept:{label} {{key: row.key}})
SET kept += row.properties, kept.recorded_at = coalesce(kept.recorded_at, $now)
WITH kept, row
OPTIONAL MATCH (resource:Resource {{address: row.about}})
SET kept.awaiting = CASE WHEN resource IS NULL THEN 'resource' END
FOREACH (found IN CASE WHEN resource IS NULL THEN [] ELSE [resource] END |
  MERGE (kept)-[:ABOUT]->(found))
"""

_DROP = """
MATCH (kept:{label} {{kept_in: $kept_in}})
WHERE NOT kept.key IN $keys
DETACH DELETE kept
"""

_DRAW = """
MATCH (kept:{label} {{awaiting: 'resource'}})
WITH kept, kept.about AS about
MATCH (resource:Resource {{address: about}})
SET kept.awaiting = null
MERGE (kept)-[:ABOUT]->(resource)
RETURN count(kept) AS drawn
"""

_ADDRESSES = f"""
UNWIND $node_ids AS node_id
MATCH (:Resource {{node_id: node_id}})-[:HAS_ISSUE|HAS_PULL_REQUEST*0..1]->(held:Resource)
MATCH (gone:Resource)-[:MOVED_TO*0..{LONGEST_CHAIN}]->(held)
WHERE gone.address IS NOT NULL
RETURN DISTINCT gone.address AS address
"""

_FORGET = """
UNWIND $addresses AS address
MATCH (kept:{label} {{kept_in: address}})
DETACH DELETE kept
"""

# Of an issue that nobody touched no Resource says which repository it is in.
_FORGET_INSIDE = """
UNWIND $beginnings AS beginning
MATCH (kept:{label})
WHERE kept.kept_in STARTS WITH beginning
DETACH DELETE kept
"""

_LIST = """
MATCH (kept:{label} {{kept_in: $kept_in}})
OPTIONAL MATCH (kept)-[:ABOUT]->(resource:Resource)
RETURN kept {{.*, resource: resource.node_id}} AS kept, coalesce(kept.created_at, '') AS made,
  kept.position AS position, kept.key AS key
ORDER BY made, position, key
"""


def keep(
    graph: Graph,
    label: Label,
    kept_in: str,
    rows: Mapping[str, Row],
    *,
    spared: Sequence[str] = (),
    whole: bool = True,
) -> None:
    """Write what a store holds, by keys that tell entries of it apart.

    ``kept_in`` is the address of the store's issue. Every row has ``about``, the address of the
    Resource that it is about. With ``whole`` the rows are all there is; others of that issue go,
    but for those under the keys to be ``spared``.
    """
    keyed = {key_text(f"{kept_in}/{key}"): row for key, row in rows.items()}
    made = [
        {
            "key": key,
            "about": row["about"],
            "properties": {**row, "kept_in": kept_in, "position": position},
        }
        for position, (key, row) in enumerate(keyed.items())
    ]
    for batch in batches(made):
        graph.query(_KEEP.format(label=label), rows=list(batch), now=now())
    if whole:
        staying = [*keyed, *(key_text(f"{kept_in}/{key}") for key in spared)]
        graph.query(_DROP.format(label=label), kept_in=kept_in, keys=staying)


def forget(graph: Graph, node_ids: Sequence[str]) -> None:
    """Take out what is kept in these issues, and in all issues of these repositories."""
    rows = graph.query(_ADDRESSES, node_ids=list(node_ids))
    forget_at(graph, [row["address"] for row in rows])


def forget_at(graph: Graph, addresses: Sequence[str]) -> None:
    """Take out what is kept at these addresses of issues, and inside these repositories.

    None of them needs to be in memory.
    """
    beginnings = [f"{address}#" for address in addresses if "#" not in address]
    for label in LABELS if addresses else ():
        graph.query(_FORGET.format(label=label), addresses=list(addresses))
        if beginnings:
            graph.query(_FORGET_INSIDE.format(label=label), beginnings=beginnings)


def draw_waiting(graph: Graph) -> int:
    """Draw the edges to Resources that came after what is about them. Returns how many."""
    return sum(
        int(row["drawn"] or 0) for label in LABELS for row in graph.query(_DRAW.format(label=label))
    )


def kept(graph: Graph, label: Label, kept_in: str) -> list[Row]:
    """What of a store is in memory, in its order; ``resource`` is the node id it is about.

    That is the order of time for what has a time, so that one more can be added alone.
    """
    return [row["kept"] for row in graph.query(_LIST.format(label=label), kept_in=kept_in)]
