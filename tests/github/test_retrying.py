"""Retries are nobody else's business, whatever hooks are set for stamina."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest
import stamina
from stamina.instrumentation import RetryDetails, get_on_retry_hooks, set_on_retry_hooks

from resources_graph_core.errors import GitHubUnavailable
from resources_graph_core.github.retrying import ATTEMPTS, try_again_on

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def default_hooks() -> Iterator[None]:
    set_on_retry_hooks(None)
    yield
    set_on_retry_hooks(None)


class Failing:
    """Work that fails so many times."""

    def __init__(self, times: int, error: type[Exception] = GitHubUnavailable) -> None:
        self.tried = 0
        self._times = times
        self._error = error

    def __call__(self) -> str:
        self.tried += 1
        if self.tried <= self._times:
            raise self._error("it did not go well")
        return "done"


def test_what_fails_is_tried_a_few_times() -> None:
    work = Failing(ATTEMPTS - 1)
    assert try_again_on(GitHubUnavailable, work) == "done"
    always = Failing(100)
    with pytest.raises(GitHubUnavailable):
        try_again_on(GitHubUnavailable, always)
    assert always.tried == ATTEMPTS


def test_other_errors_are_not_tried_again() -> None:
    work = Failing(100, ValueError)
    with pytest.raises(ValueError, match="it did not go well"):
        try_again_on(GitHubUnavailable, work)
    assert work.tried == 1


def test_retries_are_logged_and_print_nothing(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    try_again_on(GitHubUnavailable, Failing(2))
    assert capsys.readouterr() == ("", "")
    assert caplog.messages == ["asking GitHub again: it did not go well"] * 2


def test_the_hooks_of_others_still_hear_of_everybody_elses_retries() -> None:
    heard: list[RetryDetails] = []

    def hear(details: RetryDetails) -> None:
        heard.append(details)

    set_on_retry_hooks([hear])
    try_again_on(GitHubUnavailable, Failing(2))
    try_again_on(GitHubUnavailable, Failing(2))
    assert heard == []
    assert len(get_on_retry_hooks()) == 1
    work = Failing(1, KeyError)
    for attempt in stamina.retry_context(on=KeyError, attempts=3):
        with attempt:
            work()
    assert [type(details.caused_by) for details in heard] == [KeyError]
