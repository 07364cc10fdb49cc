"""Every operation in one table: its name, what it is asked with, what it answers, what it does.

The command line, MCP and HTTP are built from this table and :func:`dispatch` alone, so that an
operation has one definition. ``OPERATIONS[name].request.model_json_schema()`` is its schema, its
docstring the description.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from resources_graph_core.errors import UsageError
from resources_graph_core.memory_graph import requests, responses
from resources_graph_core.memory_graph.inputs import Whole, read_input, read_request
from resources_graph_core.memory_graph.records import DumpedGraph

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import BaseModel

    from resources_graph_core.memory_graph.handle import MemoryGraph

TIME_AXES: Final = (
    "Edges have two independent time axes. valid_at asks what was true at a moment (valid_from and "
    "valid_to); as_of asks what the graph knew at a moment, before later corrections (recorded_at "
    "and superseded_at). Either, both or none may be given."
)
"""The two time axes, in words for whoever calls an operation."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation.

    ``writes`` is False for what a read-only handle may do. ``bare_id`` says that a plain id may
    stand for the whole request, ``whole`` that the value of one field may. ``timed`` says that
    :data:`TIME_AXES` belongs in its description.
    """

    name: str
    request: type[BaseModel]
    response: type[BaseModel]
    writes: bool = False
    bare_id: bool = False
    timed: bool = False
    whole: Whole | None = None

    @property
    def description(self) -> str:
        """What it does, in words for a person or a model."""
        said = " ".join((self.request.__doc__ or "").replace("``", "").split())
        return f"{said} {TIME_AXES}" if self.timed else said

    def read(self, text: str) -> dict[str, Any]:
        """The arguments that a text says. Raises UsageError for what is no JSON of its."""
        return read_input(self.name, self.request, self.whole, text)

    @property
    def needs_input(self) -> bool:
        """Whether it has to be asked with something."""
        return any(field.is_required() for field in self.request.model_fields.values())

    @property
    def projects(self) -> bool:
        """Whether its answer comes in short or in full."""
        return "project" in self.request.model_fields


_DUMP: Final = Whole("dump", frozenset({"format", "nodes"}))
_ENTRIES: Final = Whole("entries", frozenset({"op"}), many=True)

OPERATIONS: Final[Mapping[str, Operation]] = {
    operation.name: operation
    for operation in (
        Operation("put", requests.Put, responses.Stored, writes=True),
        Operation("link", requests.Link, responses.Linked, writes=True),
        Operation("supersede", requests.Supersede, responses.Superseded, writes=True),
        Operation("match", requests.Match, responses.Matched, timed=True),
        Operation("get", requests.Get, responses.Got, bare_id=True, timed=True),
        Operation("recall", requests.Recall, responses.Recalled, timed=True),
        Operation("recall_many", requests.RecallMany, responses.RecalledMany, timed=True),
        Operation("subgraph", requests.Subgraph, responses.Drawn, timed=True),
        Operation("trace", requests.Trace, responses.Traced, bare_id=True),
        Operation("trace_edge", requests.TraceEdge, responses.TracedEdge, bare_id=True),
        Operation("stats", requests.Stats, responses.Counted),
        Operation("reembed", requests.Reembed, responses.Reembedded, writes=True),
        Operation("dump", requests.Dump, DumpedGraph),
        Operation("load", requests.Load, responses.Loaded, writes=True, whole=_DUMP),
        Operation("replay", requests.Replay, responses.Loaded, writes=True, whole=_ENTRIES),
        Operation("drop", requests.Drop, responses.Dropped, writes=True),
    )
}
"""All operations by name; each is the method of the same name of a MemoryGraph."""


def dispatch(handle: MemoryGraph, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Run an operation by name, with JSON in and JSON out; answers come in short by default.

    Raises UsageError for an operation or arguments that are none, and whatever the operation
    raises: AccessDenied, UnknownId, Refused, Conflict, GraphUnavailable and the like.
    """
    operation = OPERATIONS.get(name)
    if operation is None:
        raise UsageError(f"{name[:40]!r} is no operation; one of {', '.join(OPERATIONS)}")
    given = {"project": "summary", **arguments} if operation.projects else dict(arguments)
    request = read_request(name, operation.request, given)
    answer: BaseModel = getattr(handle, name)(request)
    return answer.model_dump(mode="json", by_alias=True)
