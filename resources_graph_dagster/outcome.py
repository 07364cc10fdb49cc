"""What a step of the Sweep did, Address by Address, and what that means for each repository."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from resources_graph_core.errors import RateLimited

if TYPE_CHECKING:
    from collections.abc import Iterable

    from resources_graph_core.address import Address
    from resources_graph_core.errors import GitHubError
    from resources_graph_core.sweep import Entry, SweepEvent, SweepReport

Key = tuple[str, int | None]
"""An Address' key and, for a Listing, the limit asked for: what an entry of a plan is about."""


@dataclass(slots=True)
class Outcome:
    """What a step did with ``entries``; ``error`` is what ended it early.

    ``events`` say what became of each Address; one without an event was not reached.
    """

    entries: tuple[Entry, ...]
    report: SweepReport
    events: dict[Key, SweepEvent] = field(default_factory=dict)
    error: GitHubError | None = None
    seconds: float = 0.0

    def add(self, entries: Iterable[Entry]) -> None:
        """Add what was claimed: what was expected may have more Touches by now, and company."""
        known = {_key(entry.address): entry for entry in self.entries}
        known |= {_key(entry.address): entry for entry in entries}
        self.entries = tuple(known.values())

    def note(self, event: SweepEvent) -> None:
        """Keep what became of an Address."""
        self.events[_key(event.address)] = event

    def event_of(self, entry: Entry) -> SweepEvent | None:
        """What became of an entry; None when it was not reached."""
        return self.events.get(_key(entry.address))

    @property
    def retry_at(self) -> str | None:
        """When GitHub's limit is over (ISO-8601 UTC), where one ended the step."""
        return self.error.retry_at if isinstance(self.error, RateLimited) else None

    def parts(self, repositories: Iterable[str]) -> dict[str, Outcome]:
        """The part of it that is about each of these repositories (keys of their Addresses)."""
        entries = by_repository(self.entries)
        return {
            repository: Outcome(
                entries.get(repository, ()), self.report, self.events, self.error, self.seconds
            )
            for repository in repositories
        }

    @property
    def failed(self) -> list[SweepEvent]:
        """What went wrong without being GitHub's final answer: tried again, up to a point."""
        events = (self.event_of(entry) for entry in self.entries)
        return [event for event in events if event is not None and event.reason == "failed"]

    @property
    def left(self) -> int:
        """How many Touches wait for a later Sweep."""
        return sum(len(entry.touches) for entry in self.entries if self._is_left(entry))

    @property
    def is_complete(self) -> bool:
        """Whether nothing of it failed and nothing is left."""
        return not self.failed and not self.left

    @property
    def counts(self) -> dict[str, int]:
        """Touches by what became of them: ``fetched``, ``in memory``, ``not found``, ``left`` …."""
        counts: Counter[str] = Counter()
        for entry in self.entries:
            event = self.event_of(entry)
            if event is None or self._is_left(entry):
                counts["left"] += len(entry.touches)
            else:
                counts[(event.reason or event.kind).replace("_", " ")] += len(entry.touches)
        return dict(counts)

    def _is_left(self, entry: Entry) -> bool:
        event = self.event_of(entry)
        return event is None or event.kind == "waiting" or event.reason == "rate_limited"


def by_repository(entries: Iterable[Entry]) -> dict[str, tuple[Entry, ...]]:
    """The entries of each repository (the key of its Address), in the order they came."""
    grouped: dict[str, list[Entry]] = {}
    for entry in entries:
        grouped.setdefault(entry.address.repository.key, []).append(entry)
    return {repository: tuple(found) for repository, found in grouped.items()}


def _key(address: Address) -> Key:
    return (address.key, address.limit)
