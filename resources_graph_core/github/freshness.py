"""Whether what is stored is still what GitHub has, a hundred things a request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from resources_graph_core.address import DEFAULT_HOST, Address
from resources_graph_core.errors import GitHubError
from resources_graph_core.github import queries
from resources_graph_core.github.light_shapes import (
    AnyVersion,
    IssueVersion,
    PullRequestVersion,
    RepositoryVersion,
)
from resources_graph_core.github.mapping import is_public
from resources_graph_core.github.source import Version

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from resources_graph_core.github.asking import Asker

BATCH = 100
"""Things checked in one request; GitHub charges one point for so many."""

_SHAPE: TypeAdapter[IssueVersion | PullRequestVersion | RepositoryVersion] = TypeAdapter(AnyVersion)


def versions(
    asker: Asker, stored: Collection[str], *, host: str = DEFAULT_HOST
) -> Iterator[tuple[str, Version | None]]:
    """What tells whether each of these changed, by their stored node ids; see Source.

    Raises what stops everything, as the Asker does.
    """
    waiting = iter(stored)
    questions = [queries.version(github_id(node_id, host)) for node_id in stored]
    for outcomes in asker.ask_each(queries.VERSIONS, questions, batch=BATCH):
        for outcome in outcomes:
            node_id = next(waiting)
            yield node_id, None if isinstance(outcome, GitHubError) else _version(outcome, host)


def _version(outcome: object, host: str) -> Version | None:
    """None too for what is of another kind by now, as an issue that became a discussion."""
    try:
        return version_of(_SHAPE.validate_python(outcome), host)
    except ValidationError:
        return None  # fetching it says what is wrong


def github_id(stored: str, host: str) -> str:
    """GitHub's own node id of one that memory keeps of ``host``."""
    return stored.removeprefix(f"{host}|")


def version_of(
    shape: IssueVersion | PullRequestVersion | RepositoryVersion, host: str
) -> Version | None:
    """What tells whether something changed, as the model has it; None for what is not public."""
    where = shape if isinstance(shape, RepositoryVersion) else shape.repository
    if not is_public(where):
        return None
    owner, _, name = where.name_with_owner.partition("/")
    if isinstance(shape, RepositoryVersion):
        return Version(
            shape.id,
            Address.of_repository(owner, name, host=host),
            shape.updated_at,
            stars=shape.stargazer_count,
            pushed_at=shape.pushed_at,
        )
    reviews = threads = 0
    if isinstance(shape, PullRequestVersion):
        reviews, threads = shape.reviews.total_count, shape.review_threads.total_count
    return Version(
        shape.id,
        Address.of_item(owner, name, shape.number, host=host),
        shape.updated_at,
        comment_count=shape.comments.total_count,
        review_count=reviews,
        review_thread_count=threads,
    )
