"""What tests of GitHub's side share: retries that do not wait, and documents that are all valid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import stamina

from tests.sent_documents import every_document_is_valid

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["every_document_is_valid"]


@pytest.fixture(autouse=True)
def retries_at_once() -> Iterator[None]:
    """Retry as often as ever, without the pauses."""
    with stamina.set_testing(True, attempts=100, cap=True):
        yield
