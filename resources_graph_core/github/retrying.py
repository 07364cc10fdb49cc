"""Asking again a few times, with pauses of random length, what may go well the next time.

What stamina tells of retries is for the program that it runs in, which knows nothing of ours; and
by default it is printed where structlog is installed. So ours are only logged, by this module.
"""

from __future__ import annotations

import logging
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

import stamina
from stamina.instrumentation import RetryDetails, get_on_retry_hooks, set_on_retry_hooks

from resources_graph_core.errors import GitHubError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from stamina.instrumentation import RetryHook

ATTEMPTS = 3
"""How often a request is made at most, when GitHub fails in a way that may pass."""

ResultT = TypeVar("ResultT")

_log = logging.getLogger(__name__)
_quieting = Lock()


def try_again_on(
    errors: type[GitHubError] | tuple[type[GitHubError], ...], work: Callable[[], ResultT]
) -> ResultT:
    """What ``work`` returns, tried up to :data:`ATTEMPTS` times while it raises these errors."""
    for attempt in stamina.retry_context(
        on=errors, attempts=ATTEMPTS, wait_initial=0.5, wait_max=5.0
    ):
        with attempt:
            try:
                return work()
            except errors as error:
                _keep_quiet()
                if attempt.num < ATTEMPTS:
                    _log.info("asking GitHub again: %s", error)
                raise
    raise AssertionError("retrying ends by returning or raising")  # pragma: no cover


class _OthersRetries:
    """A hook that tells another hook of everybody's retries but ours."""

    def __init__(self, hook: RetryHook) -> None:
        self._hook = hook

    def __call__(self, details: RetryDetails) -> AbstractContextManager[None] | None:
        if isinstance(details.caused_by, GitHubError):
            return None
        return self._hook(details)


def _keep_quiet() -> None:
    """Keep our retries from the hooks there are, which stay in place for everybody else's."""
    with _quieting:
        hooks = get_on_retry_hooks()
        if not all(isinstance(hook, _OthersRetries) for hook in hooks):
            set_on_retry_hooks(
                hook if isinstance(hook, _OthersRetries) else _OthersRetries(hook) for hook in hooks
            )
