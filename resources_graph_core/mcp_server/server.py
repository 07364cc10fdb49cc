"""The server put together. Until a client asks for tools, nothing is imported that names them."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from resources_graph_core.harness import MCP_SERVER, MCP_TOOL
from resources_graph_core.mcp_server.kept import KeptMemory

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Sequence

    from mcp.server.lowlevel.helper_types import ReadResourceContents
    from mcp.server.mcpserver import Context
    from mcp_types import CallToolResult, InputRequiredResult, ResourceTemplate, Tool
    from pydantic import AnyUrl

    from resources_graph_core.config import Settings
    from resources_graph_core.mcp_server.tools import ToolSet

INSTRUCTIONS = (
    f"Remembers public GitHub issues, pull requests, repositories and lists. Ask `{MCP_TOOL}` "
    "before you fetch one from GitHub, `find` before you search it, `inflight` before you start "
    "work on an issue; answers say how old they are."
)

WRITE_WAITING_SECONDS = 5.0
"""What waits to be written is written so often; a client may end a server without a word."""


class MemoryServer(MCPServer[Any]):
    """An MCP server that makes its tools and resources when they are first asked for."""

    def __init__(self, kept: KeptMemory, tool_sets: Sequence[ToolSet], *, writing: bool) -> None:
        super().__init__(
            MCP_SERVER,
            instructions=INSTRUCTIONS,
            version=version("resources-graph-dagster"),
            log_level="WARNING",
            lifespan=lambda _server: self._lifespan(),
        )
        self._kept = kept
        self._tool_sets = tuple(tool_sets)
        self._writing = writing
        self._is_complete = False
        self._taken: dict[str, list[str]] | None = None
        self.completion()(self._complete_argument)  # type: ignore[no-untyped-call]

    async def list_tools(self) -> list[Tool]:
        """The tools offered, their schemas without the titles that only repeat names."""
        self._complete()
        from resources_graph_core.mcp_server.tools import shortened  # noqa: PLC0415 - slow

        return [shortened(tool) for tool in await super().list_tools()]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """What a tool answers. Raises ToolError, also for arguments that it does not take."""
        self._complete()
        from resources_graph_core.mcp_server import arguments as checking  # noqa: PLC0415 - slow

        if self._taken is None:
            offered = await super().list_tools()
            self._taken = {tool.name: list(tool.input_schema["properties"]) for tool in offered}
        if name in self._taken:
            checking.check_known(name, arguments, self._taken[name])
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            raise checking.in_words(name, error) from error

    async def list_resource_templates(self) -> list[ResourceTemplate]:
        """The addresses under which everything can be read as a resource."""
        self._complete()
        return await super().list_resource_templates()

    async def read_resource(
        self, uri: AnyUrl | str, context: Context[Any, Any] | None = None
    ) -> Iterable[ReadResourceContents] | InputRequiredResult:
        """What memory holds at an address of a resource."""
        self._complete()
        return await super().read_resource(uri, context)

    @asynccontextmanager
    async def _lifespan(self) -> AsyncIterator[None]:
        """Write what waits now and then, and at last; let go of the memory at the end."""
        writing = asyncio.create_task(self._write_waiting())
        try:
            yield
        finally:
            writing.cancel()
            with suppress(asyncio.CancelledError):
                await writing
            self._kept.close()

    async def _write_waiting(self) -> None:
        while True:
            await asyncio.sleep(WRITE_WAITING_SECONDS)
            await asyncio.to_thread(self._kept.write_waiting)

    def _complete(self) -> None:
        if self._is_complete:
            return
        self._is_complete = True
        from resources_graph_core.mcp_server import memory_tools, resources, tools  # noqa: PLC0415

        for tool_set in (memory_tools.tools, *self._tool_sets):
            for tool in tool_set(self._kept):
                if self._writing or not tool.writes:
                    tools.add(self, tool)
        resources.add(self, self._kept)

    async def _complete_argument(self, _of: object, argument: Any, context: Any) -> object:  # noqa: ANN401 - the SDK's own
        from anyio import to_thread  # noqa: PLC0415 - only for clients that complete

        from resources_graph_core.mcp_server import resources  # noqa: PLC0415 - the same

        known = dict((context.arguments if context else None) or {})
        return await to_thread.run_sync(
            resources.complete, self._kept, argument.name, argument.value, known
        )


def build(
    settings: Callable[[], Settings], tool_sets: Sequence[ToolSet] = (), *, writing: bool = False
) -> MemoryServer:
    """The server, ready to run, on the memory that ``settings`` names at each call.

    ``tool_sets`` bring more tools; those that write are left out unless ``writing``.
    """
    return MemoryServer(KeptMemory(settings), tool_sets, writing=writing)


def serve(
    settings: Callable[[], Settings], tool_sets: Sequence[ToolSet] = (), *, writing: bool = False
) -> None:
    """Serve over standard input and output until the client closes them."""
    build(settings, tool_sets, writing=writing).run("stdio")
