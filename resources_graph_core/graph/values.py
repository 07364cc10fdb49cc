"""What may cross into an engine: plain values, the same on every engine.

Text loses what some engine cannot take, so that one text is stored alike everywhere: NUL (FalkorDB
reads parameters as C text) and lone surrogates (they have no UTF-8). Other control characters stay.
"""

from __future__ import annotations

import math
import re

from resources_graph_core.errors import GraphQueryError

_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_REFUSED = re.compile("[\x00\ud800-\udfff]")
LONGEST_KEY_BYTES = 4096
"""What FalkorDB finds again in an index."""

_SMALLEST, _LARGEST = -(2**63), 2**63 - 1


def clean_text(text: str) -> str:
    """Remove what no engine may be given; halves of one character side by side become it."""
    if not _REFUSED.search(text):
        return str.__str__(text)
    joined = _PAIR.sub(
        lambda pair: pair[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le"), text
    )
    return _REFUSED.sub("", joined)


def key_text(text: str) -> str:
    """``text`` as a unique key that every engine can hold; never empty.

    FalkorDB dies while it checks a unique key that its index does not hold as it is: an empty one,
    one with white space at an end or with U+0001, one of more than 4096 bytes. Other texts stay.
    """
    key = clean_text(text).replace("\x01", "").strip(" \t\n\v\f\r") or "unnamed"
    if len(key.encode()) <= LONGEST_KEY_BYTES:
        return key
    from hashlib import sha256  # noqa: PLC0415 - next to nobody's key is so long

    return f"sha256:{sha256(key.encode()).hexdigest()}"


def clean_parameters(parameters: dict[str, object]) -> dict[str, object]:
    """A copy of a statement's parameters that every engine takes.

    Tuples become lists. Raises GraphQueryError for what cannot be stored: other types, integers
    beyond 64 bits, infinity and NaN, and map keys that are empty or hold a backtick.
    """
    return {name: _clean(value, f"${name}") for name, value in parameters.items()}


def _clean(value: object, where: str) -> object:
    match value:
        case None | bool():
            return value
        case str():
            return clean_text(value)
        case int():
            if not _SMALLEST <= value <= _LARGEST:
                raise GraphQueryError(f"{where} is {value}, which does not fit in 64 bits.")
            return int(value)
        case float():
            if not math.isfinite(value):
                raise GraphQueryError(f"{where} is {value}, which no graph engine stores.")
            return float(value)
        case list() | tuple():
            return _clean_items(value, where)
        case dict():
            return {_key(key, where): _clean(item, f"{where}.{key}") for key, item in value.items()}
    raise GraphQueryError(
        f"{where} is a {type(value).__name__}; a statement takes text, numbers, booleans, None, "
        "lists and dicts. Write it as one of these, such as an ISO-8601 text for a time."
    )


def _clean_items(items: list[object] | tuple[object, ...], where: str) -> list[object]:
    texts = [item for item in items if type(item) is str]
    if len(texts) == len(items) and not _REFUSED.search("".join(texts)):
        return list(items)  # such as the keys of a thousand nodes: nothing to be cleaned
    return [_clean(item, f"{where}[{index}]") for index, item in enumerate(items)]


def _key(key: object, where: str) -> str:
    if not isinstance(key, str) or not key or "`" in key or _REFUSED.search(key):
        raise GraphQueryError(
            f"{where} has the key {key!r}; keys are text, not empty, without backticks and NUL."
        )
    return str.__str__(key)
