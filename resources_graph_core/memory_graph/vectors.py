"""Vectors beside the nodes: stored, brought up to date, and searched.

Beside each vector stands a hash of the text that it was made from, of which version of the node,
and by which model: a text that stayed the same is not embedded again, and a model that fails costs
no vector that still is right. Handles without embeddings write too, as do replays and loads, and
they leave the vectors alone: one that was made from another text than the node's present one, or by
another model than is asked with, answers no search.

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
from resources_graph_core.memory_graph import keys, reading, selecting, statements
from resources_graph_core.store.batches import batches

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from resources_graph_core.graph import Graph, Row
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
                               made_from: row.made_from, made_of: row.made_of,
                               made_by: $made_by}})
"""

_REMOVE: Final = """
UNWIND $keys AS key
MATCH (old:MemoryVector {key: key})
DETACH DELETE old
"""

_ALL: Final = """
MATCH (one:MemoryVector {graph_id: $graph_id})
WHERE one.key > $after AND one.made_by = $made_by
RETURN one.key AS key, one.id AS id, one.vector AS vector, one.made_from AS made_from,
       one.made_of AS made_of
ORDER BY key
LIMIT $page
"""

_MADE: Final = """
UNWIND $keys AS key
MATCH (one:MemoryVector {key: key})
RETURN one.id AS id, one.made_from AS made_from, one.made_by AS made_by
"""

_KEEP: Final = """
MATCH (one:MemoryVector {key: $key})
WHERE one.made_from = $made_from AND one.made_by = $made_by
SET one.made_of = $made_of
"""

_PAGE: Final = 2000


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A vector that one model made, with the text and the version of its node that it is of."""

    id: str
    vector: Sequence[float]
    made_from: str | None
    made_of: str | None

    @classmethod
    def of_row(cls, row: Row) -> _Candidate:
        return cls(row["id"], row["vector"], row["made_from"], row["made_of"])


@dataclass(frozen=True, slots=True)
class NodeVectors:
    """The vectors of one graph, made by one choice of embeddings."""

    graph: Graph
    graph_id: str
    embeddings: Embeddings

    def follow(self, node: Node) -> bool:
        """Give a node's new version its vector; returns whether the node has one then.

        A text that this model embedded before is not embedded again. What fails loses the vector,
        and raises nothing.
        """
        text = self._text_of(node)
        if text is None or not self._holds(node, text):
            written, _, _ = self.keep([node])
            return written == 1
        self.graph.query(
            _KEEP,
            key=keys.key_of(self.graph_id, node.id),
            made_from=_hash(text),
            made_by=self.embeddings.made_by,
            made_of=statements.stamp_of(node),
        )
        return True

    def has(self, node: Node) -> bool:
        """Whether a node has the vector that this model makes from its text."""
        text = self._text_of(node)
        return text is not None and self._holds(node, text)

    def keep(self, nodes: Sequence[Node]) -> tuple[int, int, int]:
        """Give nodes the vectors that they should have: how many were written, removed, lost.

        A model that fails raises nothing, and loses the vectors of texts that are others now. So
        does a ``text`` that fails, whose nodes get no vector.
        """
        texts: dict[str, str] = {}
        gone: list[str] = []
        lost = 0
        for node in nodes:
            try:
                text = self.embeddings.text_of(node)
            except EmbeddingFailed as error:
                log.warning("1 vector was not made: %s", error)
                lost += 1
                continue
            if text is None:
                gone.append(node.id)
            else:
                texts[node.id] = text
        try:
            vectors = self.embeddings.vectors(list(texts.values())) if texts else []
        except EmbeddingFailed as error:
            log.warning("%d vectors were not made: %s", len(texts), error)
            made = self._made(list(texts))
            gone += [name for name, (of, _) in made.items() if of != _hash(texts[name])]
            return 0, self._remove(gone), lost + len(texts)
        removed = self._remove(gone)
        self._write([node for node in nodes if node.id in texts], texts, vectors)
        return len(texts), removed, lost

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

        There are vectors of present texts only. As of an earlier moment a node is found by what it
        says now, and told as it was then; one that did not exist yet is not found.
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
        candidates: Iterable[_Candidate],
        request: Match,
        limit: int,
    ) -> list[tuple[Node, float]]:
        scored = [
            (similarity(query, one.vector), one)
            for one in candidates
            if len(one.vector) == len(query)
        ]
        scored.sort(key=lambda pair: (-pair[0], pair[1].id))
        found: list[tuple[Node, float]] = []
        for batch in batches(scored, max(limit, _BATCH)):
            now = reading.nodes(self.graph, self.graph_id, [one.id for _, one in batch])
            right = {one.id: score for score, one in batch if self._is_right(one, now.get(one.id))}
            then = now
            if request.as_of is not None:
                then = reading.nodes(self.graph, self.graph_id, right, as_of=request.as_of)
            found += [
                (then[name], score)
                for name, score in right.items()
                if name in then and selecting.admits(request, then[name])
            ]
            if len(found) >= limit:
                break
        return found[:limit]

    def _is_right(self, candidate: _Candidate, node: Node | None) -> bool:
        """Whether a vector is of what its node is now, or of the text that it has now."""
        if node is None:
            return False
        if candidate.made_of == statements.stamp_of(node):
            return True
        text = self._text_of(node)
        return text is not None and candidate.made_from == _hash(text)

    def _holds(self, node: Node, text: str) -> bool:
        """Whether a node's vector is this model's of a text."""
        made = self._made([node.id]).get(node.id)
        return made == (_hash(text), self.embeddings.made_by)

    def _text_of(self, node: Node) -> str | None:
        """The text of a node, or None when it has none, or none that could be had."""
        try:
            return self.embeddings.text_of(node)
        except EmbeddingFailed as error:
            log.warning("A text could not be had: %s", error)
            return None

    def _from_index(self, query: Sequence[float], most: int) -> list[_Candidate]:
        if self.graph.dialect != "falkordb":
            return []
        label = self._label()
        try:
            rows = self.graph.query(
                f"CALL db.idx.vector.queryNodes('{label}', 'vector', $most, vecf32($query)) "
                "YIELD node "
                "WITH node WHERE node.graph_id = $graph_id AND node.made_by = $made_by "
                "RETURN node.id AS id, node.vector AS vector, node.made_from AS made_from, "
                "node.made_of AS made_of",
                most=most,
                query=list(query),
                graph_id=self.graph_id,
                made_by=self.embeddings.made_by,
            )
        except GraphQueryError:
            return []  # no vector of these dimensions was ever written, so there is no index
        return [_Candidate.of_row(row) for row in rows]

    def _everything(self) -> Iterable[_Candidate]:
        after = ""
        while rows := self.graph.query(
            _ALL,
            graph_id=self.graph_id,
            made_by=self.embeddings.made_by,
            after=after,
            page=_PAGE,
        ):
            yield from map(_Candidate.of_row, rows)
            after = rows[-1]["key"]

    def _write(
        self, nodes: Sequence[Node], texts: Mapping[str, str], vectors: Sequence[Sequence[float]]
    ) -> None:
        """Write the vectors of nodes, given in the same order, with their texts by id."""
        if not nodes:
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
                "key": keys.key_of(self.graph_id, node.id),
                "id": node.id,
                "vector": list(vector),
                "made_from": _hash(texts[node.id]),
                "made_of": statements.stamp_of(node),
            }
            for node, vector in zip(nodes, vectors, strict=True)
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
