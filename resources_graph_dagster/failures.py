"""From an error to a Dagster failure that says what to do, without a token.

Nothing is lost by a failure: Touches stay pending, and the sensor launches the next run. A step is
tried again at once only where that may help: when the graph went away, or something unexpected was
raised.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from dagster import Failure, MetadataValue

from resources_graph_core.errors import (
    GitHubAuthError,
    GraphUnavailable,
    RateLimited,
    ResourcesGraphError,
)
from resources_graph_core.failures import masked
from resources_graph_dagster import story

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dagster import DagsterEvent

    from resources_graph_dagster.outcome import Outcome

_NAMED = 3
_SIGN_IN = "Sign in with `gh auth login`, or set GITHUB_TOKEN where Dagster runs; then sweep again."


@contextmanager
def explained() -> Iterator[None]:
    """Turn the project's own errors into failures of the step."""
    try:
        yield
    except ResourcesGraphError as error:
        raise of_error(error) from error


def of_error(error: ResourcesGraphError, told: story.Metadata | None = None) -> Failure:
    """The failure of a step that ``error`` ended, with what else is ``told`` of the step."""
    metadata = {"error": MetadataValue.text(type(error).__name__), **(told or {})}
    if isinstance(error, GitHubAuthError):
        metadata["what to do"] = MetadataValue.md(_SIGN_IN)
    passing = isinstance(error, GraphUnavailable)
    return Failure(str(error), metadata=metadata, allow_retries=passing)


def told_by(event: DagsterEvent) -> str:
    """What a step's failure says: in our own words where the failure is ours."""
    data = event.step_failure_data
    if data.user_failure_data is not None and data.user_failure_data.description:
        return data.user_failure_data.description
    return data.error.message if data.error is not None else ""


def in_words(messages: Iterable[str]) -> str:
    """What several steps failed with, in one line without tokens."""
    return masked("; ".join(" ".join(message.split()) for message in messages if message.strip()))


def of_outcome(outcome: Outcome) -> Failure | None:
    """The failure that an outcome amounts to; None when it is none, as with a limit of GitHub's."""
    if outcome.error is not None and not isinstance(outcome.error, RateLimited):
        return of_error(outcome.error, story.of_outcome(outcome))
    if outcome.failed:
        named = ", ".join(str(event.address) for event in outcome.failed[:_NAMED])
        more = f" and {len(outcome.failed) - _NAMED} more" if outcome.failed[_NAMED:] else ""
        # The first reason is told at once; a table of all is a click away on Dagster's pages.
        why = f": {outcome.failed[0].detail}" if outcome.failed[0].detail else ""
        return Failure(
            f"{named}{more} could not be fetched or stored{why} (their Touches are tried again)",
            metadata=story.of_outcome(outcome),
            allow_retries=False,
        )
    return None
