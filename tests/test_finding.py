"""Snippets of what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources_graph_core.finding import snippet
from resources_graph_core.untrusted import Treatment

if TYPE_CHECKING:
    from collections.abc import Callable

TOKEN = "ghp_" + "aB3" * 12
KEY = (
    "-----BEGIN RSA PRIVATE KEY-----\n"
    + "MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn7ygWyF8PbnGy0\n" * 12
    + "-----END RSA PRIVATE KEY-----"
)


def test_a_snippet_shows_what_stands_around_the_words() -> None:
    text = f"{'before ' * 40}\nneedle\n{'after ' * 40}"
    shown = snippet(text, ["needle"])
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert "before needle after" in shown
    assert len(shown) < 210


@pytest.mark.parametrize("secret", [TOKEN, f"{TOKEN[:9]}\u200b{TOKEN[9:]}"])
@given(before=st.integers(60, 140), after=st.integers(60, 140))
def test_no_half_of_a_credential_is_in_a_snippet(secret: str, before: int, after: int) -> None:
    words: Callable[[int], str] = lambda count: "x " * (count // 2)  # noqa: E731 - short
    text = f"{secret} {words(before)}needle {words(after)}{secret} end"
    shown = Treatment().treat(snippet(text, ["needle"])).text
    assert "needle" in shown
    assert "ghp_" not in shown
    assert "aB3aB3" not in shown


def test_the_middle_of_a_private_key_is_not_found() -> None:
    shown = Treatment().treat(snippet(f"my key:\n{KEY}\nkept", ["ygWyF8PbnGy0".lower()])).text
    assert "[private key 1, masked]" in shown
    assert "MIIEp" not in shown
