"""Each GitHub host by itself: what stops one does not stop the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources_graph_core.clock import now
from resources_graph_core.errors import GitHubError, RateLimited
from resources_graph_core.store import claims

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from resources_graph_core.graph import Graph
    from resources_graph_core.sweep.plan import Entry


def each_host(entries: Sequence[Entry], work: Callable[[Sequence[Entry]], None]) -> None:
    """Do ``work`` with the entries of each host in turn.

    When all had their turn, raises what stopped one of them: rather what somebody has to mend than
    a limit, which ends by itself.
    """
    by_host: dict[str, list[Entry]] = {}
    for entry in entries:
        by_host.setdefault(entry.address.host, []).append(entry)
    stopped: list[GitHubError] = []
    for of_host in by_host.values():
        try:
            work(of_host)
        except GitHubError as error:
            stopped.append(error)
    if stopped:
        raise min(stopped, key=lambda error: isinstance(error, RateLimited))


def closed_hosts(graph: Graph, account: Callable[[str], str]) -> dict[str, str]:
    """Until when (ISO-8601 UTC) each host is to be left alone whose limit a Sweep has used up.

    ``account`` says whose points are spent at a host; it is only asked where there is a limit. The
    limits of others, of strangers before a login or of another API at the same host, are no matter.
    """
    closed: dict[str, str] = {}
    for limit in claims.limits(graph, now()):
        if limit.account is None or limit.account == account(limit.host):
            closed[limit.host] = max(limit.retry_at, closed.get(limit.host, ""))
    return closed
