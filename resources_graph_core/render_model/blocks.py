"""What an answer is made of: blocks of lines, cut into pages at a budget of tokens."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from resources_graph_core.render_model.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Place = Literal["head", "comments", "outline", "members", "sections", "files"]
"""Where in the answer's data a block belongs."""

QUOTED = "| "
"""How a line begins that quotes GitHub. An empty one is the bar alone."""

CONTINUED = "|+ "
"""How one begins that goes on with the quoted line before it."""


@dataclass(frozen=True, slots=True)
class Line:
    """A quoted line: treated text, without line breaks, and its data where it stands for a row.

    ``continues`` says that it goes on with the line before, which was too long for one.
    """

    text: str
    data: Mapping[str, Any] | None = None
    continues: bool = False

    @property
    def shown(self) -> str:
        """The line with its mark."""
        mark = CONTINUED if self.continues else QUOTED
        return f"{mark}{self.text}" if self.text else mark.rstrip()

    @property
    def cost(self) -> int:
        """What it costs as text or as data, whichever is more."""
        shown = tokens(self.shown) + 1
        return shown if self.data is None else max(shown, _cost_of(self.data))


@dataclass(frozen=True, slots=True)
class Block:
    """A heading of ours and the quoted lines under it, with the same as data.

    ``name`` says what it is, for what is left; ``number`` orders blocks of one kind.
    """

    place: Place
    name: str
    heading: str
    lines: tuple[Line, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    number: int | None = None

    @property
    def heading_cost(self) -> int:
        """What the heading, or the data beside the text, costs."""
        return max(tokens(self.heading) + 2, _cost_of(self.data))


@dataclass(frozen=True, slots=True)
class Piece:
    """A block, or some lines of it, on one page."""

    block: Block
    lines: tuple[Line, ...]
    continued: bool = False
    goes_on: bool = False


@dataclass(slots=True)
class Page:
    """The pieces of one page, and whether anything comes after it."""

    pieces: list[Piece] = field(default_factory=list)
    is_last: bool = True


def page_of(blocks: Iterable[Block], number: int, budget: int) -> Page | None:
    """Page ``number`` (from 1) of the blocks, or None when there are not so many.

    A block that fits half a page is kept whole; a longer one is cut between two lines. Blocks are
    taken only as far as the page needs, so that long items cost no more than their beginning. Every
    page holds at least one line, even where a single one is over the budget.
    """
    page, count, used = Page(), 1, 0
    for block in blocks:
        costs = [line.cost for line in block.lines]
        whole = block.heading_cost + sum(costs)
        beginning = block.heading_cost + sum(costs[:1])
        needed = whole if 2 * whole <= budget else beginning
        if page.pieces and used + needed > budget:
            if count == number:
                page.is_last = False
                return page
            page, count, used = Page(), count + 1, 0
        used += block.heading_cost
        start = 0
        for position, cost in enumerate(costs):
            if used + cost > budget and position > start:
                lines = block.lines[start:position]
                page.pieces.append(Piece(block, lines, continued=start > 0, goes_on=True))
                if count == number:
                    page.is_last = False
                    return page
                page, count, used, start = Page(), count + 1, block.heading_cost, position
            used += cost
        page.pieces.append(Piece(block, block.lines[start:], continued=start > 0))
    return page if count == number else None


def _cost_of(data: Mapping[str, Any]) -> int:
    return tokens(json.dumps(data, ensure_ascii=False)) + 2 if data else 0
