"""Five questions that a fleet of coding agents asks of its shared memory, each one recall.

The last one is asked of two moments at once, with ``recall_many``.

The data is the journal ``fleet.jsonl`` beside this file: three members, four tickets, what each
touched in three rounds. Run it to see the answers; it keeps its graph in a temporary folder.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from resources_graph_core import open_graph
from resources_graph_core.graph import embedded
from resources_graph_core.graph.schema import setup
from resources_graph_core.memory_graph import Access, MemoryGraph
from resources_graph_core.memory_graph.model import Edge, Node
from resources_graph_core.memory_graph.records import JournalEntry
from resources_graph_core.memory_graph.requests import Recall, RecallMany, Replay

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.memory_graph.responses import EdgeView, NodeView

JOURNAL = Path(__file__).with_name("fleet.jsonl")
WEDNESDAY_MORNING = "2026-11-11T09:30:00Z"
BEFORE, AFTER = "2026-11-07T00:00:00Z", "2026-11-09T00:00:00Z"


def remember(memory: MemoryGraph) -> None:
    """Replay the fleet's journal. The handle is privileged: the entries are by many."""
    entries = TypeAdapter(JournalEntry)
    lines = JOURNAL.read_text("utf-8").splitlines()
    memory.replay(Replay(entries=tuple(entries.validate_json(line) for line in lines)))


def touched_and_planned(memory: MemoryGraph, member: str, ticket: str) -> list[tuple[str, int]]:
    """Files that a member touched in any round and that a ticket plans to touch, with the round."""
    found = memory.recall(
        Recall(
            ids=(ticket,),
            rels=("plans_to_touch", "of"),
            origins=("planner", member),
            max_cost=2,
            kinds=("touch",),
        )
    )
    nodes = _full(found.nodes)
    rounds = [(hit.path[0].to, nodes[hit.id].attrs["round"]) for hit in found.hits]
    return sorted((file, round_) for file, round_ in rounds if isinstance(round_, int))


def stuck(memory: MemoryGraph, ticket: str) -> list[tuple[str, str, str]]:
    """Each time a ticket was returned: when, by which run, and where that was stuck."""
    found = memory.recall(
        Recall(ids=(ticket,), rels=("returned", "stuck_at"), max_cost=2, kinds=("step",))
    )
    nodes, edges = _full(found.nodes), _edges(found.edges)
    answers = []
    for hit in found.hits:
        returned, _ = hit.path
        answers.append((edges[returned.edge].valid_from or "", returned.to, nodes[hit.id].label))
    return sorted(answers)


def work_below(memory: MemoryGraph, ticket: str) -> list[tuple[str, str, str]]:
    """Who worked on what a ticket depends on, with what outcome.

    ``depends_on`` is directed and followed forwards only; ``worked_on`` holds in both directions.
    """
    found = memory.recall(
        Recall(
            ids=(ticket,),
            rels=("depends_on", "worked_on"),
            direction="out",
            max_cost=2,
            kinds=("run",),
        )
    )
    nodes = _full(found.nodes)
    return sorted(
        (hit.path[0].to, nodes[hit.id].origin, str(nodes[hit.id].attrs["outcome"]))
        for hit in found.hits
    )


def editing(memory: MemoryGraph, ticket: str, at: str = "now") -> list[tuple[str, str]]:
    """Who is editing the files that a ticket plans to touch, at a moment."""
    found = memory.recall(
        Recall(
            ids=(ticket,),
            rels=("plans_to_touch", "editing"),
            valid_at=at,
            max_cost=2,
            kinds=("member",),
        )
    )
    return sorted((hit.path[0].to, hit.id) for hit in found.hits)


def corrected(memory: MemoryGraph, claim: str) -> list[list[str]]:
    """What a claim said as of before it was corrected, and as of after: two views, one recall."""
    found = memory.recall_many(
        RecallMany(
            questions=tuple(
                Recall(ids=(claim,), max_cost=1, kinds=("cause",), as_of=moment)
                for moment in (BEFORE, AFTER)
            )
        )
    )
    labels = {node.id: node.label for node in found.nodes}
    return [[labels[hit.id] for hit in answer.hits] for answer in found.answers]


def answers(memory: MemoryGraph) -> Iterator[tuple[str, object]]:
    """Every question with its answer."""
    yield (
        "Which files that T-7 plans to touch did Ada touch, and in which round?",
        touched_and_planned(memory, "ada", "ticket:T-7"),
    )
    yield (
        "T-3 came back twice: when, by which run, and where was it stuck?",
        stuck(memory, "ticket:T-3"),
    )
    yield (
        "Who worked on what T-7 depends on, and how did it end?",
        work_below(memory, "ticket:T-7"),
    )
    yield (
        "Who is editing the files of T-7 right now (Wednesday, half past nine)?",
        editing(memory, "ticket:T-7", WEDNESDAY_MORNING),
    )
    yield (
        "Why is the parser slow, as of before and after the claim was corrected?",
        corrected(memory, "claim:slow"),
    )


def main() -> None:
    """Ask and print, on a graph in a temporary folder."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve() / "graph"
        try:
            with open_graph(f"embedded://{folder}") as graph:
                setup(graph)
                access = Access(origin="example", trusted=True, privileged=True)
                with MemoryGraph(graph, access=access) as memory:
                    remember(memory)
                    for question, answer in answers(memory):
                        print(f"{question}\n  {answer}")
        finally:
            embedded.stop(folder)


def _full(nodes: tuple[NodeView, ...]) -> dict[str, Node]:
    return {node.id: node for node in nodes if isinstance(node, Node)}


def _edges(edges: tuple[EdgeView, ...]) -> dict[str, Edge]:
    return {edge.id: edge for edge in edges if isinstance(edge, Edge)}


if __name__ == "__main__":
    main()
