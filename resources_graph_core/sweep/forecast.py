"""What a Sweep would do and cost, before it does it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from resources_graph_core.github import freshness, queries
from resources_graph_core.github.asking import BATCH
from resources_graph_core.github.documents import PAGE_LIMIT, Operation
from resources_graph_core.store import claims, moves

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from resources_graph_core.address import Address
    from resources_graph_core.github.asking import Question
    from resources_graph_core.graph import Graph
    from resources_graph_core.store.claims import HostLimit
    from resources_graph_core.sweep.plan import Plan


@dataclass(frozen=True, slots=True)
class Forecast:
    """What waits and what it costs at least, with a token.

    ``fetched`` Addresses are not in memory, ``checked`` ones are, ``in_memory`` ones were only
    mentioned and need no request. ``requests`` and ``points`` leave out what nobody can know
    before: the members of Listings, what changed, and threads longer than a page. ``limits`` are
    those of GitHub's that further Touches wait for.
    """

    touches: int
    fetched: tuple[str, ...]
    checked: tuple[str, ...]
    in_memory: tuple[str, ...]
    listings: tuple[str, ...]
    requests: int
    points: int
    limits: tuple[HostLimit, ...]

    def as_dict(self) -> dict[str, Any]:
        """All fields, for JSON."""
        return asdict(self)


def forecast(graph: Graph, plan: Plan, *, now: str) -> Forecast:
    """What a Sweep of ``plan`` would do at ``now``. Asks GitHub nothing."""
    entries = plan.of("repo", "item")
    wanted = {entry.address.key: entry.address for entry in entries}
    parents = {one.repository.key: one.repository for one in wanted.values()}
    held = moves.held(graph, list((parents | wanted).values()))
    repositories = [address for key, address in parents.items() if key not in held]
    items = [one for key, one in wanted.items() if one.kind == "item" and key not in held]
    known = [entry for entry in entries if entry.address.key in held]
    checked = [entry.address.key for entry in known if not entry.only_prompted]
    listings = [entry.address for entry in plan.of("listing")]
    costs = [
        *_costs(queries.REPOSITORIES, queries.repository, repositories),
        *_costs(queries.ITEMS, queries.item, items),
        *[1] * _pages(len(checked), freshness.BATCH),
        *[1] * sum(_pages(one.limit or 1, PAGE_LIMIT) for one in listings),
    ]
    return Forecast(
        touches=plan.touch_count,
        fetched=tuple(key for key in wanted if key not in held),
        checked=tuple(checked),
        in_memory=tuple(entry.address.key for entry in known if entry.only_prompted),
        listings=tuple(address.key for address in listings),
        # GraphQL gives no README: one request of REST's for each repository.
        requests=len(costs) + len(repositories),
        points=sum(costs) + len(repositories),
        limits=tuple(claims.limits(graph, now)),
    )


def _pages(count: int, size: int) -> int:
    return -(-count // size)


def _costs(
    name: str, question: Callable[[Address], Question], addresses: Sequence[Address]
) -> list[int]:
    """The points of each request that fetches these, by GitHub's own rule."""
    costs = []
    for start in range(0, len(addresses), BATCH):
        asked = [question(address) for address in addresses[start : start + BATCH]]
        parts = (one.part(f"n{position}") for position, one in enumerate(asked))
        costs.append(Operation(name, tuple(parts)).cost)
    return costs
