"""Which edges count: the conditions of a request as a WHERE clause over ``edge``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from resources_graph_core.memory_graph.model import Provenance
    from resources_graph_core.memory_graph.requests import Match, Walking


@dataclass(frozen=True, slots=True)
class EdgeFilter:
    """Conditions that an edge meets; None is no condition.

    Without ``as_of`` only live edges count, unless ``history`` asks for superseded ones too.
    """

    as_of: str | None = None
    valid_at: str | None = None
    recorded_from: str | None = None
    recorded_until: str | None = None
    rels: tuple[str, ...] | None = None
    scopes: tuple[str, ...] | None = None
    origins: tuple[str, ...] | None = None
    provenance: Provenance | None = None
    history: bool = False

    @classmethod
    def of_walk(cls, request: Walking) -> EdgeFilter:
        """The conditions of a walk."""
        between = request.recorded_between
        return cls(
            as_of=request.as_of,
            valid_at=request.valid_at,
            recorded_from=between.start if between else None,
            recorded_until=between.end if between else None,
            rels=request.rels,
            scopes=request.scopes,
            origins=request.origins,
            provenance=request.provenance,
        )

    @classmethod
    def of_match(cls, request: Match) -> EdgeFilter:
        """The conditions of a match that edges have in common with walks."""
        between = request.recorded_between
        return cls(
            as_of=request.as_of,
            valid_at=request.valid_at,
            recorded_from=between.start if between else None,
            recorded_until=between.end if between else None,
            rels=None if request.rel is None else (request.rel,),
            scopes=None if request.scope is None else (request.scope,),
            origins=None if request.origin is None else (request.origin,),
            provenance=request.provenance,
        )

    def where(self) -> tuple[str, dict[str, Any]]:
        """The conditions, joined by AND (never empty), and their parameters."""
        clauses: list[str] = []
        parameters: dict[str, Any] = {}

        def add(clause: str, name: str, value: object) -> None:
            if value is not None:
                clauses.append(clause)
                parameters[name] = list(value) if isinstance(value, tuple) else value

        if self.as_of is not None:
            add("edge.recorded_at <= $as_of", "as_of", self.as_of)
            if not self.history:
                clauses.append("(edge.superseded_at IS NULL OR edge.superseded_at > $as_of)")
        elif not self.history:
            clauses.append("edge.superseded_at IS NULL")
        add(
            "(edge.valid_from IS NULL OR edge.valid_from <= $valid_at)"
            " AND (edge.valid_to IS NULL OR edge.valid_to > $valid_at)",
            "valid_at",
            self.valid_at,
        )
        add("edge.recorded_at >= $recorded_from", "recorded_from", self.recorded_from)
        add("edge.recorded_at < $recorded_until", "recorded_until", self.recorded_until)
        add("edge.rel IN $rels", "rels", self.rels)
        add("edge.scope IN $scopes", "scopes", self.scopes)
        add("edge.origin IN $origins", "origins", self.origins)
        add("edge.provenance = $provenance", "provenance", self.provenance)
        return " AND ".join(clauses or ["edge.recorded_at IS NOT NULL"]), parameters
