"""What a GraphQL document costs, computed before it is run, as GitHub does.

Points are the requests it would take to fill each unique connection, divided by 100, at least one;
nodes are what the connections could return
(https://docs.github.com/graphql/overview/rate-limits-and-node-limits-for-the-graphql-api).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    InlineFragmentNode,
    IntValueNode,
    ListValueNode,
    NamedTypeNode,
    OperationDefinitionNode,
    VariableNode,
)

if TYPE_CHECKING:
    from graphql import DocumentNode, GraphQLSchema, SelectionSetNode, ValueNode


@dataclass(frozen=True, slots=True)
class Cost:
    """Points that are charged, and nodes that could be returned."""

    points: int
    nodes: int


def cost_of(schema: GraphQLSchema, document: DocumentNode, variables: dict[str, Any]) -> Cost:
    """The cost of a valid document."""
    fragments = {
        one.name.value: one
        for one in document.definitions
        if isinstance(one, FragmentDefinitionNode)
    }
    counter = _Counter(schema, fragments, variables)
    for definition in document.definitions:
        if isinstance(definition, OperationDefinitionNode):
            counter.walk(definition.selection_set, schema.get_root_type(definition.operation), 1)
    return Cost(points=max(1, round(counter.requests / 100)), nodes=counter.nodes)


class _Counter:
    def __init__(
        self,
        schema: GraphQLSchema,
        fragments: dict[str, FragmentDefinitionNode],
        variables: dict[str, Any],
    ) -> None:
        self._schema = schema
        self._fragments = fragments
        self._variables = variables
        self.requests = 0
        self.nodes = 0

    def walk(self, selection: SelectionSetNode | None, kind: Any, parents: int) -> None:
        for part in selection.selections if selection else ():
            if isinstance(part, FieldNode):
                self._field(part, kind, parents)
            elif isinstance(part, FragmentSpreadNode):
                fragment = self._fragments[part.name.value]
                on = self._schema.type_map[fragment.type_condition.name.value]
                self.walk(fragment.selection_set, on, parents)
            elif isinstance(part, InlineFragmentNode):
                condition: NamedTypeNode | None = part.type_condition
                on = self._schema.type_map[condition.name.value] if condition is not None else kind
                self.walk(part.selection_set, on, parents)

    def _field(self, field: FieldNode, kind: Any, parents: int) -> None:
        if not isinstance(kind, GraphQLObjectType | GraphQLInterfaceType):
            return
        definition = kind.fields.get(field.name.value)
        if definition is None:
            return
        arguments = {one.name.value: one.value for one in field.arguments}
        inner = definition.type
        while isinstance(inner, GraphQLList | GraphQLNonNull):
            inner = inner.of_type
        children = parents
        if getattr(inner, "name", "").endswith("Connection"):
            page = self._number(arguments.get("first")) or self._number(arguments.get("last")) or 0
            # A connection that is only counted needs no request of its own.
            self.requests += parents if page else 0
            children = parents * page
            self.nodes += children
        elif field.name.value == "nodes" and "ids" in arguments:
            children = parents * self._length(arguments["ids"])
            self.requests += 1
            self.nodes += children
        self.walk(field.selection_set, inner, children)

    def _number(self, value: ValueNode | None) -> int | None:
        if isinstance(value, IntValueNode):
            return int(value.value)
        if isinstance(value, VariableNode):
            given = self._variables.get(value.name.value)
            return given if isinstance(given, int) else None
        return None

    def _length(self, value: ValueNode) -> int:
        if isinstance(value, ListValueNode):
            return len(value.values)
        if isinstance(value, VariableNode):
            return len(self._variables.get(value.name.value) or ())
        return 1
