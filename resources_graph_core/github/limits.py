"""How much of GitHub may be used: what is set, and what GitHub allows.

Sources: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api and
https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from resources_graph_core.errors import ConfigError
from resources_graph_core.setting import IN_FLIGHT, LONGEST_WAIT, MOST_IN_FLIGHT, RESERVE

Resource = Literal["core", "graphql"]
"""What GitHub counts apart: REST and GraphQL."""

REQUESTS_A_MINUTE: dict[Resource, int] = {"core": 900, "graphql": 2000}
"""Points of the secondary limits; whatever only reads costs one of them a request."""

PROCESSING_SECONDS: dict[Resource, float] = {"core": 90.0, "graphql": 60.0}
"""How long GitHub may work in a minute: on everything (``core``), and on GraphQL alone."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a source may use; ConfigError for what makes no sense.

    ``reserve`` points of the hourly limit are left for others. ``in_flight`` requests are made at
    once. ``longest_wait`` seconds are waited in all for GitHub's secondary limits, then RateLimited
    says when to come back.
    """

    reserve: int = RESERVE
    in_flight: int = IN_FLIGHT
    longest_wait: float = LONGEST_WAIT

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        if self.reserve < 0:
            raise ConfigError(f"The reserve is {self.reserve} points; make it 0 or more")
        if not 1 <= self.in_flight <= MOST_IN_FLIGHT:
            raise ConfigError(
                f"{self.in_flight} requests at once are not possible; make it 1 to {MOST_IN_FLIGHT}"
            )
        if self.longest_wait < 0:
            raise ConfigError(f"The longest wait is {self.longest_wait} s; make it 0 or more")
