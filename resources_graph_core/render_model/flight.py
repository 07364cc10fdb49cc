"""The pull requests about an issue, as a model sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources_graph_core.render_model import facts
from resources_graph_core.render_model.blocks import Line
from resources_graph_core.render_model.compose import CAUTION
from resources_graph_core.render_model.quoting import cautions, remarked
from resources_graph_core.render_model.shape import Shown
from resources_graph_core.untrusted import Treatment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from resources_graph_core.memory import InFlight as Known

MOST = 30
"""Pull requests that are shown; the rest are counted."""


class Pull(Shown):
    """A pull request that closes the issue, or mentions it."""

    address: str
    state: str
    closes: bool
    author: str
    updated_at: str | None = None
    merged_at: str | None = None
    title: str
    cautions: list[str] | None = None


class InFlight(Shown):
    """What memory knows of work on an issue."""

    issue: str
    summary: str
    pulls: list[Pull]


def in_flight(known: Known) -> InFlight:
    """The answer, its texts treated."""
    treatment = Treatment()
    issue = known.issue.removeprefix("github:")
    return InFlight(
        issue=issue,
        summary=_summary(issue, known),
        pulls=[_pull(row, treatment) for row in known.pulls[:MOST]],
    )


def as_text(found: InFlight) -> str:
    """The answer in lines; what is quoted is marked."""
    return "\n".join(_lines(found))


def _lines(found: InFlight) -> Iterator[str]:
    yield found.summary
    if found.pulls:
        yield CAUTION
    for pull in found.pulls:
        yield ""
        merged = facts.day(pull.merged_at)
        yield facts.line(
            [
                pull.address,
                f"merged {merged}" if merged else pull.state,
                "closes it" if pull.closes else "mentions it",
                pull.author,
                f"updated {facts.day(pull.updated_at)}",
                cautions(pull.cautions or []),
            ]
        )
        yield Line(pull.title).shown


def _summary(issue: str, known: Known) -> str:
    state = facts.words(known.state)
    fetched = facts.minute(known.fetched_at)
    seen = (
        f"{issue} is {state} as of {fetched}" if state and fetched else f"{issue} is not in memory"
    )
    return (
        f"{_counted(known.pulls)} in memory close or mention {issue}"
        f"{f'; {MOST} are shown' if len(known.pulls) > MOST else ''}. {seen}; "
        "GitHub may know newer ones."
    )


def _counted(pulls: Sequence[object]) -> str:
    return facts.counted(len(pulls), "pull request") or "No pull requests"


def _pull(row: Mapping[str, object], treatment: Treatment) -> Pull:
    state = facts.words(row.get("state"))
    title, odd = remarked(treatment, row.get("title"))
    return Pull(
        address=str(row["address"]).removeprefix("github:"),
        state=f"{state}, draft" if row.get("draft") is True else state,
        closes=bool(row["closes"]),
        author=facts.author(row),
        updated_at=facts.time(row.get("updated_at")) or None,
        merged_at=facts.time(row.get("merged_at")) or None,
        title=title,
        cautions=odd or None,
    )
