"""The tool ``resource`` in ``memgraph-context-graph mcp``: our answers, its connection."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, ClassVar

from memgraph_context_graph.tools import ToolError, ToolResult

from resources_graph_core.clock import now
from resources_graph_core.config import load_settings
from resources_graph_core.errors import GraphUnavailable, ResourcesGraphError
from resources_graph_core.harness import MCP_TOOL
from resources_graph_core.memory import Memory
from resources_graph_core.render_model import answer, as_data, as_text, asked
from resources_graph_core.untrusted import Treatment

if TYPE_CHECKING:
    from memgraph_context_graph.adapters._identity import HookConfig

    from resources_graph_core.read import CacheRead

DESCRIPTION = (
    "Read a public GitHub issue, pull request, repository or list from memory, without asking "
    "GitHub: the head and the first comments, then what is left and how to get it. A miss says so: "
    "then fetch it yourself."
)
SESSION_HINT = (
    "Public GitHub issues, pull requests, repositories and lists that were read before are in "
    "memory: ask `resource` before you fetch one."
)

_TYPES = {"string": str, "boolean": bool, "integer": int}
_TEXT = {"type": "string"}
_FLAG = {"type": "boolean"}
_NUMBER = {"type": "integer", "minimum": 1}


class ResourceTool:
    """Reads memory; keeps one connection for as long as the configuration stays the same."""

    name = MCP_TOOL
    connector = "resources-graph"
    description = DESCRIPTION
    session_hint = SESSION_HINT
    input_schema: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {
            "address": {
                **_TEXT,
                "description": "What you would fetch: owner/repo#12, owner/repo, a github.com URL, "
                "or a gh command line.",
            },
            "page": {**_NUMBER, "description": "Of a long answer."},
            "budget": {**_NUMBER, "description": "Tokens at most."},
            "comments": {**_TEXT, "description": 'Only these, such as "41-80".'},
            "since": {**_TEXT, "description": "Only comments from this day on."},
            "comment": {**_NUMBER, "description": "Only this one."},
            "outline": {**_FLAG, "description": "A line for each comment or README section."},
            "reviews": {**_FLAG, "description": "Only reviews, by thread."},
            "files": {**_FLAG, "description": "Only the changed files."},
            "section": {**_NUMBER, "description": "Only this one of a README."},
        },
        "required": ["address"],
    }

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._memory: Memory | None = None
        self._config: HookConfig | None = None

    def call(self, arguments: dict[str, Any], config: HookConfig) -> ToolResult:
        """Answer from memory; ToolError says what a model can do instead."""
        address = arguments.get("address")
        if not isinstance(address, str) or not address.strip():
            raise ToolError("resource needs an address, such as owner/repo#12.")
        given = {name: value for name, value in arguments.items() if value is not None}
        del given["address"]
        for name, value in given.items():
            wanted = self.input_schema["properties"].get(name, {}).get("type")
            if wanted and type(value) is not _TYPES[wanted]:
                raise ToolError(f"resource cannot be asked so: {name} has to be a {wanted}.")
        try:
            ask = asked(**given)
            composed = answer(self._read(address, config), ask, now=now())
        except TypeError as error:
            raise ToolError(f"resource cannot be asked so: {error}.") from error
        except ResourcesGraphError as error:
            raise ToolError(Treatment().one_line(str(error)).text) from error
        data = as_data(composed).model_dump(mode="json", exclude_none=True)
        return ToolResult(text=as_text(composed), structured=data)

    def _read(self, address: str, config: HookConfig) -> CacheRead:
        with self._turn:
            memory = self._memory
            if memory is None or self._config != config:
                memory = self._open(config)
            try:
                return memory.read(address, brief=True)
            except GraphUnavailable:
                return self._open(config).read(address, brief=True)

    def _open(self, config: HookConfig) -> Memory:
        from resources_graph_core.family.graph import of_config  # noqa: PLC0415 - loads the driver

        if self._memory is not None:
            self._memory.close()
            self._memory = None
        settings = load_settings(user=config.user_id)
        self._memory = Memory(of_config(config), settings)
        self._config = config
        return self._memory


RESOURCE = ResourceTool()
"""What the entry point names."""
