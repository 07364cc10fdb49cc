"""An answer as the text that a model reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources_graph_core.render_model.compose import CAUTION
from resources_graph_core.untrusted import Treatment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resources_graph_core.render_model.blocks import Page
    from resources_graph_core.render_model.compose import Composed


def as_text(composed: Composed) -> str:
    """The answer in lines: the outcome that hooks read, the times, the content, what is left."""
    return "\n".join(_lines(composed))


def _lines(composed: Composed) -> Iterator[str]:
    yield composed.result
    note = composed.found.note
    if note:
        yield Treatment().one_line(note).text
    if composed.page is None:
        return
    if composed.times:
        yield composed.times
    yield CAUTION
    yield from _content(composed.page)
    if composed.masked:
        told = ", ".join(f"{count} {kind}" for kind, count in composed.masked)
        yield from ("", f"Masked: {told}.")
    if composed.left:
        yield from ("", composed.left)


def _content(page: Page) -> Iterator[str]:
    for piece in page.pieces:
        if piece.block.heading:
            yield ""
            yield f"{piece.block.heading} (continued)" if piece.continued else piece.block.heading
        yield from (line.shown for line in piece.lines)
