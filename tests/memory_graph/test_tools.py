"""The operations as MCP tools, through the official server and client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from resources_graph_core.errors import ResourcesGraphError
from resources_graph_core.memory_graph import OPERATIONS, Access, MemoryGraph
from resources_graph_core.memory_graph.operations import TIME_AXES
from resources_graph_core.memory_graph.tools import tools

if TYPE_CHECKING:
    from resources_graph_core.graph import Graph
    from resources_graph_core.memory_graph.tools import Work


def server_on(graph: Graph, access: Access) -> MCPServer[Any]:
    """A server that offers what a handle with this access may do."""

    def use(work: Work, *, repeat: bool) -> dict[str, Any]:  # noqa: ARG001 - a real graph stays
        try:
            return work(MemoryGraph(graph, access=access))
        except ResourcesGraphError as error:
            raise ToolError(str(error)) from error

    server: MCPServer[Any] = MCPServer("memory")
    for one in tools(use, read_only=access.read_only):
        server.add_tool(one.function, name=one.name, description=one.description)
    return server


def call(server: MCPServer[Any], tool: str, **arguments: Any) -> dict[str, Any]:  # noqa: ANN401
    """What a tool answers an MCP client."""
    from mcp import Client  # noqa: PLC0415 - slow

    async def ask() -> dict[str, Any]:
        async with Client(server) as client:
            result = await client.call_tool(tool, arguments)
            if result.is_error:
                return {"error": result.content[0].text}
            found: dict[str, Any] = result.structured_content
            return found

    return anyio.run(ask)


def test_every_operation_is_a_tool_whose_schema_is_its_request(embedded_graph: Graph) -> None:
    server = server_on(embedded_graph, Access(origin="ada"))
    listed = {one.name: one for one in anyio.run(server.list_tools)}
    assert listed.keys() == {f"graph_{name}" for name in OPERATIONS}
    for name, operation in OPERATIONS.items():
        schema, expected = listed[f"graph_{name}"].input_schema, operation.request
        wanted = expected.model_json_schema()
        assert schema["properties"].keys() == wanted.get("properties", {}).keys()
        assert set(schema.get("required", ())) == set(wanted.get("required", ()))
    assert TIME_AXES in listed["graph_recall"].description
    assert listed["graph_recall"].input_schema["properties"]["project"]["default"] == "summary"


def test_a_read_only_server_offers_no_tool_that_writes(embedded_graph: Graph) -> None:
    server = server_on(embedded_graph, Access(read_only=True))
    offered = {one.name for one in anyio.run(server.list_tools)}
    assert offered == {f"graph_{name}" for name, one in OPERATIONS.items() if not one.writes}


def test_writes_are_claims_of_the_servers_origin(embedded_graph: Graph) -> None:
    server = server_on(embedded_graph, Access(origin="ada"))
    node = call(server, "graph_put", id="a", kind="task", label="First")["node"]
    assert (node["origin"], node["provenance"]) == ("ada", "claimed")
    call(server, "graph_put", id="b", kind="task")
    edge = call(server, "graph_link", src="a", dst="b", rel="needs")["edge"]["id"]
    assert call(server, "graph_supersede", id=edge, retire=True)["new"] is None
    assert [one["id"] for one in call(server, "graph_match", labelContains="fir")["nodes"]] == ["a"]
    recalled = call(server, "graph_recall", ids=["a"], match={"labelContains": "fir"})
    assert [hit["id"] for hit in recalled["hits"]] == ["a"]


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("graph_get", {"id": "nowhere"}, "no node"),
        ("graph_drop", {"confirm": True}, "privileged"),
        ("graph_recall", {}, "starts somewhere"),
        ("graph_put", {"id": "a", "kind": "task", "provenance": "observed"}, "trusted"),
    ],
)
def test_failures_are_told_as_errors(
    embedded_graph: Graph, tool: str, arguments: dict[str, Any], said: str
) -> None:
    server = server_on(embedded_graph, Access(origin="ada"))
    assert said in call(server, tool, **arguments)["error"]
