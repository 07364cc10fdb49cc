"""What an event tells of GitHub: the Addresses it reaches for, and the Touches to record."""

from __future__ import annotations

import time

from resources_graph_core.harness import lineage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.address import Address
    from resources_graph_core.capture.context import Context
    from resources_graph_core.config import Settings
    from resources_graph_core.harness.events import Event
    from resources_graph_core.touch import Provenance, Touch

LONGEST_IN_PROCESS = 2048
"""Characters of a shell command that are read in this process.

What the grammar has to guess about takes it time that grows with the square of the length, in
which no signal is heard: 80 kB of ``a|a|a|`` take minutes. A longer one is read by a child process,
which can be killed.
"""

LONG_SECONDS = 0.8
"""For reading a longer one."""

LARGEST_LIMIT = 2**31 - 1
"""Members asked for; whoever asks for more asks for all."""


def fetched(event: Event, settings: Settings | None) -> list[Address]:
    """What the event's tool call reads from GitHub, at the event that its harness records it at."""
    tool = event.tool
    if tool is None or not event.marks_fetch or tool.is_ours:
        return []
    from resources_graph_core import capture  # noqa: PLC0415 - only for tool calls
    from resources_graph_core.surroundings import surroundings  # noqa: PLC0415 - the same

    context = surroundings(settings, event.cwd)
    if tool.kind == "shell":
        if len(tool.command) > LONGEST_IN_PROCESS:
            return list(_of_long_command(tool.command, context))
        return capture.capture_shell(tool.command, context)
    if tool.kind == "web_fetch":
        return capture.capture_url(tool.url, context)
    if tool.kind == "mcp":
        return capture.capture_mcp(tool.name, tool.arguments, context, server=tool.server)
    return []


def _of_long_command(command: str, context: Context) -> Iterator[Address]:
    from resources_graph_core import capture, home  # noqa: PLC0415 - seldom
    from resources_graph_core.address import Address  # noqa: PLC0415 - the same
    from resources_graph_core.hook import child  # noqa: PLC0415 - the same

    def work() -> Iterator[str]:
        for address in capture.capture_shell(command, context):
            yield f"{address.limit or ''} {address.key}"

    deadline = time.monotonic() + LONG_SECONDS
    late = "A long command took too long to read and was passed over."
    for line in child.steps(work, deadline, home.data_folder(), late=late):
        limit, _, key = line.partition(" ")
        yield Address.from_key(key).with_limit(int(limit) if limit else None)


def prompted(event: Event, settings: Settings | None) -> list[Address]:
    """What the user's own words point at."""
    if event.prompt is None:
        return []
    from resources_graph_core import capture  # noqa: PLC0415 - only for prompts
    from resources_graph_core.surroundings import surroundings  # noqa: PLC0415 - the same

    return capture.capture_prompt(event.prompt, surroundings(settings, event.cwd))


def touches(
    event: Event, provenance: Provenance, addresses: list[Address], *, folder: str, user: str
) -> Iterator[Touch]:
    """The Touches of these Addresses, each with an id that a second delivery has again."""
    from resources_graph_core.touch import new_touch  # noqa: PLC0415 - only for Touches

    session = lineage.root_of(folder, event.session_id)
    seen: set[str] = set()
    for address in addresses:
        limit = address.limit
        yield new_touch(
            address if limit is None or limit <= LARGEST_LIMIT else address.with_limit(None),
            session=session,
            user=user,
            discriminator=event.discriminator,
            provenance=provenance,
            told_apart_by_limit=address.key in seen,
            tool_use_id=event.tool_use_id,
            agent_name=event.agent_name,
        )
        seen.add(address.key)


def cache_read(event: Event, *, folder: str, user: str) -> Touch | None:
    """The Cache Read that an answer of our own tool tells of, or None."""
    tool = event.tool
    if event.kind != "post_tool" or tool is None or not tool.is_ours or not event.response:
        return None
    from resources_graph_core import answer_line  # noqa: PLC0415 - only for our own tool
    from resources_graph_core.address import Address  # noqa: PLC0415 - the same
    from resources_graph_core.errors import UsageError  # noqa: PLC0415 - the same
    from resources_graph_core.touch import new_cache_read  # noqa: PLC0415 - the same

    line = answer_line.read(event.response)
    if line is None:
        return None
    try:
        address = Address.from_key(line.key)
        # Two Listings that cover what is asked for stand with a plus sign between.
        keys = line.served_from.split("+") if line.served_from else []
        served = "+".join(Address.from_key(key).key for key in keys) or None
    except UsageError:
        return None  # somebody else's tool of the same name
    limit = tool.arguments.get("limit")
    if address.kind == "listing" and type(limit) is int and 0 < limit <= LARGEST_LIMIT:
        address = address.with_limit(limit)
    return new_cache_read(
        address,
        line.outcome,
        session=lineage.root_of(folder, event.session_id),
        user=user,
        discriminator=event.discriminator,
        served_from=served,
        tool_use_id=event.tool_use_id,
        agent_name=event.agent_name,
    )
