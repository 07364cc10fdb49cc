"""What each operation is asked with: one Pydantic model each, the same on every surface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from pydantic import AliasChoices, Field, model_validator

from resources_graph_core.memory_graph.model import (
    LARGEST_COST,
    Attrs,
    Cost,
    Edge,
    EdgeId,
    Label,
    Name,
    NodeId,
    Provenance,
)
from resources_graph_core.memory_graph.records import DumpedGraph, JournalEntry
from resources_graph_core.memory_graph.times import Moment
from resources_graph_core.model import Frozen

MOST_NODES = 10_000
MOST_QUESTIONS = 32

Project = Literal["summary", "full"]
SubgraphFormat = Literal["json", "graphml", "mermaid", "html"]
Direction = Literal["any", "out", "in"]


@dataclass(frozen=True, slots=True)
class Hint:
    """What a field means, for people: ``text`` stands in the help of the command line.

    Schemas do not have it, since each of their words costs a model tokens; what a model has to
    know is a field's description.
    """

    text: str


_AS_OF = "What the graph knew at this moment: what was recorded later does not exist."
_VALID_AT = "Only what was true at this moment; without it, whatever was true at any time."

AsOf = Annotated[Moment | None, Field(description=_AS_OF)]
ValidAt = Annotated[Moment | None, Field(description=_VALID_AT)]

NamedNode = Annotated[NodeId, Hint("A node's id, or an Address that is in memory.")]
SetProvenance = Annotated[
    Provenance | None, Hint("observed is for trusted handles, and their default; else claimed.")
]
OnlyProvenance = Annotated[Provenance | None, Hint("Only what has it.")]
Since = Annotated[Moment | None, Hint("Since when it is true.")]
Until = Annotated[Moment | None, Hint("Until when it is true.")]
ToScope = Annotated[Name | None, Hint("A name that walks can be kept to.")]
NearCost = Annotated[Cost, Hint("How far apart its ends are on a walk.")]
OfEdges = Hint("Of edges only.")


class Slice(Frozen):
    """What was recorded from ``start`` on, up to but not including ``end``."""

    start: Moment
    end: Moment


class Projected(Frozen):
    """A request whose answer comes in short or in full."""

    project: Project = Field(
        default="full", description="summary leaves out attrs, origins and times."
    )


class Put(Frozen):
    """Make a node, or record a new version of it.

    What is left out stays as it was; attrs that are given replace all of them. On somebody else's
    node only absent attrs can be added.
    """

    id: Annotated[NodeId, Hint("Of your own making; a new one makes a node.")]
    kind: Annotated[Name | None, Hint("Such as task; a new node needs one.")] = None
    label: Annotated[Label | None, Hint("For people to read; the id by default.")] = None
    attrs: Attrs | None = None
    provenance: SetProvenance = None


class Assertion(Frozen):
    """What an edge says besides its ends, as it is given."""

    cost: NearCost = 1.0
    directed: Annotated[bool, Hint("Whether it holds from src to dst only.")] = True
    scope: ToScope = None
    attrs: Attrs = Field(default_factory=dict)
    valid_from: Since = None
    valid_to: Until = None
    provenance: SetProvenance = None


class Link(Assertion):
    """Assert that ``src`` stands in ``rel`` to ``dst``; both exist, or are Addresses in memory."""

    src: NamedNode
    dst: NamedNode
    rel: Annotated[Name, Hint("The relation, such as depends_on.")]
    id: EdgeId | None = Field(default=None, description="Made up when left out.")


class Supersede(Frozen):
    """Retire an edge, and record the one that replaces it unless ``retire`` is set.

    The new edge is the old one with what is given here instead. ``clear`` names what the new edge
    shall do without.
    """

    id: Annotated[EdgeId, Hint("The edge to retire.")]
    retire: Annotated[bool, Hint("Put no edge in its place.")] = False
    new_id: Annotated[EdgeId | None, Hint("Of the new edge; made up when left out.")] = None
    src: NodeId | None = None
    dst: NodeId | None = None
    rel: Name | None = None
    cost: Cost | None = None
    directed: bool | None = None
    scope: ToScope = None
    attrs: Attrs | None = None
    valid_from: Since = None
    valid_to: Until = None
    provenance: SetProvenance = None
    clear: Annotated[
        tuple[Literal["scope", "valid_from", "valid_to"], ...], Hint("The new edge has none.")
    ] = ()

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        replacing = self.model_fields_set - {"id", "retire"}
        if self.retire and replacing:
            raise ValueError(f"retire leaves no new edge to give {', '.join(sorted(replacing))} to")
        return self


class Match(Projected):
    """Find nodes, or edges, by what they are: every condition given must hold.

    Nodes come by id; in the graph main, what memory holds of GitHub is among them.
    ``semantic`` finds the nodes whose text is nearest in meaning, nearest first, where embeddings
    are on.
    """

    of: Literal["nodes", "edges"] = "nodes"
    ids: tuple[NodeId, ...] | None = Field(default=None, max_length=MOST_NODES)
    kind: Name | None = None
    label: Annotated[Label | None, Hint("The whole label.")] = None
    label_contains: str | None = Field(
        default=None,
        min_length=1,
        max_length=1000,
        validation_alias=AliasChoices("labelContains", "label_contains"),
        description="Whatever the case of its letters.",
    )
    attrs: Attrs | None = Field(default=None, description="These attrs have these values.")
    semantic: Annotated[str | None, Hint("Nearest in meaning first; needs embeddings.")] = Field(
        default=None, min_length=1, max_length=10_000
    )
    src: Annotated[NodeId | None, OfEdges] = None
    dst: Annotated[NodeId | None, OfEdges] = None
    rel: Annotated[Name | None, OfEdges] = None
    scope: Annotated[Name | None, OfEdges] = None
    origin: Annotated[Name | None, Hint("Who made it.")] = None
    provenance: OnlyProvenance = None
    as_of: AsOf = None
    valid_at: ValidAt = None
    recorded_between: Annotated[Slice | None, Hint("From start on, before end.")] = None
    limit: Annotated[int, Hint("At most so many.")] = Field(default=50, ge=1, le=MOST_NODES)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        """Refuse a condition that the other kind of record has."""
        nodes_only = {"kind", "label", "label_contains", "semantic"}
        edges_only = {"src", "dst", "rel", "scope", "valid_at"}
        unfit = self.model_fields_set & (nodes_only if self.of == "edges" else edges_only)
        if given := sorted(name for name in unfit if getattr(self, name) is not None):
            raise ValueError(f"{self.of} have no {', '.join(given)} to match")
        return self


class Get(Projected):
    """One node by its id or Address, with the live edges around it."""

    id: NamedNode
    as_of: AsOf = None
    edges: bool = Field(default=True, description="With the edges at the node.")
    limit: int = Field(
        default=200, ge=1, le=MOST_NODES, description="At most so many edges, the newest."
    )


class Walking(Projected):
    """Where a walk starts, what it may follow and how far it goes."""

    ids: Annotated[tuple[NodeId, ...], Hint("Start at these ids or Addresses.")] = Field(
        default=(), max_length=1000
    )
    match: Annotated[
        Match | None, Hint("Start at what it finds; its fields are those of match.")
    ] = None
    locate: str | None = Field(
        default=None,
        min_length=1,
        max_length=10_000,
        description="Free text: start at the nodes nearest to it in meaning.",
    )
    entries: int = Field(
        default=10, ge=1, le=1000, description="At most so many starting points by locate."
    )
    max_cost: Annotated[float, Hint("Go so far, in the sum of the costs.")] = Field(
        default=3.0, ge=0, le=LARGEST_COST, allow_inf_nan=False
    )
    max_nodes: Annotated[int, Hint("Reach at most so many nodes.")] = Field(
        default=50, ge=1, le=MOST_NODES
    )
    rels: tuple[Name, ...] | None = Field(default=None, description="Follow only these relations.")
    scopes: tuple[Name, ...] | None = Field(default=None, description="Only edges of these scopes.")
    origins: tuple[Name, ...] | None = Field(default=None, description="Only edges by these.")
    provenance: OnlyProvenance = None
    direction: Direction = Field(
        default="any", description="out follows a directed edge from src to dst only; in, back."
    )
    costs: dict[Name, Cost] = Field(
        default_factory=dict,
        description="What following a relation costs, instead of each edge's own cost.",
    )
    crossings: bool = Field(
        default=True, description="Also along what memory knows of GitHub: REFERENCES and so on."
    )
    as_of: AsOf = None
    valid_at: ValidAt = None
    recorded_between: Slice | None = Field(
        default=None, description="Follow only edges recorded in this slice of time."
    )

    @model_validator(mode="after")
    def _starts(self) -> Self:
        if not self.ids and self.match is None and self.locate is None:
            raise ValueError("a walk starts somewhere: give ids, match or locate")
        if self.match is not None and self.match.of == "edges":
            raise ValueError("a walk starts at nodes; match nodes")
        return self


class Recall(Walking):
    """Walk from the starting points along the cheapest paths, and tell what is reached.

    At most ``max_nodes`` nodes are reached; of them those of ``kinds`` are told.
    """

    kinds: Annotated[tuple[Name, ...] | None, Hint("Tell only nodes of these kinds.")] = None
    order: Literal["cost", "recency"] = "cost"


class RecallMany(Frozen):
    """Several recalls over one load; each node and edge comes once."""

    questions: Annotated[tuple[Recall, ...], Hint("The fields of each are those of recall.")] = (
        Field(min_length=1, max_length=MOST_QUESTIONS)
    )
    project: Project = "full"


class Subgraph(Walking):
    """The nodes that a recall reaches and every live edge among them.

    ``history`` adds the edges that were superseded meanwhile; the HTML page always has them.
    """

    format: SubgraphFormat = "json"
    history: Annotated[bool, Hint("With edges that were superseded.")] = False


class Trace(Frozen):
    """All versions of a node, oldest first; the newest ``limit`` of them."""

    id: NamedNode
    limit: Annotated[int | None, Hint("The newest so many.")] = Field(default=None, ge=1)


class TraceEdge(Frozen):
    """An edge with all that it superseded and that superseded it, in the order of recording."""

    id: EdgeId


class Stats(Frozen):
    """Count what the graph holds."""


class Reembed(Frozen):
    """Bring the vectors up to date: add those that lack, remove those no longer wanted."""

    kinds: Annotated[tuple[Name, ...] | None, Hint("Only nodes of these kinds.")] = None
    since: Moment | None = Field(default=None, description="Only nodes recorded from then on.")


class Dump(Frozen):
    """Everything of the graph, to be loaded elsewhere; vectors and access counts stay behind."""


class Load(Frozen):
    """Add a dump to the graph, all of it or nothing; what is there already is left."""

    dump: Annotated[DumpedGraph, Hint("What memory dump prints.")]


class Replay(Frozen):
    """Apply journal entries in order; what is there already is left."""

    entries: Annotated[tuple[JournalEntry, ...], Hint("Those of a journal, as it tells them.")]


class Drop(Frozen):
    """Remove the whole graph of the handle: its nodes and edges, never a Resource."""

    confirm: Annotated[Literal[True], Hint("Nothing is removed without it.")]


def replacement(old: Edge, request: Supersede) -> dict[str, Any]:
    """What the edge that replaces ``old`` says, without its id, origin and recording."""
    given = request.model_dump(
        exclude={"id", "retire", "new_id", "clear", "provenance"}, exclude_none=True
    )
    kept = old.model_dump(
        include={"src", "dst", "rel", "cost", "directed", "scope", "attrs"}
        | {"valid_from", "valid_to"}
    )
    return kept | given | dict.fromkeys(request.clear)
