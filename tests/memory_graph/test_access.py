"""What a handle may do, and that handles made of it may never do more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources_graph_core.errors import AccessDenied, UsageError
from resources_graph_core.memory_graph import Access

flags = st.booleans()
maybe = st.one_of(st.none(), flags)


@given(
    start=st.builds(Access, st.just("a"), flags, flags, flags),
    asked=st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "trusted": maybe,
                "privileged": maybe,
                "read_only": maybe,
                "origin": st.sampled_from(["a", "a/b", "b", "ab"]),
            },
        ),
        max_size=4,
    ),
)
def test_narrowing_never_widens(start: Access, asked: list[dict[str, object]]) -> None:
    access = start
    for one in asked:
        try:
            access = access.narrowed(**one)  # type: ignore[arg-type]
        except AccessDenied:
            continue
        assert access.trusted <= start.trusted
        assert access.privileged <= start.privileged
        assert access.read_only >= start.read_only
        assert start.privileged or access.origin in {"a", "a/b"}


@pytest.mark.parametrize("origin", ["", " a", "a\n", "a" * 129, "\u202ea"])
def test_an_origin_that_is_none(origin: str) -> None:
    with pytest.raises(UsageError, match="origin"):
        Access(origin=origin)


def test_touches_stay_private() -> None:
    with pytest.raises(AccessDenied, match="private"):
        Access(origin="a", user="mona").narrowed(user="lisa")
    assert Access(origin="a", user="mona").narrowed(user="mona").user == "mona"
    assert Access(privileged=True).narrowed(user="lisa").user == "lisa"


def test_writes_need_an_origin_and_no_read_only_handle() -> None:
    assert Access(origin="a").writer() == "a"
    with pytest.raises(UsageError, match="origin"):
        Access().writer()
    with pytest.raises(AccessDenied, match="read-only"):
        Access(origin="a", read_only=True).writer()
    with pytest.raises(AccessDenied, match="read-only"):
        Access(origin="a", privileged=True, read_only=True).check_privileged("It")
