"""What travels out of the graph and back: journal entries and dumps."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeVar

from pydantic import AfterValidator, Field, model_validator

from resources_graph_core.memory_graph import times
from resources_graph_core.memory_graph.model import GRAPH_ID_PATTERN, Edge, EdgeId, Node
from resources_graph_core.memory_graph.times import Moment
from resources_graph_core.model import Frozen

DUMP_FORMAT: Final = 1

_TIMES: Final = ("recorded_at", "superseded_at", "valid_from", "valid_to")

RecordT = TypeVar("RecordT", Node, Edge)


def _timed(record: RecordT) -> RecordT:
    """A record from outside with its times in the one form; ValueError for what is no time."""
    changes = {}
    for name in _TIMES:
        written = getattr(record, name, None)
        if written is None:
            continue
        if written == times.NOW:
            raise ValueError(f"{name} is the time at which it was; 'now' is none of those")
        if (moment := times.normalised(written)) != written:
            changes[name] = moment
    return record.model_copy(update=changes) if changes else record


_TimedNode = Annotated[Node, AfterValidator(_timed)]
_TimedEdge = Annotated[Edge, AfterValidator(_timed)]


class _Entry(Frozen):
    graph_id: Annotated[str, Field(pattern=GRAPH_ID_PATTERN)]


class PutEntry(_Entry):
    """A version of a node was recorded."""

    op: Literal["put"] = "put"
    node: _TimedNode


class LinkEntry(_Entry):
    """An edge was recorded."""

    op: Literal["link"] = "link"
    edge: _TimedEdge


class SupersedeEntry(_Entry):
    """An edge was superseded at a moment, by ``edge`` unless it was only retired.

    ``by`` is the origin that did it.
    """

    op: Literal["supersede"] = "supersede"
    id: EdgeId
    at: Moment
    by: str
    edge: _TimedEdge | None = None


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

    versions: tuple[_TimedNode, ...] = Field(min_length=1)

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
    edges: tuple[_TimedEdge, ...] = ()
