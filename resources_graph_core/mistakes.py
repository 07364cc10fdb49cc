"""What is wrong with a request, in words that its caller can act on; no value is in them."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

    Schema = Mapping[str, Any]
    Place = tuple[int | str, ...]

_MOST_TOLD: Final = 3
_LONGEST_NAME: Final = 80

_IN_JSON: Final = {
    "tuple_type": "Input should be a list",
    "list_type": "Input should be a list",
    "dict_type": "Input should be an object",
    "model_type": "Input should be an object",
    "model_attributes_type": "Input should be an object",
}
"""What is wrong in the words of JSON, where Pydantic's are Python's."""


def takes_no(given: Sequence[str], taken: Sequence[str]) -> str:
    """That some names are none that are taken, which were meant perhaps, and which there are."""
    said = ", ".join(f"no {_shown(name)}{_meant(name, taken)}" for name in given[:_MOST_TOLD])
    return f"it takes {said}; it takes: {', '.join(taken) or 'nothing'}"


def in_words(error: ValidationError, schema: Schema, *, inside: int = 0) -> str:
    """The first few things wrong, by field.

    ``schema`` is the JSON schema of what was validated: names are those that it has. The first
    ``inside`` parts of each place are left out.
    """
    said: dict[tuple[str, Place], list[str]] = {}
    for one in error.errors(include_url=False, include_input=False):
        place = one["loc"]
        match one["type"]:
            case "extra_forbidden" | "missing" as kind:
                said.setdefault((kind, place[:-1]), []).append(str(place[-1]))
            case "union_tag_invalid" | "union_tag_not_found" as kind:
                said.setdefault((kind, place), []).append(_of_tag(one))
            case kind:
                words = _IN_JSON.get(kind, one["msg"].removeprefix("Value error, "))
                said.setdefault(("wrong", place), []).append(words)
    told = []
    for (kind, place), names in list(said.items())[:_MOST_TOLD]:
        where = ".".join(map(str, place[inside:]))
        match kind:
            case "extra_forbidden":
                words = takes_no(names, list(_fields_at(schema, place)))
            case "missing":
                words = f"it needs {', '.join(names)}"
            case "wrong":
                where, words = where or "the request", names[0]
            case _:
                words = names[0]
        told.append(f"{where}: {words}" if where else words)
    more = f" (and {len(said) - _MOST_TOLD} more)" if len(said) > _MOST_TOLD else ""
    return "; ".join(told) + more


def _of_tag(one: ErrorDetails) -> str:
    context = one["ctx"]
    if one["type"] == "union_tag_not_found":
        return f"it needs {context['discriminator']}"
    return f"{context['discriminator']} is one of {context['expected_tags']}"


def _meant(name: str, taken: Sequence[str]) -> str:
    near = get_close_matches(name[:_LONGEST_NAME], taken, n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _shown(name: str) -> str:
    return repr(name) if len(name) <= _LONGEST_NAME else f"name of {len(name):,} characters"


def _fields_at(schema: Schema, place: Place) -> Iterator[str]:
    """The names of the fields at a place, as they are written."""
    parts = list(_plain([schema], schema))
    for step in place:
        parts = list(_plain(_within(parts, step), schema))
    for part in parts:
        yield from part.get("properties", ())


def _within(parts: Iterable[Schema], step: int | str) -> Iterator[Schema]:
    """What stands at one step inside: of a list, of an object, or by the tag of a choice."""
    for part in parts:
        if isinstance(step, int):
            inner = part.get("items")
        else:
            inner = part.get("properties", {}).get(step, part.get("additionalProperties"))
            if step == part.get("tag"):
                inner = {key: value for key, value in part.items() if key != "tag"}
        if isinstance(inner, dict):
            yield inner


def _plain(parts: Iterable[Schema], schema: Schema) -> Iterator[Schema]:
    """The parts with references followed and choices laid out, tagged where they have tags."""
    for part in parts:
        if "$ref" in part:
            found = schema["$defs"][part["$ref"].rpartition("/")[2]]
            yield from _plain([found], schema)
        elif "discriminator" in part:
            for tag, ref in part["discriminator"]["mapping"].items():
                for one in _plain([{"$ref": ref}], schema):
                    yield {**one, "tag": tag}
        elif choices := part.get("anyOf") or part.get("oneOf"):
            yield from _plain(choices, schema)
        else:
            yield part
