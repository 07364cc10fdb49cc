"""The connector: events of ``memgraph-context-graph`` become Touches, Cache Reads and Nudges.

An event has no payload of a harness any more: the name of the tool, what it was given, whose
session it was. The rest is as in :mod:`resources_graph_core.hook`: no network, addresses only.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memgraph_context_graph.connectors import ConnectorSpec
from memgraph_context_graph.events import MessageEvent, ToolEndEvent, ToolStartEvent
from memgraph_context_graph.protocols import GraphConnector

from resources_graph_core import capture
from resources_graph_core.clock import now
from resources_graph_core.config import load_settings
from resources_graph_core.family.reading import tool_kind
from resources_graph_core.harness import MCP_TOOL
from resources_graph_core.harness.events import response_text
from resources_graph_core.store import holdings, recording
from resources_graph_core.surroundings import surroundings
from resources_graph_core.touch import new_touch

if TYPE_CHECKING:
    from memgraph_context_graph.adapters._identity import HookConfig
    from memgraph_context_graph.events import Event

    from resources_graph_core.address import Address
    from resources_graph_core.capture import Context
    from resources_graph_core.family.graph import Client, FamilyGraph
    from resources_graph_core.touch import Provenance, Touch


class Connector(GraphConnector):  # type: ignore[misc]  # it publishes no types
    """Records what a session reaches for, for the user that the family's configuration names."""

    def __init__(self, family: FamilyGraph, config: HookConfig) -> None:
        self._graph = family.graph
        self._settings = load_settings()
        self._user = config.user_id or self._settings.user

    def supports(self, event: Event) -> bool:
        """Whether it is one of the three events that tell of GitHub."""
        return isinstance(event, ToolStartEvent | ToolEndEvent | MessageEvent)

    def on_event(self, event: Event) -> None:
        """Record what the event tells; nothing for most."""
        if isinstance(event, ToolStartEvent):
            self._record(event, "FETCHED", self._fetched(event))
        elif isinstance(event, MessageEvent) and event.role == "user":
            found = capture.capture_prompt(_text(event.content), self._context(event))
            self._record(event, "PROMPTED", found)
        elif isinstance(event, ToolEndEvent) and not event.is_error:
            touch = self._cache_read(event)
            if touch is not None:
                recording.record(self._graph, [touch])

    def context_before_tool(self, event: ToolStartEvent) -> str | None:
        """A line about each thing that memory holds of what the tool is about to fetch."""
        found = self._fetched(event)
        return "\n".join(holdings.nudges(self._graph, found, now())) or None if found else None

    def _context(self, event: Event) -> Context:
        cwd = event.metadata.get("cwd")
        return surroundings(self._settings, cwd if isinstance(cwd, str) else os.getcwd())  # noqa: PTH109 - Context takes text

    def _fetched(self, event: ToolStartEvent) -> list[Address]:
        tool = tool_kind(event.tool_name, event.tool_input)
        context = self._context(event)
        if tool.kind == "shell":
            return capture.capture_shell(tool.command, context)
        if tool.kind == "web_fetch":
            return capture.capture_url(tool.url, context)
        if tool.kind == "mcp" and not _is_ours(event.tool_name):
            return capture.capture_mcp(tool.name, tool.arguments, context, server=tool.server)
        return []

    def _record(self, event: Event, provenance: Provenance, found: list[Address]) -> None:
        made: list[Touch] = []
        seen: set[str] = set()
        tool_use_id = getattr(event, "tool_use_id", None)
        for address in found:
            made.append(
                new_touch(
                    address,
                    session=event.session_id,
                    user=self._user,
                    discriminator=tool_use_id or event.timestamp,
                    provenance=provenance,
                    told_apart_by_limit=address.key in seen,
                    tool_use_id=tool_use_id,
                    agent_name=getattr(event, "agent_name", None),
                )
            )
            seen.add(address.key)
        if made:
            recording.record(self._graph, made)

    def _cache_read(self, event: ToolEndEvent) -> Touch | None:
        """What the answer of our own tool tells, or None."""
        from resources_graph_core import answer_line  # noqa: PLC0415 - only for our own tool
        from resources_graph_core.address import Address  # noqa: PLC0415 - the same
        from resources_graph_core.errors import UsageError  # noqa: PLC0415 - the same
        from resources_graph_core.touch import new_cache_read  # noqa: PLC0415 - the same

        line = answer_line.read(response_text(event.result) or "")
        if line is None or not _is_ours(event.tool_name):
            return None
        try:
            address = Address.from_key(line.key)
        except UsageError:
            return None  # somebody else's tool of the same name
        return new_cache_read(
            address,
            line.outcome,
            session=event.session_id,
            user=self._user,
            discriminator=event.tool_use_id or event.timestamp,
            served_from=line.served_from,
            tool_use_id=event.tool_use_id,
            agent_name=event.agent_name,
        )


def _is_ours(tool_name: str) -> bool:
    """Whether it is the ``resource`` tool, whatever a harness puts before its name."""
    return tool_name == MCP_TOOL or tool_name.endswith((f"__{MCP_TOOL}", f"-{MCP_TOOL}"))


def _text(content: object) -> str:
    """The words of a message: a text, or a list of parts that hold some."""
    if isinstance(content, list):
        return "\n".join(_text(part) for part in content)
    if isinstance(content, dict):
        return _text(content.get("text") or "")
    return content if isinstance(content, str) else ""


def _check(config: HookConfig) -> tuple[bool, str]:
    """What the family's ``doctor`` shows: whether memory has its indexes."""
    from resources_graph_core.errors import ResourcesGraphError  # noqa: PLC0415 - only for doctor
    from resources_graph_core.family.graph import of_config  # noqa: PLC0415 - the same
    from resources_graph_core.graph import schema  # noqa: PLC0415 - the same

    try:
        with of_config(config) as graph:
            lacks = schema.missing(graph)
    except ResourcesGraphError as error:
        return False, str(error)
    if lacks:
        return False, f"{len(lacks)} indexes are missing; run: resources-graph setup"
    return True, "resources-graph-dagster: every index is there"


def _make_graph(client: Client | None = None, **connection: str | None) -> FamilyGraph:
    from resources_graph_core.family.graph import FamilyGraph  # noqa: PLC0415 - loads the driver

    return FamilyGraph(client, **connection)


CONNECTOR = ConnectorSpec(name="resources-graph", graph=_make_graph, build=Connector, check=_check)
"""What the entry point names."""
