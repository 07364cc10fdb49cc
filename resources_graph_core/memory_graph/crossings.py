"""What memory knows of GitHub, as nodes and edges of the graph ``main``; read, never written.

A Resource or a Listing counts as recorded when it was first fetched, and a link when both its ends
were: what a link was like at an earlier time is not kept. A Touch is the edge TOUCHED from its
Session, and is private: only the sessions of the user that a handle acts for are crossed. The
tasks, decisions and verdicts that agents keep on GitHub are tied by ABOUT to what they are about.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from resources_graph_core.memory_graph import keys
from resources_graph_core.memory_graph.guards import reads_as_instruction
from resources_graph_core.memory_graph.model import Edge, Node
from resources_graph_core.memory_graph.times import normalised
from resources_graph_core.store.agent_memory import LABELS as KEPT
from resources_graph_core.untrusted import Treatment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from resources_graph_core.graph import Graph, Row
    from resources_graph_core.memory_graph.filters import EdgeFilter

ORIGIN: Final = "github"
"""The origin of what was fetched from GitHub."""

COSTS: Final[dict[str, float]] = {
    "REFERENCES": 1.0,
    "CLOSES": 1.0,
    "MOVED_TO": 0.1,
    "TOUCHED": 1.0,
    "ABOUT": 1.0,
    "HAS_ISSUE": 2.0,
    "HAS_PULL_REQUEST": 2.0,
    "HAS_MEMBER": 2.0,
    "LISTS_FROM": 2.0,
}
"""What crossing each relation costs when a request does not say."""

ATTRS: Final[dict[str, tuple[str, ...]]] = {
    "Resource": ("address", "url", "state", "author", "updated_at", "fetched_at"),
    "Listing": ("member_count", "total_count", "fetched_at"),
    "Session": (),
    **dict.fromkeys(KEPT, ("state", "verdict", "ref", "rationale", "url", "created_at", "kept_in")),
}
"""The properties that are told as attrs of the same names, by label."""

METADATA: Final = "metadata"
"""The attr, of what agents keep, that is read from a text."""

_UNKNOWN: Final = "0001-01-01T00:00:00.000000Z"
_LONGEST_LABEL: Final = 1000

_AMONG_RESOURCES: Final = """
UNWIND $values AS value
MATCH (here:Resource {{node_id: value}})-[link:{rels}]->(there:Resource)
RETURN value AS src, type(link) AS rel, there.node_id AS dst
UNION
UNWIND $values AS value
MATCH (here:Resource {{node_id: value}})<-[link:{rels}]-(there:Resource)
RETURN there.node_id AS src, type(link) AS rel, value AS dst
"""

_LISTING_TO_RESOURCES: Final = """
UNWIND $values AS value
MATCH (:Listing {{key: value}})-[link:{rels}]->(there:Resource)
RETURN value AS src, type(link) AS rel, there.node_id AS dst
"""

_RESOURCE_TO_LISTINGS: Final = """
UNWIND $values AS value
MATCH (:Resource {{node_id: value}})<-[link:{rels}]-(there:Listing)
RETURN there.key AS src, type(link) AS rel, value AS dst
"""

_KEPT_TO_RESOURCES: Final = """
UNWIND $values AS value
MATCH (:{label} {{key: value}})-[:{rels}]->(there:Resource)
RETURN value AS src, '{rels}' AS rel, there.node_id AS dst
"""

_RESOURCE_TO_KEPT: Final = """
UNWIND $values AS value
MATCH (:Resource {node_id: value})<-[:ABOUT]-(there)
RETURN head(labels(there)) AS label, there.key AS src, 'ABOUT' AS rel, value AS dst
"""

_SESSION_TOUCHED: Final = """
UNWIND $values AS value
MATCH (session:Session {{session_id: value}})<-[:IN_SESSION]-(touch:Touch)
MATCH (touch)-[:TOUCHED]->(there:{label})
MATCH (:User {{user_id: $user}})-[:HAD_SESSION]->(session)
RETURN value AS src, 'TOUCHED' AS rel, there.{key} AS dst, min(touch.at) AS at
"""

_TOUCHED_BY_SESSION: Final = """
UNWIND $values AS value
MATCH (:{label} {{{key}: value}})<-[:TOUCHED]-(touch:Touch)-[:IN_SESSION]->(there:Session)
MATCH (:User {{user_id: $user}})-[:HAD_SESSION]->(there)
RETURN there.session_id AS src, 'TOUCHED' AS rel, value AS dst, min(touch.at) AS at
"""

_RESOURCES: Final = """
UNWIND $values AS value
MATCH (node:Resource {node_id: value})
OPTIONAL MATCH (node)-[fetched:FETCHED_BY]->()
WITH node, labels(node) AS labels, min(fetched.at) AS first
RETURN node.node_id AS value, labels, first, node.fetched_at AS fetched_at,
       node.address AS address, node.title AS title, node.name_with_owner AS name,
       node.url AS url, node.state AS state, node.author AS author, node.updated_at AS updated_at
"""

_LISTINGS: Final = """
UNWIND $values AS value
MATCH (node:Listing {key: value})
RETURN value, node.first_fetched_at AS first, node.fetched_at AS fetched_at,
       node.member_count AS member_count, node.total_count AS total_count
"""

_SESSIONS: Final = """
UNWIND $values AS value
MATCH (:User {user_id: $user})-[:HAD_SESSION]->(node:Session {session_id: value})
OPTIONAL MATCH (node)<-[:IN_SESSION]-(touch:Touch)
RETURN node.session_id AS value, min(touch.at) AS at
"""

_KEPT: Final = """
UNWIND $values AS value
MATCH (node:{label} {{key: value}})
RETURN value, node.kept_in AS kept_in, node.url AS url, node.title AS title, node.state AS state,
       node.summary AS summary, node.rationale AS rationale, node.created_at AS created_at,
       node.ref AS ref, node.verdict AS verdict, node.metadata AS metadata,
       node.recorded_at AS recorded_at
"""

_MOVED: Final = """
UNWIND $values AS value
MATCH (:Resource {node_id: value})-[:MOVED_TO]->(there:Resource)
RETURN value, there.node_id AS moved
"""

_BY_ADDRESS: Final = """
UNWIND $keys AS key
MATCH (node:Resource {address: key})
RETURN key, node.node_id AS value
"""

_BY_LISTING_KEY: Final = """
UNWIND $keys AS key
MATCH (node:Listing {key: key})
RETURN key, node.key AS value
"""

_MOST_MOVES: Final = 16


def links(
    graph: Graph, ids: Iterable[str], *, conditions: EdgeFilter, user: str | None
) -> list[Edge]:
    """The links at some external nodes of ``main`` that meet conditions, as edges."""
    if conditions.scopes is not None or conditions.provenance == "claimed":
        return []
    if conditions.origins is not None and ORIGIN not in conditions.origins:
        return []
    values = _by_place(ids)
    rels = [rel for rel in COSTS if conditions.rels is None or rel in conditions.rels]
    found = _structure(graph, values, rels)
    if "TOUCHED" in rels and user is not None:
        found += _touched(graph, values, user)
    return [edge for edge in found if _admitted(edge, conditions)]


def nodes(
    graph: Graph, ids: Iterable[str], *, as_of: str | None, user: str | None
) -> dict[str, Node]:
    """External nodes by id, as memory holds them now; those first fetched after ``as_of`` not."""
    values = _by_place(ids)
    found: list[Node] = []
    if values["Resource"]:
        rows = graph.query(_RESOURCES, values=values["Resource"])
        found += [_resource(row) for row in rows if as_of is None or _first(row) <= as_of]
    if values["Listing"]:
        found += [_listing(row) for row in graph.query(_LISTINGS, values=values["Listing"])]
    if values["Session"] and user is not None:
        rows = graph.query(_SESSIONS, values=values["Session"], user=user)
        found += [_session(row) for row in rows]
    for label in KEPT:
        if values[label]:
            rows = graph.query(_KEPT.format(label=label), values=values[label])
            found += [_kept(label, row) for row in rows]
    return {node.id: node for node in found if as_of is None or node.recorded_at <= as_of}


def at_addresses(graph: Graph, addresses: Mapping[str, str]) -> dict[str, str]:
    """The ids of what memory holds at Address keys, by whatever each was called; moves followed.

    ``addresses`` maps what was written to its Address key. What is not in memory is missing.
    """
    wanted = sorted(set(addresses.values()))
    if not wanted:
        return {}
    at = {row["key"]: row["value"] for row in graph.query(_BY_ADDRESS, keys=wanted)}
    for _ in range(_MOST_MOVES):
        moved = {
            row["value"]: row["moved"]
            for row in graph.query(_MOVED, values=sorted(set(at.values())))
        }
        if not moved:
            break
        at = {key: moved.get(value, value) for key, value in at.items()}
    ids = {key: keys.external_id("Resource", value) for key, value in at.items()}
    for row in graph.query(_BY_LISTING_KEY, keys=wanted):
        ids[row["key"]] = keys.external_id("Listing", row["value"])
    return {written: ids[key] for written, key in addresses.items() if key in ids}


def _by_place(ids: Iterable[str]) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {place.label: [] for place in keys.EXTERNAL.values()}
    for one in ids:
        prefix, _, value = one.partition(":")
        values[keys.EXTERNAL[prefix].label].append(value)
    return values


def _structure(graph: Graph, values: dict[str, list[str]], rels: Sequence[str]) -> list[Edge]:
    """Links between Resources, with Listings, and from what is kept about Resources."""
    among = [rel for rel in rels if rel not in {"TOUCHED", "ABOUT", "HAS_MEMBER", "LISTS_FROM"}]
    listed = [rel for rel in rels if rel in {"HAS_MEMBER", "LISTS_FROM"}]
    found: list[tuple[str, str, Row]] = []

    def ask(statement: str, rels: Sequence[str], here: str, src: str, dst: str) -> None:
        if rels and values[here]:
            rows = graph.query(
                statement.format(rels="|".join(rels), label=src), values=values[here]
            )
            found.extend((src, dst, row) for row in rows)

    ask(_AMONG_RESOURCES, among, "Resource", "Resource", "Resource")
    ask(_LISTING_TO_RESOURCES, listed, "Listing", "Listing", "Resource")
    ask(_RESOURCE_TO_LISTINGS, listed, "Resource", "Listing", "Resource")
    if "ABOUT" in rels:
        for label in KEPT:
            ask(_KEPT_TO_RESOURCES, ["ABOUT"], label, label, "Resource")
        if values["Resource"]:
            rows = graph.query(_RESOURCE_TO_KEPT, values=values["Resource"])
            found.extend((row["label"], "Resource", row) for row in rows)
    if not found:
        return []
    ends: dict[str, set[str]] = {label: set() for label in ("Resource", "Listing", *KEPT)}
    for src, dst, row in found:
        ends[src].add(row["src"])
        ends[dst].add(row["dst"])
    known = _first_known(graph, ends)
    edges: dict[str, Edge] = {}
    for src, dst, row in found:
        a, b = keys.external_id(src, row["src"]), keys.external_id(dst, row["dst"])
        made = _edge(row["rel"], a, b, max(known.get(a, _UNKNOWN), known.get(b, _UNKNOWN)))
        edges[made.id] = made
    return list(edges.values())


def _touched(graph: Graph, values: dict[str, list[str]], user: str) -> list[Edge]:
    """Touches between Sessions of the user's and what they touched."""
    edges: dict[str, Edge] = {}
    for place in (keys.EXTERNAL["resource"], keys.EXTERNAL["listing"]):
        for statement, here in (
            (_SESSION_TOUCHED, "Session"),
            (_TOUCHED_BY_SESSION, place.label),
        ):
            if not values[here]:
                continue
            text = statement.format(label=place.label, key=place.key)
            for row in graph.query(text, values=values[here], user=user):
                made = _edge(
                    "TOUCHED",
                    keys.external_id("Session", row["src"]),
                    keys.external_id(place.label, row["dst"]),
                    _moment(row["at"]),
                    began=True,
                )
                edges[made.id] = made
    return list(edges.values())


def _first_known(graph: Graph, ends: Mapping[str, set[str]]) -> dict[str, str]:
    """When Resources and Listings were first fetched, and others first recorded, by id."""
    ids = [keys.external_id(label, value) for label, all_of in ends.items() for value in all_of]
    found = nodes(graph, sorted(ids), as_of=None, user=None)
    return {name: node.recorded_at for name, node in found.items()}


def _admitted(edge: Edge, conditions: EdgeFilter) -> bool:
    """Whether a link meets the conditions on time."""
    return (
        (conditions.as_of is None or edge.recorded_at <= conditions.as_of)
        and (conditions.recorded_from is None or edge.recorded_at >= conditions.recorded_from)
        and (conditions.recorded_until is None or edge.recorded_at < conditions.recorded_until)
        and (
            conditions.valid_at is None
            or edge.valid_from is None
            or edge.valid_from <= conditions.valid_at
        )
    )


def _edge(rel: str, src: str, dst: str, recorded_at: str, *, began: bool = False) -> Edge:
    return Edge(
        id=f"{rel}:{blake2b(f'{src}>{dst}'.encode(), digest_size=9).hexdigest()}",
        src=src,
        dst=dst,
        rel=rel,
        cost=COSTS[rel],
        origin=ORIGIN,
        provenance="observed",
        valid_from=recorded_at if began else None,
        recorded_at=recorded_at,
    )


def _node(
    label: str,
    value: str,
    kind: str,
    shown: str,
    at: str,
    attrs: dict[str, Any],
    *,
    address: str = "",
) -> Node:
    """A node whose texts strangers may have written: they are treated as in every other answer.

    Its label begins with its ``address``, by which a model can read it.
    """
    treatment = Treatment()
    label_text = f"{address} {treatment.one_line(shown).text}".strip()
    return Node(
        id=keys.external_id(label, value),
        kind=kind,
        label=label_text[:_LONGEST_LABEL],
        flagged=reads_as_instruction(shown),
        attrs={
            name: treatment.treat_all(given) for name, given in attrs.items() if given is not None
        },
        origin=ORIGIN,
        writer=ORIGIN,
        provenance="observed",
        recorded_at=at,
    )


def _resource(row: Row) -> Node:
    kind = next((label for label in row["labels"] if label != "Resource"), "Resource")
    address = (row["address"] or "").removeprefix("github:")
    shown = row["title"] or ("" if address else row["name"] or row["value"])
    attrs = {name: row[name] for name in ATTRS["Resource"]}
    return _node("Resource", row["value"], kind, shown, _first(row), attrs, address=address)


def _first(row: Row) -> str:
    """When a Resource or a Listing was first fetched, as far as memory knows."""
    return _moment(row["first"] or row["fetched_at"])


def _listing(row: Row) -> Node:
    attrs = {name: row[name] for name in ATTRS["Listing"]}
    shown = row["value"].removeprefix("github:")
    return _node("Listing", row["value"], "Listing", shown, _first(row), attrs)


def _session(row: Row) -> Node:
    return _node("Session", row["value"], "Session", row["value"], _moment(row["at"]), {})


def _kept(label: str, row: Row) -> Node:
    shown = row["title"] or row["summary"] or f"{row['ref']}: {row['verdict']}"
    attrs = {name: row[name] for name in ATTRS[label] if row[name] != ""}
    if row[METADATA] and row[METADATA] != "{}":
        attrs[METADATA] = json.loads(row[METADATA])
    return _node(label, row["value"], label, shown, _moment(row["recorded_at"]), attrs)


def _moment(value: str | None) -> str:
    """A time as the rest of the graph writes it, in the form that sorts as text."""
    return _UNKNOWN if value is None else str(normalised(value))
