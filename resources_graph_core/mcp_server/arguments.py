"""What is wrong with the arguments of a call, in words that a model can act on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import ValidationError

from resources_graph_core import mistakes
from resources_graph_core.mcp_server.tools import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def check_known(tool: str, given: Iterable[str], taken: Sequence[str]) -> None:
    """Raise ToolError for arguments that a tool does not take.

    The SDK drops such arguments, and a question that lost its condition has another answer. A name
    in camel case may be written with underscores.
    """
    known = {*taken, *map(_underscored, taken)}
    if unknown := [name for name in given if name not in known]:
        raise _wrong(tool, mistakes.takes_no(unknown, taken))


def in_words(tool: str, error: ToolError) -> ToolError:
    """The error as it is, but where arguments are of a wrong type: then what is wrong with them.

    Values stay out: they may be secrets.
    """
    cause = error.__cause__
    if not isinstance(cause, ValidationError):
        return error
    return _wrong(tool, mistakes.in_words(cause, _schema(tool)))


def _underscored(name: str) -> str:
    return re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", name)


def _schema(tool: str) -> dict[str, Any]:
    """What a tool of the memory graph is asked with; other tools take no objects with names."""
    from resources_graph_core.memory_graph.operations import OPERATIONS  # noqa: PLC0415 - slow
    from resources_graph_core.memory_graph.tools import PREFIX  # noqa: PLC0415 - the same

    operation = OPERATIONS.get(tool.removeprefix(PREFIX)) if tool.startswith(PREFIX) else None
    return {} if operation is None else operation.request.model_json_schema()


def _wrong(tool: str, said: str) -> ToolError:
    """An error with the words of the SDK before it, as all others have them."""
    return ToolError(plain(ToolError(f"Error executing tool {tool}: {said}")))
