"""What both sources do alike: sort what is asked of them, and say why something is not there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ValidationError

from resources_graph_core.errors import (
    GitHubAuthError,
    GitHubError,
    GitHubUnavailable,
    NotFound,
    NotPublic,
    RateLimited,
    UsageError,
)
from resources_graph_core.github.answers import wrong_shape
from resources_graph_core.github.problems import Unreachable
from resources_graph_core.github.replies import first_problem
from resources_graph_core.github.source import Fetched

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources_graph_core.address import Address
    from resources_graph_core.github.source import Reason

ShapeT = TypeVar("ShapeT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Addresses by what they name, each once; ``elsewhere`` are those of another host, refused."""

    repositories: list[Address]
    items: list[Address]
    elsewhere: list[Fetched]


def split_by_kind(addresses: Sequence[Address], host: str) -> Wanted:
    """Sort ``addresses`` for a source that speaks to ``host``; UsageError for a list among them."""
    wanted = Wanted([], [], [])
    for address in dict.fromkeys(addresses):
        if address.kind == "listing":
            raise UsageError(f"{address} is a list; fetch it as one")
        if address.host != host:
            error = GitHubUnavailable(f"{address} is not on {host}, which is the host set up")
            wanted.elsewhere.append(failed(address, error))
        elif address.kind == "repo":
            wanted.repositories.append(address)
        else:
            wanted.items.append(address)
    return wanted


def check_listing(address: Address, host: str) -> None:
    """UsageError unless ``address`` is a list; GitHubUnavailable unless it is on ``host``."""
    if address.kind != "listing":
        raise UsageError(f"{address} is not a list; fetch it as an item")
    for refusal in split_by_kind([address.repository], host).elsewhere:
        raise refusal.error or GitHubUnavailable(f"{address} cannot be fetched")


def parsed(shape: type[ShapeT], outcome: object, what: str) -> ShapeT:
    """``outcome`` in its shape; raises the error that it is, or says that it does not fit."""
    if isinstance(outcome, GitHubError):
        raise outcome
    try:
        return shape.model_validate(outcome)
    except ValidationError as error:
        raise wrong_shape(what, first_problem(error)) from None


def failed(address: Address, error: GitHubError) -> Fetched:
    """An Address that cannot be had; raises ``error`` when it is one that stops everything."""
    if isinstance(error, RateLimited | GitHubAuthError | Unreachable):
        raise error
    return Fetched(address, reason=_reason(error), error=error)


def _reason(error: GitHubError) -> Reason:
    if isinstance(error, NotFound):
        return "not_found"
    if isinstance(error, NotPublic):
        return "not_public"
    return "failed"
