"""GraphQL as GitHub answers it: executed by graphql-core against a part of GitHub's own schema."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from graphql import (
    GraphQLError,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    build_schema,
    execute_sync,
    parse,
    validate,
)

from resources_graph_core.errors import UsageError
from resources_graph_core.sandbox.cost import Cost, cost_of
from resources_graph_core.sandbox.project_resolvers import lacking_scopes
from resources_graph_core.sandbox.resolvers import RESOLVERS
from resources_graph_core.sandbox.resolving import Asked, Thing, from_attribute

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from graphql import DocumentNode

    from resources_graph_core.sandbox.state import State

MOST_NODES = 500_000
"""GitHub refuses a document that could return more nodes."""


@dataclass(frozen=True, slots=True)
class Limit:
    """What is left of the hourly points, as ``rateLimit`` shows it."""

    limit: int
    remaining: int
    reset_at: str


@lru_cache(maxsize=1)
def schema() -> GraphQLSchema:
    """The schema that is served, with a resolver on every field."""
    text = files(__package__).joinpath("schema.graphql").read_text()
    built = build_schema(text)
    for name, kind in built.type_map.items():
        if isinstance(kind, GraphQLInterfaceType | GraphQLUnionType):
            kind.resolve_type = lambda value, _info, _kind: value.typename
        elif isinstance(kind, GraphQLObjectType) and not name.startswith("__"):
            for field_name, field in kind.fields.items():
                field.resolve = RESOLVERS.get(name, {}).get(field_name, from_attribute)
    return built


# graphql-core's words, and what graphql-ruby (which GitHub runs) adds to errors of that kind.
_UNKNOWN = (
    (
        re.compile(r"Cannot query field '(\w+)' on type '(\w+)'"),
        "undefinedField",
        ("fieldName", "typeName"),
    ),
    (
        re.compile(r"Unknown argument '(\w+)' on field '\w+\.(\w+)'"),
        "argumentNotAccepted",
        ("argumentName", "name"),
    ),
)


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed document, or the errors that refuse it."""

    node: DocumentNode | None
    errors: tuple[GraphQLError, ...] = ()


@lru_cache(maxsize=256)
def read_document(text: str) -> Document:
    """Parse and validate a document; the same text is read once."""
    try:
        node = parse(text)
    except GraphQLError as error:
        return Document(None, (error,))
    return Document(node, tuple(validate(schema(), node)))


@lru_cache(maxsize=1)
def published_schema(file: Path) -> GraphQLSchema:
    """GitHub's own schema, which is larger than the one served; UsageError when it is none."""
    try:
        return build_schema(file.read_text(encoding="utf-8"), assume_valid_sdl=True)
    except (OSError, UnicodeDecodeError, GraphQLError, TypeError) as error:
        raise UsageError(f"{file} is not a GraphQL schema that can be read: {error}") from None


@lru_cache(maxsize=256)
def objections(published: GraphQLSchema, text: str) -> tuple[GraphQLError, ...]:
    """What GitHub's own schema has against a document; the same text is looked at once."""
    node = read_document(text).node
    return () if node is None else tuple(validate(published, node))


def refusal(errors: Sequence[GraphQLError]) -> dict[str, Any]:
    """The JSON that refuses a document for these errors."""
    return {"errors": [_shown(error) for error in errors]}


def price(text: str, variables: dict[str, Any]) -> Cost:
    """What a document costs; one point when it cannot be read."""
    document = read_document(text)
    if document.node is None or document.errors:
        return Cost(points=1, nodes=0)
    return cost_of(schema(), document.node, variables)


def answer(
    state: State,
    text: str,
    variables: dict[str, Any],
    cost: Cost,
    left: Limit,
    broken: Mapping[str, str | None] = MappingProxyType({}),
) -> dict[str, Any]:
    """The JSON that GitHub answers to a document, ``errors`` beside ``data`` as it has them.

    ``broken`` names connections that are to be null, with the type of the error they leave.
    """
    document = read_document(text)
    if document.node is None or document.errors:
        return refusal(document.errors)
    if lacking := lacking_scopes(document.node, state.scopes):
        return refusal(lacking)
    if cost.nodes > MOST_NODES:
        message = (
            f"This query requests up to {cost.nodes:,} possible nodes which exceeds the maximum "
            f"limit of {MOST_NODES:,}."
        )
        return {"errors": [{"type": "MAX_NODE_LIMIT_EXCEEDED", "message": message}]}
    rate_limit = Thing(
        cost=cost.points,
        limit=left.limit,
        node_count=cost.nodes,
        remaining=left.remaining,
        used=left.limit - left.remaining,
        reset_at=left.reset_at,
    )
    with state.lock:
        result = execute_sync(
            schema(),
            document.node,
            variable_values=variables,
            context_value=Asked(state, rate_limit, broken),
        )
    body: dict[str, Any] = {"data": result.data}
    if result.errors:
        body["errors"] = [_shown(error) for error in result.errors]
    return body


def _shown(error: GraphQLError) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    if error.extensions and "type" in error.extensions:
        shown["type"] = error.extensions["type"]
    for words, code, names in _UNKNOWN:
        if told := words.search(error.message):
            shown["extensions"] = {"code": code, **dict(zip(names, told.groups(), strict=True))}
    if error.path:
        shown["path"] = error.path
    if error.locations:
        shown["locations"] = [
            {"line": place.line, "column": place.column} for place in error.locations
        ]
    shown["message"] = error.message
    return shown
