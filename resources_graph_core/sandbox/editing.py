"""The history of an item's text, as ``userContentEdits`` tells it.

GitHub keeps none until the first edit; then the text as it was written comes first in time, and the
``diff`` of each entry is the whole text after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources_graph_core.sandbox.identity import node_id
from resources_graph_core.sandbox.nodes import ContentEdit

if TYPE_CHECKING:
    from resources_graph_core.sandbox.nodes import Actor, Item


def keep_edit(item: Item, body: str, now: str, editor: Actor | None) -> None:
    """Keep that the text of ``item`` becomes ``body``; the same text again is no edit."""
    if body == item.body:
        return
    if not item.edits:
        _add(item, item.body, item.created_at, item.author)
    _add(item, body, now, editor)


def _add(item: Item, text: str, when: str, editor: Actor | None) -> None:
    made = node_id("UserContentEdit", item.id, len(item.edits))
    item.edits.append(ContentEdit(made, text, when, editor))
