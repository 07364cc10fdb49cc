"""The metadata of a materialisation: what happened, in numbers and in a table with links."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dagster import MetadataValue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from resources_graph_core.address import Address
    from resources_graph_core.sweep import Entry, SweepEvent
    from resources_graph_core.sweep.forecast import Forecast
    from resources_graph_dagster.outcome import Outcome

Metadata = dict[str, MetadataValue]

LONGEST_TABLE = 200
"""Rows of a table of Addresses; metadata is stored with every materialisation."""

_WORDS = {
    "fetched": "fetched",
    "in_memory": "already in memory",
    "unresolved": "unresolved",
    "waiting": "left for later",
}


def of_plan(entries: Sequence[Entry], sessions: Mapping[str, int]) -> Metadata:
    """What waits in one repository; ``sessions`` made so many of the Touches of the whole run."""
    touches = [touch for entry in entries for touch in entry.touches]
    provenance = Counter(touch.provenance.lower() for touch in touches)
    kinds = Counter(entry.address.kind for entry in entries)
    return {
        "touches": MetadataValue.int(len(touches)),
        "addresses": MetadataValue.int(len(entries)),
        **_numbers("touches ", provenance),
        "repositories": MetadataValue.int(kinds["repo"]),
        "issues and pull requests": MetadataValue.int(kinds["item"]),
        "listings": MetadataValue.int(kinds["listing"]),
        "sessions": MetadataValue.int(len(sessions)),
        "Touches by session": table(
            ("Session", "Touches in this run"),
            [(cell(name), str(count)) for name, count in sorted(sessions.items())],
        ),
        "plan": table(
            ("Address", "Touches", "First touched"),
            [(_link(one.address), str(len(one.touches)), one.touches[0].at) for one in entries],
        ),
    }


def of_forecast(forecast: Forecast) -> Metadata:
    """What a dry run would do."""
    rows = [
        (cell(key.removeprefix("github:")), what)
        for what, keys in (
            ("fetch", forecast.fetched),
            ("check", forecast.checked),
            ("in memory", forecast.in_memory),
            ("list", forecast.listings),
        )
        for key in keys
    ]
    return {
        "dry run": MetadataValue.bool(True),
        "touches": MetadataValue.int(forecast.touches),
        "requests at least": MetadataValue.int(forecast.requests),
        "points at least": MetadataValue.int(forecast.points),
        "plan": table(("Address", "What would be done"), rows),
    }


def of_outcome(outcome: Outcome) -> Metadata:
    """What a step did for one repository, or as a whole; what it cost is told of the whole step."""
    report = outcome.report
    metadata: Metadata = {
        "touches": MetadataValue.int(sum(len(entry.touches) for entry in outcome.entries)),
        "resolved": MetadataValue.int(
            sum(outcome.counts.get(word, 0) for word in ("fetched", "in memory"))
        ),
        **_numbers("touches ", outcome.counts),
        "seconds": MetadataValue.float(round(outcome.seconds, 3)),
        "fetched": MetadataValue.int(report.fetched),
        "checked": MetadataValue.int(report.checked),
        "unchanged": MetadataValue.int(report.unchanged),
        "withdrawn": MetadataValue.int(report.withdrawn),
        "requests": MetadataValue.int(report.requests),
        "points": MetadataValue.int(report.points),
    }
    if report.points_left is not None:
        metadata["points left"] = MetadataValue.int(report.points_left)
    if report.reset_at is not None:
        metadata["points reset at"] = MetadataValue.text(report.reset_at)
    if outcome.error is not None:
        metadata["ended early"] = MetadataValue.text(str(outcome.error))
    if outcome.retry_at is not None:
        metadata["retry_at"] = MetadataValue.text(outcome.retry_at)
    metadata["what became of them"] = table(
        ("Address", "Touches", "What became of it"),
        [
            (_link(entry.address), str(len(entry.touches)), cell(_told(outcome, entry)))
            for entry in outcome.entries
        ],
    )
    return metadata


def of_failed(failed: Sequence[SweepEvent]) -> Metadata:
    """The Addresses where something went wrong, and what."""
    metadata: Metadata = {"failed": MetadataValue.int(len(failed))}
    if failed:
        metadata["what went wrong"] = table(
            ("Address", "Error"),
            [(_link(event.address), cell(event.detail or "")) for event in failed],
        )
    return metadata


def of_links(drawn: int) -> Metadata:
    """How many references a run drew, wherever they are."""
    return {"links drawn": MetadataValue.int(drawn)}


def web_link(address: Address) -> str:
    """The page on GitHub. A pull request's is found from its number as an issue's."""
    base = f"https://{address.host}/{address.name_with_owner}"
    if address.kind == "item":
        return f"{base}/issues/{address.number}"
    return f"{base}/{address.list_kind}" if address.kind == "listing" else base


def _told(outcome: Outcome, entry: Entry) -> str:
    event = outcome.event_of(entry)
    if event is None:
        return "not reached"
    parts = [_WORDS[event.kind], (event.reason or "").replace("_", " "), event.detail or ""]
    return ": ".join(part for part in parts if part)


def _numbers(prefix: str, counts: Mapping[str, int]) -> Metadata:
    return {f"{prefix}{word}": MetadataValue.int(count) for word, count in sorted(counts.items())}


def _link(address: Address) -> str:
    limit = f" (first {address.limit})" if address.limit else ""
    return f"[{cell(str(address))}{limit}]({web_link(address)})"


def table(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> MetadataValue:
    """A Markdown table of cells that are Markdown; what does not fit is counted below it."""
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    lines += ["| " + " | ".join(row) + " |" for row in rows[:LONGEST_TABLE]]
    if rows[LONGEST_TABLE:]:
        lines += ["", f"… and {len(rows) - LONGEST_TABLE} more"]
    return MetadataValue.md("\n".join(lines))


def cell(text: str) -> str:
    """Text for a cell: on one line, and nothing in it is Markdown."""
    for character in "\\|[]<>`*_":
        text = text.replace(character, f"\\{character}")
    return " ".join(text.split())
