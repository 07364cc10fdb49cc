"""Vectors beside the nodes: stored, brought up to date, and searched.

Beside each vector stands a hash of the text that it was made from, and by which model: a text that
stayed the same is not embedded again, and a model that fails costs no vector that still is right.

FalkorDB has a vector index, which finds the nearest candidates; elsewhere, or when it finds too few
of the right graph, every vector of the graph is compared. Similarity is always the cosine, computed
here, so that engines agree.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from hashlib import sha256
from math import hypot
from operator import mul
from typing import TYPE_CHECKING, Final

from resources_graph_core.errors import EmbeddingFailed, GraphQueryError, UsageError
from resources_graph_core.memory_graph import keys, reading, selecting
from resources_graph_core.store.batches import batches

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from resources_graph_core.graph import Graph
    from resources_graph_core.memory_graph.embeddings import Embeddings
    from resources_graph_core.memory_graph.model import Node
    from resources_graph_core.memory_graph.requests import Match, Reembed

log = logging.getLogger(__name__)

_BATCH: Final = 64
_OVERFETCH: Final = 8
"""So many times the candidates that are wanted are asked of an index that several graphs share."""

_WRITE: Final = """
UNWIND $rows AS row
MATCH (:MemoryNode {{key: row.key}})
OPTIONAL MATCH (old:MemoryVector {{key: row.key}})
FOREACH (one IN CASE WHEN old IS NULL THEN [] ELSE [old] END | DETACH DELETE one)
CREATE (:MemoryVector{label} {{key: row.key, graph_id: $graph_id, id: row.id, vector: {vector},
                               made_from: row.made_from, made_by: $made_by}})
"""

_REMOVE: Final = """
UNWIND $keys AS key
MATCH (old:MemoryVector {key: key})
DETACH DELETE old
"""

_ALL: Final = """
MATCH (one:MemoryVector {graph_id: $graph_id})
WHERE one.key > $after
RETURN one.key AS key, one.id AS id, one.vector AS vector
ORDER BY key
LIMIT $page
"""

_MADE: Final = """
UNWIND $keys AS key
MATCH (one:MemoryVector {key: key})
RETURN one.id AS id, one.made_from AS made_from, one.made_by AS made_by
"""

_PAGE: Final = 2000


@dataclass(frozen=True, slots=True)
class NodeVectors:
    """The vectors of one graph, made by one choice of embeddings."""

    graph: Graph
    graph_id: str
    embeddings: Embeddings

    def follow(self, node: Node) -> bool:
        """Give a node's new version its vector; returns whether the node has one then.

        A text that this model embedded before is not embedded again.
        """
        text = self.embeddings.text_of(node)
        made = self._made([node.id]).get(node.id)
        if text is not None and made == (_hash(text), self.embeddings.made_by):
            return True
        written, _, _ = self.keep([node])
        return written == 1 or (made is not None and self.has(node.id))

    def has(self, node_id: str) -> bool:
        """Whether a node has a vector."""
        return bool(self._made([node_id]))

    def keep(self, nodes: Sequence[Node]) -> tuple[int, int, int]:
        """Give nodes the vectors that they should have: how many were written, removed, lost.

        A model that fails raises nothing, and loses the vectors of texts that are others now.
        """
        wanted = [(node.id, self.embeddings.text_of(node)) for node in nodes]
        texts = {name: text for name, text in wanted if text is not None}
        gone = [name for name, text in wanted if text is None]
        try:
            vectors = self.embeddings.vectors(list(texts.values())) if texts else []
        except EmbeddingFailed as error:
            log.warning("%d vectors were not made: %s", len(texts), error)
            made = self._made(list(texts))
            gone += [name for name, (of, _) in made.items() if of != _hash(texts[name])]
            return 0, self._remove(gone), len(texts)
        removed = self._remove(gone)
        self._write(texts, vectors)
        return len(texts), removed, 0

    def bring_up_to_date(self, request: Reembed) -> tuple[int, int, int]:
        """Give every node of a choice its vector; returns how many were written, removed, lost."""
        everything = selecting.everything(self.graph, self.graph_id)
        total = (0, 0, 0)
        chosen = [
            node
            for node in everything
            if (request.kinds is None or node.kind in request.kinds)
            and (request.since is None or node.recorded_at >= request.since)
        ]
        for batch in batches(chosen, _BATCH):
            written, removed, lost = self.keep(batch)
            total = (total[0] + written, total[1] + removed, total[2] + lost)
        return total

    def nearest(self, text: str, request: Match, limit: int) -> list[tuple[Node, float]]:
        """The nodes that meet a match, most similar to a text first, with the similarity.

        Raises EmbeddingFailed.
        """
        (query,) = self.embeddings.vectors([text[: self.embeddings.characters]])
        candidates = self._from_index(query, limit * _OVERFETCH)
        found = self._ranked(query, candidates, request, limit)
        if len(found) < limit:
            found = self._ranked(query, self._everything(), request, limit)
        return found

    def _ranked(
        self,
        query: Sequence[float],
        candidates: Iterable[tuple[str, Sequence[float]]],
        request: Match,
        limit: int,
    ) -> list[tuple[Node, float]]:
        scored = [
            (similarity(query, vector), name)
            for name, vector in candidates
            if len(vector) == len(query)
        ]
        scored.sort(key=lambda one: (-one[0], one[1]))
        found: list[tuple[Node, float]] = []
        for batch in batches(scored, max(limit, _BATCH)):
            nodes = reading.nodes(
                self.graph, self.graph_id, [name for _, name in batch], as_of=request.as_of
            )
            found += [
                (nodes[name], score)
                for score, name in batch
                if name in nodes and selecting.admits(request, nodes[name])
            ]
            if len(found) >= limit:
                break
        return found[:limit]

    def _from_index(self, query: Sequence[float], most: int) -> list[tuple[str, list[float]]]:
        if self.graph.dialect != "falkordb":
            return []
        label = self._label()
        try:
            rows = self.graph.query(
                f"CALL db.idx.vector.queryNodes('{label}', 'vector', $most, vecf32($query)) "
                "YIELD node "
                "WITH node WHERE node.graph_id = $graph_id "
                "RETURN node.id AS id, node.vector AS vector",
                most=most,
                query=list(query),
                graph_id=self.graph_id,
            )
        except GraphQueryError:
            return []  # no vector of these dimensions was ever written, so there is no index
        return [(row["id"], row["vector"]) for row in rows]

    def _everything(self) -> Iterable[tuple[str, list[float]]]:
        after = ""
        while rows := self.graph.query(_ALL, graph_id=self.graph_id, after=after, page=_PAGE):
            yield from ((row["id"], row["vector"]) for row in rows)
            after = rows[-1]["key"]

    def _write(self, texts: Mapping[str, str], vectors: Sequence[Sequence[float]]) -> None:
        """Write the vectors of texts, given by id and in the same order."""
        if not texts:
            return
        native = self.graph.dialect == "falkordb"
        if native:
            self._make_index()
        statement = _WRITE.format(
            label=f":{self._label()}" if native else "",
            vector="vecf32(row.vector)" if native else "row.vector",
        )
        rows = [
            {
                "key": keys.key_of(self.graph_id, name),
                "id": name,
                "vector": list(vector),
                "made_from": _hash(text),
            }
            for (name, text), vector in zip(texts.items(), vectors, strict=True)
        ]
        self.graph.query(
            statement, rows=rows, graph_id=self.graph_id, made_by=self.embeddings.made_by
        )

    def _remove(self, ids: Sequence[str]) -> int:
        present = self._made(ids)
        if present:
            self.graph.query(_REMOVE, keys=[keys.key_of(self.graph_id, name) for name in present])
        return len(present)

    def _made(self, ids: Sequence[str]) -> dict[str, tuple[str | None, str | None]]:
        """From which text and by which model vectors were made, by id; None where none says."""
        wanted = [keys.key_of(self.graph_id, name) for name in ids]
        rows = self.graph.query(_MADE, keys=wanted) if wanted else []
        return {row["id"]: (row["made_from"], row["made_by"]) for row in rows}

    def _label(self) -> str:
        """One label, and so one index, for each number of dimensions."""
        return f"Vector{self.embeddings.model.dims}"

    def _make_index(self) -> None:
        """Make the engine's vector index when it lacks; its dialect has no "if not exists"."""
        label = self._label()
        there = self.graph.change_schema("CALL db.indexes()")
        if not any(row["label"] == label for row in there):
            self.graph.change_schema(
                f"CREATE VECTOR INDEX FOR (one:{label}) ON (one.vector) OPTIONS "
                f"{{dimension: {self.embeddings.model.dims}, similarityFunction: 'cosine'}}"
            )


def _hash(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass")).hexdigest()


def similarity(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of the angle between two vectors, -1 to 1; 0 when one of them is all zeros."""
    size = hypot(*one) * hypot(*other)
    return sum(map(mul, one, other)) / size if size else 0.0


def off() -> UsageError:
    """The error for what needs embeddings where they are off."""
    return UsageError("Embeddings are off. Open the memory graph with a model to use them.")
