"""The sandbox's schema is a part of GitHub's: nothing in it is named or typed differently."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    Undefined,
    build_schema,
    is_introspection_type,
    is_non_null_type,
    is_specified_scalar_type,
)
from graphql.type import GraphQLArgument

from resources_graph_core import sandbox

OURS = Path(sandbox.__file__).parent / "schema.graphql"
GITHUBS = Path(__file__).parents[3] / "shared" / "github" / "schema.graphql"

ValueT = TypeVar("ValueT", GraphQLField, GraphQLInputField, GraphQLArgument)


def schema_of(text: str) -> GraphQLSchema:
    return build_schema(text, assume_valid_sdl=True)


@pytest.fixture(scope="module")
def ours() -> GraphQLSchema:
    return schema_of(OURS.read_text("utf-8"))


@pytest.fixture(scope="module")
def githubs() -> GraphQLSchema:
    if not GITHUBS.exists():
        pytest.skip("GitHub's published schema is not at hand")
    return schema_of(GITHUBS.read_text("utf-8"))


def differences(part: GraphQLSchema, whole: GraphQLSchema) -> list[str]:
    """What ``part`` has that ``whole`` has not, or has differently."""
    found = []
    for name, kind in part.type_map.items():
        if is_introspection_type(kind) or is_specified_scalar_type(kind):
            continue
        other = whole.type_map.get(name)
        if type(other) is not type(kind):
            found.append(f"{name} is no {type(kind).__name__} of GitHub's")
        else:
            found += [f"{name}{difference}" for difference in in_type(kind, other)]
    return found


def in_type(kind: GraphQLNamedType, other: GraphQLNamedType) -> list[str]:
    match kind, other:
        case (
            GraphQLObjectType() | GraphQLInterfaceType(),
            GraphQLObjectType() | GraphQLInterfaceType(),
        ):
            named = {each.name for each in other.interfaces}
            return [
                *(f" implements {each.name}" for each in kind.interfaces if each.name not in named),
                *in_values(kind.fields, other.fields),
                *(
                    f".{name}{difference}"
                    for name, field in kind.fields.items()
                    if name in other.fields
                    for difference in in_arguments(field, other.fields[name])
                ),
            ]
        case GraphQLInputObjectType(), GraphQLInputObjectType():
            return [*in_values(kind.fields, other.fields), *left_out(kind.fields, other.fields)]
        case GraphQLEnumType(), GraphQLEnumType():
            return [f".{value}" for value in kind.values if value not in other.values]
        case GraphQLUnionType(), GraphQLUnionType():
            named = {each.name for each in other.types}
            return [f" = {each.name}" for each in kind.types if each.name not in named]
    return []


def in_arguments(field: GraphQLField, other: GraphQLField) -> list[str]:
    defaults = [
        f"({name} = {argument.default_value})"
        for name, argument in field.args.items()
        if name in other.args and argument.default_value != other.args[name].default_value
    ]
    return [*in_values(field.args, other.args), *left_out(field.args, other.args), *defaults]


def in_values(values: dict[str, ValueT], others: dict[str, ValueT]) -> list[str]:
    """Fields or arguments that the other does not have, or not with the same type."""
    return [
        f".{name}: {value.type}"
        for name, value in values.items()
        if name not in others or str(others[name].type) != str(value.type)
    ]


def left_out(
    values: dict[str, GraphQLArgument] | dict[str, GraphQLInputField],
    others: dict[str, GraphQLArgument] | dict[str, GraphQLInputField],
) -> list[str]:
    """What GitHub requires and we do not ask for."""
    return [
        f" lacks {name}: {other.type}"
        for name, other in others.items()
        if name not in values and _required(other)
    ]


def _required(value: GraphQLArgument | GraphQLInputField) -> bool:
    return is_non_null_type(value.type) and value.default_value is Undefined


def test_ours_is_a_part_of_githubs(ours: GraphQLSchema, githubs: GraphQLSchema) -> None:
    assert differences(ours, githubs) == []


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("type Query { a: Int }", "type Query { b: Int }"),
        ("type Query { a: Int }", "type Query { a: Int! }"),
        ("type Query { a: [Int!] }", "type Query { a: [Int] }"),
        ("type Query { a(n: Int): Int }", "type Query { a(n: Int!): Int }"),
        ("type Query { a(n: Int): Int }", "type Query { a: Int }"),
        ("type Query { a: Int }", "type Query { a(n: Int!): Int }"),
        ("type Query { a(n: Int = 1): Int }", "type Query { a(n: Int = 2): Int }"),
        ("type Query { a: E } enum E { X Y }", "type Query { a: E } enum E { X }"),
        ("type Query { a: E } enum E { X }", "type Query { a: E } scalar E"),
        (
            "type Query { a: A } interface I { n: Int } type A implements I { n: Int }",
            "type Query { a: A i: I } interface I { n: Int } type A { n: Int }",
        ),
        (
            "type Query { u: U } type A { n: Int } type B { n: Int } union U = A | B",
            "type Query { u: U b: B } type A { n: Int } type B { n: Int } union U = A",
        ),
        (
            "type Query { a(i: I): Int } input I { n: Int }",
            "type Query { a(i: I): Int } input I { n: Int m: Int! }",
        ),
    ],
)
def test_each_kind_of_difference_is_seen(ours: str, theirs: str) -> None:
    assert differences(schema_of(ours), schema_of(theirs)) != []
    assert differences(schema_of(theirs), schema_of(theirs)) == []
