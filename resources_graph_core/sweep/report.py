"""What a Sweep tells: one event for each Address, and a report at its end."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from resources_graph_core.address import Address

EventKind = Literal["fetched", "in_memory", "unresolved", "waiting"]


@dataclass(frozen=True, slots=True)
class SweepEvent:
    """What became of one Address in a Sweep.

    ``fetched`` and ``in_memory`` (unchanged, or only mentioned) resolve its Touches;
    ``unresolved`` sets them aside with
    ``reason``; ``waiting`` leaves them for a later Sweep. ``detail`` says more in words.
    ``requests`` were made in all until then, and ``points_left`` are GitHub's, where it said.
    """

    kind: EventKind
    address: Address
    touches: int
    reason: str | None = None
    detail: str | None = None
    requests: int = 0
    points_left: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """All fields, for JSON; the Address as its key, a Listing's with its ``limit``."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return values | {"address": self.address.key, "limit": self.address.limit}


@dataclass(slots=True)
class SweepReport:
    """What a Sweep did: Touches resolved, unresolved and left, and Resources.

    ``fetched`` in full, ``checked`` cheaply and of these ``unchanged``, ``withdrawn`` since they
    are no longer public or no longer there, ``linked`` references.
    ``requests`` and ``points`` are GitHub's. ``left`` are Touches for a later Sweep, not before
    ``retry_at`` when it is set; rate-limited ones count here too. ``error`` says what ended the
    Sweep early.
    """

    run_id: str
    resolved: int = 0
    unresolved: dict[str, int] = field(default_factory=dict)
    fetched: int = 0
    checked: int = 0
    unchanged: int = 0
    withdrawn: int = 0
    linked: int = 0
    requests: int = 0
    points: int = 0
    points_left: int | None = None
    reset_at: str | None = None
    left: int = 0
    retry_at: str | None = None
    error: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """All fields, for JSON."""
        return asdict(self)
