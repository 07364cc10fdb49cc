"""What is counted, and when to stop before GitHub says so."""

from __future__ import annotations

import pytest

from resources_graph_core.clock import after
from resources_graph_core.errors import RateLimited
from resources_graph_core.github.meter import Meter
from resources_graph_core.github.source import Usage


def test_requests_and_points_add_up() -> None:
    meter = Meter("graphql")
    assert meter.usage == Usage()
    meter.count({}, resource="core", points=1)
    meter.count({}, resource="graphql", points=0)
    meter.charge(7, 4993, "2026-12-01T00:00:00Z")
    assert meter.usage == Usage(2, 8, 4993, "2026-12-01T00:00:00Z")


def test_what_is_left_is_told_of_one_resource() -> None:
    meter = Meter("core")
    meter.charge(1, 4999, "2026-12-01T00:00:00Z")
    assert meter.usage.remaining is None
    left = {"x-ratelimit-remaining": "59", "x-ratelimit-reset": "1796083200"}
    meter.count(left, resource="core", points=1)
    assert (meter.usage.remaining, meter.usage.reset_at) == (59, "2026-12-01T00:00:00Z")


def test_the_reserve_is_left_for_others() -> None:
    meter = Meter("graphql", reserve=100)
    meter.check("graphql")
    reset_at = after(600)
    meter.charge(1, 101, reset_at)
    meter.check("graphql")
    meter.charge(1, 100, reset_at)
    meter.check("core")
    with pytest.raises(RateLimited) as caught:
        meter.check("graphql")
    assert caught.value.retry_at == reset_at


def test_a_limit_that_has_started_anew_stops_nothing() -> None:
    meter = Meter("graphql", reserve=100)
    meter.charge(1, 0, after(-1))
    meter.check("graphql")


def test_a_document_that_would_use_of_the_reserve_is_not_sent() -> None:
    meter = Meter("graphql", reserve=100)
    meter.charge(1, 120, after(600))
    meter.check("graphql", 20)
    with pytest.raises(RateLimited, match="kept for others"):
        meter.check("graphql", 21)


def test_an_answer_that_was_overtaken_does_not_raise_what_is_left() -> None:
    meter = Meter("graphql")
    meter.charge(1, 90, after(600))
    reset_at = meter.usage.reset_at
    assert reset_at is not None
    meter.charge(1, 95, reset_at)
    assert meter.usage.remaining == 90
    meter.charge(1, 4999, after(4200))
    assert meter.usage.remaining == 4999
