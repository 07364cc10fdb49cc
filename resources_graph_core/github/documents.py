"""GraphQL documents, built from typed parts and printed; nothing is glued from text.

Values travel as variables, so whatever a value holds, it cannot change a document. What a document
costs is known before it is sent, by the rules of
https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

NODE_LIMIT = 500_000
"""How many nodes one document may ask for at most."""

PAGE_LIMIT = 100
"""The most that ``first`` may be on any connection."""


@dataclass(frozen=True, slots=True)
class Enum:
    """An enum value, printed without quotes."""

    name: str


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable, its GraphQL type (``String!``) and the value to send with it."""

    name: str
    type: str
    value: object


Argument = (
    str | int | bool | None | Enum | Variable | Sequence["Argument"] | Mapping[str, "Argument"]
)


@dataclass(frozen=True)
class Fragment:
    """A named selection on a type, printed once however often it is used.

    What it holds is looked through once too, since a document uses it for every item.
    """

    name: str
    on: str
    parts: Selection

    @cached_property
    def counted(self) -> _Count:
        """What it can give, and how many connections that takes."""
        return _count(self.parts)

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The variables in it."""
        return tuple(_variables(self.parts))


@dataclass(frozen=True, slots=True)
class Spread:
    """The use of a named fragment."""

    fragment: Fragment


@dataclass(frozen=True, slots=True)
class On:
    """A selection that applies to one type of several."""

    type: str
    parts: Selection


@dataclass(frozen=True, slots=True)
class Ask:
    """A field: its name, its arguments, and what is asked of it."""

    name: str
    arguments: Mapping[str, Argument] = field(default_factory=dict)
    parts: Selection = ()
    alias: str | None = None

    def known_as(self, alias: str) -> Ask:
        """The same field under ``alias``."""
        return replace(self, alias=alias)


Part = Ask | On | Spread
Selection = tuple[Part, ...]

RATE_LIMIT = Ask("rateLimit", parts=(Ask("cost"), Ask("remaining"), Ask("resetAt")))
"""What the document cost and what is left; asked with every query (mutations cannot)."""


@dataclass(frozen=True)
class Operation:
    """A named query or mutation: its text, its variables and what it costs."""

    name: str
    parts: Selection
    kind: Literal["query", "mutation"] = "query"

    @cached_property
    def variables(self) -> dict[str, object]:
        """The values to send, by the name of their variable."""
        return {variable.name: variable.value for variable in _variables(self.parts)}

    @cached_property
    def text(self) -> str:
        """The document as it is sent; the same parts always print the same text."""
        parts = (*self.parts, RATE_LIMIT) if self.kind == "query" else self.parts
        declared = ", ".join(
            f"${name}: {kind}"
            for name, kind in dict.fromkeys((v.name, v.type) for v in _variables(self.parts))
        )
        head = f"{self.kind} {self.name}({declared})" if declared else f"{self.kind} {self.name}"
        printed = [
            f"fragment {fragment.name} on {fragment.on} {_braces(fragment.parts)}"
            for fragment in _fragments(self.parts, {}).values()
        ]
        return "\n".join([f"{head} {_braces(parts)}", *printed])

    def without(self, lacking: Collection[str]) -> Operation:
        """The same without these fields (``name``) and arguments of fields (``name.argument``)."""
        return replace(self, parts=_without(self.parts, lacking)) if lacking else self

    @cached_property
    def _counted(self) -> _Count:
        return _count(self.parts)

    @property
    def node_count(self) -> int:
        """How many nodes GitHub may have to give at most."""
        return self._counted.nodes

    @property
    def cost(self) -> int:
        """How many points GitHub charges for it: a hundredth of its connections, at least 1."""
        return max(1, round(self._counted.connections / 100))


@dataclass(frozen=True, slots=True)
class _Count:
    nodes: int = 0
    connections: int = 0


def _count(selection: Selection) -> _Count:
    """What a selection can give and how many connections that takes, for one thing it is of."""
    nodes = connections = 0
    for part in selection:
        inner = part.fragment.counted if isinstance(part, Spread) else _count(part.parts)
        match part:
            case Ask(arguments={"first": int(first)}):
                nodes += first + first * inner.nodes
                connections += 1 + first * inner.connections
            case _:
                nodes += inner.nodes
                connections += inner.connections
    return _Count(nodes, connections)


def _without(selection: Selection, lacking: Collection[str]) -> Selection:
    kept: list[Part] = []
    for part in selection:
        if isinstance(part, Spread):
            parts = _without(part.fragment.parts, lacking)
            kept.append(Spread(replace(part.fragment, parts=parts)))
        elif isinstance(part, On):
            kept.append(replace(part, parts=_without(part.parts, lacking)))
        elif part.name not in lacking:
            arguments = {
                name: value
                for name, value in part.arguments.items()
                if f"{part.name}.{name}" not in lacking
            }
            parts = _without(part.parts, lacking)
            kept.append(replace(part, arguments=arguments, parts=parts))
    return tuple(kept)


def _variables(selection: Selection) -> Iterator[Variable]:
    for part in selection:
        if isinstance(part, Ask):
            for value in part.arguments.values():
                yield from _variables_in(value)
        yield from part.fragment.variables if isinstance(part, Spread) else _variables(part.parts)


def _variables_in(value: Argument) -> Iterator[Variable]:
    if isinstance(value, Variable):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _variables_in(inner)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for inner in value:
            yield from _variables_in(inner)


def _fragments(selection: Selection, found: dict[str, Fragment]) -> dict[str, Fragment]:
    """The fragments in use by name, in the order of their first use, added to ``found``."""
    for part in selection:
        if not isinstance(part, Spread):
            _fragments(part.parts, found)
        elif part.fragment.name not in found:
            found[part.fragment.name] = part.fragment
            _fragments(part.fragment.parts, found)
    return found


def _braces(selection: Selection) -> str:
    return "{ " + " ".join(_print(part) for part in selection) + " }"


def _print(part: Part) -> str:
    match part:
        case Spread(fragment):
            return f"...{fragment.name}"
        case On(type=on, parts=parts):
            return f"... on {on} {_braces(parts)}"
    alias = f"{part.alias}: " if part.alias else ""
    arguments = ", ".join(f"{name}: {_literal(value)}" for name, value in part.arguments.items())
    called = f"({arguments})" if arguments else ""
    inner = f" {_braces(part.parts)}" if part.parts else ""
    return f"{alias}{part.name}{called}{inner}"


def _literal(value: Argument) -> str:
    match value:
        case Enum(name):
            return name
        case Variable(name=name):
            return f"${name}"
        case Mapping():
            inner = ", ".join(f"{name}: {_literal(one)}" for name, one in value.items())
            return f"{{{inner}}}"
        case str() | bool() | int() | None:
            return json.dumps(value)
    return "[" + ", ".join(_literal(one) for one in value) + "]"
