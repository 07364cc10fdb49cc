"""Which source to use: GraphQL with a token, REST without one; several hosts behind one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import httpx

from resources_graph_core.address import DEFAULT_HOST
from resources_graph_core.config import Host, data_folder
from resources_graph_core.github.answer_file import AnswerFile
from resources_graph_core.github.graphql_source import GraphQLSource
from resources_graph_core.github.hosts import HostAccess, HostsSource
from resources_graph_core.github.limits import Limits
from resources_graph_core.github.rest_source import RestSource
from resources_graph_core.github.token import Token, find_token
from resources_graph_core.github.transport import DEFAULT_API_URL, Transport, endpoints

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from resources_graph_core.config import Settings
    from resources_graph_core.github.conditional import Answers
    from resources_graph_core.github.source import OpenSource


ANSWERS_FILE = "github-answers.sqlite"
"""Where REST's answers are kept in the data folder; it may be removed at any time."""


def open_source(
    api_url: str | None = None,
    token: str | None = None,
    *,
    host: str = DEFAULT_HOST,
    hosts: Mapping[str, HostAccess] | None = None,
    limits: Limits | None = None,
    answers: Answers | None = None,
) -> OpenSource:
    """GitHub at ``api_url`` (default: the API of ``host``), for use in a ``with`` block.

    Without ``token`` the login of ``gh`` is used, but only for the host's own API: it is never sent
    to a sandbox or a proxy. ``hosts`` are further hosts, each with its own access; ``limits`` hold
    for each host by itself. ``answers`` keeps what REST tells anyone for conditional requests, in
    memory by default. Opening asks GitHub nothing. Raises ConfigError for a malformed URL.
    """
    limits = limits or Limits()
    main = HostAccess(api_url, token)
    if not hosts:
        return _open_host(host, main, limits, answers)
    openers: dict[str, Callable[[], OpenSource]] = {
        host: partial(_open_host, host, main, limits, answers)
    }
    endpoints(api_url or api_url_of(host))
    for name, access in hosts.items():
        endpoints(access.api_url or api_url_of(name))
        openers.setdefault(name.lower(), partial(_open_host, name.lower(), access, limits, answers))
    return HostsSource(openers)


def open_configured(settings: Settings) -> OpenSource:
    """GitHub and the further hosts as the settings say, for use in a ``with`` block.

    What REST tells anyone is kept in the data folder, for conditional requests. Raises ConfigError
    for a malformed setting.
    """
    return open_source(
        settings.github_api_url,
        settings.github_token,
        hosts=further_hosts(settings),
        limits=Limits(
            settings.github_reserve, settings.github_in_flight, settings.github_longest_wait
        ),
        answers=AnswerFile(data_folder() / ANSWERS_FILE),
    )


def further_hosts(settings: Settings) -> dict[str, HostAccess]:
    """Every further host: its own token, else the one for Enterprise Servers where it is one."""
    own = {host.name: host for host in settings.github_host}
    found = {}
    for name in sorted(settings.hosts):
        host = own.get(name) or Host(name=name)
        common = None if _is_cloud(name) else settings.github_enterprise_token
        found[name] = HostAccess(host.api_url, host.token or common)
    return found


def api_url_of(host: str) -> str:
    """Where the API of ``host`` is: github.com's own, or that of an Enterprise Cloud or Server.

    https://docs.github.com/en/enterprise-cloud@latest/admin/data-residency tells of the former.
    """
    if host == DEFAULT_HOST:
        return DEFAULT_API_URL
    return f"https://api.{host}" if _is_cloud(host) else f"https://{host}/api/v3"


def _is_cloud(host: str) -> bool:
    """Whether GitHub itself runs ``host``: then ``gh`` takes no token of Enterprise Servers for it.

    https://cli.github.com/manual/gh_help_environment
    """
    return host == DEFAULT_HOST or host.endswith(".ghe.com")


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


def _open_host(
    host: str, access: HostAccess, limits: Limits, answers: Answers | None
) -> OpenSource:
    api_url, found = find_access(access.api_url, access.token, host)
    # Nobody else shares the few requests that are allowed without a token.
    strangers = Limits(0, limits.in_flight, limits.longest_wait)
    if found is None:
        return RestSource(
            Transport(api_url, host=host, limits=strangers, answers=answers), host=host
        )
    anonymous = Transport(api_url, host=host, limits=strangers, answers=answers)
    return GraphQLSource(
        Transport(api_url, found, host=host, limits=limits, answers=answers),
        anonymous,
        host=host,
        in_flight=limits.in_flight,
    )


def _belongs_to(rest_url: str, host: str) -> bool:
    url = httpx.URL(rest_url)
    return url.scheme == "https" and url.netloc.decode() in (host, f"api.{host}")
