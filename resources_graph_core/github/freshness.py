"""Whether what is stored is still what GitHub has, a hundred things a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from resources_graph_core.address import DEFAULT_HOST, Address
from resources_graph_core.errors import GitHubError
from resources_graph_core.github import queries
from resources_graph_core.github.mapping import is_public
from resources_graph_core.github.shapes import (
    AnyVersion,
    IssueVersion,
    PullRequestVersion,
    RepositoryVersion,
)
from resources_graph_core.github.source import Version
from resources_graph_core.github.transport import first_problem, wrong_shape

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from resources_graph_core.github.asking import Asker

BATCH = 100
"""Things checked in one request; GitHub charges one point for so many."""

_SHAPE: TypeAdapter[IssueVersion | PullRequestVersion | RepositoryVersion] = TypeAdapter(AnyVersion)


def versions(
    asker: Asker, node_ids: Sequence[str], *, host: str = DEFAULT_HOST
) -> Iterator[tuple[str, Version | None]]:
    """What tells whether each of ``node_ids`` changed.

    None for what is no longer there by that id, is not public or could not be checked: fetching it
    says why. Raises what stops everything, as the Asker does.
    """
    wanted = list(dict.fromkeys(node_ids))
    remaining = iter(wanted)
    questions = [queries.version(node_id) for node_id in wanted]
    for outcomes in asker.ask_each(queries.VERSIONS, questions, batch=BATCH):
        for outcome in outcomes:
            node_id = next(remaining)
            yield node_id, _version(node_id, outcome, host)


def _version(node_id: str, outcome: Any, host: str) -> Version | None:  # noqa: ANN401 - JSON
    if isinstance(outcome, GitHubError):
        return None
    try:
        shape = _SHAPE.validate_python(outcome)
    except ValidationError as error:
        raise wrong_shape(node_id, first_problem(error)) from None
    where = shape if isinstance(shape, RepositoryVersion) else shape.repository
    if not is_public(where):
        return None
    owner, _, name = where.name_with_owner.partition("/")
    if isinstance(shape, RepositoryVersion):
        address = Address.of_repository(owner, name, host=host)
        return Version(node_id, address, shape.updated_at)
    reviews = threads = 0
    if isinstance(shape, PullRequestVersion):
        reviews, threads = shape.reviews.total_count, shape.review_threads.total_count
    return Version(
        node_id,
        Address.of_item(owner, name, shape.number, host=host),
        shape.updated_at,
        comment_count=shape.comments.total_count,
        review_count=reviews,
        review_thread_count=threads,
    )
