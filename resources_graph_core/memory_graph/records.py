"""What travels out of the graph and back: journal entries and dumps."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field, model_validator

from resources_graph_core.memory_graph.model import GRAPH_ID_PATTERN, Edge, EdgeId, Node
from resources_graph_core.memory_graph.times import Moment
from resources_graph_core.model import Frozen

DUMP_FORMAT: Final = 1


class _Entry(Frozen):
    graph_id: Annotated[str, Field(pattern=GRAPH_ID_PATTERN)]


class PutEntry(_Entry):
    """A version of a node was recorded."""

    op: Literal["put"] = "put"
    node: Node


class LinkEntry(_Entry):
    """An edge was recorded."""

    op: Literal["link"] = "link"
    edge: Edge


class SupersedeEntry(_Entry):
    """An edge was superseded at a moment, by ``edge`` unless it was only retired.

    ``by`` is the origin that did it.
    """

    op: Literal["supersede"] = "supersede"
    id: EdgeId
    at: Moment
    by: str
    edge: Edge | None = None


class DropEntry(_Entry):
    """The whole graph was removed."""

    op: Literal["drop"] = "drop"
    at: Moment


JournalEntry = Annotated[
    PutEntry | LinkEntry | SupersedeEntry | DropEntry, Field(discriminator="op")
]
"""One committed write."""


class DumpedNode(Frozen):
    """A node with its versions, oldest first."""

    versions: tuple[Node, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _one_node(self) -> DumpedNode:
        if len({version.id for version in self.versions}) != 1:
            raise ValueError("the versions of a node have one id")
        return self


class DumpedGraph(Frozen):
    """A whole graph."""

    format: Literal[1] = DUMP_FORMAT
    graph_id: Annotated[str, Field(pattern=GRAPH_ID_PATTERN)]
    nodes: tuple[DumpedNode, ...] = ()
    edges: tuple[Edge, ...] = ()
