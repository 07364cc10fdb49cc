"""JSON as it stands in issues, where people, ``ge`` and strangers write it too."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON's")


def _finite(digits: str) -> float:
    found = float(digits)
    if not math.isfinite(found):
        raise ValueError(f"{digits[:20]} is too large a number")
    return found


DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
"""Reads JSON alone: Python's own takes ``NaN``, and makes an infinity of a number too large."""


def read_json(text: str) -> Any:  # noqa: ANN401 - any JSON
    """The value that a text is. Raises ValueError for what is not JSON, RecursionError too deep."""
    return DECODER.decode(text)


def compact_json(value: object, *, indent: int | None = None) -> str:
    """A value as JSON with its letters as they are, where they can be written as UTF-8."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a character, which only an escape can hold
        return json.dumps(value, indent=indent)
    return text
