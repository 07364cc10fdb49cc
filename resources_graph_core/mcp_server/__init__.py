"""The MCP server: tools that read from memory. It never calls GitHub and writes nothing.

What it answers is for models, see :mod:`resources_graph_core.render_model`; the hook of the agent's
harness records that it was asked. Other parts of the project bring tools of their own as tool sets,
see :mod:`resources_graph_core.mcp_server.tools`.
"""

from resources_graph_core.mcp_server.kept import KeptMemory
from resources_graph_core.mcp_server.server import build, serve
from resources_graph_core.mcp_server.tools import OfferedTool, ToolSet

__all__ = ["KeptMemory", "OfferedTool", "ToolSet", "build", "serve"]
