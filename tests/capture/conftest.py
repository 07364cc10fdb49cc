"""What every table of capture cases shares: a context, and Addresses as short text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from resources_graph_core.capture import Context
from resources_graph_core.capture.checkout import Checkout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from resources_graph_core import Address

FILES = {
    "/home/dev/widgets/.git/HEAD": "ref: refs/heads/main\n",
    "/home/dev/widgets/.git/config": '[remote "origin"]\n url = git@github.com:octo-org/widgets\n',
    "/home/dev/gears/.git/HEAD": "ref: refs/heads/main\n",
    "/home/dev/gears/.git/config": '[remote "origin"]\n\turl = https://github.com/octo-org/gears\n',
    "/home/dev/inside/.git/HEAD": "ref: refs/heads/main\n",
    "/home/dev/inside/.git/config": '[remote "origin"]\n\turl = https://ghe.corp.com/team/tool.git\n',
}


@pytest.fixture
def context() -> Callable[..., Context]:
    """Make a Context: nothing but github.com and a home, unless told otherwise."""

    def make(
        *,
        cwd: str | None = None,
        environment: dict[str, str] | None = None,
        hosts: frozenset[str] = frozenset(),
        login: str | None = None,
    ) -> Context:
        return Context(
            cwd=cwd,
            environment={"HOME": "/home/dev", **(environment or {})},
            hosts=hosts,
            login=login,
            checkout=Checkout(read=FILES.get),
        )

    return make


@pytest.fixture
def shown() -> Callable[[Iterable[Address]], list[str]]:
    """Addresses as text; a Listing with how many members are asked for."""

    def show(addresses: Iterable[Address]) -> list[str]:
        return [
            f"{address} [{address.limit or 'all'}]" if address.kind == "listing" else str(address)
            for address in addresses
        ]

    return show
