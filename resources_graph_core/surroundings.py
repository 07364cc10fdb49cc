"""What surrounds whoever reaches for GitHub, and what a text means there."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from resources_graph_core.address import Address
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


def named(text: str, settings: Settings) -> list[Address]:
    """The Addresses that a text names, in this process's directory: at least one.

    A key, ``owner/repo``, ``owner/repo#n``, a URL, a ``gh`` or ``curl`` command line, a path of
    ``gh api``, or any text with links in it. Raises UsageError when it names nothing.
    """
    from resources_graph_core.address import Address, parse_address  # noqa: PLC0415 - hooks do not
    from resources_graph_core.capture import capture_text  # noqa: PLC0415 - the same

    if text.strip().startswith("github:"):
        return [Address.from_key(text.strip())]
    found = capture_text(text, surroundings(settings, _cwd()))
    return found or [parse_address(text)]


def _cwd() -> str | None:
    try:
        return os.getcwd()  # noqa: PTH109 - Context takes text
    except OSError:
        return None  # it was removed
