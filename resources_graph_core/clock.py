"""The one clock: ISO-8601 UTC strings to the second, as GitHub writes them."""

from __future__ import annotations

import time

_FORMAT = "%Y-%m-%dT%H:%M:%SZ"


def now() -> str:
    """The time now, such as ``2026-11-30T22:25:00Z``. Two of these compare as text."""
    return time.strftime(_FORMAT, time.gmtime())


def after(seconds: float) -> str:
    """The time ``seconds`` from now, in the same form."""
    return time.strftime(_FORMAT, time.gmtime(time.time() + seconds))
