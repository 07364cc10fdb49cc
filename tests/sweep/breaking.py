"""Ways for a Sweep to end badly: a process that is killed, and somebody who presses Ctrl-C."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources_graph_core.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from resources_graph_core.address import Address
    from resources_graph_core.github.source import Fetched, ListingIndex, OpenSource, Version
    from resources_graph_core.graph.base import Dialect, Row
    from resources_graph_core.sweep import SweepEvent


class Killed(BaseException):
    """The process is no more: nothing it would do at its end happens."""


class DyingGraph(Graph):
    """A graph whose process is killed at its ``dies_at``-th statement (from 1).

    ``done`` says whether that statement was still carried out.
    """

    def __init__(self, graph: Graph, dies_at: int, *, done: bool) -> None:
        self._graph = graph
        self._left = dies_at
        self._done = done

    @property
    def dialect(self) -> Dialect:
        return self._graph.dialect

    @property
    def died(self) -> bool:
        """Whether it has come to that."""
        return self._left <= 0

    def query(self, statement: str, /, **parameters: object) -> list[Row]:
        dead = self.died
        self._left -= 1
        if self.died:
            if self._done and not dead:
                self._graph.query(statement, **parameters)
            raise Killed
        return self._graph.query(statement, **parameters)

    def change_schema(self, statement: str, /) -> list[Row]:
        return self._graph.change_schema(statement)

    def close(self) -> None: ...


class Watched:
    """A source that keeps which Addresses were fetched, each as often as it was."""

    def __init__(self, source: OpenSource, fetched: list[str]) -> None:
        self._source = source
        self._fetched = fetched
        self.usage_of = source
        self.account = source.account
        self.close = source.close

    @property
    def usage(self) -> object:
        return self._source.usage

    def fetch(self, addresses: Sequence[Address]) -> Iterator[Fetched]:
        self._fetched.extend(address.key for address in addresses)
        return self._source.fetch(addresses)

    def index(self, address: Address) -> ListingIndex:
        self._fetched.append(f"{address.key} {address.limit}")
        return self._source.index(address)

    def versions(self, stored: Mapping[str, Address]) -> Iterator[tuple[str, Version | None]]:
        return self._source.versions(stored)


def at_event(number: int, act: Callable[[], None]) -> Callable[[SweepEvent], None]:
    """Act when the ``number``-th event (from 1) of a Sweep is told."""
    seen = 0

    def told(_: SweepEvent) -> None:
        nonlocal seen
        seen += 1
        if seen == number:
            act()

    return told


def interrupt() -> None:
    """Press Ctrl-C."""
    raise KeyboardInterrupt
