"""Which source to use: GraphQL with a token, REST without one; several hosts behind one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import httpx

from resources_graph_core.address import DEFAULT_HOST
from resources_graph_core.github.graphql_source import GraphQLSource
from resources_graph_core.github.hosts import HostAccess, HostsSource
from resources_graph_core.github.limits import Limits
from resources_graph_core.github.rest_source import RestSource
from resources_graph_core.github.token import Token, find_token
from resources_graph_core.github.transport import DEFAULT_API_URL, Transport, endpoints

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from resources_graph_core.github.conditional import Answers
    from resources_graph_core.github.source import OpenSource


def open_source(
    api_url: str | None = None,
    token: str | None = None,
    *,
    host: str = DEFAULT_HOST,
    hosts: Mapping[str, HostAccess] | None = None,
    limits: Limits | None = None,
    etags: Answers | None = None,
) -> OpenSource:
    """GitHub at ``api_url`` (default: the API of ``host``), for use in a ``with`` block.

    Without ``token`` the login of ``gh`` is used, but only for the host's own API: it is never sent
    to a sandbox or a proxy. ``hosts`` are further hosts, each with its own access; ``limits`` hold
    for each host by itself. ``etags`` keeps REST's answers of ``host`` for conditional requests,
    in memory by default. Opening asks GitHub nothing. Raises ConfigError for a malformed URL.
    """
    limits = limits or Limits()
    main = HostAccess(api_url, token)
    if not hosts:
        return _open_host(host, main, limits, etags)
    openers: dict[str, Callable[[], OpenSource]] = {
        host: partial(_open_host, host, main, limits, etags)
    }
    endpoints(api_url or api_url_of(host))
    for name, access in hosts.items():
        endpoints(access.api_url or api_url_of(name))
        openers.setdefault(name.lower(), partial(_open_host, name.lower(), access, limits, None))
    return HostsSource(openers)


def api_url_of(host: str) -> str:
    """Where the API of ``host`` is: github.com's own, or that of an Enterprise Server."""
    return DEFAULT_API_URL if host == DEFAULT_HOST else f"https://{host}/api/v3"


def find_access(api_url: str | None, token: str | None, host: str) -> tuple[str, Token | None]:
    """Where the API of ``host`` is, and the token for it: the one given, else that of ``gh``.

    The login of ``gh`` is only for the host's own API. Raises ConfigError for a malformed URL.
    """
    api_url = api_url or api_url_of(host)
    rest_url, _ = endpoints(api_url)
    found = Token(token.strip()) if token and token.strip() else None
    if found is None and _belongs_to(rest_url, host):
        found = find_token(host)
    return api_url, found


def _open_host(host: str, access: HostAccess, limits: Limits, etags: Answers | None) -> OpenSource:
    api_url, found = find_access(access.api_url, access.token, host)
    # Nobody else shares the few requests that are allowed without a token.
    strangers = Limits(0, limits.in_flight, limits.longest_wait)
    if found is None:
        return RestSource(Transport(api_url, limits=strangers, answers=etags), host=host)
    anonymous = Transport(api_url, limits=strangers)
    return GraphQLSource(
        Transport(api_url, found, limits=limits, answers=etags),
        anonymous,
        host=host,
        in_flight=limits.in_flight,
    )


def _belongs_to(rest_url: str, host: str) -> bool:
    url = httpx.URL(rest_url)
    return url.scheme == "https" and url.netloc.decode() in (host, f"api.{host}")
