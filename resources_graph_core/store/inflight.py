"""Which pull requests in memory close an issue, or mention it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from resources_graph_core.address import Address
    from resources_graph_core.graph import Graph, Row

_FACTS = """
RETURN DISTINCT pull.address AS address, pull.title AS title, pull.state AS state,
       pull.draft AS draft, pull.author AS author, pull.author_is_bot AS author_is_bot,
       pull.author_association AS author_association, pull.updated_at AS updated_at,
       pull.merged_at AS merged_at, pull.fetched_at AS fetched_at
"""

_CLOSE = f"""
MATCH (pull:PullRequest)-[:CLOSES]->(:Resource {{address: $address}})
WHERE pull.fetched_at IS NOT NULL
{_FACTS}
"""

_REFERENCE = f"""
MATCH (pull:PullRequest)-[:REFERENCES]->(:Resource {{address: $address}})
WHERE pull.fetched_at IS NOT NULL
{_FACTS}
"""

# The issue may not be in memory, or older there than the pull request.
_NAME = """
MATCH (:Resource {address: $repository})-[:HAS_PULL_REQUEST]->(pull:PullRequest)
WHERE pull.fetched_at IS NOT NULL
  AND (any(url IN coalesce(pull.closes_urls, []) WHERE url = $url)
       OR pull.title CONTAINS $sign OR pull.body CONTAINS $sign OR pull.body CONTAINS $url)
RETURN pull.address AS address, pull.title AS title, pull.state AS state,
       pull.draft AS draft, pull.author AS author, pull.author_is_bot AS author_is_bot,
       pull.author_association AS author_association, pull.updated_at AS updated_at,
       pull.merged_at AS merged_at, pull.fetched_at AS fetched_at, pull.body AS body,
       any(url IN coalesce(pull.closes_urls, []) WHERE url = $url) AS closes
"""


def pulls(graph: Graph, issue: Address) -> list[Row]:
    """The pull requests, each once, with ``closes``: whether merging it closes the issue.

    Those that close it come first, then the open ones, then the latest. The issue itself need not
    be in memory; looks at the pull requests of its repository.
    """
    number = f"#{issue.number}"
    url = f"https://{issue.host}/{issue.name_with_owner}/issues/{issue.number}"
    exact = re.compile(
        rf"(?<![\w/&]){re.escape(number)}(?!\d)|{re.escape(url)}(?!\d)", re.IGNORECASE
    )
    found: dict[str, Row] = {}
    for row in graph.query(_CLOSE, address=issue.key):
        found[row["address"]] = {**row, "closes": True}
    for row in graph.query(_REFERENCE, address=issue.key):
        found.setdefault(row["address"], {**row, "closes": False})
    named = graph.query(_NAME, repository=issue.repository.key, sign=number, url=url)
    for row in named:
        text = f"{row['title']}\n{row.pop('body')}"
        if row["closes"] or exact.search(text):
            found.setdefault(row["address"], row)
    own = [row for address, row in found.items() if address and address != issue.key]
    by_time = sorted(own, key=lambda row: str(row["updated_at"] or ""), reverse=True)
    return sorted(by_time, key=lambda row: (not row["closes"], row["state"] != "OPEN"))
