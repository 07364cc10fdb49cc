"""Small archives for the sandbox, written where a test wants them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

CREATED = "2026-01-{day:02}T00:00:00Z"

Archived = dict[str, object]


def archived(number: int, **fields: object) -> Archived:
    """An open issue or pull request, created on day ``number`` of January (of 28)."""
    created = CREATED.format(day=(number - 1) % 28 + 1)
    values: Archived = {
        "number": number,
        "id": f"N_{number}",
        "title": f"Number {number}",
        "state": "OPEN",
        "author": "mona",
        "body": f"The body of {number}",
        "createdAt": created,
        "updatedAt": created,
    }
    return values | fields


def archived_comment(body: str, **fields: object) -> Archived:
    """A comment of the first of February."""
    created = "2026-02-01T00:00:00Z"
    values: Archived = {
        "author": "hubot",
        "body": body,
        "createdAt": created,
        "updatedAt": created,
    }
    return values | fields


def write_archive(
    folder: Path,
    *,
    issues: Sequence[Archived] = (),
    pulls: Sequence[Archived] = (),
    repo: str = "octo-org/widgets",
    **fields: object,
) -> Path:
    """Write an archive of ``repo`` into ``folder`` and return the file."""
    file = folder / f"{repo.replace('/', '_')}.json"
    values = {"repo": repo, "labels": [], "issues": list(issues), "pulls": list(pulls)}
    file.write_text(json.dumps(values | fields))
    return file
