"""What other processes may do to a running sandbox: methods of its state and faults, by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from resources_graph_core.errors import UsageError
from resources_graph_core.sandbox.archive import load_archive
from resources_graph_core.sandbox.faults import Refusal

if TYPE_CHECKING:
    from resources_graph_core.sandbox.faults import Faults
    from resources_graph_core.sandbox.state import State

METHODS = {
    "state": frozenset(
        [
            "add_comment",
            "add_project",
            "close_item",
            "delete_comment",
            "delete_item",
            "delete_repository",
            "edit_before_next_write",
            "edit_item",
            "load",
            "minimize_comment",
            "rename_repository",
            "resolve_thread",
            "set_access",
            "set_permission",
            "set_visibility",
            "transfer_item",
        ]
    ),
    "faults": frozenset(
        [
            "answer_next",
            "bad_gateway",
            "break_connections",
            "clear",
            "cut_body",
            "limit_as_github",
            "lose_answers",
            "points_left",
            "secondary_limit",
            "slow_down",
            "time_out_above",
        ]
    ),
}
"""What can be called. ``load`` takes the ``path`` of an archive."""


def control(state: State, faults: Faults, path: str, body: bytes) -> str | int | None:
    """Call the method that ``path`` names, such as ``faults/cut_body``, with JSON arguments.

    Returns what it returns: an added comment's id, a transferred issue's number. Raises UsageError
    for a method or arguments that do not exist, ArchiveError for a bad archive.
    """
    kind, _, name = path.partition("/")
    if name not in METHODS.get(kind, ()):
        raise UsageError(f"there is no {path!r}; the sandbox has {_all_methods()}")
    target = state if kind == "state" else faults
    try:
        arguments: dict[str, Any] = json.loads(body or b"{}")
        if name == "load":
            arguments = {"archive": load_archive(Path(arguments["path"]))}
        if name == "answer_next":
            arguments["refusal"] = Refusal(**arguments["refusal"])
        result = getattr(target, name)(**arguments)
    except (TypeError, ValueError, KeyError) as error:
        raise UsageError(f"{path} cannot be called so: {error}") from None
    return result if isinstance(result, str | int) else None


def _all_methods() -> str:
    return ", ".join(f"{kind}/{name}" for kind, names in METHODS.items() for name in sorted(names))
