"""Shell commands to the Addresses they read: each program that runs is given to its reader."""

from __future__ import annotations

from resources_graph_core.capture import shell
from resources_graph_core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from resources_graph_core.address import Address
    from resources_graph_core.capture.context import Context

    Reader = Callable[[Sequence[str], Context, str | None], list[Address]]

_HTTP_CLIENTS = {
    "curl": "curl",
    "wget": "wget",
    "http": "httpie",
    "https": "httpie",
    "xh": "httpie",
    "xhs": "httpie",
}


def addresses(command: str, context: Context) -> Iterator[Address]:
    """What ``command`` reads. A program that reads nothing an Address names is passed over."""
    for run in shell.runs(command, context):
        reader = _reader(run.program.name)
        if reader is None:
            continue
        try:
            found = reader(run.program.words[1:], run.context, run.program.stdin)
        except UsageError:
            continue  # it reads nothing that an Address names, which is most often the case
        yield from found


def _reader(name: str) -> Reader | None:
    if name == "gh":
        from resources_graph_core.capture import gh  # noqa: PLC0415 - only when it runs

        return gh.addresses
    if name in _HTTP_CLIENTS:
        from resources_graph_core.capture import http_clients  # noqa: PLC0415 - the same

        return http_clients.READERS[_HTTP_CLIENTS[name]]
    return None
