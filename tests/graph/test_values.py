"""What may cross into an engine, for all values."""

from __future__ import annotations

from enum import IntEnum, StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources_graph_core.errors import GraphQueryError
from resources_graph_core.graph.values import clean_parameters, clean_text

ANY_TEXT = st.text(st.characters(categories=None) | st.sampled_from("\x00\ud83d\ude42\udfff"))
CLEAN_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
)
KEYS = CLEAN_TEXT.filter(lambda key: key and "`" not in key)


def values(text: st.SearchStrategy[str]) -> st.SearchStrategy[object]:
    return st.recursive(
        SCALARS | text,
        lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner),
        max_leaves=20,
    )


@given(ANY_TEXT)
def test_cleaned_text_has_neither_nul_nor_surrogates(text: str) -> None:
    cleaned = clean_text(text)
    assert "\x00" not in cleaned
    assert cleaned.encode("utf-8").decode("utf-8") == cleaned


@given(ANY_TEXT)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert clean_text(clean_text(text)) == clean_text(text)


@given(CLEAN_TEXT)
def test_text_that_engines_take_stays_as_it_is(text: str) -> None:
    assert clean_text(text) == text


@given(CLEAN_TEXT)
def test_halves_of_a_character_become_the_character(text: str) -> None:
    units = text.encode("utf-16-le")
    halves = "".join(
        chr(int.from_bytes(units[at : at + 2], "little")) for at in range(0, len(units), 2)
    )
    assert clean_text(halves) == text


@given(CLEAN_TEXT, st.sampled_from("\x00\ud800\udfff"), CLEAN_TEXT)
def test_only_what_no_engine_takes_is_lost(before: str, refused: str, after: str) -> None:
    assert clean_text(before + refused + after) == before + after


@given(values(CLEAN_TEXT))
def test_plain_values_pass_unchanged(value: object) -> None:
    assert clean_parameters({"value": value}) == {"value": value}


@given(values(ANY_TEXT))
def test_all_text_is_cleaned_however_deep(value: object) -> None:
    str(clean_parameters({"value": value})).encode("utf-8")
    assert "\\x00" not in repr(clean_parameters({"value": value})).replace("\\\\", "")


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ((1, (2,)), [1, [2]]),
        (StrEnum("State", "OPEN").OPEN, "open"),
        (IntEnum("Number", "ONE").ONE, 1),
    ],
)
def test_relatives_of_plain_values_become_plain(value: object, plain: object) -> None:
    cleaned = clean_parameters({"value": value})["value"]
    assert cleaned == plain
    assert type(cleaned) is type(plain)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (2**63, "64 bits"),
        (-(2**63) - 1, "64 bits"),
        (float("inf"), "no graph engine"),
        (b"x", "bytes"),
        ({1, 2}, "set"),
        ({"a": [object()]}, r"\$value\.a\[0\] is a object"),
        ({"": 1}, "key"),
        ({2: 1}, "key"),
    ],
)
def test_what_cannot_be_stored_is_named(value: object, says: str) -> None:
    with pytest.raises(GraphQueryError, match=says):
        clean_parameters({"value": value})
