"""How often nodes were read: written in bounded intervals, not only at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources_graph_core.memory_graph import Access, MemoryGraph, accesses
from resources_graph_core.memory_graph.requests import Get, Put

if TYPE_CHECKING:
    from resources_graph_core.graph import Graph


def test_counts_are_written_with_the_first_read_after_a_while(embedded_graph: Graph) -> None:
    clock = 0.0
    counts = accesses.Accesses(clock=lambda: clock)
    memory = MemoryGraph(embedded_graph, access=Access(origin="ada"), accesses=counts)
    memory.put(Put(id="a", kind="task"))

    def written() -> object:
        (row,) = embedded_graph.query("MATCH (n:MemoryNode) RETURN n.accesses AS accesses")
        return row["accesses"]

    memory.get(Get(id="a"))
    memory.get(Get(id="a"))
    assert written() is None
    clock += accesses.LONGEST_WAIT_SECONDS
    assert memory.get(Get(id="a")).accesses == 3
    assert written() == 3
