"""GitHub as the stores use it, opened from the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources_graph_core.address import DEFAULT_HOST
from resources_graph_core.config import data_folder, load_settings
from resources_graph_core.github.answer_file import AnswerFile
from resources_graph_core.github.opening import find_access
from resources_graph_core.github.transport import Transport
from resources_graph_core.github_memory.configured import write_pause as configured_pause
from resources_graph_core.github_memory.issues import Issues

if TYPE_CHECKING:
    from pathlib import Path

    from resources_graph_core.config import Settings
    from resources_graph_core.github.pace import Timing


def open_issues(
    *,
    host: str = DEFAULT_HOST,
    settings: Settings | None = None,
    cache_dir: Path | None = None,
    write_pause: float | None = None,
    timing: Timing | None = None,
) -> Issues:
    """GitHub with the token of the settings; close it after use. Opening asks nothing.

    Another ``host`` is reached where an Enterprise Server has its API, with the login of ``gh``.
    ``cache_dir`` keeps answers for conditional requests between processes. ``write_pause`` is how
    many seconds there are between writes, that of the settings by default.
    """
    settings = settings or load_settings()
    own = host == DEFAULT_HOST
    api_url, token = find_access(
        settings.github_api_url if own else None, settings.github_token if own else None, host
    )
    kept = None if cache_dir is None else AnswerFile(cache_dir / "answers.sqlite")
    pause = configured_pause(settings) if write_pause is None else write_pause
    transport = Transport(api_url, token, host=host, own_answers=kept, timing=timing)
    return Issues(transport, write_pause=pause, timing=timing, pace_file=_pace_file(host))


def _pace_file(host: str) -> Path | None:
    """Where the pace of all of the user's writes to a host is kept; None without a data folder."""
    try:
        folder = data_folder()
    except OSError:  # a program may write to GitHub from where nothing can be kept
        return None
    return folder / "github_memory" / f"next_write_{host.replace(':', '_')}"
