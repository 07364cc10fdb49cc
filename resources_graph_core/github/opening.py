"""Which source to use: GraphQL with a token, REST without one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx

from resources_graph_core.address import DEFAULT_HOST
from resources_graph_core.github.graphql_source import GraphQLSource
from resources_graph_core.github.rest_source import RestSource
from resources_graph_core.github.token import Token, find_token
from resources_graph_core.github.transport import DEFAULT_API_URL, Transport, endpoints

if TYPE_CHECKING:
    from resources_graph_core.github.source import OpenSource

RESERVE = 100
"""Points of the hourly 5,000 that are left to whoever else uses the same token, as ``gh`` does."""


def open_source(
    api_url: str | None = None, token: str | None = None, *, host: str = DEFAULT_HOST
) -> OpenSource:
    """GitHub at ``api_url`` (default: the API of ``host``), for use in a ``with`` block.

    Without ``token`` the login of ``gh`` is used, but only for the host's own API: it is never sent
    to a sandbox or a proxy. Opening asks GitHub nothing. Raises ConfigError for a malformed URL.
    """
    api_url = api_url or api_url_of(host)
    rest_url, _ = endpoints(api_url)
    found = Token(token.strip()) if token and token.strip() else None
    if found is None and _belongs_to(rest_url, host):
        found = find_token(host)
    anonymous = Transport(api_url)
    if found is None:
        return RestSource(anonymous, host=host)
    return GraphQLSource(Transport(api_url, found, reserve=RESERVE), anonymous, host=host)


def api_url_of(host: str) -> str:
    """Where the API of ``host`` is: github.com's own, or that of an Enterprise Server."""
    return DEFAULT_API_URL if host == DEFAULT_HOST else f"https://{host}/api/v3"


def _belongs_to(rest_url: str, host: str) -> bool:
    url = httpx.URL(rest_url)
    return url.scheme == "https" and url.netloc.decode() in (host, f"api.{host}")
