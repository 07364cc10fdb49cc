"""The syntax tree of a shell command: what the grammar of bash (tree-sitter) calls things.

Small questions about nodes, none of which runs anything.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_UNCERTAIN = frozenset(
    ["[", "test", "grep", "which", "type", "command", "diff", "cmp", "false", "hash", "pgrep"]
)
"""Programs that are asked a question: what follows ``&&`` after them may well not happen."""


_DECLARING = frozenset(["local", "declare", "typeset"])
"""What makes a variable a function's own."""


def text(node: Node) -> str:
    """What stands in the command at this node."""
    return (node.text or b"").decode("utf-8", "replace")


def before_errors(root: Node) -> list[Node]:
    """The statements on the lines before the first error of syntax: a shell reads line by line."""
    broken = next((child for child in root.children if child.has_error), None)
    if broken is None:
        return root.children
    line = broken.start_point.row
    return [child for child in root.children if child.end_point.row < line]


def between(parent: Node, first: Node, second: Node) -> bytes:
    """What stands between two children and is in neither: blanks aside, a word the grammar lost."""
    text, start = parent.text or b"", parent.start_byte
    lost = text[first.end_byte - start : second.start_byte - start]
    return lost.replace(b"\\\n", b"").replace(b"\\\r\n", b"").strip()


def words_of(command: Node) -> list[Node]:
    """The name and the arguments of a command.

    The grammar gives the ``$`` of ``$"…"`` as an argument of its own, which it is not.
    """
    name = command.child_by_field_name("name")
    arguments = [part for part in command.children_by_field_name("argument") if part.type != "$"]
    return arguments if name is None else [name, *arguments]


def is_question(node: Node) -> bool:
    """Whether a statement asks something, so that nobody knows whether it succeeds."""
    if node.type == "redirected_statement":
        body = node.child_by_field_name("body")
        node = node if body is None else body
    if node.type == "pipeline" and node.named_children:
        node = node.named_children[-1]
    if node.type == "command":
        name = node.child_by_field_name("name")
        return name is not None and text(name) in _UNCERTAIN
    return node.type in {"test_command", "negated_command"}


def hides_output(node: Node) -> bool:
    """Whether a redirection sends what is printed elsewhere than on."""
    signs = {child.type for child in node.children}
    descriptor = node.child_by_field_name("descriptor")
    if descriptor is not None and text(descriptor) != "1":
        return False
    return bool(signs & {">", ">>", "&>", "&>>", ">|"})


def clauses(node: Node) -> tuple[list[list[Node]], list[list[Node]], bool]:
    """The conditions and bodies of an ``if``, and whether it has an ``else``."""
    conditions: list[list[Node]] = []
    bodies: list[list[Node]] = []
    has_else = False
    for clause in [node, *[c for c in node.children if c.type.endswith("_clause")]]:
        parts = [c for c in clause.children if c.type not in {"elif_clause", "else_clause"}]
        then = next((at for at, part in enumerate(parts) if part.type == "then"), None)
        if clause.type == "else_clause":
            has_else = True
            then = 0
        if then is not None:
            conditions.append(parts[:then])
            bodies.append(parts[then + 1 :])
    return conditions, bodies, has_else


def local_names(body: Node) -> list[str]:
    """The variables that a function's body declares as its own."""
    found: list[str] = []
    pending = [body]
    while pending:
        current = pending.pop()
        if current.type == "function_definition":
            continue
        if current.type == "declaration_command" and text(current.children[0]) in _DECLARING:
            for child in current.named_children:
                name = child.child_by_field_name("name")
                found.append(text(child if name is None else name))
        pending.extend(current.named_children)
    return found
