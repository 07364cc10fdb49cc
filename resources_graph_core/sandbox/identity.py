"""Ids that the archives lack: made from what a thing is, so that they are the same on every load.

They look as GitHub's do: a prefix for the kind and url-safe base64.
"""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64encode
from functools import lru_cache

PREFIXES = {
    "Blob": "B_kwDO",
    "Bot": "BOT_kgDO",
    "Commit": "C_kwDO",
    "CrossReferencedEvent": "CRE_kwDO",
    "IssueComment": "IC_kwDO",
    "Label": "LA_kwDO",
    "License": "L_kgDO",
    "Milestone": "MI_kwDO",
    "Organization": "O_kgDO",
    "ProjectV2": "PVT_kwDO",
    "ProjectV2Field": "PVTF_lADO",
    "ProjectV2Item": "PVTI_lADO",
    "PullRequestReview": "PRR_kwDO",
    "PullRequestReviewComment": "PRRC_kwDO",
    "PullRequestReviewThread": "PRRT_kwDO",
    "Reaction": "REA_lADO",
    "Ref": "REF_kwDO",
    "Repository": "R_kgDO",
    "RepositoryTopic": "RT_kwDO",
    "UserContentEdit": "UCE_lADO",
    "Topic": "T_kwDO",
    "Issue": "I_kwDO",
    "PullRequest": "PR_kwDO",
    "Tree": "TR_kwDO",
    "User": "U_kgDO",
}


def node_id(typename: str, *parts: object) -> str:
    """GitHub's kind of global id for the thing of this type that ``parts`` describe."""
    return PREFIXES[typename] + urlsafe_b64encode(_digest(typename, *parts)[:9]).decode()


@lru_cache(maxsize=65536)
def database_id(global_id: str) -> int:
    """The number that REST calls ``id``: below 2^31, since GraphQL's integers are 32-bit."""
    return 1 + int.from_bytes(_digest(global_id)[:4], "big") % (2**31 - 2)


def commit_oid(*parts: object) -> str:
    """A commit's or blob's forty hex digits."""
    return _digest("oid", *parts).hex()[:40]


def _digest(*parts: object) -> bytes:
    return hashlib.sha256("\0".join(str(part) for part in parts).encode()).digest()
