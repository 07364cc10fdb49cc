"""Words of a shell command from its syntax tree: quotes, variables, substitutions."""

from __future__ import annotations

from abc import ABC, abstractmethod

from resources_graph_core.capture import syntax, words
from resources_graph_core.capture.flags import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from resources_graph_core.capture.scope import Scope

DEEPEST = 40
"""Levels of nesting that are followed; what lies deeper is not known."""

_ARITHMETIC = frozenset(["postfix_expression", "unary_expression", "binary_expression"])

_EXPANSIONS = frozenset(["simple_expansion", "expansion", "command_substitution"])


class Expander(ABC):
    """Expands words. What runs inside a substitution is up to whoever walks the statements."""

    depth = 0

    @abstractmethod
    def block(self, statements: Sequence[Node], scope: Scope, stdin: str | None) -> str:
        """Run statements one after another; answers what they print."""

    def assignment(self, node: Node, scope: Scope) -> tuple[str, str]:
        """The name and value of ``NAME=VALUE``."""
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        text = "" if value is None else self.whole(value, scope)
        added = any(child.type == "+=" for child in node.children)
        if name is None or name.type != "variable_name":
            return syntax.text(node).partition("[")[0], UNKNOWN
        return syntax.text(name), UNKNOWN if added else text

    def whole(self, node: Node, scope: Scope) -> str:
        """The text of a word where the shell does not split it."""
        if node.type == "array":
            self.nested(node, scope)
            return UNKNOWN
        if node.type in _EXPANSIONS:
            return self.expansion(node, scope)
        return words.plain(self.piece(node, scope))

    def expand(self, node: Node, scope: Scope) -> list[str]:
        """The words that a word becomes: none, one, or more."""
        if node.type == "command_name" and node.named_children:
            node = node.named_children[0]
        return words.finished(self.piece(node, scope))

    def piece(self, node: Node, scope: Scope) -> str:
        """A part of a word, in the making (see ``words``)."""
        kind = node.type
        if kind == "concatenation":
            return "".join(self.piece(child, scope) for child in node.children)
        if kind.endswith("string"):
            return words.quoted(self.inside(node, scope))
        if kind in _EXPANSIONS:
            return words.expanded(self.expansion(node, scope))
        if node.named_children and kind != "brace_expression":
            self.nested(node, scope)
            return UNKNOWN
        return words.unquoted(syntax.text(node))

    def inside(self, node: Node, scope: Scope) -> str:
        """The text between quotes of any kind."""
        if node.type == "raw_string":
            return syntax.text(node)[1:-1]
        if node.type == "ansi_c_string":
            return words.ansi_c(syntax.text(node)[2:-1])
        return self.with_expansions(node, scope, words.in_double_quotes)

    def with_expansions(self, node: Node, scope: Scope, literal: words.Unescape) -> str:
        """Text with expansions in it; ``literal`` unescapes what lies between them.

        The grammar counts blanks before an expansion as part of it, and leaves some out.
        """
        source, start = syntax.text(node).encode(), node.start_byte
        made: list[str] = []
        at = 0
        for child in node.children:
            if child.type not in _EXPANSIONS and child.type != "arithmetic_expansion":
                continue
            text = syntax.text(child)
            blanks = len(text) - len(text.lstrip())
            before = source[at : child.start_byte - start].decode("utf-8", "replace")
            made.append(literal(before + text[:blanks]))
            if child.type == "arithmetic_expansion":
                self.nested(child, scope)
                made.append(UNKNOWN)
            else:
                made.append(self.expansion(child, scope))
            at = child.end_byte - start
        made.append(literal(source[at:].decode("utf-8", "replace")))
        text = "".join(made)
        return text.lstrip("$")[1:-1] if node.type != "heredoc_body" else text

    def expansion(self, node: Node, scope: Scope) -> str:
        """The value of ``$NAME``, ``${NAME}``, ``${NAME:-DEFAULT}`` or ``$(…)``."""
        if node.type == "command_substitution":
            if self.depth >= DEEPEST:
                return UNKNOWN
            return self.block(node.children, scope.copy(), None).rstrip("\n")
        parts = node.named_children
        plain = len(parts) == 1 and len(node.children) <= 3  # noqa: PLR2004 - '${', name, '}'
        if plain and parts[0].type == "variable_name":
            return scope.value(syntax.text(parts[0]))
        for part in parts:
            self.nested(part, scope)
        return UNKNOWN

    def nested(self, node: Node, scope: Scope) -> None:
        """Run the substitutions inside something whose value nobody needs.

        What arithmetic changes on the way (``n++``, ``n = 9``) is no longer known.
        """
        pending = [node]
        while pending:
            current = pending.pop()
            if current.type in {"command_substitution", "process_substitution"}:
                if self.depth < DEEPEST:
                    self.depth += 1
                    self.block(current.children, scope.copy(), None)
                    self.depth -= 1
            else:
                if current.type in _ARITHMETIC:
                    scope.lose(*words.changed(syntax.text(current)))
                pending.extend(reversed(current.named_children))
