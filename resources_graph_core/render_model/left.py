"""What an answer left out, and how to get it: nothing is ever cut in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources_graph_core.render_model import items
from resources_graph_core.render_model.repositories import readme_sections
from resources_graph_core.render_model.tokens import CHARACTERS_A_TOKEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.read import CacheRead
    from resources_graph_core.render_model.ask import Ask
    from resources_graph_core.render_model.blocks import Page, Piece


def told_left(found: CacheRead, ask: Ask, page: Page) -> str:
    """One line: what comes after this page, about how much it is, and the ways to it."""
    if page.is_last or not page.pieces:
        return _beside(found, ask)
    last = page.pieces[-1]
    same = f"{ask.selection}, " if ask.selection else ""
    parts, ways = [], [f"{same}page={ask.page + 1}"]
    if last.goes_on:
        parts.append(f"the rest of {last.block.name}{_from_row(last)}")
    size = 0.0
    following = (last.block.number or 0) + 1
    if found.kind == "Repository" and ask.is_whole:
        count = len(readme_sections(str(found.resource.get("readme") or "")))
        parts += _span("README section", following, count)
        ways += ["section=N", "outline=true"]
    elif found.kind == "Listing":
        parts += _span("member", following, len(found.members))
    elif ask.is_whole or ask.first is not None:
        count = min(ask.last or len(found.comments), len(found.comments))
        parts += _span("comment", following, count)
        rest = found.comments[following - 1 : count]
        size = sum(len(str(one.get("body") or "")) for one in rest) / CHARACTERS_A_TOKEN
        if following <= count:
            ways.append(f'comments="{following}-{ask.last or ""}"')
        if ask.is_whole:
            ways += ["comment=N", 'since="YYYY-MM-DD"', "outline=true", *_sides(found)]
    elif last.block.number:
        parts.append(f"what was asked for, after comment {last.block.number}")
    about = f" (about {_rounded(size)} tokens)" if size else ""
    return f"Left: {' and '.join(parts)}{about}. Get it with {_either(ways)}."


def _beside(found: CacheRead, ask: Ask) -> str:
    """What else there is of something that was shown to its end."""
    if ask.is_whole and found.resource.get("changed_files"):
        return "Left: the paths of the changed files. Get them with files=true."
    return ""


def _sides(found: CacheRead) -> list[str]:
    sides = ["files=true"] if found.resource.get("changed_files") else []
    if any(items.is_review(comment) for comment in found.comments):
        sides.append("reviews=true")
    return sides


def _from_row(piece: Piece) -> str:
    """Where a block of numbered rows was cut: ``, after 13``."""
    row = piece.lines[-1].data or {} if piece.lines else {}
    return f", after {row['number']}" if row.get("number") else ""


def _span(what: str, first: int, last: int) -> list[str]:
    if first > last:
        return []
    return [f"{what} {last}" if first == last else f"{what}s {first}-{last}"]


def _either(ways: Sequence[str]) -> str:
    *others, last = ways
    return f"{'; '.join(others)}; or {last}" if others else last


def _rounded(value: float) -> str:
    """Two digits are as many as an estimate has."""
    digits = max(len(str(int(value))) - 2, 0)
    return f"{round(value, -digits):,.0f}"
