"""The real memgraph-context-graph with our connector and tool, over a Bolt server."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import TYPE_CHECKING

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import TextContent

from tests.mcp.conftest import fill

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from resources_graph_core.graph import Graph
    from tests.engines import ArcadeServer

HUB = "import sys; from memgraph_context_graph.cli import main; sys.exit(main(sys.argv[1:]))"
HOOK = ("hook", "run", "claude-code", "--connector", "resources-graph", "--strict")
SESSION = "9f1c2a34-5b6d-4e7f-8a90-b1c2d3e4f501"


@pytest.fixture
def bolt(arcadedb: ArcadeServer) -> Iterator[Graph]:
    """An empty graph behind Bolt."""
    with arcadedb.engine.open() as graph:
        graph.query("MATCH (n) DETACH DELETE n")
        yield graph


@pytest.fixture
def config(arcadedb: ArcadeServer, tmp_path: Path) -> str:
    """The family's configuration file, for that server."""
    file = tmp_path / "context-graph.toml"
    file.touch(mode=0o600)
    file.write_text(
        f'[identity]\nuser_id = "mona"\n[memgraph]\nurl = "{arcadedb.engine.url}"\n'
        f'user = "{arcadedb.engine.user}"\npassword = "{arcadedb.engine.password}"\n'
        'database = "resources"\n'
    )
    return str(file)


def payload(name: str, **fields: object) -> str:
    """What Claude Code gives a hook."""
    common = {"session_id": SESSION, "hook_event_name": name, "cwd": "/nowhere"}
    return json.dumps(common | fields)


def test_its_hooks_record_our_touches(
    hub: Path, bolt: Graph, config: str, run_with: Callable[..., str], home: Path
) -> None:
    fill(bolt)

    def hook(text: str) -> str:
        return run_with(
            HUB,
            hub,
            stdin=text,
            arguments=HOOK,
            CONTEXT_GRAPH_CONFIG=config,
            RESOURCES_GRAPH_HOME=str(home),
        )

    fetch = {"tool_name": "Bash", "tool_use_id": "toolu_1"}
    command = {"command": "gh issue view 1 -R octo-org/widgets && gh pr view 9 -R o/r"}
    said = hook(payload("PreToolUse", **fetch, tool_input=command))
    hook(payload("PreToolUse", **fetch, tool_input=command))
    assert "octo-org/widgets#1 is in memory" in said
    prompt = "Look at https://github.com/octo-org/widgets/issues/2"
    hook(payload("UserPromptSubmit", prompt=prompt, prompt_id="p1"))
    ours = {"tool_name": "mcp__context-graph__resource", "tool_use_id": "toolu_2"}
    answer = [{"type": "text", "text": "hit github:octo-org/widgets#1 · issue, open\n…"}]
    asked = {"address": "octo-org/widgets#1"}
    hook(payload("PostToolUse", **ours, tool_input=asked, tool_response=answer))
    hook(
        payload("PreToolUse", tool_name="Bash", tool_use_id="toolu_3", tool_input={"command": "ls"})
    )

    rows = bolt.query(
        "MATCH (u:User)-[:HAD_SESSION]->(s:Session)<-[:IN_SESSION]-(t:Touch) "
        "RETURN u.user_id AS user, s.session_id AS session, t.address AS address, "
        "t.provenance AS provenance, t.status AS status, t.outcome AS outcome"
    )
    assert {(row["user"], row["session"]) for row in rows} == {("mona", SESSION)}
    told = {(row["address"], row["provenance"], row["status"], row["outcome"]) for row in rows}
    assert told == {
        ("github:octo-org/widgets#1", "FETCHED", "pending", None),
        ("github:o/r#9", "FETCHED", "pending", None),
        ("github:octo-org/widgets#2", "PROMPTED", "pending", None),
        ("github:octo-org/widgets#1", "FETCHED", None, "hit"),
    }
    assert len(rows) == 4


def test_its_mcp_server_serves_our_tool(hub: Path, bolt: Graph, config: str, home: Path) -> None:
    fill(bolt)

    async def talk() -> None:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-c", HUB, "mcp"],
            env={
                **os.environ,
                "PYTHONPATH": str(hub),
                "CONTEXT_GRAPH_CONFIG": config,
                "RESOURCES_GRAPH_HOME": str(home),
            },
        )
        async with Client(stdio_client(server)) as client:
            (tool,) = (await client.list_tools()).tools
            assert tool.name == "resource"
            for arguments, words, failed in (
                ({"address": "octo-org/widgets#1"}, "hit github:octo-org/widgets#1 · issue", False),
                ({"address": "octo-org/widgets#2", "comments": "7"}, "Comment 7 of 130", False),
                ({"address": "octo-org/widgets#77"}, "miss github:octo-org/widgets#77", False),
                ({"address": "nothing of the kind"}, "owner/repo", True),
                ({"address": "o/r#1", "colour": "red"}, "cannot be asked so", True),
                ({"address": "o/r#1", "comments": 5}, "comments has to be a string", True),
            ):
                result = await client.call_tool("resource", arguments)
                (content,) = result.content
                assert isinstance(content, TextContent)
                assert words in content.text
                assert bool(result.is_error) == failed

    asyncio.run(talk())


SETUP = """
from memgraph_context_graph.connectors import load_connectors
from memgraph_context_graph.adapters._identity import load_config
spec = load_connectors()["resources-graph"]
config = load_config()
spec.graph(
    url=config.memgraph_url, username=config.memgraph_user, password=config.memgraph_password,
    database=config.memgraph_database,
).setup()
print(*spec.check(config))
"""


def test_its_setup_and_its_doctor(hub: Path, config: str, run_with: Callable[..., str]) -> None:
    said = run_with(SETUP, hub, CONTEXT_GRAPH_CONFIG=config)
    assert said == "True resources-graph-dagster: every index is there\n"
