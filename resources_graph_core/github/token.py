"""The token: the configured one, else the one that ``gh`` is logged in with.

A token shows in no repr, log, message or argument list.
"""

from __future__ import annotations

import logging
import subprocess
from hashlib import blake2b
from shutil import which
from typing import TYPE_CHECKING

import httpx
from pydantic import SecretStr

if TYPE_CHECKING:
    from collections.abc import Generator

Token = SecretStr
"""A token that only shows when asked for its value."""

GH_SECONDS = 5.0
"""How long ``gh`` may take: a keyring that waits for somebody to unlock it never answers."""

_log = logging.getLogger(__name__)


def find_token(host: str, configured: str | None = None) -> Token | None:
    """The token for ``host``: ``configured`` where given, else that of the ``gh`` login, or None.

    A ``gh`` that is missing, not logged in to ``host`` or hanging means no token; why is logged.
    """
    if configured and configured.strip():
        return Token(configured.strip())
    program = which("gh")
    if program is None:
        _log.info("no token: none is configured and gh is not installed")
        return None
    try:
        answer = subprocess.run(
            [program, "auth", "token", "--hostname", host],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=GH_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        _log.warning("no token: gh did not answer in %g s (is its keyring locked?)", GH_SECONDS)
        return None
    except OSError as error:
        _log.warning("no token: gh could not be run (%s)", error)
        return None
    if answer.returncode != 0 or not answer.stdout.strip():
        _log.info("no token: gh is not logged in to %s", host)
        return None
    return Token(answer.stdout.strip())


def account_at(api_url: str, token: Token | None) -> str:
    """Whose hourly points are spent at an API, in a text that may be stored and shown.

    It tells accounts apart without telling the token: a token is too random to be guessed, and from
    six bytes of its digest nobody gets it back. Strangers share the points of their address.
    """
    if token is None:
        return f"anonymous at {api_url}"
    secret = token.get_secret_value().encode(errors="replace")
    return f"{blake2b(secret, digest_size=6).hexdigest()} at {api_url}"


class TokenAuth(httpx.Auth):
    """Puts the token on requests to one origin, and on no others."""

    def __init__(self, token: Token, origin: httpx.URL) -> None:
        self._token = token
        self._origin = origin

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Add the header, for the token's own origin only."""
        if origin_of(request.url) == origin_of(self._origin):
            request.headers["Authorization"] = f"Bearer {self._token.get_secret_value()}"
        yield request

    def __repr__(self) -> str:
        """Where the token goes, without it."""
        return f"TokenAuth(for {self._origin.host})"


def origin_of(url: httpx.URL) -> tuple[str, str, int | None]:
    """Scheme, host and port: what has to be the same for a token to be sent."""
    return url.scheme, url.host, url.port
