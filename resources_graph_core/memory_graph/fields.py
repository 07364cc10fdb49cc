"""The fields of an operation's request in words, for the help of the command line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from resources_graph_core.memory_graph.requests import Hint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic import BaseModel

    from resources_graph_core.memory_graph.operations import Operation

    Schema = Mapping[str, Any]

_FEW = 3
"""Fields of an object that are told where it stands."""


@dataclass(frozen=True, slots=True)
class FieldWords:
    """One field: its name as callers write it, and its type, default and meaning."""

    name: str
    said: str


def fields(operation: Operation) -> Iterator[FieldWords]:
    """The fields of the operation's request, in order."""
    schema = operation.request.model_json_schema()
    needed = schema.get("required", ())
    properties: Mapping[str, Schema] = schema.get("properties", {})
    # A schema has the fields of its model in their order, by the names that callers write.
    for (name, one), hint in zip(properties.items(), _hints(operation.request), strict=True):
        default = "summary" if name == "project" else one.get("default")
        kind = _kind(one, schema)
        if name in needed:
            kind += ", needed"
        elif default not in (None, [], {}, ""):
            kind += f", {json.dumps(default)} by default"
        meant = (*_of_type(one), one.get("description") or hint or "")
        yield FieldWords(name, f"{kind}. {' '.join(meant)}".rstrip())


def remarks(operation: Operation) -> Iterator[str]:
    """What else may be given than an object with these fields."""
    if operation.bare_id:
        yield "A bare id stands for an object with that id."
    if (whole := operation.whole) is not None:
        how = ": a JSON array, or JSON Lines" if whole.many else ""
        yield f"The {whole.field} alone may be the whole input{how}."


def _hints(request: type[BaseModel]) -> list[str | None]:
    return [
        next((one.text for one in field.metadata if isinstance(one, Hint)), None)
        for field in request.model_fields.values()
    ]


def _of_type(part: Schema) -> Iterator[str]:
    """What is said of the type itself, as of a time, where a field may be left out."""
    for one in part.get("anyOf", ()):
        if "description" in one:
            yield one["description"]


def _kind(part: Schema, schema: Schema) -> str:
    """The type of a field, in the words of JSON."""
    if "$ref" in part:
        return _kind(schema["$defs"][part["$ref"].rpartition("/")[2]], schema)
    if "anyOf" in part:
        rest = [one for one in part["anyOf"] if one != {"type": "null"}]
        return " or ".join(_kind(one, schema) for one in rest)
    if choices := part.get("enum") or ([part["const"]] if "const" in part else None):
        return " or ".join(map(json.dumps, choices))
    kind = str(part.get("type", "object"))  # a choice between objects says no type
    if kind == "array":
        return f"list of {_kind(part['items'], schema)}"
    if kind == "object" and 0 < len(part.get("properties", ())) < _FEW:
        return f"object with {', '.join(part['properties'])}"
    return {"boolean": "true or false"}.get(kind, kind)
