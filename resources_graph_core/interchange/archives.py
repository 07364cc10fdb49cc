"""Archives: one repository's content as the JSON that IETF working groups keep, and back.

The published format has the repository, its labels, issues and pull requests with their comments
and reviews; what memory knows beyond it goes into the fields that the sandbox adds to it. Reading
one is a Sweep of a sandbox that serves it, so an archive is understood in one place only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from resources_graph_core.address import Address
from resources_graph_core.clock import now
from resources_graph_core.errors import ArchiveError, UsageError
from resources_graph_core.github import open_source
from resources_graph_core.interchange import archived_items
from resources_graph_core.sandbox import Sandbox
from resources_graph_core.sandbox.archive import load_archive
from resources_graph_core.store import contents, resources, runs
from resources_graph_core.store.batches import batches
from resources_graph_core.sweep.keep import keep

if TYPE_CHECKING:
    from pathlib import Path

    from resources_graph_core.graph import Graph, Row

_TOKEN = "of-the-archive"  # noqa: S105 - the sandbox takes any; with one it serves GraphQL
_AT_ONCE = 50


def export(graph: Graph, repository: Address) -> dict[str, Any]:
    """The archive of what memory holds of a repository, ready for JSON.

    References to other repositories keep their names alone. Raises UsageError when memory does not
    hold the repository.
    """
    found = resources.find(graph, repository.key)
    if found is None:
        raise UsageError(f"{repository} is not in memory; touch it and sweep first")
    _, facts = found
    talk = contents.comments_of(graph, facts["node_id"])
    issues = contents.items_of(graph, facts["node_id"], "Issue")
    pulls = contents.items_of(graph, facts["node_id"], "PullRequest")
    labels = {label for one in (*issues, *pulls) for label in one.get("labels") or ()}
    return {
        "repo": facts["name_with_owner"],
        "timestamp": now(),
        "repository": _repository(facts),
        "labels": [{"name": label} for label in sorted(labels)],
        "milestones": _milestones([*issues, *pulls]),
        "issues": [archived_items.issue(one, talk.get(one["node_id"], [])) for one in issues],
        "pulls": [archived_items.pull_request(one, talk.get(one["node_id"], [])) for one in pulls],
    }


def load(graph: Graph, file: Path) -> int:
    """Store everything that an archive holds; returns how many Resources that were.

    Raises ArchiveError for what is no archive, or cannot be stored.
    """
    archive = load_archive(file)
    owner, _, name = archive.repo.partition("/")
    numbers = sorted(item.number for item in (*archive.issues, *archive.pulls))
    wanted = [
        Address.of_repository(owner, name),
        *(Address.of_item(owner, name, number) for number in numbers),
    ]
    run_id = f"import:{uuid4()}"
    runs.start(graph, run_id, kind="import", now=now())
    stored = 0
    with Sandbox([file]) as sandbox, open_source(sandbox.url, _TOKEN) as source:
        for batch in batches(wanted, _AT_ONCE):
            found = [one.content for one in source.fetch(batch) if one.content is not None]
            refused = keep(graph, source, found, run_id=run_id).refusals
            if refused:
                raise ArchiveError(f"{file} cannot be stored whole: {next(iter(refused.values()))}")
            stored += len(found)
        usage = source.usage
    runs.end(graph, run_id, now=now(), requests=usage.requests, points=usage.points, error=None)
    return stored


def _repository(facts: Row) -> dict[str, Any]:
    readme = facts.get("readme")
    return archived_items.said(
        {
            "id": facts["node_id"],
            "description": facts.get("description"),
            "readme": {"text": readme} if readme is not None else None,
            "stars": facts.get("stars"),
            "defaultBranch": facts.get("default_branch"),
            "topics": facts.get("topics"),
            "archived": facts.get("archived"),
            "licence": facts.get("licence"),
            "forkParent": facts.get("fork_parent"),
            "createdAt": facts.get("created_at"),
            "updatedAt": facts.get("updated_at"),
            "pushedAt": facts.get("pushed_at"),
        }
    )


def _milestones(items: list[Row]) -> list[dict[str, Any]]:
    """The milestones that items name; memory knows no more of them than title and number."""
    known: dict[str, dict[str, Any]] = {}
    for item in items:
        title = item.get("milestone")
        if title and title not in known:
            number = item.get("milestone_number") or len(known) + 1
            known[title] = {"number": number, "title": title, "createdAt": item["created_at"]}
    return list(known.values())
