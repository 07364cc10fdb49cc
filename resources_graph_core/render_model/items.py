"""Issues and pull requests: the head, and every comment with its number."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from resources_graph_core.render_model import facts
from resources_graph_core.render_model.blocks import Block, Line
from resources_graph_core.render_model.quoting import (
    aside,
    cautions,
    joined,
    one_line,
    quoted,
    remarked,
    without_nothing,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from resources_graph_core.untrusted import Treatment

    Row = Mapping[str, Any]

_FIRST_WORDS = 80
"""Characters that an outline shows of a comment."""


def head(kind: str, item: Row, comments: Sequence[Row], treatment: Treatment, now: str) -> Block:
    """What the item is, and what its author wrote."""
    title, odd = remarked(treatment, item.get("title"))
    details = facts.line(_details(item, treatment))
    body, odd_body = quoted(treatment, item.get("body"))
    number = facts.number(item.get("number"))
    name = facts.kind_name(kind)
    heading = facts.line(
        [
            f"{name.capitalize()} #{number}" if number else name.capitalize(),
            *_states(item),
            facts.author(item),
            facts.aged_day("created", item.get("created_at"), now),
            facts.aged_day("closed", None if item.get("merged") else item.get("closed_at"), now),
            facts.aged_day("merged", item.get("merged_at"), now),
            facts.counted(len(comments), "comment"),
            _verdicts(comments),
            facts.counted(len(item.get("changed_files") or ()), "changed file"),
            cautions(odd + odd_body),
        ]
    )
    lines = [*aside(title), *aside(details), *([Line("", {})] if body else []), *body]
    data = {
        "state": facts.line(_states(item)),
        "title": title,
        "url": one_line(treatment, item.get("url")),
        "author": facts.word(item.get("author")),
        "association": facts.word(item.get("author_association")),
        "bot": facts.truth(facts.is_bot(item)),
        "created_at": facts.time(item.get("created_at")),
        "closed_at": facts.time(item.get("closed_at")),
        "merged_at": facts.time(item.get("merged_at")),
        "details": details,
        "comment_count": len(comments),
        "cautions": odd + odd_body,
    }
    return Block("head", f"the {name}", heading, tuple(lines), without_nothing(data))


def comment_blocks(
    comments: Iterable[tuple[int, Row]], total: int, treatment: Treatment
) -> Iterator[Block]:
    """Comments with their numbers, one block each, made only when they are looked at."""
    for number, comment in comments:
        yield _comment(number, comment, total, treatment)


def outline(comments: Iterable[tuple[int, Row]], treatment: Treatment) -> Block:
    """One line for each comment: its number, when, who, what, its first words."""
    lines = [_outlined(number, comment, treatment) for number, comment in comments]
    return Block("outline", "the outline", facts.counted(len(lines), "comment"), tuple(lines))


def files(item: Row, treatment: Treatment) -> Block:
    """The paths of the files that a pull request changes."""
    paths = [one_line(treatment, path) for path in item.get("changed_files") or ()]
    heading = facts.counted(len(paths), "changed file") or "No changed files are known"
    return Block("files", "changed files", heading, tuple(Line(path) for path in paths))


def is_review(comment: Row) -> bool:
    """Whether it is a review or a comment on a line."""
    kind = str(comment.get("kind") or "")
    return kind.startswith("review") or comment.get("review") is True


def by_thread(comments: Iterable[tuple[int, Row]]) -> list[tuple[int, Row]]:
    """Comments in their order, but answers right behind what they answer."""
    known = list(comments)
    ids = {comment.get("node_id"): number for number, comment in known}

    def place(numbered: tuple[int, Row]) -> tuple[int, int]:
        number, comment = numbered
        return ids.get(comment.get("reply_to"), number), number

    return sorted(known, key=place)


def _states(item: Row) -> Iterator[str]:
    yield facts.words(item.get("state"))
    yield facts.words(item.get("state_reason"))
    yield from (flag for flag in ("draft", "locked") if item.get(flag) is True)


def _details(item: Row, treatment: Treatment) -> Iterator[str]:
    for label, name in (("labels", "labels"), ("assignees", "assignees")):
        names = joined(treatment, item.get(name))
        yield f"{label}: {names}" if names else ""
    for label, name in (("milestone", "milestone"), ("type", "issue_type")):
        yield f"{label}: {one_line(treatment, item[name])}" if item.get(name) else ""
    if item.get("base_ref") or item.get("head_ref"):
        base, branch = (one_line(treatment, item.get(ref)) for ref in ("base_ref", "head_ref"))
        yield f"{branch} into {base}"
    for label, name in (("closes", "closes_urls"), ("referenced by", "referenced_by_urls")):
        urls = [_short(one_line(treatment, url)) for url in item.get(name) or ()]
        more = f" and {len(urls) - _MOST_URLS} more" if len(urls) > _MOST_URLS else ""
        yield f"{label}: {', '.join(urls[:_MOST_URLS])}{more}" if urls else ""


_MOST_URLS = 8


def _short(url: str) -> str:
    """``owner/repo#12`` for the web address of an issue or pull request."""
    match url.removeprefix("https://github.com/").split("/"):
        case [owner, name, "issues" | "pull", number]:
            return f"{owner}/{name}#{number}"
    return url


def _verdicts(comments: Sequence[Row]) -> str:
    """What reviewers decided last: ``reviews: 2 approved, 1 changes requested``."""
    last: dict[str, str] = {}
    for comment in comments:
        verdict = facts.words(comment.get("review_state"))
        who = facts.word(comment.get("author"))
        if verdict and (verdict != "commented" or who not in last):
            last[who] = verdict
    told = [f"{count} {verdict}" for verdict, count in sorted(Counter(last.values()).items())]
    return f"reviews: {', '.join(told)}" if told else ""


def _kind(comment: Row) -> str:
    kind = facts.words(comment.get("kind")) or ("review comment" if is_review(comment) else "")
    return "" if kind == "comment" else kind


def _comment(number: int, comment: Row, total: int, treatment: Treatment) -> Block:
    reason = facts.words(comment.get("minimized_reason"))
    body, odd = ((), []) if reason else quoted(treatment, comment.get("body"))
    place = _place(comment, treatment)
    heading = facts.line(
        [
            f"Comment {number} of {total}",
            _kind(comment),
            facts.words(comment.get("review_state")),
            facts.author(comment),
            facts.minute(comment.get("created_at")),
            "edited" if _is_edited(comment) else "",
            *(flag for flag in ("resolved", "outdated") if comment.get(flag) is True),
            _folded(reason, comment),
            cautions(odd),
        ]
    )
    data = {
        "number": number,
        "kind": _kind(comment),
        "author": facts.word(comment.get("author")),
        "association": facts.word(comment.get("author_association")),
        "bot": facts.truth(facts.is_bot(comment)),
        "at": facts.time(comment.get("created_at")),
        "verdict": facts.words(comment.get("review_state")),
        "place": place,
        "resolved": facts.truth(comment.get("resolved")),
        "outdated": facts.truth(comment.get("outdated")),
        "folded": reason,
        "cautions": odd,
    }
    lines = (*aside(place), *body)
    return Block(
        "comments", f"comment {number}", heading, lines, without_nothing(data), number=number
    )


def _outlined(number: int, comment: Row, treatment: Treatment) -> Line:
    reason = facts.words(comment.get("minimized_reason"))
    words = "" if reason else " ".join(str(comment.get("body") or "").split())
    first = one_line(treatment, words)
    first = f"{first[:_FIRST_WORDS].rstrip()}…" if len(first) > _FIRST_WORDS else first
    verdict = facts.words(comment.get("review_state"))
    text = facts.line(
        [
            str(number),
            facts.day(comment.get("created_at")),
            facts.author(comment).removeprefix("by "),
            _kind(comment),
            verdict,
            f"minimised as {reason}" if reason else "",
            first,
        ]
    )
    data = {
        "number": number,
        "kind": _kind(comment),
        "author": facts.word(comment.get("author")),
        "association": facts.word(comment.get("author_association")),
        "bot": facts.truth(facts.is_bot(comment)),
        "at": facts.time(comment.get("created_at")),
        "verdict": verdict,
        "folded": reason,
        "text": first,
    }
    return Line(text, without_nothing(data))


def _place(comment: Row, treatment: Treatment) -> str:
    if not comment.get("path"):
        return ""
    path = one_line(treatment, comment["path"])
    where = facts.number(comment.get("line"))
    return f"{path}:{where}" if where else path


def _folded(reason: str, comment: Row) -> str:
    length = len(str(comment.get("body") or ""))
    return f"minimised as {reason}, {length} characters folded" if reason else ""


def _is_edited(comment: Row) -> bool:
    created, updated = facts.time(comment.get("created_at")), facts.time(comment.get("updated_at"))
    return bool(created and updated and updated > created)
