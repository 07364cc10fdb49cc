"""A handle on one memory graph: every operation, as one origin, with what it may do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources_graph_core.closing import Closed
from resources_graph_core.memory_graph import (
    dumping,
    formats,
    loading,
    naming,
    reading,
    replaying,
    selecting,
    statistics,
    times,
    tracing,
    vectors,
    writing,
)
from resources_graph_core.memory_graph import recall as recalling
from resources_graph_core.memory_graph.access import Access
from resources_graph_core.memory_graph.accesses import Accesses
from resources_graph_core.memory_graph.filters import EdgeFilter
from resources_graph_core.memory_graph.guards import check_graph_id
from resources_graph_core.memory_graph.model import MAIN
from resources_graph_core.memory_graph.recall import shown, shown_edge
from resources_graph_core.memory_graph.requests import Match
from resources_graph_core.memory_graph.responses import (
    Counted,
    Drawn,
    Dropped,
    Got,
    Linked,
    Loaded,
    Matched,
    Recalled,
    RecalledMany,
    Reembedded,
    Stored,
    Superseded,
    Traced,
    TracedEdge,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from resources_graph_core.graph import Graph
    from resources_graph_core.memory_graph.embeddings import Embeddings
    from resources_graph_core.memory_graph.model import Edge, Node
    from resources_graph_core.memory_graph.recall import Locate
    from resources_graph_core.memory_graph.records import DumpedGraph, JournalEntry
    from resources_graph_core.memory_graph.requests import (
        Drop,
        Dump,
        Get,
        Link,
        Load,
        Put,
        Recall,
        RecallMany,
        Reembed,
        Replay,
        Stats,
        Subgraph,
        Supersede,
        Trace,
        TraceEdge,
        Walking,
    )


class MemoryGraph(Closed):
    """One memory graph in an open graph whose schema is set up; use it in a ``with`` block.

    ``access`` says who the handle acts for and what it may do. ``journal`` is called after each
    committed write, in order; what it raises reaches the caller, though the write stands.
    ``embeddings`` turns semantic search on; ``locate`` finds the nodes nearest to a text in the
    caller's own way, and comes before them. ``crossing_costs`` are over the defaults of
    ``crossings.COSTS``. Handles with the same ``accesses`` count reads together. Raises UsageError
    for a graph_id that is none.
    """

    def __init__(  # noqa: PLR0913 - one for each thing that a handle's maker may choose
        self,
        graph: Graph,
        *,
        graph_id: str = MAIN,
        access: Access | None = None,
        clock: Callable[[], str] = times.now,
        journal: Callable[[JournalEntry], None] | None = None,
        embeddings: Embeddings | None = None,
        locate: Locate | None = None,
        crossing_costs: Mapping[str, float] | None = None,
        accesses: Accesses | None = None,
    ) -> None:
        check_graph_id(graph_id)
        self.graph = graph
        self.graph_id = graph_id
        self.access = access or Access()
        self._clock = clock
        self._journal = journal
        self._embeddings = embeddings
        self._locate = locate
        self._crossing_costs = dict(crossing_costs or {})  # a link has its default as its own cost
        self._accesses = accesses or Accesses()

    def as_(
        self,
        *,
        origin: str | None = None,
        trusted: bool | None = None,
        privileged: bool | None = None,
        read_only: bool | None = None,
        user: str | None = None,
    ) -> MemoryGraph:
        """A handle on the same graph that may do less. Raises AccessDenied for one that is more."""
        return MemoryGraph(
            self.graph,
            graph_id=self.graph_id,
            access=self.access.narrowed(
                origin=origin,
                trusted=trusted,
                privileged=privileged,
                read_only=read_only,
                user=user,
            ),
            clock=self._clock,
            journal=self._journal,
            embeddings=self._embeddings,
            locate=self._locate,
            crossing_costs=self._crossing_costs,
            accesses=self._accesses,
        )

    def close(self) -> None:
        """Write the access counts that wait; the graph stays open."""
        self._accesses.write(self.graph)

    # Every operation below is what its request describes; see ``requests`` and ``responses``.

    def put(self, request: Put) -> Stored:
        """Make a node, or record a new version of it."""
        node, is_new = writing.put(self._write_context(), request)
        if self._embeddings is None:
            return Stored(node=node)
        node_vectors = self._node_vectors()
        return Stored(
            node=node, embedded=node_vectors.follow(node) if is_new else node_vectors.has(node)
        )

    def link(self, request: Link) -> Linked:
        """Assert an edge between two nodes that exist."""
        return Linked(edge=writing.link(self._write_context(), request))

    def supersede(self, request: Supersede) -> Superseded:
        """Retire an edge, and record what replaces it."""
        old, new = writing.supersede(self._write_context(), request)
        return Superseded(old=old, new=new)

    def match(self, request: Match) -> Matched:
        """Find nodes, or edges, by what they are."""
        if request.of == "edges":
            ends = [end for end in (request.src, request.dst) if end is not None]
            named = naming.resolve(self.graph, self.graph_id, ends)
            edges = reading.matching_edges(
                self.graph,
                self.graph_id,
                EdgeFilter.of_match(request),
                ids=request.ids,
                src=None if request.src is None else named[request.src],
                dst=None if request.dst is None else named[request.dst],
                attrs=request.attrs,
                limit=request.limit,
            )
            return Matched(edges=tuple(shown_edge(edge, request.project) for edge in edges))
        nodes, scores = self._matching(request)
        self._note([node.id for node in nodes])
        return Matched(nodes=tuple(shown(node, request.project) for node in nodes), scores=scores)

    def get(self, request: Get) -> Got:
        """One node and the edges at it."""
        node_id = self._named(request.id)
        user = self.access.user
        found = naming.nodes(self.graph, self.graph_id, [node_id], as_of=request.as_of, user=user)
        naming.check_known(self.graph_id, [node_id], found)
        self._note([node_id])
        around: list[Edge] = []
        if request.edges:
            around = recalling.around(
                self._walk_context(), node_id, EdgeFilter(as_of=request.as_of)
            )
        return Got(
            node=shown(found[node_id], request.project),
            edges=tuple(shown_edge(edge, request.project) for edge in around[-request.limit :]),
            truncated=len(around) > request.limit,
            accesses=self._accesses.of(self.graph, self.graph_id, node_id),
        )

    def recall(self, request: Recall) -> Recalled:
        """Walk along the cheapest paths, and tell what is reached."""
        found = recalling.recall_all(self._walk_context(), [request], request.project)
        (answer,) = found.answers
        self._note([hit.id for hit in answer.hits])
        return Recalled(
            hits=answer.hits, nodes=found.nodes, edges=found.edges, truncated=answer.truncated
        )

    def recall_many(self, request: RecallMany) -> RecalledMany:
        """Several recalls over one load."""
        found = recalling.recall_all(self._walk_context(), request.questions, request.project)
        self._note({hit.id for answer in found.answers for hit in answer.hits})
        return RecalledMany(answers=found.answers, nodes=found.nodes, edges=found.edges)

    def subgraph(self, request: Subgraph) -> Drawn:
        """The nodes that a recall reaches and every live edge among them."""
        context = self._walk_context()
        nodes = recalling.reach(context, request)
        self._note([node.id for node in nodes])
        is_page = request.format == "html"
        ids = [node.id for node in nodes]
        edges = recalling.among(context, request, ids, history=request.history or is_page)
        pasts = (
            tracing.pasts(self.graph, self.graph_id, ids, as_of=request.as_of) if is_page else {}
        )
        text = formats.document(request.format, nodes, edges, pasts)
        if text is not None:
            return Drawn(format=request.format, text=text)
        return Drawn(
            nodes=tuple(shown(node, request.project) for node in nodes),
            edges=tuple(shown_edge(edge, request.project) for edge in edges),
        )

    def trace(self, request: Trace) -> Traced:
        """All versions of a node."""
        node_id = self._named(request.id)
        versions = tracing.versions(
            self.graph, self.graph_id, node_id, limit=request.limit, user=self.access.user
        )
        return Traced(id=node_id, versions=tuple(versions))

    def trace_edge(self, request: TraceEdge) -> TracedEdge:
        """An edge with all that it superseded and that superseded it."""
        edge = writing.edge_by_id(self._write_context(), request.id)
        return TracedEdge(edges=tuple(tracing.chain(self.graph, self.graph_id, edge)))

    def stats(self, request: Stats | None = None) -> Counted:  # noqa: ARG002 - as all operations
        """Count what the graph holds."""
        if not self.access.read_only:
            self._accesses.write(self.graph)
        return statistics.count(self.graph, self.graph_id, user=self.access.user)

    def reembed(self, request: Reembed) -> Reembedded:
        """Bring the vectors up to date. Raises UsageError where embeddings are off."""
        self.access.writer()
        written, removed, failed = self._node_vectors().bring_up_to_date(request)
        return Reembedded(written=written, removed=removed, failed=failed)

    def dump(self, request: Dump | None = None) -> DumpedGraph:  # noqa: ARG002 - as all operations
        """Everything of the graph."""
        return dumping.dump(self.graph, self.graph_id)

    def load(self, request: Load) -> Loaded:
        """Add a dump to the graph, all of it or nothing."""
        versions, edges, superseded = loading.load(self._write_context(), request.dump)
        return Loaded(versions=versions, edges=edges, superseded=superseded)

    def replay(self, request: Replay) -> Loaded:
        """Apply journal entries in order."""
        versions, edges, superseded = replaying.replay(self._write_context(), request.entries)
        return Loaded(versions=versions, edges=edges, superseded=superseded)

    def drop(self, request: Drop) -> Dropped:  # noqa: ARG002 - its one field is its confirmation
        """Remove the whole graph, never a Resource."""
        nodes, edges = writing.drop(self._write_context())
        return Dropped(nodes=nodes, edges=edges)

    def _write_context(self) -> writing.WriteContext:
        return writing.WriteContext(
            self.graph, self.graph_id, self.access, self._clock, self._journal or _untold
        )

    def _walk_context(self) -> recalling.WalkContext:
        return recalling.WalkContext(
            graph=self.graph,
            graph_id=self.graph_id,
            user=self.access.user,
            locate=None if self._locate is None and self._embeddings is None else self._located,
            match=self._entries,
            crossing_costs=self._crossing_costs,
        )

    def _node_vectors(self) -> vectors.NodeVectors:
        if self._embeddings is None:
            raise vectors.off()
        return vectors.NodeVectors(self.graph, self.graph_id, self._embeddings)

    def _matching(self, request: Match) -> tuple[list[Node], dict[str, float]]:
        if request.semantic is None:
            found = selecting.nodes(self.graph, self.graph_id, request, user=self.access.user)
            return found, {}
        scored = self._node_vectors().nearest(request.semantic, request, request.limit)
        return [node for node, _ in scored], {node.id: score for node, score in scored}

    def _entries(self, request: Walking) -> Sequence[str]:
        """Where a walk with a match starts: at the nodes as they were at the walk's own moment."""
        if request.match is None:
            return ()
        match = request.match
        if match.as_of is None and request.as_of is not None:
            match = match.model_copy(update={"as_of": request.as_of})
        return [node.id for node in self._matching(match)[0]]

    def _located(self, request: Walking) -> Sequence[str]:
        """Where a walk with a text starts; by vectors, at nodes that existed at its moment."""
        if request.locate is None:
            return ()
        if self._locate is not None:
            return self._locate(request.locate, request.entries)
        then = Match(as_of=request.as_of)
        found = self._node_vectors().nearest(request.locate, then, request.entries)
        return [node.id for node, _ in found]

    def _named(self, written: str) -> str:
        return naming.resolve(self.graph, self.graph_id, [written])[written]

    def _note(self, ids: Sequence[str] | set[str]) -> None:
        if not self.access.read_only:
            self._accesses.note(self.graph, self.graph_id, ids)


def _untold(entry: JournalEntry) -> None:
    """Tell nobody."""
