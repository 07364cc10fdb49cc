"""What a tool is to the server, and how other parts of the project bring theirs.

A tool set is a function from the kept memory to tools; it is called when a client first asks for
tools, so that what it imports delays no start. A tool is a plain function: its parameters, with
``Annotated[…, Field(description=…)]``, become the schema, and a Pydantic model that it returns
becomes structured output. Its errors, those of the project's own tree, become answers that a model
can act on::

    def roadmap_tools(kept: KeptMemory) -> list[OfferedTool]:
        def add_goal(title: str) -> Goal: ...
        return [OfferedTool(add_goal, "Add a goal to the roadmap.", writes=True)]

    build(settings, [roadmap_tools], writing=True)

Tools that write are offered only to a server that was told to offer them.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer
    from mcp_types import Tool

    from resources_graph_core.mcp_server.kept import KeptMemory

_LONGEST_ERROR = 2_000
"""Characters of an error that are told."""

ToolSet = Callable[["KeptMemory"], Iterable["OfferedTool"]]
"""Makes tools that use the kept memory."""


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A function that models may call: ``name`` is the function's own where none is given.

    ``writes`` says that it changes something, ``asks_github`` that it calls GitHub.
    """

    function: Callable[..., Any]
    description: str
    name: str | None = None
    writes: bool = False
    asks_github: bool = False


def add(server: MCPServer[Any], tool: OfferedTool) -> None:
    """Offer one tool; what it raises of the project's errors is told to the model."""
    server.add_tool(
        answering(tool.function),
        name=tool.name or tool.function.__name__,
        description=tool.description,
        annotations=ToolAnnotations(
            read_only_hint=not tool.writes, open_world_hint=tool.asks_github
        ),
    )


def shortened(tool: Tool) -> Tool:
    """The same tool, whose schemas cost a session less.

    Titles repeat the names beside them; and that a parameter may be left out says all that a model
    needs to know of the null that stands for it. Bounds are told by the error of who oversteps
    them. What a tool answers is checked by clients, so there all of that stays.
    """
    return tool.model_copy(
        update={
            "input_schema": _optional(_untitled(tool.input_schema)),
            "output_schema": tool.output_schema and _untitled(tool.output_schema),
        }
    )


_BOUNDS = {"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"}

_GROUPS = ("properties", "$defs")
"""Where a schema has others by name."""


def _untitled(schema: dict[str, Any]) -> dict[str, Any]:
    return _changed({name: value for name, value in schema.items() if name != "title"}, _untitled)


def _optional(schema: dict[str, Any]) -> dict[str, Any]:
    choices = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    if len(choices) == 1 and len(schema["anyOf"]) > 1 and schema.get("default", ...) is None:
        rest = {name: value for name, value in schema.items() if name not in {"anyOf", "default"}}
        schema = choices[0] | rest
    kept = {name: value for name, value in schema.items() if name not in _BOUNDS}
    if kept.get("additionalProperties") is False:
        del kept["additionalProperties"]
    return _changed(kept, _optional)


def _changed(
    schema: dict[str, Any], change: Callable[[dict[str, Any]], dict[str, Any]]
) -> dict[str, Any]:
    """A schema with every schema inside of it changed."""
    changed: dict[str, Any] = {}
    for name, value in schema.items():
        if name in _GROUPS:
            changed[name] = {key: change(one) for key, one in value.items()}
        elif isinstance(value, dict):
            changed[name] = change(value)
        elif name in {"anyOf", "oneOf", "allOf", "prefixItems"}:
            changed[name] = [change(one) for one in value]
        else:
            changed[name] = value
    return changed


def answering(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, whose errors say to a model what to do next.

    The SDK puts words of its own before them, so that no error reads as an outcome or a quoted
    line. Data is told in as few characters as JSON takes, where the SDK would indent it.
    """

    @functools.wraps(function)
    def answer(*arguments: object, **named: object) -> object:
        from resources_graph_core.errors import (  # noqa: PLC0415 - see the server
            ConfigError,
            GraphQueryError,
            GraphUnavailable,
            ResourcesGraphError,
        )

        try:
            return _compact(function(*arguments, **named))
        except (GraphUnavailable, GraphQueryError, ConfigError) as error:
            raise ToolError(
                f"{plain(error)} Memory cannot be read now; fetch from GitHub yourself meanwhile."
            ) from error
        except ResourcesGraphError as error:
            raise ToolError(plain(error)) from error

    return answer


def _compact(answered: object) -> object:
    """Data as a result whose text is short; a result that a tool made itself stays as it is."""
    data = answered.model_dump(mode="json") if isinstance(answered, BaseModel) else answered
    if isinstance(answered, CallToolResult) or not isinstance(data, dict):
        return answered
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=data)


def plain(error: Exception) -> str:
    """What an error says, in one line that is fit for a model.

    Errors repeat what was asked for and what stands on GitHub, credentials and all.
    """
    from resources_graph_core.untrusted import Treatment  # noqa: PLC0415 - see the server

    told = Treatment().one_line(str(error)).text
    more = len(told) - _LONGEST_ERROR
    return told if more <= 0 else f"{told[:_LONGEST_ERROR]}… ({more:,} characters more)"
