"""What memory holds, as a model sees it: a few lines of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources_graph_core.render_model import facts
from resources_graph_core.render_model.shape import Shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.freshness import Freshness


class HeldRepository(Shown):
    """A repository of which memory holds items."""

    address: str
    items: int
    newest: str | None = None
    oldest: str | None = None


class Holdings(Shown):
    """What memory holds, and how fresh it is; ``ages`` counts each Resource once."""

    engine: str
    resources: dict[str, int]
    comments: int
    lists: int
    ages: dict[str, int]
    newest: str | None = None
    oldest: str | None = None
    repositories: list[HeldRepository]
    waiting: int
    last_sweep: str | None = None
    summary: str


def holdings(found: Freshness, *, now: str) -> Holdings:
    """The answer; ``now`` is ISO-8601 UTC."""
    return Holdings(
        engine=found.engine,
        resources=found.resources,
        comments=found.comments,
        lists=found.listings,
        ages=found.ages,
        newest=found.newest,
        oldest=found.oldest,
        repositories=[HeldRepository.model_validate(row) for row in found.repositories],
        waiting=found.touches.get("pending", 0),
        last_sweep=str(found.last_run["started_at"]) if found.last_run else None,
        summary="\n".join(_lines(found, now)),
    )


def as_text(held: Holdings) -> str:
    """The answer in lines."""
    return held.summary


def _lines(found: Freshness, now: str) -> Iterator[str]:
    held = found.resources
    counted = [
        _counted(held.get("Repository", 0), "repository", "repositories"),
        _counted(held.get("Issue", 0), "issue"),
        _counted(held.get("PullRequest", 0), "pull request"),
        _counted(found.comments, "comment"),
    ]
    yield f"Memory holds {', '.join(counted)} and {_counted(found.listings, 'list')}."
    if found.newest:
        ages = found.ages
        yield (
            f"Fetched within a day {ages['day']:,}, a week {ages['week']:,}, a month "
            f"{ages['month']:,}, before {ages['older']:,}; "
            f"{facts.aged('newest', found.newest, now)}, {facts.aged('oldest', found.oldest, now)}."
        )
    for row in found.repositories:
        yield (
            f"- {row['address'].removeprefix('github:')}: {row['items']:,} items, fetched "
            f"{facts.day(row['oldest'])} to {facts.day(row['newest'])}"
        )
    waiting = found.touches.get("pending", 0)
    swept = (
        facts.aged("The last sweep began", found.last_run["started_at"], now)
        if found.last_run
        else ""
    )
    wait = "Touch waits" if waiting == 1 else "Touches wait"
    yield f"{waiting:,} {wait} to be fetched. {swept or 'Nothing was swept yet'}."


def _counted(count: int, one: str, many: str = "") -> str:
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
