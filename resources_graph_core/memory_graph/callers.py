"""Who calls over HTTP, and what that caller may do."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from hmac import compare_digest
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from resources_graph_core.errors import AccessDenied, ResourcesGraphError, UsageError
from resources_graph_core.memory_graph.access import Access
from resources_graph_core.memory_graph.openapi import ORIGIN_HEADER, ORIGIN_PATTERN

if TYPE_CHECKING:
    from starlette.datastructures import Headers

MOST_BYTES: Final = 32 * 1024 * 1024
"""The longest body, so that a dump of some size fits."""


@dataclass(frozen=True, slots=True)
class Service:
    """What a server allows its callers.

    ``token`` is demanded of each request where it is set. ``embed_url`` is the API for embeddings:
    where there is a token, no caller may name another one; ``embed_key`` goes to no other.
    ``most_bytes`` bounds a body. The other fields are those of an Access. No caller walks across
    anybody's Touches, which are private.
    """

    token: str | None = field(default=None, repr=False)
    trusted: bool = False
    privileged: bool = False
    read_only: bool = False
    embed_url: str | None = None
    embed_key: str | None = field(default=None, repr=False)
    most_bytes: int = MOST_BYTES


class Unauthorized(ResourcesGraphError):  # noqa: N818 - says how things stand, as errors.py's do
    """The bearer token is missing or wrong."""


def check(headers: Headers, service: Service) -> None:
    """Raise Unauthorized without the token, AccessDenied for what a page in a browser may send.

    Without a token every program of this machine is welcome, but no web page: neither one that
    calls from elsewhere (it sends ``Origin``) nor one whose own name was made to point here.
    """
    if service.token is not None:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        same = compare_digest(given.strip().encode(), service.token.encode())
        if scheme.lower() != "bearer" or not same:
            raise Unauthorized("Send the server's token as 'Authorization: Bearer …'.")
        return
    if "origin" in headers or not is_loopback(_host(headers.get("host", ""))):
        raise AccessDenied("Without a token this server answers programs of its own machine only.")


def access_of(headers: Headers, service: Service) -> Access:
    """What a caller may do. Raises UsageError for an origin that cannot be."""
    origin = headers.get(ORIGIN_HEADER)
    if origin is not None and not re.fullmatch(ORIGIN_PATTERN, origin):
        raise UsageError(f"{ORIGIN_HEADER} is 1 to 128 printable ASCII characters.")
    return Access(
        origin=origin,
        trusted=service.trusted,
        privileged=service.privileged,
        read_only=service.read_only,
    )


def is_loopback(host: str) -> bool:
    """Whether a host is this machine alone, by name or number."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _host(written: str) -> str:
    """The host in a Host header."""
    try:
        return urlsplit(f"//{written}").hostname or ""
    except ValueError:
        return ""
