"""What every GraphQL resolver stands on: the request's context, attributes, pages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from graphql import FieldNode

from resources_graph_core.sandbox.connections import Connection, problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from graphql import GraphQLResolveInfo

    from resources_graph_core.sandbox.state import State


@dataclass(frozen=True, slots=True)
class Asked:
    """The context of one GraphQL request: what is asked, and what ``rateLimit`` answers.

    ``broken`` names connections that are null, with the type of the error they leave.
    """

    state: State
    rate_limit: Thing
    broken: Mapping[str, str | None]


class Thing:
    """A small typed bag of values that answers like a node."""

    def __init__(self, typename: str = "", **values: Any) -> None:
        self.typename = typename
        self.__dict__.update(values)


@lru_cache(maxsize=1024)
def attribute_of(field: str) -> str:
    """The attribute behind a field: ``is_draft`` for ``isDraft``, ``title_html`` for titleHTML."""
    return re.sub(r"(?<=[a-z0-9])([A-Z]+)", r"_\1", field).lower()


def from_attribute(source: Any, info: GraphQLResolveInfo, **arguments: Any) -> Any:
    """A field that is an attribute, or a method that takes the field's arguments."""
    value = getattr(source, attribute_of(info.field_name))
    return value(info, **arguments) if callable(value) else value


def page(
    items: Sequence[Any], info: GraphQLResolveInfo, arguments: dict[str, Any]
) -> Connection | None:
    """The page that a connection's ``arguments`` ask for; None for a broken one."""
    broken = info.context.broken
    if info.field_name in broken:
        if (kind := broken[info.field_name]) is not None:
            raise problem(kind, "Resource limits for this query exceeded.")
        return None
    bounds = {name: arguments.get(name) for name in ("first", "last", "after", "before")}
    return Connection(items, info.field_name, lists=_lists_nodes(info), **bounds)


def _lists_nodes(info: GraphQLResolveInfo) -> bool:
    """Whether more is asked of a connection than its counts."""
    return any(
        not isinstance(part, FieldNode) or part.name.value in {"nodes", "edges", "pageInfo"}
        for field in info.field_nodes
        if field.selection_set is not None
        for part in field.selection_set.selections
    )


def listed(attribute: str) -> Callable[..., Connection | None]:
    """A connection over a list that is an attribute."""

    def resolve(source: Any, info: GraphQLResolveInfo, **arguments: Any) -> Connection | None:
        return page(getattr(source, attribute), info, arguments)

    return resolve
