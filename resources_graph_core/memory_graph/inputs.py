"""What a caller wrote, JSON or JSON Lines, as the arguments of an operation."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, ValidationError

from resources_graph_core import mistakes
from resources_graph_core.errors import UsageError
from resources_graph_core.memory_graph import guards

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Whole:
    """That the whole input may be the value of one ``field``, as another operation answers it.

    An object that has any of the names in ``signs``, and not the field, is such a value; with
    ``many`` it is one of several, which come in an array or one on each line.
    """

    field: str
    signs: frozenset[str]
    many: bool = False


_DEEP: Final = "the JSON is nested too deep"


def read_input(
    name: str, request: type[BaseModel], whole: Whole | None, text: str
) -> dict[str, Any]:
    """The arguments of the operation ``name``. Raises UsageError for what is no JSON of its."""
    if whole is None:
        return read_object(text)
    if whole.many and (lines := _lines(text)):
        return {whole.field: [_read_line(name, request, whole, *line) for line in lines]}
    found = _read(text)
    if whole.many and isinstance(found, list):
        return {whole.field: found}
    if isinstance(found, dict) and whole.field not in found and whole.signs & found.keys():
        return {whole.field: [found] if whole.many else found}
    return _object(found)


def read_object(text: str) -> dict[str, Any]:
    """A JSON object from text. Raises UsageError for what is none."""
    return _object(_read(text))


def read_request(
    name: str, request: type[BaseModel], arguments: Mapping[str, Any], *, inside: int = 0
) -> BaseModel:
    """The arguments as the request of the operation ``name``.

    Raises UsageError, which never quotes a value. ``inside`` is how many parts of a place are not
    the caller's own.
    """
    try:
        # Pydantic takes half a character in a key for a question mark of its own.
        json.dumps(arguments, ensure_ascii=False, default=str).encode()
        return request.model_validate(arguments)
    except UnicodeEncodeError:
        raise UsageError(f"{name}: half a character (a lone surrogate) cannot be stored") from None
    except ValidationError as error:
        said = mistakes.in_words(error, request.model_json_schema(), inside=inside)
        raise UsageError(f"{name}: {guards.without_credentials(said)}") from None
    except RecursionError:
        raise UsageError(f"{name}: {_DEEP}") from None


def _lines(text: str) -> list[tuple[int, str]]:
    """The lines that hold something, numbered from 1, where the first of several is an object."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len(lines) < 2:  # noqa: PLR2004 - one line is plain JSON
        return []
    try:
        first = _read(lines[0][1])
    except UsageError:
        return []
    return lines if isinstance(first, dict) else []


def _read_line(name: str, request: type[BaseModel], whole: Whole, number: int, line: str) -> object:
    """One of many, checked at once, so that what is wrong is told by its line."""
    try:
        # Two parts of each place, the field and an index of 0, are not what the caller wrote.
        made = read_request(name, request, {whole.field: [read_object(line)]}, inside=2)
    except UsageError as error:
        raise UsageError(f"line {number}: {error}") from None
    (read,) = getattr(made, whole.field)
    return read


def _read(text: str) -> object:
    try:
        return json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise UsageError(_DEEP) from None
    except ValueError as error:
        raise UsageError(f"the request is no JSON: {error}") from None


def _object(found: object) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise UsageError("the request is a JSON object, such as {}")
    return found


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON's")
