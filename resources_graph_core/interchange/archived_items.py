"""Stored issues and pull requests as an archive writes them. Pure functions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from resources_graph_core.model import GHOST

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Row = Mapping[str, Any]
    Archived = dict[str, Any]

_BOT = "[bot]"
_ITEM_URL = re.compile(r"https?://[^/]+/([^/]+/[^/]+)/(?:issues|pull)/(\d+)")


def issue(item: Row, comments: Sequence[Row]) -> Archived:
    """An issue with its comments."""
    return said(
        {
            **_item(item, comments),
            "stateReason": item.get("state_reason"),
            "issueType": item.get("issue_type"),
            "subIssuesTotal": item.get("sub_issues_total"),
            "subIssuesCompleted": item.get("sub_issues_completed"),
        }
    )


def pull_request(item: Row, comments: Sequence[Row]) -> Archived:
    """A pull request with its comments, reviews and threads."""
    on_lines = [one for one in comments if _kind(one) == "review_comment"]
    roots = _roots(on_lines)
    return said(
        {
            **_item(item, comments),
            "draft": item.get("draft"),
            "mergedAt": item.get("merged_at"),
            "mergedBy": item.get("merged_by"),
            "baseRefName": item.get("base_ref"),
            "headRefName": item.get("head_ref"),
            "files": [{"path": path} for path in item.get("changed_files") or ()],
            "closingIssuesReferences": _named(item.get("closes_urls")),
            "reviews": _reviews(comments, on_lines, roots),
            "reviewThreads": _threads(on_lines, roots),
        }
    )


def said(values: Mapping[str, Any]) -> Archived:
    """What says something: not None."""
    return {name: value for name, value in values.items() if value is not None}


def _item(item: Row, comments: Sequence[Row]) -> Archived:
    return {
        **_written(item),
        "number": item["number"],
        "title": item.get("title") or "",
        "url": item.get("url"),
        "state": item["state"],
        "labels": list(item.get("labels") or ()),
        "assignees": list(item.get("assignees") or ()),
        "milestone": item.get("milestone"),
        "locked": item.get("locked"),
        "closedAt": item.get("closed_at"),
        "comments": [_comment(one) for one in comments if _kind(one) == "comment"],
        "crossReferences": [{"source": one} for one in _named(item.get("referenced_by_urls"))],
    }


def _written(one: Row) -> Archived:
    author = one.get("author")
    if author == GHOST:
        author = None
    elif author and one.get("author_is_bot") and not author.endswith(_BOT):
        author += _BOT
    count = one.get("reactions")
    return {
        "id": one["node_id"],
        "author": author,
        "authorAssociation": one.get("author_association") or "NONE",
        "body": one.get("body") or "",
        "createdAt": one["created_at"],
        "updatedAt": one["updated_at"],
        # Memory knows how many there are, not which.
        "reactions": {"THUMBS_UP": count} if count else {},
    }


def _comment(one: Row) -> Archived:
    reason = one.get("minimized_reason")
    return {
        **_written(one),
        "url": one.get("url"),
        "isMinimized": reason is not None,
        "minimizedReason": reason,
    }


def _kind(one: Row) -> str:
    return str(one.get("kind") or ("review_comment" if one.get("review") else "comment"))


def _roots(on_lines: Sequence[Row]) -> dict[str, str]:
    """For each comment on a line, the one that began its thread."""
    answered = {one["node_id"]: one.get("reply_to") for one in on_lines}
    roots = {}
    for node_id in answered:
        root, steps = node_id, 0
        while answered.get(root) in answered and steps < len(answered):
            root, steps = str(answered[root]), steps + 1
        roots[node_id] = root
    return roots


def _threads(on_lines: Iterable[Row], roots: Mapping[str, str]) -> list[Archived]:
    return [
        said(
            {
                "id": f"thread-of-{one['node_id']}",
                "path": one.get("path") or "",
                "line": one.get("line"),
                "isResolved": bool(one.get("resolved")),
                "isOutdated": bool(one.get("outdated")),
            }
        )
        for one in on_lines
        if roots[one["node_id"]] == one["node_id"]
    ]


def _reviews(
    comments: Iterable[Row], on_lines: Iterable[Row], roots: Mapping[str, str]
) -> list[Archived]:
    """Reviews with their comments on lines; a comment without its review gets one of its own."""
    found: dict[str, Archived] = {}
    for one in comments:
        if _kind(one) == "review":
            verdict = one.get("review_state") or "COMMENTED"
            found[one["node_id"]] = {**_comment(one), "state": verdict, "comments": []}
    for one in on_lines:
        review_id = one.get("review_id")
        if review_id not in found:
            review_id = f"review-of-{one['node_id']}"
            made = {**_comment(one), "id": review_id, "body": "", "state": "COMMENTED"}
            found[review_id] = {**made, "comments": []}
        found[review_id]["comments"].append(
            {
                **_comment(one),
                "path": one.get("path"),
                "line": one.get("line"),
                "thread": f"thread-of-{roots[one['node_id']]}",
            }
        )
    return list(found.values())


def _named(urls: Iterable[str] | None) -> list[str]:
    """``owner/repo#number`` for each web address of an issue or pull request."""
    found = (_ITEM_URL.match(url) for url in urls or ())
    return [f"{one[1]}#{one[2]}" for one in found if one]
