"""The tools of the stores that agents keep on GitHub: roadmaps, decisions, triage backlogs.

Unlike the others they ask GitHub. Those that write are offered where the settings let tools write.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from resources_graph_core.errors import ConfigError
from resources_graph_core.github_memory.configured import tools_may_write
from resources_graph_core.github_memory.tools import MemoryTools
from resources_graph_core.mcp_server.tools import OfferedTool
from resources_graph_core.memory import open_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from resources_graph_core.mcp_server.kept import KeptMemory

_log = logging.getLogger(__name__)


def tools(kept: KeptMemory) -> Iterator[OfferedTool]:
    """The tools; what they read and write is recorded in the kept memory's graph."""
    stores = MemoryTools(
        lambda: open_memory(settings=kept.settings), settings=lambda: kept.settings
    )
    for function in stores.reading():
        yield _offered(function, writes=False)
    try:
        may_write = tools_may_write(kept.settings)
    except ConfigError as error:
        # Tools are listed all the same: each of them says what is wrong with the settings.
        _log.warning("tools only read: %s", error)
        may_write = False
    if may_write:
        for function in stores.writing():
            yield _offered(function, writes=True)


def _offered(function: Callable[..., object], *, writes: bool) -> OfferedTool:
    return OfferedTool(function, function.__doc__ or "", writes=writes, asks_github=True)
