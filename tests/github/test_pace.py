"""How fast requests go out, and how pauses are kept, by a clock that only the pauses move."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources_graph_core.clock import after, now
from resources_graph_core.errors import ConfigError, RateLimited
from resources_graph_core.github.documents import Ask, Operation
from resources_graph_core.github.limits import (
    PROCESSING_SECONDS,
    REQUESTS_A_MINUTE,
    Limits,
    Resource,
)
from resources_graph_core.github.pace import Pace, Timing
from resources_graph_core.github.token import Token
from resources_graph_core.github.transport import Transport
from resources_graph_core.setting import MOST_IN_FLIGHT

QUERY = Operation("Any", (Ask("viewer", {}, (Ask("login"),)),))


@dataclass
class Clock:
    """A clock that stands still but for the pauses."""

    seconds: float = 0.0
    slept: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.seconds += seconds

    @property
    def timing(self) -> Timing:
        return Timing(lambda: self.seconds, self.sleep)


def take_turn(pace: Pace, clock: Clock, resource: Resource, takes: float = 0.0) -> float:
    """When a request went out."""
    with pace.turn(resource):
        began = clock.seconds
        clock.seconds += takes
    return began


@pytest.mark.parametrize("resource", ["core", "graphql"])
def test_no_more_requests_a_minute_than_allowed(resource: Resource) -> None:
    clock = Clock()
    pace = Pace(timing=clock.timing)
    allowed = REQUESTS_A_MINUTE[resource]
    began = [take_turn(pace, clock, resource) for _ in range(2 * allowed + 1)]
    assert began == [0.0] * allowed + [60.0] * allowed + [120.0]


@given(st.lists(st.tuples(st.sampled_from(["core", "graphql"]), st.floats(0, 20)), max_size=60))
def test_github_never_works_longer_for_us_than_allowed(asked: list[tuple[Resource, float]]) -> None:
    clock = Clock()
    pace = Pace(timing=clock.timing)
    take_turn(pace, clock, "core")  # the way there and back takes no time
    work: list[tuple[Resource, float, float]] = []
    for resource, takes in asked:
        began = take_turn(pace, clock, resource, takes)
        recent = [one for one in work if one[1] > began - 60]
        graphql = sum(seconds for kind, _, seconds in recent if kind == "graphql")
        assert sum(seconds for _, _, seconds in recent) < PROCESSING_SECONDS["core"]
        assert resource == "core" or graphql < PROCESSING_SECONDS["graphql"]
        work.append((resource, began, takes))


def test_the_way_there_and_back_is_no_work() -> None:
    clock = Clock()
    pace = Pace(timing=clock.timing)
    for _ in range(100):
        take_turn(pace, clock, "graphql", takes=2.0)
    assert clock.slept == []


def test_no_more_requests_at_once_than_set() -> None:
    pace = Pace(Limits(in_flight=3))
    at_once = threading.Semaphore(3)
    full = threading.Barrier(3)

    def ask(_: int) -> bool:
        with pace.turn("core"):
            alone = at_once.acquire(blocking=False)
            full.wait(10)
            at_once.release()
        return alone

    with ThreadPoolExecutor(12) as pool:
        assert all(pool.map(ask, range(12)))


@pytest.mark.parametrize(
    "wrong",
    [{"in_flight": 0}, {"in_flight": MOST_IN_FLIGHT + 1}, {"reserve": -1}, {"longest_wait": -1}],
)
def test_limits_that_make_no_sense_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ConfigError):
        Limits(**wrong)


def test_a_pause_holds_everything_back_as_long_as_told() -> None:
    clock = Clock()
    pace = Pace(timing=clock.timing)
    pace.pause({"retry-after": "30"})
    assert take_turn(pace, clock, "core") == 30
    assert take_turn(pace, clock, "graphql") == 30


def test_pauses_of_untold_length_grow() -> None:
    clock = Clock()
    pace = Pace(Limits(longest_wait=1000), clock.timing)
    ends = []
    for _ in range(3):
        pace.pause({})
        pace.pause({})  # another request, in flight at the same time
        ends.append(take_turn(pace, clock, "core"))
    assert ends == [60, 60 + 120, 60 + 120 + 240]


def test_several_that_are_told_at_once_wait_once() -> None:
    clock = Clock()
    pace = Pace(Limits(longest_wait=40), clock.timing)
    for seconds in ("30", "30", "40", "20"):
        pace.pause({"retry-after": seconds})
    assert take_turn(pace, clock, "core") == 40


@pytest.mark.parametrize("headers", [{}, {"retry-after": "70"}])
def test_waiting_ends_when_it_is_too_much_in_all(headers: dict[str, str]) -> None:
    clock = Clock()
    pace = Pace(timing=clock.timing)
    pace.pause(headers)
    take_turn(pace, clock, "core")
    with pytest.raises(RateLimited) as caught:
        pace.pause(headers)
    assert now() < (caught.value.retry_at or "") <= after(120)


LIMITED = [
    httpx.Response(403, headers={"Retry-After": "30"}),
    httpx.Response(429, headers={"Retry-After": "30"}),
    httpx.Response(200, json={"errors": [{"message": "You exceeded a secondary rate limit"}]}),
    httpx.Response(
        200,
        headers={"Retry-After": "30"},
        json={"errors": [{"message": "You exceeded a secondary rate limit"}]},
    ),
    httpx.Response(403, json={"message": "You have exceeded a secondary rate limit."}),
    httpx.Response(429),
]


@pytest.mark.parametrize("limited", LIMITED)
@pytest.mark.parametrize("times", [1, 9])
def test_a_request_is_made_again_after_the_pause(limited: httpx.Response, times: int) -> None:
    clock = Clock()
    coming = [limited] * times

    def answer(_: httpx.Request) -> httpx.Response:
        return coming.pop() if coming else httpx.Response(200, json={"data": {}})

    transport = Transport(
        "https://api.github.com",
        Token("made-up"),
        timing=clock.timing,
        client_transport=httpx.MockTransport(answer),
    )
    told = "retry-after" in limited.headers
    with closing(transport):
        if times == 1:
            transport.query(QUERY, "o/r")
            assert clock.slept == [30 if told else 60]
        else:
            with pytest.raises(RateLimited):
                transport.query(QUERY, "o/r")
            assert sum(clock.slept) <= 120
