"""What each operation answers: one Pydantic model each, the same on every surface."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from resources_graph_core.memory_graph.model import Edge, EdgeSummary, Node, NodeSummary
from resources_graph_core.model import Frozen

NodeView = Node | NodeSummary
EdgeView = Edge | EdgeSummary


class Stored(Frozen):
    """The version of a node that now is the current one.

    ``embedded`` says whether it has a vector now; null where embeddings are off.
    """

    node: Node
    embedded: bool | None = None


class Linked(Frozen):
    """The edge that was recorded."""

    edge: Edge


class Superseded(Frozen):
    """The edge that was superseded, and the one that replaced it, if one did."""

    old: Edge
    new: Edge | None = None


class Matched(Frozen):
    """What matched. ``scores`` are the similarities of a semantic match, 1 at most, by node id."""

    nodes: tuple[NodeView, ...] = ()
    edges: tuple[EdgeView, ...] = ()
    scores: dict[str, float] = Field(default_factory=dict)


class Got(Frozen):
    """A node and the newest edges at it, in the order of recording.

    ``truncated`` says that it has more of them than ``limit``. ``accesses`` counts how often the
    node was read.
    """

    node: NodeView
    edges: tuple[EdgeView, ...] = ()
    truncated: bool = False
    accesses: int = 0


class Step(Frozen):
    """One edge of a path: its id, the node it led to, and what following it cost."""

    edge: str
    to: str
    cost: float


class Hit(Frozen):
    """A node that was reached: by which path, and what that cost in all.

    ``recorded_at`` tells which version of it, where several moments were asked about.
    ``entry`` is the starting point; for that itself the path is empty and the cost 0.
    """

    id: str
    recorded_at: str
    cost: float
    entry: str
    path: tuple[Step, ...] = ()


class Recalled(Frozen):
    """What a walk reached, in the order asked for, with each node and each edge of the paths once.

    ``truncated`` says that ``max_nodes`` ended the walk before ``max_cost`` did.
    """

    hits: tuple[Hit, ...]
    nodes: tuple[NodeView, ...]
    edges: tuple[EdgeView, ...]
    truncated: bool = False


class Answer(Frozen):
    """The hits of one of several questions."""

    hits: tuple[Hit, ...]
    truncated: bool = False


class RecalledMany(Frozen):
    """The answers in the order of the questions, with each node and each edge once."""

    answers: tuple[Answer, ...]
    nodes: tuple[NodeView, ...]
    edges: tuple[EdgeView, ...]


class Drawn(Frozen):
    """Nodes and the edges among them; ``text`` is the document of a format other than json."""

    format: Literal["json", "graphml", "mermaid", "html"] = "json"
    nodes: tuple[NodeView, ...] = ()
    edges: tuple[EdgeView, ...] = ()
    text: str | None = None


class Traced(Frozen):
    """The versions of a node, oldest first."""

    id: str
    versions: tuple[Node, ...]


class TracedEdge(Frozen):
    """An edge's history, in the order of recording."""

    edges: tuple[Edge, ...]


class Counted(Frozen):
    """What the graph holds, in numbers; edges by relation count the live ones.

    ``crossings`` counts, by kind, what memory holds of GitHub, which is joined to the graph main
    alone; nothing of it is in the other numbers.
    """

    graph_id: str
    nodes: int
    versions: int
    edges: int
    live_edges: int
    vectors: int
    accesses: int
    kinds: dict[str, int]
    rels: dict[str, int]
    origins: dict[str, int]
    crossings: dict[str, int] = Field(default_factory=dict)


class Reembedded(Frozen):
    """How many vectors were written and removed, and for how many nodes the model failed."""

    written: int
    removed: int
    failed: int


class Loaded(Frozen):
    """What a load or a replay added; what was there already is not counted."""

    versions: int
    edges: int
    superseded: int = 0


class Dropped(Frozen):
    """What was removed."""

    nodes: int
    edges: int
