"""What the stores hold: tasks, decisions and verdicts, in the positional order of ``ge``."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pydantic import Field
from pydantic.dataclasses import dataclass

from resources_graph_core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

Metadata = dict[str, Any]
"""Whatever else is known of an entry; kept as JSON."""


class TaskState(StrEnum):
    """How far a task is."""

    todo = "todo"
    doing = "doing"
    done = "done"


class TriageVerdict(StrEnum):
    """What is to become of an issue."""

    stale = "stale"
    closeable = "closeable"
    fixable = "fixable"
    blocked = "blocked"


@dataclass
class TaskRecord:
    """A task of a roadmap. ``id`` is a slug of its first title, unique in the roadmap."""

    id: str
    title: str
    state: TaskState = TaskState.todo
    metadata: Metadata = Field(default_factory=dict)


@dataclass
class TriageEntry:
    """A verdict on ``ref`` (``owner/repo#N``); ``order`` says when its turn is, lowest first."""

    ref: str
    verdict: TriageVerdict
    order: int = 0
    rationale: str = ""
    metadata: Metadata = Field(default_factory=dict)


MOST_ORDER = 2**53 - 1
"""The largest order, either way: JSON's numbers are exact up to there (RFC 8259, section 6)."""


def check_order(entry: TriageEntry) -> None:
    """Raise UsageError for an order that not everybody reads as the same number."""
    if abs(entry.order) > MOST_ORDER:
        raise UsageError(f"the order of {entry.ref} goes from -{MOST_ORDER:,} to {MOST_ORDER:,}")


@dataclass
class Decision:
    """A decision; ``created_at`` (ISO-8601 UTC) and ``url`` are those of its comment."""

    summary: str
    rationale: str = ""
    metadata: Metadata = Field(default_factory=dict)
    created_at: str | None = None
    url: str | None = None


@dataclass
class FlaggedDecision:
    """What looks like a decision but does not count, who wrote it, and why it does not count."""

    decision: Decision
    author: str | None
    reason: str


DEEPEST = 64
"""How many objects and lists may stand in one another in metadata."""


def too_deep(value: object) -> bool:
    """Whether objects and lists stand in one another more than ``DEEPEST`` times."""
    level: list[object] = [value]
    for _ in range(DEEPEST + 1):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return False
    return True


def plain(metadata: Mapping[str, Any]) -> Metadata:
    """``metadata`` as JSON keeps it; what JSON has no form for becomes text, as in ``ge``.

    Raises UsageError for numbers that are none, for what contains itself, and for what is nested
    more than ``DEEPEST`` deep.
    """
    try:
        written = json.dumps(dict(metadata), default=str, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"this metadata cannot be written as JSON: {error}") from None
    kept: Metadata = json.loads(written)
    if too_deep(kept):
        raise UsageError(f"this metadata is nested more than {DEEPEST} deep; make it flatter")
    return kept
