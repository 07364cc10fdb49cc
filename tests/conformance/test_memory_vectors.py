"""Which vectors answer a search: those of present texts, made by the model that asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from resources_graph_core.memory_graph import Access, Embeddings, MemoryGraph
from resources_graph_core.memory_graph.records import PutEntry
from resources_graph_core.memory_graph.requests import Load, Match, Put, Recall, Reembed, Replay

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from resources_graph_core.graph import Graph
    from resources_graph_core.memory_graph.model import Node

ADMIN = Access(origin="admin", trusted=True, privileged=True)
LATER = "2199-01-01T00:00:00.000000Z"


class Animals:
    """A made-up model that knows cats from everything else; ``turned`` swaps its numbers."""

    dims = 2

    def __init__(self, model: str = "animals", *, turned: bool = False) -> None:
        self.model = model
        self._turned = turned

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        pairs = [[1.0, 0.1] if "cat" in text else [0.1, 1.0] for text in texts]
        return [pair[::-1] for pair in pairs] if self._turned else pairs


def seeing(graph: Graph, model: Animals | None = None, **choice: Any) -> MemoryGraph:  # noqa: ANN401
    return MemoryGraph(graph, access=ADMIN, embeddings=Embeddings(model or Animals(), **choice))


def found(memory: MemoryGraph, text: str, limit: int = 10) -> dict[str, float]:
    """The nodes found by a text, with scores to the first decimal."""
    scores = memory.match(Match(semantic=text, limit=limit)).scores
    return {name: round(score, 1) for name, score in scores.items()}


def put(graph: Graph, node: Node) -> None:
    MemoryGraph(graph, access=ADMIN).put(Put(id=node.id, label=node.label))


def replay(graph: Graph, node: Node) -> None:
    seeing(graph).replay(Replay(entries=(PutEntry(graph_id="main", node=node),)))


def load(graph: Graph, node: Node) -> None:
    MemoryGraph(graph, graph_id="copy", access=ADMIN).replay(
        Replay(entries=(PutEntry(graph_id="copy", node=node),))
    )
    dump = MemoryGraph(graph, graph_id="copy", access=ADMIN).dump()
    seeing(graph).load(Load(dump=dump.model_copy(update={"graph_id": "main"})))


@pytest.mark.parametrize("relabel", [put, replay, load])
def test_a_vector_of_another_text_answers_nothing(
    graph: Graph, relabel: Callable[[Graph, Node], None]
) -> None:
    memory = seeing(graph)
    nodes = [memory.put(Put(id=f"n{number}", kind="note", label="cat")).node for number in range(3)]
    for node in nodes[:2]:
        relabel(graph, node.model_copy(update={"label": "dog", "recorded_at": LATER}))
    assert found(memory, "cat") == {"n2": 1}
    assert found(memory, "dog") == {"n2": 0.2}
    assert memory.reembed(Reembed()).written == 3
    assert found(memory, "dog") == {"n0": 1, "n1": 1, "n2": 0.2}


def test_as_many_are_found_as_are_asked_for(graph: Graph) -> None:
    """However many vectors nearer by are of other texts, or of another model."""
    memory, blind = seeing(graph), MemoryGraph(graph, access=ADMIN)
    for number in range(20):
        memory.put(Put(id=f"a{number:02}", kind="note", label="cat"))
        blind.put(Put(id=f"a{number:02}", label="dog"))
    other = seeing(graph, Animals("other"))
    for number in range(20):
        other.put(Put(id=f"b{number:02}", kind="note", label="cat"))
    for number in range(3):
        memory.put(Put(id=f"c{number}", kind="note", label="dog"))
    assert found(memory, "cat", 2) == {"c0": 0.2, "c1": 0.2}


def test_what_came_later_takes_nobodys_place(graph: Graph) -> None:
    moments = iter(["2026-01-01T00:00:00.000000Z", "2026-01-03T00:00:00.000000Z", LATER])
    memory = MemoryGraph(
        graph, access=ADMIN, clock=lambda: next(moments), embeddings=Embeddings(Animals())
    )
    memory.put(Put(id="old", kind="note", label="dog"))
    memory.put(Put(id="new", kind="note", label="cat"))
    between = {"as_of": "2026-01-02", "max_cost": 0.0}
    hits = memory.recall(Recall(locate="cat", entries=1, **between)).hits
    assert [hit.id for hit in hits] == ["old"]
    assert [hit.id for hit in memory.recall(Recall(locate="cat", entries=1)).hits] == ["new"]
    assert memory.match(Match(semantic="cat", as_of="2026-01-02")).scores.keys() == {"old"}
    # Found by what it says now, and told as it was then.
    memory.put(Put(id="old", label="another cat"))
    assert found(memory, "cat") == {"new": 1, "old": 1}
    found_then = memory.match(Match(semantic="cat", as_of="2026-01-02"))
    assert [(node.id, node.label) for node in found_then.nodes] == [("old", "dog")]
    assert found_then.scores["old"] == pytest.approx(1)


def test_vectors_of_another_model_are_not_compared(graph: Graph) -> None:
    one, other = seeing(graph), seeing(graph, Animals("turned", turned=True))
    for label in ("cat", "dog"):
        one.put(Put(id=label, kind="note", label=label))
    assert found(other, "cat") == {}
    assert other.put(Put(id="dog", attrs={"p": 1})).embedded is True
    assert found(other, "cat") == {"dog": 0.2}
    assert found(one, "cat") == {"cat": 1}
    assert one.put(Put(id="cat", attrs={"p": 1})).embedded is True


def test_a_vector_answers_whoever_chose_its_text(graph: Graph) -> None:
    """Of the present version it is right, whatever text the one who asks would have taken."""
    writer = seeing(graph, text=lambda node: f"a cat, {node.label}")
    writer.put(Put(id="n", kind="note", label="Tom"))
    reader = seeing(graph)
    assert found(reader, "cat") == {"n": 1}
    assert writer.put(Put(id="n", attrs={"p": 1})).embedded is True
    assert found(reader, "cat") == {"n": 1}
    MemoryGraph(graph, access=ADMIN).put(Put(id="n", attrs={"p": 2}))
    assert found(writer, "cat") == {"n": 1}
    assert found(reader, "cat") == {}


@pytest.mark.parametrize("text", [lambda node: node.attrs["gone"], lambda _: 7])
def test_a_text_that_fails_loses_a_vector_and_never_a_write(
    graph: Graph,
    text: Any,  # noqa: ANN401 - one of them gives no text
    caplog: pytest.LogCaptureFixture,
) -> None:
    memory = seeing(graph, text=text)
    assert memory.put(Put(id="n", kind="note", label="cat")).embedded is False
    assert "1 vector was not made" in caplog.text
    seeing(graph).put(Put(id="m", kind="note", label="cat"))
    assert memory.put(Put(id="m", label="dog")).embedded is False
    assert memory.put(Put(id="m", label="dog")).embedded is False
    assert found(memory, "cat") == {}
    assert memory.reembed(Reembed()).model_dump() == {"written": 0, "removed": 0, "failed": 2}
    assert seeing(graph).reembed(Reembed()).written == 2
