"""GraphQL documents, read into their selections.

Measured: importing ``graphql-core`` takes 180 ms, twice what a hook may take in all, so this reads
the part of the language (October 2021 edition) that queries use. Type definitions are not read.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from resources_graph_core.errors import UsageError

_TOKEN = re.compile(
    r"""
    [\s,\ufeff]+ | \#[^\n\r]*
    | (?P<block>\"\"\"(?:[^"\\]|\\.|"(?!""))*\"\"\")
    | (?P<string>"(?:[^"\\\n\r]|\\.)*")
    | (?P<number>-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)
    | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<mark>\.\.\.|[!$&()@:=\[\]{|}])
    """,
    re.VERBOSE | re.DOTALL,
)
_DEEPEST = 60
_LONGEST = 100_000


class Variable(NamedTuple):
    """``$name`` where a value stands."""

    name: str


class Name(NamedTuple):
    """A bare word where a value stands: an enumeration's member."""

    text: str


class Selection(NamedTuple):
    """A field, or a fragment (``name`` is then empty and ``spread`` names it unless it is inline).

    ``conditional`` says that a directive decides at run time whether it is there.
    """

    name: str
    arguments: dict[str, object]
    selections: list[Selection]
    spread: str = ""
    conditional: bool = False


class Operation(NamedTuple):
    """One operation: ``query``, ``mutation`` or ``subscription``, and its variables' defaults."""

    kind: str
    name: str
    defaults: dict[str, object]
    selections: list[Selection]


class Document(NamedTuple):
    """Every operation and fragment of a document."""

    operations: list[Operation]
    fragments: dict[str, list[Selection]]


def parse(text: str) -> Document:
    """Read a document. Raises UsageError when it is none."""
    if len(text) > _LONGEST:
        raise UsageError("the GraphQL document is longer than any agent's")
    return _Parser(text).document()


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        at = 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise UsageError("that is no GraphQL")
            if match.lastgroup:
                self.tokens.append((match.lastgroup, match[0]))
            at = match.end()
        self.tokens.append(("end", ""))
        self.at = 0
        self.depth = 0

    def peek(self, mark: str) -> bool:
        return self.tokens[self.at] in {("mark", mark), ("name", mark)}

    def accept(self, mark: str) -> bool:
        if self.peek(mark):
            self.at += 1
            return True
        return False

    def expect(self, mark: str) -> None:
        if not self.accept(mark):
            raise UsageError(f"the GraphQL has no {mark!r} where one belongs")

    def name(self) -> str:
        kind, text = self.tokens[self.at]
        if kind != "name":
            raise UsageError("the GraphQL has no name where one belongs")
        self.at += 1
        return text

    def document(self) -> Document:
        operations: list[Operation] = []
        fragments: dict[str, list[Selection]] = {}
        while self.tokens[self.at][0] != "end":
            if self.accept("fragment"):
                name = self.name()
                self.expect("on")
                self.name()
                self.directives()
                fragments[name] = self.selections()
            else:
                operations.append(self.operation())
        return Document(operations, fragments)

    def operation(self) -> Operation:
        if self.peek("{"):
            return Operation("query", "", {}, self.selections())
        kind = self.name()
        if kind not in {"query", "mutation", "subscription"}:
            raise UsageError(f"the GraphQL has a {kind!r}, which is no operation")
        name = "" if self.peek("(") or self.peek("{") or self.peek("@") else self.name()
        defaults = self.variables() if self.accept("(") else {}
        self.directives()
        return Operation(kind, name, defaults, self.selections())

    def variables(self) -> dict[str, object]:
        defaults: dict[str, object] = {}
        while not self.accept(")"):
            self.expect("$")
            name = self.name()
            self.expect(":")
            while self.accept("["):
                pass
            self.name()
            while self.accept("]") or self.accept("!"):
                pass
            if self.accept("="):
                defaults[name] = self.value()
            self.directives()
        return defaults

    def directives(self) -> bool:
        found = False
        while self.accept("@"):
            found = True
            self.name()
            self.arguments()
        return found

    def arguments(self) -> dict[str, object]:
        found: dict[str, object] = {}
        if self.accept("("):
            while not self.accept(")"):
                name = self.name()
                self.expect(":")
                found[name] = self.value()
        return found

    def selections(self) -> list[Selection]:
        self.deeper()
        self.expect("{")
        found: list[Selection] = []
        while not self.accept("}"):
            found.append(self.fragment() if self.accept("...") else self.field())
        self.depth -= 1
        return found

    def fragment(self) -> Selection:
        spread = ""
        if self.accept("on"):
            self.name()
        elif not (self.peek("{") or self.peek("@")):
            spread = self.name()
        conditional = self.directives()
        inner = [] if spread else self.selections()
        return Selection("", {}, inner, spread, conditional)

    def field(self) -> Selection:
        name = self.name()
        if self.accept(":"):
            name = self.name()  # what stood before was an alias
        arguments = self.arguments()
        conditional = self.directives()
        inner = self.selections() if self.peek("{") else []
        return Selection(name, arguments, inner, "", conditional)

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise UsageError("the GraphQL is nested deeper than any agent's")

    def value(self) -> object:
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "string":
            return _string(text)
        if kind == "block":
            return text[3:-3].replace('\\"""', '"""').strip()
        if kind == "number":
            return int(text) if text.lstrip("-").isdecimal() and len(text) < 20 else text  # noqa: PLR2004 - beyond 64 bits it is no number of GitHub's
        if kind == "name":
            constants: dict[str, object] = {"true": True, "false": False, "null": None}
            return constants[text] if text in constants else Name(text)
        if text == "$":
            return Variable(self.name())
        self.deeper()
        found = self.composite(text)
        self.depth -= 1
        return found

    def composite(self, opening: str) -> object:
        if opening == "[":
            members: list[object] = []
            while not self.accept("]"):
                members.append(self.value())
            return members
        if opening != "{":
            raise UsageError("the GraphQL has no value where one belongs")
        fields: dict[str, object] = {}
        while not self.accept("}"):
            name = self.name()
            self.expect(":")
            fields[name] = self.value()
        return fields


def _string(text: str) -> str:
    if "\\" not in text:
        return text[1:-1]
    import json  # noqa: PLC0415 - escapes are rare

    try:
        return str(json.loads(text))  # GraphQL's escapes are JSON's
    except ValueError:
        raise UsageError("the GraphQL has a string with an escape that is none") from None
