"""Listings: an index, one line for each member."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from resources_graph_core.render_model import facts
from resources_graph_core.render_model.blocks import Block, Line
from resources_graph_core.render_model.quoting import cautions, joined, remarked, without_nothing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from resources_graph_core.untrusted import Treatment

    Row = Mapping[str, Any]


def head(listing: Row, members: Sequence[Row], *, filtered: bool) -> Block:
    """How many there are, and how many of them memory knows to have changed since.

    ``filtered`` says that they were picked out of the members of a wider list.
    """
    shown, total = len(members), facts.number(listing.get("total_count"))
    newer = _changed_since(listing, members)
    counted = "" if total is None else f" of {total:,} that GitHub counted"
    picked = "" if total is None else f", filtered from a stored list of {total:,}"
    heading = facts.line(
        [
            f"List: {shown:,}{picked}" if filtered else f"List: {shown:,} in memory{counted}",
            "newest first",
            f"{newer} changed after the list was fetched, as far as memory knows" if newer else "",
        ]
    )
    data = without_nothing({"member_count": shown, "total_count": None if filtered else total})
    return Block("head", "the list", heading, data=data)


def index(members: Sequence[Row], treatment: Treatment) -> Iterator[Block]:
    """One block of one line for each member, made only when it is looked at."""
    for position, member in enumerate(members, start=1):
        line, odd = _member(member, treatment)
        yield Block("members", "members", cautions(odd), (line,), number=position)


def _changed_since(listing: Row, members: Sequence[Row]) -> int:
    fetched = facts.time(listing.get("fetched_at"))
    return sum(bool(fetched) and facts.time(one.get("updated_at")) > fetched for one in members)


def _member(member: Row, treatment: Treatment) -> tuple[Line, list[str]]:
    number = facts.number(member.get("number"))
    state = facts.words(member.get("state"))
    comments = facts.number(member.get("comment_count")) or 0
    title, odd = remarked(treatment, member.get("title"))
    labels = joined(treatment, member.get("labels"))
    text = facts.line(
        [
            f"#{number or '?'}",
            "draft" if member.get("draft") is True else state,
            facts.day(member.get("updated_at")),
            facts.counted(comments, "comment"),
            f"{title} [{labels}]" if labels else title,
        ]
    )
    data = {
        "number": number,
        "state": state,
        "updated_at": facts.time(member.get("updated_at")),
        "comments": comments,
        "title": f"{title} [{labels}]" if labels else title,
    }
    return Line(text, without_nothing(data)), odd
