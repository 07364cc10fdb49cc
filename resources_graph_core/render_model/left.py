"""What an answer left out, and how to get it: nothing is ever cut in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources_graph_core.render_model import items
from resources_graph_core.render_model.repositories import readme_sections
from resources_graph_core.render_model.tokens import CHARACTERS_A_TOKEN

if TYPE_CHECKING:
    from resources_graph_core.read import CacheRead
    from resources_graph_core.render_model.ask import Ask
    from resources_graph_core.render_model.blocks import Page


def told_left(found: CacheRead, ask: Ask, page: Page) -> str:
    """One line: what comes after this page, about how much it is, and the ways to it."""
    last = page.pieces[-1] if page.pieces else None
    if page.is_last or last is None:
        return _beside(found, ask)
    same = f"{ask.selection}, " if ask.selection else ""
    parts = [f"the rest of {last.block.name}"] if last.goes_on else []
    size = 0
    ways = [f"{same}page={ask.page + 1}"]
    if ask.is_whole and found.kind == "Repository":
        count = len(readme_sections(str(found.resource.get("readme") or "")))
        first = (last.block.number or 0) + 1
        parts += [_span("README section", first, count)] if first <= count else []
        ways += ["outline=true", "section=N"]
    elif ask.is_whole and found.kind == "Listing":
        parts = [_span("member", (last.block.number or 0) + 1, len(found.members))]
    elif ask.is_whole:
        first, count = (last.block.number or 0) + 1, len(found.comments)
        if first <= count:
            parts.append(_span("comment", first, count))
            size = sum(len(str(one.get("body") or "")) for one in found.comments[first - 1 :])
            ways += [f'comments="{first}-"', "comment=N", "outline=true", 'since="2026-11-30"']
        ways += _sides(found)
    told = " and ".join(parts) or "more of the same"
    about = f" (about {_round(size / CHARACTERS_A_TOKEN)} tokens)" if size else ""
    return f"Left: {told}{about}. Get it with {' or '.join([', '.join(ways[:1]), *ways[1:]])}."


def _beside(found: CacheRead, ask: Ask) -> str:
    """What else there is of something that was shown to its end."""
    sides = _sides(found) if ask.is_whole and found.kind == "PullRequest" else []
    files = [side for side in sides if side.startswith("files")]
    return f"Left: the changed files' paths. Get them with {files[0]}." if files else ""


def _sides(found: CacheRead) -> list[str]:
    sides = []
    if found.resource.get("changed_files"):
        sides.append("files=true")
    if any(items.is_review(comment) for comment in found.comments):
        sides.append("reviews=true")
    return sides


def _span(what: str, first: int, last: int) -> str:
    return f"{what} {last}" if first == last else f"{what}s {first}-{last}"


def _round(value: float) -> str:
    """Two digits are as many as an estimate has."""
    digits = max(len(str(int(value))) - 2, 0)
    return f"{round(value, -digits):,.0f}"
