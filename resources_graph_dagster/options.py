"""What a person may choose in the launchpad, for all steps of a run together."""

from __future__ import annotations

from dagster import ConfigurableResource
from pydantic import Field


class SweepOptions(ConfigurableResource[None]):
    """How much a run takes on; every field may be left empty."""

    limit: int | None = Field(
        default=None, ge=1, description="At most so many Addresses. Empty: all that are pending."
    )
    reserve: int | None = Field(
        default=None,
        ge=0,
        description=(
            "Points of GitHub's hourly limit to leave for others, such as your own gh. "
            "Empty: as the settings say."
        ),
    )
    dry_run: bool = Field(
        default=False,
        description="Tell what would be done and what it would cost, and ask GitHub nothing.",
    )
