"""The MCP server: one tool that reads from memory. Never calls GitHub, writes nothing.

What it answers is for models, see :mod:`resources_graph_core.render_model`; the hook of the agent's
harness records that it was asked. The memory is opened for each call, so the server outlives a
graph that goes away and comes back, and a change of settings counts at once.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from resources_graph_core.errors import ResourcesGraphError, UsageError
from resources_graph_core.harness import MCP_SERVER, MCP_TOOL

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.memory import Memory

INSTRUCTIONS = (
    f"Remembers public GitHub issues, pull requests, repositories and lists. Ask `{MCP_TOOL}` "
    "before you fetch one from GitHub; it tells how old its answer is."
)

DESCRIPTION = (
    "Read a public GitHub issue, pull request, repository or list from memory, without asking "
    "GitHub. A miss says so: then fetch it yourself."
)

_ADDRESS = (
    "What you would fetch: owner/repo#12, owner/repo, a github.com or API URL, "
    "or a gh or curl command line."
)


def build(open_memory: Callable[[], Memory]) -> MCPServer[Any]:
    """The server, ready to run; ``open_memory`` is called once for each read."""
    server = MCPServer(
        MCP_SERVER,
        instructions=INSTRUCTIONS,
        version=version("resources-graph-dagster"),
        log_level="WARNING",
    )

    def resource(
        address: Annotated[str, Field(description=_ADDRESS)],
        page: Annotated[int, Field(ge=1, description="Of a long answer.")] = 1,
    ) -> str:
        return read(open_memory, address, page)

    server.add_tool(
        resource,
        name=MCP_TOOL,
        description=DESCRIPTION,
        annotations=ToolAnnotations(read_only_hint=True),
        structured_output=False,
    )
    return server


def read(open_memory: Callable[[], Memory], address: str, page: int) -> str:
    """What the tool answers.

    Raises ToolError, whose message tells a model what to do; the SDK puts words of its own first,
    so that no error reads as an outcome or a quoted line.
    """
    from resources_graph_core.clock import now  # noqa: PLC0415 - nothing before the first call
    from resources_graph_core.render import visible  # noqa: PLC0415 - the same
    from resources_graph_core.render_model import answer  # noqa: PLC0415 - the same

    try:
        with open_memory() as memory:
            found = memory.read(address)
        return answer(found, page=page, now=now())
    except UsageError as error:
        raise ToolError(visible(str(error), line_breaks=False)) from error
    except ResourcesGraphError as error:
        message = visible(str(error), line_breaks=False)
        raise ToolError(
            f"{message} Memory cannot be read now; fetch from GitHub yourself meanwhile."
        ) from error


def serve(open_memory: Callable[[], Memory]) -> None:
    """Serve over standard input and output until the client closes them."""
    build(open_memory).run("stdio")
