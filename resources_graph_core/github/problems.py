"""What can be wrong between us and GitHub, beyond errors.py: what the sources tell apart."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from resources_graph_core.address import DEFAULT_HOST
from resources_graph_core.clock import after
from resources_graph_core.errors import GitHubAuthError, GitHubUnavailable, NotPublic, RateLimited

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_BELIEVED = 24 * 3600.0
"""Seconds. GitHub's limits start anew within an hour; a time far beyond that is a mistake."""

SECONDARY_WAIT = 60
"""Seconds to stay away after a secondary limit that does not say how long, as GitHub advises."""


class Passing(GitHubUnavailable):
    """GitHub failed in a way that may pass: worth asking again, or asking for less at once."""


class Unreachable(GitHubUnavailable):
    """No connection to GitHub could be made; nothing else will get through either."""


class SingleSignOn(NotPublic):
    """An organisation wants its own sign-on of every token; what is public is open without one."""


class Withheld(GitHubUnavailable):
    """A part of what was asked for was kept back from this token, so that the rest is not whole."""


class Heavy(GitHubUnavailable):
    """GitHub refused a document as too large: asking again is no use, asking for less is."""


def login_advice(host: str = DEFAULT_HOST) -> str:
    """How to log in to a host, as part of a sentence."""
    if host == DEFAULT_HOST:
        return "log in with `gh auth login` or `resources-graph config set github.token`"
    return (
        f"log in with `gh auth login --hostname {host}` or `resources-graph config set "
        f"github.host.{host}.token`"
    )


def rejected_token(host: str = DEFAULT_HOST) -> GitHubAuthError:
    """The token for a host is wrong, expired or withdrawn."""
    if host == DEFAULT_HOST:
        return GitHubAuthError(
            f"GitHub rejected the token; {login_advice()} (GITHUB_TOKEN or GH_TOKEN, where set, "
            "come before both), then sweep again"
        )
    return GitHubAuthError(
        f"{host} rejected its token; {login_advice(host)} (GH_ENTERPRISE_TOKEN, where set, comes "
        "before the gh login), then sweep again"
    )


def primary_limit(headers: Mapping[str, str]) -> RateLimited:
    """The hourly limit is used up; when it starts anew is in the headers."""
    retry_at = reset_time(headers) or after(SECONDARY_WAIT)
    return RateLimited(f"GitHub's hourly limit is used up; it starts anew at {retry_at}", retry_at)


def secondary_limit(seconds: float | None) -> RateLimited:
    """GitHub asks for a pause of so many seconds; None when it does not say how long."""
    retry_at = after(SECONDARY_WAIT if seconds is None else seconds)
    return RateLimited(f"GitHub asks for a pause until {retry_at}", retry_at)


def told_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds to stay away, as an answer's headers say; None when they do not."""
    seconds = headers.get("retry-after", "")
    return min(float(seconds), LONGEST_BELIEVED) if seconds.isdecimal() else None


def reset_time(headers: Mapping[str, str]) -> str | None:
    """When the limit that the headers tell of starts anew, ISO-8601 UTC."""
    seconds = headers.get("x-ratelimit-reset", "")
    if not seconds.isdecimal():
        return None
    latest = time.time() + LONGEST_BELIEVED
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(min(float(seconds), latest)))
