"""What memory holds as MCP resources, ``github://owner/repo/issues/123``, with completion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp_types import Completion

from resources_graph_core.clock import now
from resources_graph_core.errors import ResourcesGraphError, UsageError
from resources_graph_core.mcp_server.tools import plain
from resources_graph_core.render_model import answer, as_text
from resources_graph_core.store import completing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp.server.mcpserver import MCPServer

    from resources_graph_core.mcp_server.kept import KeptMemory

MOST_COMPLETIONS = 100
"""What the protocol allows: https://modelcontextprotocol.io/specification (Completion)."""


def add(server: MCPServer[Any], kept: KeptMemory) -> None:
    """Offer the templates."""

    def read(address: str) -> str:
        try:
            found = kept.use(lambda memory: memory.read(address))
        except UsageError as error:
            raise ResourceNotFoundError(plain(error)) from error
        except ResourcesGraphError as error:
            raise ResourceError(plain(error)) from error
        return as_text(answer(found, now=now()))

    @server.resource(
        "github://{owner}/{repo}",
        name="repository",
        description="A repository in memory: its facts and README.",
        mime_type="text/plain",
    )
    def repository(owner: str, repo: str) -> str:
        return read(f"{owner}/{repo}")

    @server.resource(
        "github://{owner}/{repo}/issues/{number}",
        name="issue",
        description="An issue in memory, with its first comments.",
        mime_type="text/plain",
    )
    def issue(owner: str, repo: str, number: str) -> str:
        return read(f"{owner}/{repo}#{number}")

    @server.resource(
        "github://{owner}/{repo}/pull/{number}",
        name="pull request",
        description="A pull request in memory, with its first comments.",
        mime_type="text/plain",
    )
    def pull_request(owner: str, repo: str, number: str) -> str:
        return read(f"{owner}/{repo}#{number}")


def complete(kept: KeptMemory, name: str, begun: str, known: Mapping[str, str]) -> Completion:
    """What memory could put for an argument of a template, of which ``begun`` is written.

    Nothing where memory cannot be read: completion is a convenience.
    """
    try:
        values = kept.use(
            lambda memory: completing.values(
                memory.graph, name, begun, known, limit=MOST_COMPLETIONS + 1
            )
        )
    except ResourcesGraphError:
        values = []
    shown = values[:MOST_COMPLETIONS]
    return Completion(values=shown, has_more=len(values) > len(shown))
