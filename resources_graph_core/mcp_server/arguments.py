"""What is wrong with the arguments of a call, in words that a model can act on."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import ValidationError

from resources_graph_core.mcp_server.tools import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MOST_TOLD = 3


def check_known(tool: str, given: Iterable[str], taken: Sequence[str]) -> None:
    """Raise ToolError for the first argument that a tool does not take.

    The SDK drops such arguments, and a question that lost its condition has another answer.
    """
    for name in given:
        if name not in taken:
            near = get_close_matches(name, taken, n=1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            said = f"it takes no argument {name[:80]!r}{hint}; it takes: {', '.join(taken)}"
            raise _wrong(tool, said if taken else "it takes no arguments")


def in_words(tool: str, error: ToolError) -> ToolError:
    """The error as it is, but where arguments are of a wrong type: then what is wrong with them.

    Values stay out: they may be secrets.
    """
    cause = error.__cause__
    if not isinstance(cause, ValidationError):
        return error
    said = [
        f"{'.'.join(map(str, one['loc']))}: {one['msg']}"
        for one in cause.errors(include_url=False, include_input=False, include_context=False)
    ]
    more = f" (and {len(said) - _MOST_TOLD} more)" if len(said) > _MOST_TOLD else ""
    return _wrong(tool, f"{'; '.join(said[:_MOST_TOLD])}{more}")


def _wrong(tool: str, said: str) -> ToolError:
    """An error with the words of the SDK before it, as all others have them."""
    return ToolError(plain(ToolError(f"Error executing tool {tool}: {said}")))
