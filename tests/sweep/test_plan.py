"""Plans: each Address once, whoever asked for it."""

from __future__ import annotations

from resources_graph_core.store.touches import PendingTouch
from resources_graph_core.sweep import plan_touches


def waiting(touch_id: str, address: str, limit: int | None = None, **fields: str) -> PendingTouch:
    provenance = fields.get("provenance", "FETCHED")
    return PendingTouch(touch_id, address, limit, provenance, "2026-01-01T00:00:00Z", 0, None)


def test_each_address_is_planned_once_for_all_who_asked() -> None:
    plan = plan_touches([waiting("a", "github:o/r#1"), waiting("b", "github:o/r#1")])
    (entry,) = plan.entries
    assert entry.touch_ids == ["a", "b"]
    assert plan.touch_count == 2


def test_each_limit_of_a_listing_is_planned_apart() -> None:
    key = "github:o/r/issues?state=open"
    plan = plan_touches([waiting("a", key, 30), waiting("b", key, 100), waiting("c", key, 30)])
    assert [(e.address.limit, e.touch_ids) for e in plan.entries] == [
        (30, ["a", "c"]),
        (100, ["b"]),
    ]


def test_an_unreadable_address_is_told_apart_and_stops_nothing() -> None:
    plan = plan_touches([waiting("a", "github:o/r#0"), waiting("b", "github:o/r#1")])
    assert [entry.touch_ids for entry in plan.entries] == [["b"]]
    ((touch, error),) = plan.unreadable
    assert touch.touch_id == "a"
    assert "github:o/r#0" in str(error)
    assert plan.touch_count == 2


def test_only_prompted_means_nobody_fetched_it() -> None:
    prompted = waiting("a", "github:o/r#1", provenance="PROMPTED")
    (entry,) = plan_touches([prompted]).entries
    assert entry.only_prompted
    (entry,) = plan_touches([prompted, waiting("b", "github:o/r#1")]).entries
    assert not entry.only_prompted


def test_repositories_kinds_and_a_limit_narrow_it() -> None:
    touches = [
        waiting("a", "github:o/r#1"),
        waiting("b", "github:o/r"),
        waiting("c", "github:o/r/pulls?state=all"),
        waiting("d", "github:x/y#1"),
        waiting("e", "github:o/r#2"),
    ]
    everything = plan_touches(touches)
    assert everything.repositories == {"github:o/r": 4, "github:x/y": 1}
    assert [entry.touch_ids for entry in everything.of("listing", "repo")] == [["b"], ["c"]]
    narrowed = plan_touches(touches, repositories={"github:o/r"}, kinds=("item",), limit=1)
    assert [entry.touch_ids for entry in narrowed.entries] == [["a"]]
    assert narrowed.left_out == 1
    assert everything.left_out == 0
