"""Withdrawing what GitHub no longer gives: what it names under its former Addresses is checked too.

The source says that something is gone only when GraphQL and REST agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources_graph_core.clock import now
from resources_graph_core.store import agent_memory, moves, resources, withdrawal
from resources_graph_core.sweep.keep import keep

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from resources_graph_core.address import Address
    from resources_graph_core.github.source import Reason, Source
    from resources_graph_core.graph import Graph
    from resources_graph_core.sweep.report import SweepReport

FINAL: tuple[Reason, ...] = ("not_found", "not_public")
"""What GitHub says of something that is gone for everybody."""


def withdraw(
    graph: Graph,
    source: Source,
    gone: Mapping[Address, Reason],
    *,
    run_id: str,
    report: SweepReport,
) -> None:
    """Withdraw what memory holds at these repositories and items, which GitHub no longer gives.

    What a former Address leads to may well be there, and a repository may be gone with its item:
    both are asked about before they are withdrawn. Raises what the source raises.
    """
    agent_memory.forget_at(graph, [one.key for one, said in gone.items() if said in FINAL])
    held = moves.held(graph, list(gone))
    for reason in FINAL:
        here = [
            held[address.key].node_id
            for address, said in gone.items()
            if said == reason
            and address.key in held
            and held[address.key].address.key == address.key
        ]
        report.withdrawn += withdrawal.withdraw(graph, here, reason=reason, now=now())
    elsewhere = {
        address: held[address.key].address
        for address in gone
        if address.key in held and held[address.key].address.key != address.key
    }
    doubtful = dict.fromkeys(elsewhere.values()) | dict.fromkeys(
        _changed_repositories(graph, source, [*gone, *elsewhere.values()])
    )
    if not doubtful:
        return
    still_there = _look_again(graph, source, list(doubtful), run_id=run_id, report=report)
    dead_ends = [address for address, now_at in elsewhere.items() if now_at in still_there]
    if dead_ends:
        keys = {key for address in dead_ends for key in (address.key, address.repository.key)}
        moves.forget(graph, sorted(keys))


def _changed_repositories(graph: Graph, source: Source, gone: Sequence[Address]) -> list[Address]:
    """The repositories of items that are gone which may be gone too."""
    wanted = {
        address.repository.key: address.repository for address in gone if address.kind != "repo"
    }
    held = resources.at_addresses(graph, list(wanted))
    stored = {node_id: wanted[key] for key, node_id in held.items()}
    if not stored:
        return []
    return [stored[node_id] for node_id, version in source.versions(stored) if version is None]


def _look_again(
    graph: Graph, source: Source, addresses: Sequence[Address], *, run_id: str, report: SweepReport
) -> set[Address]:
    """Ask for these in full: withdraw those that are gone, keep and return those that are not."""
    found = []
    still_there: set[Address] = set()
    lost: dict[str, list[str]] = {}
    for fetched in source.fetch(addresses):
        if fetched.content is not None:
            found.append(fetched.content)
            still_there.add(fetched.address)
        elif fetched.reason in FINAL:
            lost.setdefault(fetched.reason, []).append(fetched.address.key)
    if found:
        kept = keep(graph, source, found, run_id=run_id)
        report.fetched += len(found) - len(kept.refusals)
        report.linked += kept.linked
    for reason, keys in lost.items():
        here = resources.at_addresses(graph, keys)
        report.withdrawn += withdrawal.withdraw(
            graph, list(here.values()), reason=reason, now=now()
        )
    return still_there
