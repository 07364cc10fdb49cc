"""How fresh memory is: counts by age, the repositories it knows best, what waits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from resources_graph_core.clock import after
from resources_graph_core.store import ages, counts, runs

if TYPE_CHECKING:
    from resources_graph_core.graph import Graph, Row

_DAY = 86_400
_AGES = {"day": _DAY, "week": 7 * _DAY, "month": 30 * _DAY}
MOST_REPOSITORIES = 10


@dataclass(frozen=True, slots=True)
class Freshness:
    """What memory holds and how old it is.

    ``ages`` counts Resources fetched within a ``day``, ``week``, ``month`` (of 30 days) and
    ``older``, each one once. ``repositories`` are those with most items: ``address``, ``items``,
    ``newest`` and ``oldest`` fetch. ``last_run`` is the latest Sweep's, None before the first.
    """

    engine: str
    resources: dict[str, int]
    comments: int
    listings: int
    touches: dict[str, int]
    ages: dict[str, int]
    oldest: str | None
    newest: str | None
    repositories: list[Row]
    last_run: Row | None


def look(graph: Graph) -> Freshness:
    """Look at everything, once; changes nothing."""
    oldest, newest = ages.ends(graph)
    return Freshness(
        engine=graph.dialect,
        resources=counts.resources(graph),
        comments=counts.labelled(graph, "Comment"),
        listings=counts.labelled(graph, "Listing"),
        touches=counts.touches(graph),
        ages=ages.by_age(graph, {name: after(-seconds) for name, seconds in _AGES.items()}),
        oldest=oldest,
        newest=newest,
        repositories=ages.repositories(graph, limit=MOST_REPOSITORIES),
        last_run=next(iter(runs.latest(graph, limit=1)), None),
    )
