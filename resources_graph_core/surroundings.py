"""What surrounds whoever reaches for GitHub, from the settings and this process's environment."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from resources_graph_core.capture import Context
    from resources_graph_core.config import Settings


def surroundings(settings: Settings | None, cwd: str | None) -> Context:
    """The Context of something done in ``cwd``; None for settings that cannot be read."""
    from resources_graph_core.capture.checkout import Checkout  # noqa: PLC0415 - only for GitHub
    from resources_graph_core.capture.context import (  # noqa: PLC0415 - the same
        ENVIRONMENT_NAMES,
        Context,
    )

    return Context(
        cwd=cwd,
        environment={name: os.environ[name] for name in ENVIRONMENT_NAMES if name in os.environ},
        hosts=settings.hosts if settings else frozenset(),
        login=settings.github_login if settings else None,
        checkout=Checkout(),
    )
