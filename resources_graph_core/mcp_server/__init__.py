"""The MCP server: tools that read from memory, which never call GitHub and write nothing.

Those of :mod:`resources_graph_core.mcp_server.store_tools` ask GitHub. What the server answers is
for models, see :mod:`resources_graph_core.render_model`; the hook of the agent's harness records
that it was asked. Other parts of the project bring tools of their own as tool sets, see
:mod:`resources_graph_core.mcp_server.tools`.
"""

from resources_graph_core.mcp_server.kept import KeptMemory
from resources_graph_core.mcp_server.server import build, serve
from resources_graph_core.mcp_server.tools import OfferedTool, ToolSet

__all__ = ["KeptMemory", "OfferedTool", "ToolSet", "build", "serve"]
