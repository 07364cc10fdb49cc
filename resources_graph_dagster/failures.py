"""From an error to a Dagster failure that says what to do, without a token and without retries.

Nothing is lost by a failure: Touches stay pending, and the sensor launches the next run.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from dagster import Failure, MetadataValue

from resources_graph_core.errors import GitHubAuthError, RateLimited, ResourcesGraphError
from resources_graph_dagster import story

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    return Failure(str(error), metadata=metadata, allow_retries=False)


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
