"""When the sensor launches what, as a table of situations and a few properties."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from resources_graph_core.store.touches import PendingTouch
from resources_graph_core.sweep import Plan, plan_touches
from resources_graph_dagster.pace import (
    FIRST_PAUSE_SECONDS,
    LONGEST_PAUSE_SECONDS,
    MOST_RETRIES,
    WAITING_PAUSE_SECONDS,
    Decision,
    Pace,
    decide,
    pause,
    shifted,
)

NOW = "2026-11-30T22:00:00Z"


def touch(
    name: str,
    address: str = "github:octo-org/widgets#1",
    **fields: Any,  # noqa: ANN401 - the fields of a record
) -> PendingTouch:
    values: dict[str, Any] = {
        "touch_id": name,
        "address": address,
        "limit": None,
        "provenance": "FETCHED",
        "at": NOW,
        "attempts": 0,
        "error": None,
    }
    return PendingTouch(**(values | fields))


def plan(*touches: PendingTouch) -> Plan:
    return plan_touches(touches)


def tick(
    pace: Pace,
    what: Plan,
    *,
    now: str = NOW,
    **situation: Any,  # noqa: ANN401 - arguments of decide
) -> Decision:
    return decide(pace, what, now=now, **({"last": None, "limited_hosts": {}} | situation))


def test_nothing_pending_launches_nothing() -> None:
    decision = tick(Pace(), plan())
    assert decision.launches == ()
    assert decision.reason == "nothing is pending"


def test_new_touches_of_many_repositories_are_one_run() -> None:
    many = [touch(str(n), f"github:octo-org/repository-{n}#1") for n in range(100)]
    (launch,) = tick(Pace(), plan(*many)).launches
    assert len(launch.repositories) == 100
    assert not launch.alone


def test_a_repeated_tick_has_the_same_run_key() -> None:
    first, again = tick(Pace(), plan(touch("a"))), tick(Pace(), plan(touch("a")))
    assert first.launches == again.launches


def test_the_same_touches_can_be_swept_again_under_another_key() -> None:
    first = tick(Pace(), plan(touch("a")))
    after = tick(first.pace, plan(touch("a")), last="succeeded")
    assert after.launches[0].run_key != first.launches[0].run_key


def test_nothing_is_launched_while_the_last_run_sweeps() -> None:
    first = tick(Pace(), plan(touch("a")))
    assert tick(first.pace, plan(touch("a"), touch("b")), last="running").launches == ()


def test_nothing_is_launched_until_the_limit_is_over() -> None:
    limited = {"github.com": "2026-11-30T23:00:00Z"}
    decision = tick(Pace(), plan(touch("a")), limited_hosts=limited)
    assert decision.launches == ()
    assert "github.com is used up until 2026-11-30T23:00:00Z" in decision.reason


def test_the_limit_of_one_host_holds_back_no_other() -> None:
    waiting = plan(touch("a"), touch("b", "github:ghe.corp.com/octo-org/gears#1"))
    limited = {"github.com": "2026-11-30T23:00:00Z"}
    (launch,) = tick(Pace(), waiting, limited_hosts=limited).launches
    assert launch.repositories == ("github:ghe.corp.com/octo-org/gears",)


def test_failed_runs_are_followed_by_longer_and_longer_pauses() -> None:
    pace, now, waits = Pace(), NOW, []
    for _ in range(4):
        launched = tick(pace, plan(touch("a")), now=now)
        assert launched.launches
        held = tick(launched.pace, plan(touch("a")), now=now, last="failed")
        assert held.launches == ()
        waits.append(held.pace.not_before)
        pace, now = held.pace, held.pace.not_before
    expected, moment = [], NOW
    for failures in range(1, 5):
        moment = shifted(moment, FIRST_PAUSE_SECONDS * 2 ** (failures - 1))
        expected.append(moment)
    assert waits == expected


def test_a_success_ends_the_pauses() -> None:
    pace = Pace(run_key="sweep-0-x", failures=5)
    assert tick(pace, plan(touch("a")), last="succeeded").pace.failures == 0


def test_a_repository_that_failed_is_tried_alone_and_later() -> None:
    failing = plan(touch("a", attempts=1, error="cut off"))
    first = tick(Pace(), failing)
    assert first.launches == ()
    due = first.pace.retries["github:octo-org/widgets"].not_before
    (launch,) = tick(first.pace, failing, now=due).launches
    assert launch.alone
    assert launch.repositories == ("github:octo-org/widgets",)


def test_a_failing_repository_does_not_hold_back_another() -> None:
    waiting = plan(touch("a", attempts=1, error="x"), touch("b", "github:octo-org/gadgets"))
    (launch,) = tick(Pace(), waiting).launches
    assert launch.repositories == ("github:octo-org/gadgets",)


def test_a_launched_retry_does_not_come_back_at_once_when_it_changes_nothing() -> None:
    failing = plan(touch("a", attempts=1, error="x"))
    first = tick(Pace(), failing)
    due = first.pace.retries["github:octo-org/widgets"].not_before
    second = tick(first.pace, failing, now=due)
    assert second.launches
    assert tick(second.pace, failing, now=due).launches == ()


def test_at_most_a_few_repositories_are_retried_in_one_tick() -> None:
    failing = plan(*[touch(str(n), f"github:o/r{n}#1", attempts=1, error="x") for n in range(10)])
    first = tick(Pace(), failing)
    later = shifted(NOW, LONGEST_PAUSE_SECONDS)
    launches = tick(first.pace, failing, now=later).launches
    assert len(launches) == MOST_RETRIES
    assert len({launch.run_key for launch in launches}) == MOST_RETRIES


def test_touches_that_wait_for_a_login_are_looked_at_once_in_a_while() -> None:
    waiting = plan(touch("a", error="a login is needed"))
    first = tick(Pace(), waiting)
    assert first.launches
    held = tick(first.pace, waiting, last="succeeded")
    assert held.launches == ()
    assert "wait for a GitHub login" in held.reason
    later = shifted(NOW, WAITING_PAUSE_SECONDS)
    assert tick(held.pace, waiting, now=later).launches


def test_a_touch_whose_limit_is_over_is_new_again() -> None:
    over = plan(touch("a", error="a limit", retry_at="2026-11-30T21:00:00Z"))
    held_for_logins = Pace(waiting_not_before="2026-11-30T23:00:00Z")
    assert tick(held_for_logins, over).launches


@given(st.integers(min_value=0, max_value=10_000))
def test_a_pause_grows_and_has_an_end(failures: int) -> None:
    assert FIRST_PAUSE_SECONDS <= pause(failures) <= pause(failures + 1) <= LONGEST_PAUSE_SECONDS


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abc")), max_size=12))
def test_what_was_not_tried_yet_is_never_left_out(touched: list[tuple[int, str]]) -> None:
    touches = [
        touch(
            str(n), f"github:o/{name}#{n + 1}", attempts=attempts, error="x" if attempts else None
        )
        for n, (attempts, name) in enumerate(touched)
    ]
    new = {f"github:o/{name}" for attempts, name in touched if not attempts}
    launched = {
        repository
        for launch in tick(Pace(), plan(*touches)).launches
        for repository in launch.repositories
    }
    assert new <= launched


@given(st.builds(Pace, launches=st.integers(0, 10**6), failures=st.integers(0, 100)))
def test_what_is_remembered_survives_the_cursor(pace: Pace) -> None:
    assert Pace.model_validate_json(pace.model_dump_json()) == pace
