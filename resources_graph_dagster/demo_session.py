"""The agent session that the demo plays: what it reached for in the repository of an archive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from resources_graph_core.address import Address

if TYPE_CHECKING:
    from resources_graph_core.sandbox.archive import Archive, ArchivedItem
    from resources_graph_core.touch import Provenance

SESSION = "demo"
"""The id of the session."""

LIST_LIMIT = 30
"""What ``gh issue list`` lists when it is not told otherwise."""


@dataclass(frozen=True, slots=True)
class Reach:
    """One reach of the agent: how it did it, and for what.

    ``shown`` marks what the demo reads back from memory at its end.
    """

    how: str
    address: Address
    provenance: Provenance = "FETCHED"
    shown: bool = False


def session_in(archive: Archive) -> list[Reach]:
    """A session in the repository of ``archive``.

    The longest issue (fetched, then mentioned by a person), the merged pull request with the most
    reviews, the repository, its open issues, and a number that nothing has; an archive without
    issues or without pull requests gives a shorter one.
    """
    owner, _, name = archive.repo.partition("/")
    repository = Address.of_repository(owner, name)
    reaches = [Reach("gh repo view", repository)]
    if archive.issues:
        longest = max(archive.issues, key=_comments).number
        issue = Address.of_item(owner, name, longest)
        reaches += [
            Reach(f"gh issue view {longest}", issue, shown=True),
            Reach(f"a prompt names #{longest}", issue, "PROMPTED"),
        ]
    merged = [one for one in archive.pulls if one.merged_at]
    if merged:
        number = max(merged, key=lambda one: (len(one.reviews), _comments(one))).number
        pull_request = Address.of_item(owner, name, number)
        reaches.append(Reach(f"gh pr view {number}", pull_request, shown=True))
    kind: Literal["issues", "pulls"] = "issues" if archive.issues else "pulls"
    listing = Address.of_listing(owner, name, kind, limit=LIST_LIMIT)
    command = "gh issue list" if kind == "issues" else "gh pr list"
    reaches.append(Reach(command, listing, shown=True))
    unknown = max((one.number for one in (*archive.issues, *archive.pulls)), default=0) + 1
    reaches.append(Reach(f"gh issue view {unknown}", Address.of_item(owner, name, unknown)))
    return reaches


def _comments(item: ArchivedItem) -> tuple[int, int]:
    return len(item.comments), -item.number
